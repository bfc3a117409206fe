/** The one way in that a first visit is offered, beside the sentences of the first page; dismissed once, it never comes back. */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

const KEY = "headlight-welcomed";

/** True if nothing was asked of the page and this browser has not been here; null before the first sentences. @type {boolean | null} */
let wanted = null;

function welcomed() {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false; // it comes back on each visit: this browser forgets
  }
}

/** Offer it no more. */
export function welcomeNoMore() {
  wanted = false;
  document.getElementById("first-visit")?.remove();
  try {
    localStorage.setItem(KEY, "1");
  } catch {
    // dismissed for this visit
  }
}

/**
 * Put the offer before the sentences, if it is wanted.
 * @param {HTMLElement} box of the sentences @param {(key: string) => string} text @param {() => void} begin
 */
export function welcome(box, text, begin) {
  wanted ??= location.search === "" && !welcomed();
  if (!wanted) return;
  const start = () => {
    welcomeNoMore();
    begin();
  };
  const way = element(
    "button",
    { type: "button", id: "first-way", onclick: start },
    ...typeset(text("first.way")),
    " →",
  );
  const no = { type: "button", id: "first-dismiss", title: text("first.dismiss"), onclick: welcomeNoMore };
  const away = element("button", { ...no, ariaLabel: no.title }, "×");
  box.prepend(
    element("span", { id: "first-visit" }, element("span", { className: "what" }, `${text("first.what")} `), way, away),
  );
}
