/** What of a map is on screen: its head, its window, its looks. A window that rests is written to the link. No elements. */

import { named, written } from "./view.js";

/** Milliseconds of rest after which the window is written to the link. */
const REST = 200;

export class Sight {
  /** The map on screen. @type {import("./model.js").Model | null} */
  model = null;
  /** The visible window. @type {import("./view.js").View} */
  view = { left: 0, top: 0, across: 1, down: 1 };
  #state;
  #see;
  /** The timer of a moving window. @type {number | null} */
  #resting = null;

  /** @param {import("../../link/state.js").State} state @param {(change: import("./view_link.js").Change) => void} see writes to the link */
  constructor(state, see) {
    this.#state = state;
    this.#see = see;
  }

  /** The head on screen, from 1. */
  get head() {
    return Math.min(Math.max(1, this.#state.values.head ?? 1), this.model?.heads ?? 1);
  }

  /** The pooling of blocks and the colour scale. */
  get looks() {
    const { pooling = "average", colour = "linear" } = this.#state.values;
    return { pooling, colour };
  }

  /** The open query; null without one. */
  get row() {
    return this.#state.values.row ?? null;
  }

  /** True if a mask may leave cells without a weight. */
  get masked() {
    return this.#state.agreed.mask !== "none";
  }

  /** Show another map at the window of the link. @param {import("./model.js").Model} model */
  open(model) {
    this.settle();
    this.model = model;
    this.view = named(this.#state.values, model.shape);
  }

  /** Show the window of the link; one that moves is newer. */
  follow() {
    if (this.model && this.#resting === null) this.view = named(this.#state.values, this.model.shape);
  }

  /** @param {import("./view.js").View} view */
  move(view) {
    this.view = view;
    clearTimeout(this.#resting ?? undefined);
    this.#resting = setTimeout(() => this.settle(), REST);
  }

  /** Write the window to the link even if it still moves. */
  settle() {
    if (this.#resting === null || !this.model) return;
    clearTimeout(this.#resting);
    this.#resting = null;
    const window = written(this.view, this.model.shape);
    this.view = named(window, this.model.shape); // show exactly the link's window
    this.#see(window);
  }
}
