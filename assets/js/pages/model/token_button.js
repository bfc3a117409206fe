/** A token of a line as a button: as it is written, with what the model knows it by. */

import { element } from "../../dom/dom.js";
import { known, shown, visible } from "../../words/token.js";

/**
 * @typedef {object} Reactions
 * @property {() => void} press
 * @property {() => void} point a mouse is over it
 * @property {() => void} [focus]
 */

/**
 * @param {import("../../../types/wire.js").Line} line @param {number} at
 * @param {Reactions} reactions
 */
export function tokenButton(line, at, { press, point, focus }) {
  const token = line.tokens[at];
  const told = known(line, at);
  const button = element(
    "button",
    {
      type: "button",
      className: "token",
      dir: "auto",
      ariaLabel: [shown(token), told].filter(Boolean).join(", "),
      data: { told },
      onclick: press,
      onpointerenter: (/** @type {PointerEvent} */ event) => {
        if (event.pointerType === "mouse") point();
      },
    },
    visible(token),
  );
  if (focus) button.addEventListener("focus", focus);
  button.classList.toggle("is-written", line.written > 0 && at >= line.written);
  return button;
}

/** Say on a token what a query gives it, below what the model knows it by. @param {HTMLElement} button @param {string} weight */
export function tellWeight(button, weight) {
  button.title = [button.dataset.told, weight].filter(Boolean).join("\n");
}
