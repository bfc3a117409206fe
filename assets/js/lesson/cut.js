/** Puts the pages of a handout into its sheet: where each begins, how large its pictures are, how much room there is to write. */

import { element } from "../dom/dom.js";
import { sheets } from "./pages.js";

/** The height of a ruled line and of a square, in pixels; and how many lines more there may be. */
const [LINE, SQUARE, MOST_LINES] = [27, 19, 4];
const PRINTS = 'link[media="print"]';

/**
 * Cut a handout into pages.
 * @param {HTMLElement} content of the sheet @param {boolean} turning true if what follows a question waits on the next page
 */
export async function cut(content, turning) {
  await document.fonts.ready;
  const parts = blocksIn(content);
  const style = /** @type {HTMLLinkElement | null} */ (document.querySelector(PRINTS));
  // measured as it will be printed; nothing is painted meanwhile
  if (style) style.media = "all";
  const tops = parts.map((part) => part.getBoundingClientRect().top);
  const end = content.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  const blocks = parts.map((part, i) => ({
    height: (tops[i + 1] ?? end) - tops[i],
    flexible: picturesIn(part).reduce((all, one) => all + one.getBoundingClientRect().height, 0),
    rooms: part.querySelectorAll(".handout-lines").length,
    turns: turning && part.classList.contains("is-after"),
  }));
  if (style) style.media = "print";
  for (const { first, end: until, zoom, gain } of sheets(blocks)) {
    const own = parts.slice(first, until);
    const step = own[0].closest(".handout-step");
    const top = step?.firstElementChild === own[0] ? step : own[0]; // with the line above it
    top.classList.toggle("begins-page", first > 0);
    if (zoom < 1) for (const picture of own.flatMap(picturesIn)) picture.style.zoom = String(zoom);
    const rooms = own.flatMap((part) => [...part.querySelectorAll(".handout-lines")]);
    for (const room of rooms) room.append(...grown(gain / rooms.length));
  }
}

/** Return more room to write: a few lines, or squared paper to draw and to compute on. @param {number} height in pixels */
function grown(height) {
  const lines = Math.ceil(height / LINE);
  if (lines <= MOST_LINES) return Array.from({ length: lines }, () => element("hr"));
  const squared = element("div", { className: "handout-squares" });
  squared.style.height = `${SQUARE * Math.ceil(height / SQUARE)}px`;
  return [squared];
}

/** Return what stays together: without answers a whole step, else each of its parts. @param {HTMLElement} content */
function blocksIn(content) {
  const asking = content.classList.contains("is-asking");
  const parts = [...content.children].flatMap((one) =>
    asking || !one.matches(".handout-step") ? [one] : [...one.children],
  );
  return /** @type {HTMLElement[]} */ (parts);
}

/** Return the pictures that may shrink; tables of numbers stay legible. @param {HTMLElement} part */
const picturesIn = (part) =>
  /** @type {HTMLElement[]} */ (
    [...part.querySelectorAll(".printed .stage")].filter((one) => !one.querySelector(".walk"))
  );
