/** The blank screen of a slide clicker: the class looks at the teacher. Any step brings the page back. */

import { element } from "../dom.js";

/** @type {HTMLElement | null} */
let sheet = null;

export const isBlank = () => sheet !== null;

/** Blank the screen, or show it again. @param {string} label of the way back */
export function blank(label) {
  if (sheet) {
    unblank();
    return;
  }
  const button = element("button", { type: "button", onclick: unblank }, label);
  sheet = element("div", { id: "lesson-blank" }, button);
  document.body.append(sheet);
  button.focus({ preventScroll: true });
}

export function unblank() {
  sheet?.remove();
  sheet = null;
}
