/** Two figures in one place, chosen by a button each. On a phone they stand beside each other and the buttons are hidden. */

import { element } from "../../dom/dom.js";

/**
 * @param {HTMLElement} place of the buttons @param {import("../../figures/figures.js").Figure[]} figures the first is shown
 * @param {string[]} names of the buttons
 */
export function tabs(place, figures, names) {
  const buttons = names.map((name, i) => {
    const title = figures[i].root.querySelector("h2")?.textContent ?? "";
    return element("button", { type: "button", className: "tab", title, onclick: () => show(i) }, name);
  });
  /** @param {number} chosen */
  const show = (chosen) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === chosen)));
    figures.forEach(({ root }, i) => root.classList.toggle("is-other", i !== chosen));
  };
  place.replaceChildren(...buttons);
  show(0);
}
