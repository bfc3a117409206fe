/** The controls that have an effect in a state, and the text of the pin. */

import { differing } from "../../link/values.js";
import { typeset } from "../../words/symbols.js";

/** @typedef {(key: string, fields?: import("../../words/message_format.js").Fields) => string} Text */

/** Letters of a value, such as a visitor's text. */
const LONGEST = 24;

/**
 * @param {import("../../link/values.js").Values} values @param {string[]} hidden controls without an effect
 * @param {string} canonical the link on screen
 * @param {import("../../link/values.js").Values} defaults
 * @param {Text} text @param {HTMLElement} label holds the names of A and B
 */
export function fit(values, hidden, canonical, defaults, text, label) {
  for (const name of Object.keys(values)) {
    document.getElementById(`control-${name}`)?.classList.toggle("not-now", hidden.includes(name));
  }
  document.getElementById("upload")?.classList.toggle("not-now", values.source !== "upload");
  const factor = document.querySelector("#control-scale [data-testid=block-info]");
  if (factor) factor.textContent = text(values.source === "model" ? "control.scale.trained" : "control.scale.label");
  const pin = document.getElementById("pin");
  if (pin) {
    pin.textContent = text(values.pin ? "page.unpin" : "page.pin");
    pin.setAttribute("aria-pressed", String(Boolean(values.pin)));
  }
  if (!values.pin) return;
  const names = compared(values.pin, canonical, defaults, text);
  label.replaceChildren(...typeset(names));
  label.title = names; // cut off on a narrow screen
}

/**
 * Name A and B by what differs between them.
 * @param {string} a @param {string} b links
 * @param {import("../../link/values.js").Values} defaults @param {Text} text
 */
export function compared(a, b, defaults, text) {
  const apart = differing(a, b, defaults);
  if (!apart.length) return text("page.pinned_same");
  /** @param {1 | 2} side */
  const written = (side) =>
    apart.map((one) => `${named(one[0], text)} = ${worded(one[0], one[side], text)}`).join(", ");
  return text("page.pinned", { a: written(1), b: written(2) });
}

/** Return a control's name: "d_k" of "d_k, width of a head". @param {string} name @param {Text} text */
function named(name, text) {
  const label = text(`control.${name}.label`);
  return /^([^\s,:]{1,8})[,:]/.exec(label)?.[1] ?? label;
}

/** Return a choice's label, else the value. @param {string} name @param {string} value @param {Text} text */
function worded(name, value, text) {
  const key = `choice.${name}.${value}`;
  const label = text(key);
  if (label !== key) return label;
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
}
