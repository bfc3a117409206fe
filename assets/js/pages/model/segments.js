/** Radio buttons in a line, as the page's other choices look. */

import { element } from "../../dom/dom.js";

/**
 * @param {string} name @param {string} label of the group; without one it is named later @param {string[]} choices
 * @param {(chosen: string) => void} choose
 */
export function segments(name, label, choices, choose) {
  /** @type {Map<string, {box: HTMLInputElement, said: HTMLElement}>} */
  const made = new Map();
  for (const choice of choices) {
    const box = element("input", {
      type: "radio",
      name: `change-${name}`,
      value: choice,
      onchange: () => choose(choice),
    });
    made.set(choice, { box, said: element("span", {}) });
  }
  const labels = [...made.values()].map(({ box, said }) => element("label", {}, box, said));
  const root = element(
    "div",
    { className: "segments change", role: "radiogroup", id: `change-${name}` },
    ...(label ? [element("span", {}, label)] : []),
    element("div", { className: "wrap" }, ...labels),
  );
  if (label) root.setAttribute("aria-label", label);
  return {
    root,
    /** Call a choice. @param {string} choice @param {string} said */
    name(choice, said) {
      const found = made.get(choice);
      if (found && found.said.textContent !== said) found.said.textContent = said;
    },
    /** Choose without telling. @param {string} chosen empty for none */
    show(chosen) {
      for (const [choice, { box }] of made) box.checked = choice === chosen;
    },
  };
}
