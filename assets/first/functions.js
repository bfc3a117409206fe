/* gradio turns texts into functions: the scripts of components and of their events, and its templates. Under a Content
   Security Policy without 'unsafe-eval' the browser refuses that. This app's texts have four forms. They are
   parsed here instead of run; any other text is refused, as the browser would. */
(() => {
  const AsyncFunction = Object.getPrototypeOf(async function () {});
  const page = (name, fixed) => {
    const given = JSON.parse(`[${fixed}]`);
    return async (...values) => {
      const headlight = await window.headlight;
      return name === "act" ? headlight.act(...given, values) : headlight[name](...given);
    };
  };
  const forms = [
    // a compiled template without fields
    [/^\s*return ("(?:[^"\\]|\\.)*");\s*$/, (text) => () => JSON.parse(text)],
    [/^return `([^`\\$]*)`;$/, (text) => () => text],
    // js_on_load
    [
      /^window\.headlight\.then\(\(page\) => page\.mount\(("(?:[^"\\]|\\.)*"), element, trigger\)\);$/,
      (name) => (element, trigger) =>
        void window.headlight.then((page) => page.mount(JSON.parse(name), element, trigger)),
    ],
  ];
  const read = (body) => {
    for (const [form, made] of forms) {
      const found = form.exec(body);
      if (found) return made(found[1]);
    }
    throw new EvalError(`refused to make a function of ${String(body).slice(0, 200)}`);
  };
  const event =
    /^return \(\nasync \((?:\.\.\.values)?\) => \(await window\.headlight\)\.(act|start|controlValues)\((.*?)(?:, values)?\)\n\);$/s;
  const readEvent = (body) => {
    const found = event.exec(body);
    return found ? async () => page(found[1], found[2]) : read(body);
  };
  const replace = (made, original) => Object.assign(made, { prototype: original });
  window.Function = replace(function (...texts) {
    return read(texts.at(-1));
  }, Function.prototype);
  Object.defineProperty(AsyncFunction, "constructor", {
    configurable: true,
    value: replace(function (...texts) {
      return readEvent(texts.at(-1));
    }, AsyncFunction),
  });
})();
