/** The list of what a class sees: a tick for each part, figure and control of the page; `hide` in the link follows. */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/**
 * Return the list, folded, for a menu of the header. Its forty labels are made when it first opens, not while the page does.
 * @param {import("./live_page.js").LivePage} page
 */
export function shaping(page) {
  const head = element("summary", {}, page.text("shape.title"));
  const root = element("details", { className: "shaping" }, head);
  // a click, or Enter, comes before the menu measures what has opened
  head.addEventListener("click", () => root.append(...list(page)), { once: true });
  return root;
}

/** Return the list's parts. @param {import("./live_page.js").LivePage} page */
function list(page) {
  const { settings, presenter } = page;
  const text = (/** @type {string} */ key) => page.text(key);
  /** Names with what they are called. @param {string[]} names @param {(name: string) => string} key @returns {[string, string][]} */
  const called = (names, key) => names.map((name) => [name, text(key(name))]);
  const groups = [
    called(settings.parts, (name) => `part.${name}`),
    called(settings.figures, (name) => `figure.${name.replaceAll("-", "_")}.title`),
    called(settings.controls, (name) => `control.${name}.label`),
  ];
  /** @type {Map<string, HTMLInputElement>} */
  const boxes = new Map();
  /** @param {[string, string]} named */
  const row = ([name, label]) => {
    const box = element("input", { type: "checkbox", checked: !presenter.look.hide.includes(name) });
    box.addEventListener("change", () => {
      const others = presenter.look.hide.filter((other) => other !== name);
      presenter.wish({ ...presenter.look, hide: box.checked ? others : [...others, name] });
    });
    boxes.set(name, box);
    return element("label", { title: `hide = ${name}` }, box, element("span", {}, ...typeset(label)));
  };
  presenter.after.push(({ hide }) => {
    for (const [name, box] of boxes) box.checked = !hide.includes(name);
  });
  return [
    element("p", { className: "hint" }, text("shape.hint")),
    ...groups.map((names) => element("div", { className: "ticks" }, ...names.map(row))),
  ];
}
