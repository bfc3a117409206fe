/**
 * A small Markdown: paragraphs, lists ("- " or "1. "), *emphasis*, **strong** and `code`. Formulas are typeset as everywhere.
 * Everything else is text: a text never becomes markup, a link or a script.
 */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

const INLINE = /`([^`\n]+)`|\*\*(?=\S)([^*\n]*?\S)\*\*|(?<![\p{L}\d*])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![\d*])/gu;
const ITEM = /^\s*(?:[-*]|(\d{1,2})[.)])\s+(.*)$/;

/**
 * Return the blocks of a text.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function written(text) {
  /** @type {HTMLElement[]} */
  const blocks = [];
  for (const block of text.replaceAll("\r", "").split(/\n\s*\n/)) {
    /** @type {string[]} */
    let words = [];
    /** @type {HTMLElement[]} */
    const lists = [];
    const end = () => {
      if (words.length) blocks.push(element("p", {}, ...inline(words.join(" "))));
      words = [];
    };
    for (const line of block.split("\n")) {
      const item = ITEM.exec(line);
      if (item) {
        end();
        const kind = item[1] ? "ol" : "ul";
        if (lists.at(-1)?.localName !== kind) {
          lists.push(element(kind));
          blocks.push(lists[lists.length - 1]);
        }
        lists[lists.length - 1].append(element("li", {}, ...inline(item[2])));
      } else if (line.trim()) {
        const open = lists.at(-1)?.lastElementChild;
        if (open) open.append(" ", ...inline(line.trim()));
        else words.push(line.trim());
      }
    }
    end();
  }
  return blocks;
}

/** Return the nodes of one line. @param {string} text @returns {(Node | string)[]} */
export function inline(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, strong, soft] = found;
    nodes.push(...typeset(text.slice(end, found.index)));
    if (code) nodes.push(element("code", {}, code));
    else nodes.push(element(strong ? "strong" : "em", {}, ...typeset(strong || soft)));
    end = found.index + whole.length;
  }
  return [...nodes, ...typeset(text.slice(end))];
}

/** Return a text on one line, with its signs: `inline` shows it. Pure. @param {string} text */
export const onOneLine = (text) => text.replace(/\s+/g, " ").trim();

/** Return a text without its signs, for places that hold plain text. Pure. @param {string} text */
export const plainly = (text) => onOneLine(text.replace(INLINE, (_, code, strong, soft) => code ?? strong ?? soft));
