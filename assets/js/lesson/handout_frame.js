/** A page inside a handout: it lends its figures to the page around it, which shows one state after the other in it. */

/** @typedef {import("./shape.js").Page} Page */

/** The name of no lesson, in the link of such a page. */
export const LENT = "handout";
const KEY = "headlightPage";

/** Lend the page if it stands in a handout. @param {Page} page @returns {boolean} true if it does */
export function showing(page) {
  if (new URLSearchParams(location.search).get("lesson") !== LENT) return false;
  Object.assign(window, { [KEY]: page });
  return true;
}

/** Return the page in a frame once it is there; null if the browser lets nobody look. @param {HTMLIFrameElement} frame @returns {Page | null} */
export function lent(frame) {
  try {
    return /** @type {Record<string, Page | undefined>} */ (/** @type {unknown} */ (frame.contentWindow))[KEY] ?? null;
  } catch {
    return null;
  }
}
