/** The words of a chart as HTML over its canvas: ticks, titles, notes. Elements are reused; text is never markup. */

import { element } from "../../dom/dom.js";
import { typeset } from "../../words/symbols.js";

/**
 * @typedef {object} Word
 * @property {string} text
 * @property {number} x @property {number} y pixels
 * @property {"start" | "middle" | "end"} align
 * @property {"tick" | "title" | "heading" | "tall" | "aside" | "upright" | "note"} kind
 * @property {number} [most] largest width in pixels
 * @property {boolean} [plain] true for a visitor's text, which has no symbols
 * @property {string} [colour]
 * @property {string} [name] the whole text of a shortened one
 * @property {number} [lead] pixels of the line that leads from what it names to the word
 */

export class Words {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Word[]} */
    this.shown = [];
  }

  /** Show these words; only those that differ touch the page. @param {Word[]} words */
  show(words) {
    const { root, shown } = this;
    while (root.children.length > words.length) root.lastChild?.remove();
    while (root.children.length < words.length) root.append(element("span"));
    words.forEach((word, i) => {
      const place = /** @type {HTMLElement} */ (root.children[i]);
      const before = shown.at(i);
      if (before?.text !== word.text) place.replaceChildren(...(word.plain ? [word.text] : typeset(word.text)));
      if (before?.kind !== word.kind || before.align !== word.align || before.lead !== word.lead) {
        place.className = `word ${word.kind} ${word.align}${word.lead === undefined ? "" : " is-led"}`;
      }
      if (before?.name !== word.name) {
        if (word.name === undefined) place.removeAttribute("title");
        else place.title = word.name;
      }
      if (before?.lead !== word.lead) place.style.setProperty("--lead", `${word.lead ?? 0}px`);
      if (before?.x !== word.x || before.y !== word.y) place.style.transform = `translate(${word.x}px, ${word.y}px)`;
      if (before?.most !== word.most) place.style.maxWidth = word.most === undefined ? "" : `${word.most}px`;
      if (before?.colour !== word.colour) place.style.color = word.colour ?? "";
    });
    this.shown = words;
  }
}
