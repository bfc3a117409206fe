/* gradio turns texts into functions: the scripts of components and of their events, and its templates. Under a Content
   Security Policy without 'unsafe-eval' the browser refuses that. This app's texts have four forms. They are
   parsed here instead of run; any other text is refused, as the browser would, and a page that
   has not come says so with gradio's version. */
/** @typedef {import("../js/dom/dom.js").Place} Place */
(() => {
  const AsyncFunction = Object.getPrototypeOf(async function () {});
  /** Return an event's script. @param {string} name @param {string} fixed the arguments as JSON */
  const page = (name, fixed) => {
    const [first, ...others] = JSON.parse(`[${fixed}]`);
    return async (/** @type {unknown[]} */ ...values) => {
      const headlight = await window.headlight;
      if (name === "act") return headlight.act(first, ...others, values);
      return name === "start" ? headlight.start(first) : headlight.controlValues();
    };
  };
  /** @type {[form: RegExp, made: (found: string) => Function][]} */
  const forms = [
    // a compiled template without fields
    [/^\s*return ("(?:[^"\\]|\\.)*");\s*$/, (text) => () => JSON.parse(text)],
    [/^return `([^`\\$]*)`;$/, (text) => () => text],
    // js_on_load
    [
      /^window\.headlight\.then\(\(page\) => page\.mount\(("(?:[^"\\]|\\.)*"), element, trigger\)\);$/,
      (name) => (/** @type {HTMLElement} */ element, /** @type {Place["trigger"]} */ trigger) =>
        void window.headlight.then((main) => main.mount(JSON.parse(name), element, trigger)),
    ],
  ];
  /** Return the function of a text, or refuse it. @param {string | undefined} body */
  const read = (body = "") => {
    for (const [form, made] of forms) {
      const found = form.exec(body);
      if (found) return made(found[1]);
    }
    dispatchEvent(new Event("headlight-unknown")); // the page says so, if it has not come yet
    throw new EvalError(`refused to make a function of ${body.slice(0, 200)}`);
  };
  const event =
    /^return \(\nasync \((?:\.\.\.values)?\) => \(await window\.headlight\)\.(act|start|controlValues)\((.*?)(?:, values)?\)\n\);$/s;
  /** Do the same for the text of an asynchronous function. @param {string | undefined} body */
  const readEvent = (body = "") => {
    const found = event.exec(body);
    return found ? async () => page(found[1], found[2]) : read(body);
  };
  /** @param {Function} made @param {object} original */
  const replace = (made, original) => /** @type {FunctionConstructor} */ (Object.assign(made, { prototype: original }));
  window.Function = replace(function (/** @type {string[]} */ ...texts) {
    return read(texts.at(-1));
  }, Function.prototype);
  Object.defineProperty(AsyncFunction, "constructor", {
    configurable: true,
    value: replace(function (/** @type {string[]} */ ...texts) {
      return readEvent(texts.at(-1));
    }, AsyncFunction),
  });
})();
