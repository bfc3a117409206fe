/** The quiet help: the paper's sections, symbols, words, keys. */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/** @typedef {import("./shape.js").Page} Page */

const SECTIONS = ["attention", "footnote", "practice", "heads", "masking", "complexity", "additive"];
const SYMBOLS = ["n", "d_model", "h", "d_k", "X", "W_Q", "QKᵀ", "p", "H", "e^H", "J", "dL/ds"];
const TERMS = ["nat", "log", "kl", "corpus", "induction", "sink"];
const KEYS = ["tab", "arrows", "enter", "present", "escape", "lesson", "blank", "print"];

/** Open the help. @param {Page} page */
export async function help(page) {
  document.getElementById("help")?.remove();
  const text = (/** @type {string} */ key) => page.text(`help.${key}`);
  /** @param {string} title @param {[(Node | string)[], (Node | string)[]][]} rows */
  const list = (title, rows) => [
    element("h3", {}, title),
    element(
      "dl",
      {},
      ...rows.flatMap(([name, meaning]) => [element("dt", {}, ...name), element("dd", {}, ...meaning)]),
    ),
  ];
  const sections = SECTIONS.map((name) => {
    const href = page.settings.sections[name];
    const link = element("a", { href, target: "_blank", rel: "noreferrer" }, page.text(`reason.section.${name}`));
    return element("li", {}, ...typeset(text(`section.${name}`)), " ", link);
  });
  const root = element(
    "dialog",
    { id: "help", className: document.querySelector(".gradio-container")?.className ?? "" },
    element("h2", {}, text("title")),
    element("p", {}, ...typeset(text("about"))),
    element("h3", {}, text("sections")),
    element("ul", {}, ...sections),
    ...list(
      text("symbols"),
      SYMBOLS.map((symbol, i) => [typeset(symbol), typeset(text(`symbol.${i + 1}`))]),
    ),
    ...list(
      text("terms"),
      TERMS.map((term) => [[text(`term.${term}`)], typeset(text(`term_is.${term}`))]),
    ),
    ...list(
      text("keys"),
      KEYS.map((key) => [[element("kbd", {}, text(`key.${key}`))], typeset(text(`key_does.${key}`))]),
    ),
    element("button", { type: "button", className: "tool", onclick: () => root.close() }, page.text("lesson.close")),
  );
  root.ariaLabel = text("title");
  root.addEventListener("close", () => root.remove());
  document.body.append(root);
  root.showModal();
}
