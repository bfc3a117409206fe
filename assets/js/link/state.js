/** The state of a page: what its controls say, what the server made of it, and the link of that. */

import { arrive } from "./tab_memory.js";

/** @typedef {import("./values.js").Values} Values */

export class State {
  /** The link on screen; null before the first answer. @type {string | null} */
  canonical = null;
  /** The server's reading of the link; null before the first. @type {Values | null} */
  canonicalValues = null;
  /** The values with which the page was opened; null before the first answer. @type {Values | null} */
  opening = null;
  /** The language of the link, if it names one. @type {string | null} */
  chosenLanguage = null;
  /** The visitor's own tensors. @type {Uint8Array | null} */
  upload = null;
  #page;

  /** @param {string} page @param {Values} defaults */
  constructor(page, defaults) {
    this.#page = page;
    /** Those of the controls. @type {Values} */
    this.values = { ...defaults };
  }

  /** The link on screen; empty before the first answer. */
  get present() {
    return this.canonical ?? "";
  }

  /** The values that count: those that the server has read, if it has. */
  get agreed() {
    return this.canonicalValues ?? this.values;
  }

  /** Remember the values with which this page was opened, over a reload. @param {Values} values */
  arrive(values) {
    this.opening = values;
    arrive(this.#page, values);
  }
}
