/**
 * Return what an element shows, an element a line: its words, its states, and its drawings as coarse shades. What depends on
 * a machine's fonts (pixels) and what gradio wraps around our page is left out. The browser is given this function alone.
 * @param {[string, string]} selectors of the element, and of what to leave out of it
 */
export default function outline([within, without]) {
  const UNTOLD = new Set(["script", "style", "option", "template", "noscript", "defs", "marker"]);
  const INLINE = new Set(["i", "b", "em", "strong", "span", "sub", "sup", "tspan", "text", "code", "kbd", "br"]);
  /** Attributes of identity, typing and geometry, and those that only tests, styles and screen readers follow. */
  const QUIET = [
    /^(id|class|style|href|src|for|name|type|tabindex|lang|dir|display|rows|scope|embed|eager|control_page_title)$/,
    /^(stretchy|inputmode|autocomplete|draggable|spellcheck|marker-end|text-(anchor|rendering))$/,
    /^(xmlns.*|viewBox|width|height|d|d[xy]|points|transform|[xyr][12xy]?|c[xy]|stroke-line\w+|ref[XY]|marker\w+|orient)$/,
    /^aria-(labelledby|describedby|controls|owns|hidden|busy|live|atomic)$/,
    /^data-(painted|wanted|drawn|rested|fitted|testid|symbol|names|row|column|iframe-.*|said|sign)$/,
  ];
  const ROLES = new Set(["status", "grid", "row", "gridcell", "rowheader", "columnheader", "group"]);
  const DRAWN = new Set(["path", "line", "rect", "circle", "polyline", "polygon"]);
  /** Rules of a style that depend on fonts, or that nobody reads. */
  const LAID = /\d(\.\d+)?px|gradient|min\(|^(flex|margin|padding|border-style|overflow|--start|--range)/;
  /** The same beside every figure, and told when they are opened. */
  const ALIKE = "svg.icon, .tools > details:not([open]), .tools .enlarge";
  /** @type {string[]} */
  const lines = [];

  const tidy = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();
  const rounded = (/** @type {string} */ text) =>
    text.replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toPrecision(3))));

  /** @param {Element} one */
  const shown = (one) =>
    !UNTOLD.has(one.localName.toLowerCase()) &&
    (one.checkVisibility({ visibilityProperty: true }) || getComputedStyle(one).display === "contents");

  /** True for gradio's own elements. @param {Element} one */
  const gradios = (one) => {
    const classes = one.getAttribute("class") ?? "";
    return /(^| )svelte-|^(block|form|column|row|wrap|contain)\b/.test(classes) || !one.closest("gradio-app");
  };

  /** @param {Element} one */
  const named = (one) => {
    const ours = (/** @type {string} */ name) => (gradios(one) ? /^(is|has)-/.test(name) : name !== "");
    return [one.localName, ...[...one.classList].filter((name) => ours(name) && name !== "is-taught")].join(".");
  };

  /** Return the words of an element in its own order, what is lit up between stars. @param {Element} one @returns {string} */
  const words = (one) => {
    const parts = [...one.childNodes].map((node) => {
      if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? (node.textContent ?? "") : "";
      if (!shown(node)) return "";
      if (node.hasAttribute("data-lit")) return ` *${words(node)}* `;
      return `${/^(m.*|br)$/.test(node.localName) ? " " : ""}${words(node)}`;
    });
    return tidy(parts.join(""));
  };

  /** Return what a control holds. @param {Element} one @returns {string[]} */
  const held = (one) => {
    const told = [];
    if ("disabled" in one && one.disabled === true) told.push("disabled");
    if (one instanceof HTMLInputElement && one.checked) told.push("checked");
    if (one instanceof HTMLSelectElement) {
      const [chosen, all] = [one.selectedOptions, one.options].map((some) =>
        [...some].map(({ text }) => text).join(", "),
      );
      told.push(`chosen=${chosen} of ${all}`);
    }
    const typed = one instanceof HTMLInputElement && !["radio", "checkbox", "file"].includes(one.type);
    if (typed || one instanceof HTMLTextAreaElement || one instanceof HTMLProgressElement) {
      told.push(`value=${rounded(String(one.value))}`);
    }
    return told;
  };

  /** Return what an element says beside its words. @param {Element} one @returns {string[]} */
  const states = (one) => {
    const told = [];
    for (const { name, value } of one.attributes) {
      if (QUIET.some((quiet) => quiet.test(name))) continue;
      if (name === "title" && value === one.getAttribute("aria-label")) continue;
      if (name === "role" && (gradios(one) || ROLES.has(value))) continue;
      told.push(value === "" ? name : `${name.replace("aria-", "")}=${rounded(value)}`);
    }
    told.push(...held(one));
    const rules = gradios(one) ? [] : (one.getAttribute("style") ?? "").split(";").map(tidy);
    told.push(...rules.filter((rule) => rule && !LAID.test(rule)).map((rule) => `{${rounded(rule)}}`));
    return [...new Set(told)];
  };

  /** Return where an element stands in its figure or drawing, in hundredths of it, if that is by its style. @param {Element} one */
  const placed = (one) => {
    const drawn = one instanceof SVGElement;
    if (drawn ? !DRAWN.has(one.localName) : gradios(one) || !/px/.test(one.getAttribute("style") ?? "")) return "";
    const around = (drawn ? one.ownerSVGElement : one.closest(".figure-place, dialog"))?.getBoundingClientRect();
    if (!around?.width || !around.height) return "";
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const x = (/** @type {number} */ at) => Math.round((100 * (at - around.left)) / around.width);
    const y = (/** @type {number} */ at) => Math.round((100 * (at - around.top)) / around.height);
    if (!drawn) return ` @${x((left + right) / 2)},${y((top + bottom) / 2)}`;
    return ` @${x(left)},${y(top)} to @${x(right)},${y(bottom)}`;
  };

  /** Return the darkness of the parts of a drawing in tenths, a digit each; of a small one in one line. @param {HTMLCanvasElement} canvas */
  const picture = (canvas) => {
    const { width, height } = canvas;
    const brush = width && height ? new OffscreenCanvas(width, height).getContext("2d") : null;
    if (!brush) return [];
    brush.drawImage(canvas, 0, 0);
    const { data } = brush.getImageData(0, 0, width, height);
    const large = canvas.clientWidth > 200;
    const [down, across] = large ? [6, 18] : [3, 9];
    /** @param {number} row @param {number} column */
    const shade = (row, column) => {
      const [top, bottom] = [row, row + 1].map((at) => Math.floor((at * height) / down));
      const [left, right] = [column, column + 1].map((at) => Math.floor((at * width) / across));
      let [dark, solid, count] = [0, 0, 0];
      for (let y = top; y < Math.max(bottom, top + 1); y += 1) {
        for (let x = left; x < Math.max(right, left + 1); x += 1) {
          const at = 4 * (y * width + x);
          const alpha = data[at + 3] / 255;
          dark += alpha * (1 - (data[at] + data[at + 1] + data[at + 2]) / 765);
          solid += alpha;
          count += 1;
        }
      }
      // lines of a chart fill little of a square: the root tells them apart
      const share = canvas.matches(".cells") ? dark / count : Math.sqrt(dark / count);
      return solid < 0.002 * count ? "·" : Math.min(9, Math.floor(10 * share));
    };
    const places = Array.from({ length: across }, (_, column) => column);
    const rows = Array.from({ length: down }, (_, row) => places.map((column) => shade(row, column)).join(""));
    return large ? rows.map((row) => `▦ ${row}`) : [`▦ ${rows.join(" ")}`];
  };

  /** True if an element is one line of text: nothing in it says more than its words. @param {Element} one @returns {boolean} */
  const flat = (one) =>
    one.localName === "math" ||
    [...one.children].every(
      (child) =>
        !shown(child) || (INLINE.has(child.localName) && !states(child).length && !placed(child) && flat(child)),
    );

  /** Return radio buttons as one line. @param {Element} one */
  const choice = (one) => {
    const title = [...one.querySelectorAll("span, legend")].find((found) => shown(found) && !found.closest("label"));
    const choices = [...one.querySelectorAll("label")].filter(shown).map((label) => {
      const { checked, disabled } = label.querySelector("input") ?? {};
      return `${checked ? "(•) " : ""}${words(label)}${disabled ? " disabled" : ""}`;
    });
    return `choice ${title ? words(title) : ""}: ${choices.join(" | ")}`;
  };

  /** Return a row of a table as one line. @param {HTMLTableRowElement} row */
  const line = (row) => {
    const cells = [...row.cells].filter(shown).map((cell) => {
      const marks = [...[...cell.classList].filter((name) => /^(is|has)-/.test(name)), ...states(cell)];
      return `${words(cell)}${marks.length ? ` [${marks.join(" ")}]` : ""}`;
    });
    return `row: ${cells.join(" | ")}`;
  };

  /** @param {Element} one @param {number} depth */
  const walk = (one, depth) => {
    if (!shown(one) || one.matches(ALIKE) || (without && one.matches(without))) return;
    const tell = (/** @type {string} */ what, deeper = 0) => lines.push(" ".repeat(depth + deeper) + what);
    if (one.matches("fieldset, [role=radiogroup]") && one.querySelector("input[type=radio]")) {
      tell(choice(one));
    } else if (one instanceof HTMLTableRowElement) {
      tell(line(one));
    } else {
      const [told, at, whole] = [states(one), placed(one), flat(one) && one.localName !== "svg"];
      const own = [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      const text = whole ? words(one) : tidy(own.map(({ textContent }) => textContent).join(" "));
      const isMark = !one.children.length && one.classList.length && !gradios(one) && one.getBoundingClientRect().width;
      const says = Boolean(text || told.length || at || isMark || ["canvas", "svg"].includes(one.localName));
      if (says) tell(`${named(one)}${told.length ? ` [${told.join(" ")}]` : ""}${at}${text ? ` ${text}` : ""}`);
      for (const row of one instanceof HTMLCanvasElement ? picture(one) : []) tell(row, 1);
      for (const child of whole ? [] : one.children) walk(child, depth + Number(says));
    }
  };

  for (const one of document.querySelectorAll(within)) walk(one, 0);
  return lines;
}
