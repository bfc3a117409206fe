/** A title above a panel: whole, or in a narrow panel its numbers and signs alone. */

import { brushOf } from "../../dom/dom.js";
import { shortened } from "./labels.js";

/** Pixels of a title beside its text. */
const AROUND = 9;

/** @type {CanvasRenderingContext2D | null} */
let brush = null;

/**
 * Put a title above its panel.
 * @param {HTMLElement} title
 * @param {string} text
 * @param {{left: number, top: number}} box of the panel
 * @param {number} room in pixels
 * @param {string} font as CSS writes it
 */
export function placeTitle(title, text, { left, top }, room, font) {
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
