/** Boxes of the controls that change the running model: a number that is there at times, and what is on or off. */

import { element } from "../../dom/dom.js";

/**
 * Return a box for a number, hidden while there is none.
 * @param {string} name @param {string} label @param {{low: number | null, high: number | null}} ends
 * @param {boolean} open true for whole numbers that may be left out
 * @param {(value: string) => void} moved
 */
export function numberBox(name, label, { low, high }, open, moved) {
  const box = element("input", {
    type: "number",
    id: `change-${name}-value`,
    min: String(low),
    max: String(high),
    step: open ? "1" : "any",
    placeholder: "–",
    oninput: () => {
      const value = Number(box.value);
      if (box.validity.badInput || (box.value === "" && !open)) return;
      if (box.value !== "" && (value < Number(low) || value > Number(high) || (open && value % 1 !== 0))) return;
      moved(box.value === "" ? "" : String(value));
    },
  });
  const root = element("label", { className: "change-line", hidden: true }, element("span", {}, label), box);
  return {
    root,
    /** @param {string | null} value */
    show(value) {
      root.hidden = value === null;
      if (value !== null && document.activeElement !== box) box.value = value;
    },
  };
}

/** Return a check box. @param {string} name @param {string} label @param {(on: boolean) => void} turned */
export function tick(name, label, turned) {
  const box = element("input", { type: "checkbox", id: `change-${name}`, onchange: () => turned(box.checked) });
  return { box, root: element("label", {}, box, element("span", {}, label)) };
}
