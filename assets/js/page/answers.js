/** Takes the parts of an answer: adopts the state that the server made of the wish, and follows it once the controls rest. */

import { lookOf, valuesOf } from "../link/look.js";
import { typedControl } from "../controls/typing.js";
import { Telling } from "./telling.js";

/** Milliseconds after an answer until the controls are at rest. */
const AT_REST = 700;

/**
 * @typedef {import("../../types/wire.js").State} State
 * @typedef {import("../../types/wire.js").Part} Part
 *
 * @typedef {object} Rules what a page does in its own way
 * @property {(part: Part, newest: boolean) => Promise<void>} took takes a part of an answer; `newest`: nothing newer was asked
 * @property {() => void} rested hears that the controls rest
 */

/**
 * The page that is answered.
 * @typedef {object} Answered
 * @property {{controls: string[]}} settings
 * @property {import("../link/state.js").State} state
 * @property {import("./present.js").Present} presenter
 * @property {import("./presence.js").Presence} presence
 * @property {{notify: (sentences: string[]) => void}} message
 * @property {{tell: () => void, fit: () => void, meaningless: string[]}} controls
 * @property {{isOpen: boolean, opened: () => void}} updates
 */

export class Answers {
  /** @type {Rules} */
  rules = { took: (part, newest) => this.take(part, newest), rested: () => {} };
  /** The state of the controls at rest. @type {string | null} */
  settled = null;
  #page;
  #settling = 0;

  /** @param {Answered & import("./telling.js").Teller} page */
  constructor(page) {
    this.#page = page;
    this.telling = new Telling(page);
  }

  /** Take a part that every page knows. @param {Part} part @param {boolean} newest */
  async take(part, newest) {
    if (part.header.part === "state") {
      this.accept(part.header);
      this.accepted(part.header, newest);
    } else if (part.header.part === "figures") {
      await this.telling.show(part.header, part.blocks, this.#page.state.present);
    }
  }

  /** Adopt the state that the server made of the wish. @param {Pick<State, "query" | "controls">} header */
  accept({ query, controls }) {
    const { state, presenter } = this.#page;
    const first = !state.canonicalValues;
    if (first) {
      state.values = { ...controls };
      if (presenter.chosen) Object.assign(state.values, valuesOf(presenter.look));
      else presenter.show(lookOf(controls));
      state.arrive({ ...controls });
    }
    state.canonical = query;
    state.canonicalValues = controls;
    if (first && this.#page.updates.isOpen) this.#page.controls.tell(); // the page opened without an answer, on its defaults
    state.chosenLanguage = new URLSearchParams(query).get("lang");
  }

  /** Tell the visitor about the state. @param {Pick<State, "query" | "notices">} header @param {boolean} newest true if nothing newer was asked */
  accepted({ query, notices }, newest) {
    const { state } = this.#page;
    // no control shows this wish: without a question it ends at once, and nothing stays covered
    if (newest && state.values.predict && !state.agreed.predict) state.values.predict = false;
    this.#page.message.notify(notices);
    this.#page.controls.fit();
    this.#page.presence.arrive(query);
    if (newest) this.#settle();
    this.#page.updates.opened();
  }

  /** Give no control the server's value: the last answer is out of date. */
  unsettle() {
    clearTimeout(this.#settling);
  }

  /** After a drag, give impossible controls the server's value. */
  #settle() {
    this.unsettle();
    this.#settling = setTimeout(() => {
      const { state, settings } = this.#page;
      this.settled = state.canonical;
      this.rules.rested();
      const { values, agreed } = state;
      // a control without effect keeps its value for when it has one again
      const kept = ["text", "lang", ...this.#page.controls.meaningless];
      const differ = settings.controls.filter(
        (name) => !kept.includes(name) && String(values[name]) !== String(agreed[name]),
      );
      if (!differ.length) return;
      const typed = typedControl();
      if (typed && differ.includes(typed)) return this.#settle(); // again later: the visitor is typing there
      for (const name of differ) values[name] = agreed[name];
      this.#page.controls.tell();
    }, AT_REST);
  }
}
