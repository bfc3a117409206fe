/** Labels of gradio's sliders for screen readers: gradio's are English in every language, so the page replaces them. */

import { sliderOf } from "./sliders.js";

/**
 * @param {string[]} names of the controls
 * @param {(key: string, fields?: Record<string, string>) => string} text
 */
export function nameControls(names, text) {
  for (const name of names) {
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
