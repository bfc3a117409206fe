/** A button of the class. */

import { element } from "../dom/dom.js";

/** @param {string} id @param {string} label @param {() => void} onclick @param {string} [title] */
export function button(id, label, onclick, title = "") {
  return element("button", { type: "button", className: "tool", id, onclick, title }, label);
}
