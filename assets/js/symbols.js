/**
 * Typesets the paper's symbols in plain text: d with a lowered k, √ with its bar, e with a raised H. Text is never markup,
 * but for the <sub> and <sup> of plotly's titles. What is copied or read aloud stays the plain text.
 */

import { element } from "./dom.js";

/** One letter with a lower or upper index, alone or under a root. */
const SYMBOL =
  /(√)?(?<![\w.=&?])([A-Za-zα-ω])([_^])(model|ff|[A-Za-z0-9])(?![\w=])|√([A-Za-z]|\d+)(?![\w=])|<(sub|sup)>([^<]*)<\/\6>/gu;

/**
 * Return the nodes of a text.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function typeset(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(SYMBOL)) {
    const [whole, root, letter, sign, index, rooted, tag, inner] = found;
    nodes.push(text.slice(end, found.index));
    end = found.index + whole.length;
    if (tag) {
      nodes.push(element(tag === "sub" ? "sub" : "sup", {}, inner));
    } else if (rooted) {
      nodes.push(under(rooted));
    } else {
      const hidden = element("span", { className: "spoken" }, sign);
      const made = element(
        "span",
        { className: "math" },
        element("i", {}, letter),
        hidden,
        element(sign === "_" ? "sub" : "sup", {}, index),
      );
      nodes.push(root ? under(made) : made);
    }
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== "");
}

/** Put a symbol under a root. @param {Node | string} inner */
function under(inner) {
  return element("span", { className: "root" }, "√", element("span", { className: "radicand" }, inner));
}

/** Typeset the texts inside an element that others have written. @param {Element} root */
export function typesetIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const node of texts) {
    const nodes = typeset(node.data);
    if (nodes.some((one) => typeof one !== "string")) node.replaceWith(...nodes);
  }
}
