/** Fields of the form Ask: a text, and an axis of a curve with its name and its two ends. */

import { element } from "../dom/dom.js";
import { endsOf, typedNumber } from "./ends.js";

/** @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text */

/** A text with its name above it. @param {string} id @param {string} name @param {number} maxLength @param {boolean} [required] */
export function box(id, name, maxLength, required = false) {
  const input = element("input", { type: "text", id, maxLength, required, autocomplete: "off" });
  return { input, row: element("label", { className: "class-field" }, element("span", {}, name), input) };
}

/**
 * An axis: its name, and the numbers at its ends, which are optional.
 * @param {string} id @param {string} name "Horizontal axis" @param {Text} text
 */
export function axisFields(id, name, text) {
  const label = box(id, name, 60);
  const ends = ["from", "to"].map((end) => box(`${id}-${end}`, text(`room.ask_${end}`), 24));
  for (const { input, row } of ends) input.ariaLabel = `${name}, ${row.textContent}`;
  const numbers = () => ends.map(({ input }) => typedNumber(input.value));
  /** Return the ends, or a sentence that says what is wrong with them. */
  const read = () => {
    const [from, to] = numbers();
    const { ends: found = null, fault } = endsOf(from, to);
    for (const { input } of ends) input.setAttribute("aria-invalid", String(fault !== undefined));
    const reason = fault && text(`room.ends.${fault.key}`, fault.fields);
    return { ends: found, wrong: reason ? text("room.ask_ends", { axis: name, fault: reason }) : "" };
  };
  const row = element("div", { className: "class-axis" }, label.row, ...ends.map((end) => end.row));
  row.addEventListener("input", () => ends.forEach(({ input }) => input.removeAttribute("aria-invalid")));
  return { label: label.input, from: ends[0].input, row, read };
}
