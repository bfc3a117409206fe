/** Fields of the editor: each has its name above it, and writes what it holds at once. */

import { element } from "../dom/dom.js";

/**
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Box
 * @typedef {[value: string, title: string]} Choice
 */

/** Put a name above a box. @param {string} name @param {Box} box */
export const named = (name, box) => element("label", {}, element("span", {}, name), box);

/** @param {string} name @param {Choice[]} choices @param {string} value @param {(value: string) => void} write */
export function select(name, choices, value, write) {
  const box = element("select", { onchange: () => write(box.value) });
  for (const [one, title] of choices) {
    box.append(element("option", { value: one, selected: one === value }, title));
  }
  return named(name, box);
}

/** @param {string} name @param {string} value @param {number} most characters @param {(value: string) => void} write */
export function line(name, value, most, write) {
  const box = element("input", { type: "text", value, maxLength: most });
  box.addEventListener("input", () => write(box.value.trim()));
  return named(name, box);
}

/** @param {string} name @param {string} value @param {(value: string) => void} write */
export function area(name, value, write) {
  const box = element("textarea", { rows: 2, maxLength: 600, value });
  box.addEventListener("input", () => write(box.value.trim()));
  return named(name, box);
}

/**
 * A number, or none while the box is empty.
 * @param {string} name @param {number | undefined} value @param {(value: number | undefined) => void} write
 */
export function amount(name, value, write) {
  const box = element("input", { type: "number", step: "any", value: String(value ?? "") });
  box.addEventListener("input", () => write(box.value === "" ? undefined : Number(box.value)));
  return named(name, box);
}

/** @param {string} name @param {boolean} value @param {(value: boolean) => void} write */
export function flag(name, value, write) {
  const box = element("input", { type: "checkbox", checked: value });
  box.addEventListener("change", () => write(box.checked));
  const root = element("label", { className: "editor-flag" }, box, element("span", {}, name));
  return root;
}

/**
 * Write a value under a name, or take the name away.
 * @template {object} Of @template {keyof Of} Name
 * @param {Of} of @param {Name} name @param {Of[Name] | undefined} value
 */
export function put(of, name, value) {
  if (value === undefined) delete of[name];
  else of[name] = value;
}
