/** The bridge to gradio's controls: what they show, what the visitor moves, and what they are to show. */

import { hearSliders } from "../controls/sliders.js";
import { tied } from "../link/values.js";
import { hearTexts, keepTyped, typedControl } from "../controls/typing.js";

/**
 * @typedef {import("../link/values.js").Value} Value
 * @typedef {import("../link/values.js").Values} Values
 */

/**
 * The page of the controls.
 * @typedef {object} Controlled
 * @property {{controls: string[], texts: string[], defaults: Values, seedMaximum: number}} settings
 * @property {import("../link/state.js").State} state
 * @property {import("./ways.js").Ways} ways
 * @property {(values: Values, tellControls: boolean) => void} move
 *
 * @typedef {object} Rules what a page does in its own way
 * @property {(name: string, value: Value) => void} changed follows a control that the visitor moved
 * @property {(values: Values) => string[]} meaningless returns the names of the controls that have no effect
 * @property {(values: Values) => void} moving hears the values to which the page is about to move
 * @property {() => void} moved hears that it has
 */

export class PageControls {
  /** @type {Rules} */
  rules = {
    changed: (name, value) => this.follow(name, value),
    meaningless: () => [],
    moving: () => {},
    moved: () => {},
  };
  #page;
  /** Gives them the page's values. @type {import("../dom/dom.js").Place["trigger"]} */
  #trigger = () => {};
  /** What gradio's buttons do. @type {Map<string, () => void>} */
  #presses = new Map();
  /** What gradio's controls show, as far as they were told or heard. @type {Map<string, string>} */
  #showing = new Map();
  /** @type {(() => void)[]} */
  #tells = [];
  /** @type {(() => void)[]} */
  #fits = [];

  /** @param {Controlled} page */
  constructor(page) {
    this.#page = page;
    this.onPress("new_draw", () => this.#draw());
  }

  /**
   * Hear the sliders and texts, which gradio would tell a frame later, and keep what is typed.
   * @param {import("../dom/dom.js").Place} messenger carries values to the controls
   */
  build({ trigger }) {
    this.#trigger = trigger;
    const { controls, texts } = this.#page.settings;
    hearSliders(controls, (name, value) => this.heard(name, [value]));
    hearTexts(texts, (name, value) => this.heard(name, [value]));
    for (const name of controls) {
      /** @type {HTMLInputElement | null | undefined} */
      const box = document.getElementById(`control-${name}`)?.querySelector("input[type=number]");
      if (box) keepTyped(box);
    }
  }

  /** Take gradio's event of a control. @param {string} name @param {Value[]} values its one value */
  heard(name, [value]) {
    this.#showing.set(name, String(value));
    this.changed(name, value);
  }

  /** Take gradio's event of a button. @param {string} name */
  pressed(name) {
    const work = this.#presses.get(name);
    if (!work) throw new Error(name);
    work();
  }

  /** Say what a button of gradio's does. @param {string} name @param {() => void} work */
  onPress(name, work) {
    this.#presses.set(name, work);
  }

  /** Take another seed. */
  #draw() {
    const { state, settings } = this.#page;
    this.#page.move({ ...state.values, seed: Math.floor(Math.random() * settings.seedMaximum) }, true);
  }

  /** React to a control that the visitor moved. @param {string} name @param {Value} value */
  changed(name, value) {
    this.rules.changed(name, value);
  }

  /** Move the page to a control's value. @param {string} name @param {Value} value */
  follow(name, value) {
    const { state, settings } = this.#page;
    if (!state.canonicalValues || !this.isNews(name, value)) return;
    const before = /** @type {Values} */ ({ ...state.values, [name]: value });
    const after = "tie" in settings.defaults ? tied(before, name) : before;
    this.#page.move(
      after,
      ["d_k", "tie"].some((key) => after[key] !== before[key]),
    );
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
    this.#trigger("change");
    for (const listener of this.#tells) listener();
  }

  /** Hear when the controls are given the page's values. @param {() => void} listener */
  onTell(listener) {
    this.#tells.push(listener);
  }

  /** The controls that have no effect. */
  get meaningless() {
    return this.rules.meaningless(this.#page.state.values);
  }

  /** Show the controls that have an effect. */
  fit() {
    const hidden = this.meaningless;
    for (const name of this.#page.settings.controls) {
      document.getElementById(`control-${name}`)?.classList.toggle("not-now", hidden.includes(name));
    }
    for (const listener of this.#fits) listener();
  }

  /** Hear when the values of the controls have changed. @param {() => void} listener */
  onFit(listener) {
    this.#fits.push(listener);
  }
}
