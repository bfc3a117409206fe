/** The logarithmic sliders of a page's rail; gradio does not know them, so the page gives them their values. */

import { LogSlider } from "./log_slider.js";

/** @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text */

export class LogSliders {
  /**
   * @param {{text: Text, controls: {changed: (name: string, value: number) => void}}} page
   * @param {Record<string, import("../dom/dom.js").Place>} places
   * @param {Record<string, import("./stops.js").Scale>} scales by name of the control
   */
  constructor(page, places, scales) {
    /** @type {Text} */
    const text = (key, fields) => page.text(key, fields);
    this.names = Object.keys(scales);
    /** @type {(readonly [string, LogSlider])[]} */
    this.sliders = this.names.map((name) => {
      const moved = (/** @type {number} */ value) => page.controls.changed(name, value);
      const root = places[`control-${name}`].element;
      return /** @type {const} */ ([name, new LogSlider(root, name, scales[name], [], text, moved)]);
    });
  }

  /** @param {import("../link/values.js").Values} values */
  show(values) {
    for (const [name, slider] of this.sliders) slider.show(Number(values[name]));
  }

  /** Hide the sliders without an effect. @param {string[]} hidden names */
  fit(hidden) {
    for (const name of this.names) {
      document.getElementById(`control-${name}`)?.classList.toggle("not-now", hidden.includes(name));
    }
  }
}
