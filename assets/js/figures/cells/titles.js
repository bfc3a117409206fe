/** The titles above panels: whole, or in a narrow panel its numbers and signs alone. */

import { brushOf, element } from "../../dom/dom.js";
import { shortened } from "./labels.js";

/** Pixels of a title beside its text. */
const AROUND = 9;

/** @type {CanvasRenderingContext2D | null} */
let brush = null;

export class Titles {
  /** @type {HTMLElement[]} */
  headings = [];
  /** Their whole texts. @type {string[]} */
  #names = [];
  #layer;
  #reactions;

  /** @param {HTMLElement} layer @param {import("./pointing.js").Reactions} reactions */
  constructor(layer, reactions) {
    this.#layer = layer;
    this.#reactions = reactions;
  }

  /** True if some panel has one. */
  get any() {
    return this.#names.some(Boolean);
  }

  /** Make the panels' titles, buttons if they react. @param {string[]} names @param {import("../../../types/plotly.js").Trace[]} traces */
  show(names, traces) {
    this.clear();
    const { onTitle, titleHint } = this.#reactions;
    this.#names = traces.map((_trace, i) => names[i] ?? "");
    this.headings = traces.map(({ meta }) => {
      if (!onTitle || !meta) return element("span", { className: "panel-title" });
      const { head } = meta;
      const title = titleHint?.() ?? "";
      const onclick = () => onTitle(head);
      return element("button", { className: "panel-title", type: "button", title, onclick });
    });
    this.#layer.append(...this.headings);
  }

  /**
   * Put a title above its panel, or hide it.
   * @param {number} i @param {{left: number, top: number} | null} box of the panel; null: not on screen
   * @param {number} room in pixels @param {string} font as CSS writes it
   */
  place(i, box, room, font) {
    this.headings[i].hidden = box === null;
    if (box) placeTitle(this.headings[i], this.#names[i], box, room, font);
  }

  clear() {
    for (const heading of this.headings) heading.remove();
    this.headings = [];
  }
}

/**
 * Put a title above its panel.
 * @param {HTMLElement} title
 * @param {string} text
 * @param {{left: number, top: number}} box of the panel
 * @param {number} room in pixels
 * @param {string} font as CSS writes it
 */
function placeTitle(title, text, { left, top }, room, font) {
  brush ??= brushOf(document.createElement("canvas"));
  brush.font = font;
  const fits = brush.measureText(text).width + AROUND < room;
  // a title of words alone is cut by the style sheet
  const written = fits ? text : shortened(text) || text;
  if (title.textContent !== written) title.textContent = written;
  if (fits) title.removeAttribute("aria-label");
  else title.setAttribute("aria-label", text);
  // a name of its own needs a role; a button has one
  if (title instanceof HTMLSpanElement) title.role = fits ? null : "img";
  Object.assign(title.style, { left: `${left}px`, top: `${top}px`, maxWidth: `${room}px` });
}
