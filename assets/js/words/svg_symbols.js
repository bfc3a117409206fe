/** The paper's symbols in an SVG text, by the rule of symbols.js: letters in italics, indices lowered, signs unseen. */

import { shape } from "../dom/svg.js";
import { typeset } from "./symbols.js";

/** Type of an index, and its way down or up, in heights of the type. */
const [SMALL, LOWER, HIGHER] = [0.74, 0.2, -0.4];

/** Return the parts of a line. @param {string} line @returns {SVGElement[]} */
export function symbolsIn(line) {
  /** @type {SVGElement[]} */
  const parts = [];
  let level = 0;
  /** @param {string} text @param {string} kind @param {number} at */
  const put = (text, kind, at = 0) => {
    const size = at ? SMALL : 1;
    const shift = at === level || kind === "unseen" ? {} : { dy: `${(at - level) / size}em` };
    if (kind !== "unseen") level = at;
    parts.push(shape("tspan", { class: kind, ...shift }, text));
  };
  /** @param {Node | string} node */
  const take = (node) => {
    if (typeof node === "string") {
      put(node, "plain");
    } else if (!(node instanceof HTMLElement)) {
      put(node.textContent ?? "", "plain");
    } else if (node.className === "silent") {
      // A raised T, whose sign is silent for the eye, is drawn as the sign itself; so is a root, which has no bar here.
      const drawn = node.nextElementSibling?.className === "raised" || node.textContent === "√";
      put(node.textContent, drawn ? "plain" : "unseen");
    } else if (node.matches("sub, sup")) {
      if (node.textContent) put(node.textContent, "index", node.matches("sub") ? LOWER : HIGHER);
    } else if (node.tagName === "I") {
      put(node.textContent, "letter");
    } else {
      node.childNodes.forEach(take);
    }
  };
  for (const node of typeset(line)) take(node);
  return parts;
}
