/** What gradio's controls lack for the keyboard and screen readers: labels in every language, radios of one group. */

import { sliderOf } from "./sliders.js";

/**
 * @param {string[]} names of the controls
 * @param {(key: string, fields?: Record<string, string>) => string} text
 */
export function nameControls(names, text) {
  for (const name of names) {
    group(name);
    const slider = sliderOf(name);
    if (!slider) continue;
    const { control, range, box } = slider;
    const label = text(`control.${name}.label`);
    // name, number and slider are one control
    control.setAttribute("role", "group");
    control.setAttribute("aria-label", label);
    range.setAttribute("aria-label", text("page.slider", { label }));
    box?.setAttribute("aria-label", text("page.number", { label }));
    for (const button of control.querySelectorAll("button")) {
      button.setAttribute("aria-label", text("page.back_to_default", { label }));
      button.title = text("page.back_to_default", { label });
    }
  }
}

/**
 * Make a control's radios one stop of the Tab key, with arrows inside: gradio names each of them differently. The
 * languages keep a stop each, for there an arrow would leave what is shown.
 * @param {string} name
 */
function group(name) {
  if (name === "lang") return;
  for (const radio of document.querySelectorAll(`#control-${name} input[type=radio]`)) {
    /** @type {HTMLInputElement} */ (radio).name = `control-${name}`;
  }
}
