/** The tip at the pointer: the weight, then its queries and keys. */

import { element } from "../../dom/dom.js";

const WIDE = 250;

export class Tip {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = element("div", { className: "tip", hidden: true, aria: { hidden: "true" } });
    this.parent = parent;
    parent.append(this.root);
  }

  /**
   * @param {string} value @param {string} sentence @param {{x: number, y: number}} at pixels inside the parent
   * @param {string[]} [lines] below the sentence
   */
  show(value, sentence, { x, y }, lines = []) {
    const below = lines.map((line) => element("div", {}, line));
    this.root.replaceChildren(element("strong", {}, value), element("span", {}, sentence), ...below);
    this.root.hidden = false;
    const { clientWidth } = this.parent;
    const right = x > clientWidth - WIDE && x > clientWidth / 2;
    Object.assign(this.root.style, {
      left: right ? "" : `${x + 14}px`,
      right: right ? `${clientWidth - x + 14}px` : "",
      top: `${y + 14}px`,
    });
  }

  hide() {
    this.root.hidden = true;
  }
}
