/** The bridge to gradio's controls: what they show, what the visitor moves, and what they are to show. */

import { hearSliders } from "../controls/sliders.js";
import { typedControl } from "../controls/typing.js";

/**
 * @typedef {import("../link/values.js").Value} Value
 * @typedef {import("../link/values.js").Values} Values
 */

/**
 * The page of the controls.
 * @typedef {object} Controlled
 * @property {{controls: string[], defaults: Values}} settings
 * @property {import("../link/state.js").State} state
 * @property {Record<string, import("../dom/dom.js").Place>} place
 * @property {import("./ways.js").Ways} ways
 * @property {(values: Values, tellControls: boolean) => void} move
 * @property {(name: string, value: Value) => void} changed
 */

export class PageControls {
  #page;
  /** What gradio's controls show, as far as they were told or heard. @type {Map<string, string>} */
  #showing = new Map();
  /** @type {(() => void)[]} */
  #listeners = [];

  /** @param {Controlled} page */
  constructor(page) {
    this.#page = page;
  }

  /** Hear the sliders, which gradio would tell a frame later. */
  listen() {
    hearSliders(this.#page.settings.controls, (name, value) => this.heard(name, [value]));
  }

  /** Take gradio's event of a control. @param {string} name @param {Value[]} values its one value */
  heard(name, [value]) {
    this.#showing.set(name, String(value));
    this.#page.changed(name, value);
  }

  /** Return true if the page has to follow a control's value. @param {string} name @param {Value} value */
  isNews(name, value) {
    // An empty number box keeps its last value while the visitor types.
    if (value === null && name !== "row") return false;
    if (String(value) === String(this.#page.state.values[name])) return false; // boxes report the page's own changes, too
    if (name !== "lang") return true;
    void this.#page.ways.speak(String(value));
    return false;
  }

  /** Return all controls' values in gradio's order; gradio leaves a control without a value alone. @returns {(Value | undefined)[]} */
  values() {
    const typed = typedControl();
    return this.#page.settings.controls.map((name) => {
      const value = this.#page.state.values[name] ?? null;
      // gradio writes a moment later: a control that shows its value keeps what the visitor chooses meanwhile
      if (name === typed || this.#showing.get(name) === String(value)) return undefined;
      this.#showing.set(name, String(value));
      return value;
    });
  }

  /** Give the controls the page's values. */
  tell() {
    this.#page.place.messenger.trigger("change");
    for (const listener of this.#listeners) listener();
  }

  /** Hear when the controls are given the page's values. @param {() => void} listener */
  onTell(listener) {
    this.#listeners.push(listener);
  }
}
