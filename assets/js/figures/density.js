/** The pixels of a canvas in one pixel of the page: the screen's, or a printer's while a page is printed. */

/** 288 dots per inch: a CSS pixel is the 96th part of an inch. */
const PRINTED = 3;

let printing = false;

export const density = () => (printing ? PRINTED : window.devicePixelRatio || 1);

/** True while a page is drawn for a printer. */
export const forPaper = () => printing;

/** Draw for a printer from now on, or for the screen again. @param {boolean} on */
export function forPrinter(on) {
  printing = on;
}
