/** A slider on a logarithmic axis with a number box: on gradio's linear one, 1 … 64 of 1024 is a sixteenth of the way. */

import { number } from "../figures/axes.js";
import { element } from "../dom/dom.js";
import { fitting, keyed, place, valueAt } from "./stops.js";

const STEPS = 1000;

export class LogSlider {
  /** True from the first typed character until the box is left: nothing else writes into it meanwhile. */
  typing = false;

  /**
   * @param {HTMLElement} root `#control-NAME`
   * @param {string} name
   * @param {import("./stops.js").Scale} scale
   * @param {number[]} marks values labelled below the slider
   * @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
   * @param {(value: number) => void} moved
   */
  constructor(root, name, scale, marks, text, moved) {
    this.scale = scale;
    this.value = scale.low;
    const label = text(`control.${name}.label`);
    const id = `value-${name}`;
    this.box = element("input", {
      type: "number",
      id,
      min: String(scale.low),
      max: String(scale.high),
      step: scale.whole ? "1" : "any",
      ariaLabel: text("page.number", { label }),
    });
    this.range = element("input", {
      type: "range",
      min: "0",
      max: String(STEPS),
      step: "1",
      ariaLabel: text("page.slider", { label }),
    });
    const written = marks.map((mark) => {
      const made = element("span", {}, String(mark));
      made.style.left = `${100 * place(scale, mark)}%`;
      return made;
    });
    root.replaceChildren(
      element(
        "div",
        { className: "log-slider", role: "group", ariaLabel: label },
        element("div", { className: "head" }, element("label", { htmlFor: id }, label), this.box),
        this.range,
        element("div", { className: "marks", aria: { hidden: "true" } }, ...written),
      ),
    );
    /** @param {number} value */
    const move = (value) => {
      this.show(value);
      moved(value);
    };
    this.range.addEventListener("input", () => move(valueAt(scale, Number(this.range.value) / STEPS)));
    this.range.addEventListener("keydown", (event) => {
      const value = keyed(scale, this.value, event.key);
      if (value === null || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      move(value);
    });
    // Half-typed numbers count as values; on leaving the box, an empty or impossible one takes the nearest.
    this.box.addEventListener("input", () => {
      this.typing = true;
      const typed = Number(this.box.value);
      if (this.box.value === "" || !Number.isFinite(typed) || typed < scale.low || typed > scale.high) return;
      move(fitting(scale, typed));
    });
    this.box.addEventListener("blur", () => {
      const typed = this.typing && this.box.value !== "" ? fitting(scale, Number(this.box.value)) : this.value;
      this.typing = false;
      // 0.707 stands for 1/√2
      if (typed === fitting(scale, this.value)) this.show(this.value);
      else move(typed);
    });
  }

  /** @param {number} value */
  show(value) {
    this.value = value;
    this.range.value = String(Math.round(STEPS * place(this.scale, value)));
    this.range.setAttribute("aria-valuetext", number(value));
    if (document.activeElement !== this.box) {
      this.box.value = String(this.scale.whole ? value : Number(value.toPrecision(3)));
    } else if (!this.typing && Number(this.box.value) !== value) {
      this.box.value = String(value);
    }
  }
}
