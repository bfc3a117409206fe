/** The blank screen of a slide clicker: the class looks at the teacher. Any key or step brings the page back, and does no more. */

import { element } from "../dom/dom.js";

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
  document.addEventListener("keydown", wake, true); // before anybody who would move the page unseen
  button.focus({ preventScroll: true });
}

export function unblank() {
  document.removeEventListener("keydown", wake, true);
  sheet?.remove();
  sheet = null;
}

const HELD = ["Shift", "Control", "Alt", "Meta", "AltGraph"];

/** @param {KeyboardEvent} event */
function wake(event) {
  if (HELD.includes(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  unblank();
}
