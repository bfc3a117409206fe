/** What a page shows to those around it: its link and the cell under the pointer; and the lesson and the room of this tab. */

import { addressWriter } from "../link/address.js";
import { keep, recall } from "../link/tab_store.js";
import { LED } from "./ways.js";

/**
 * @typedef {import("../lead/message.js").Hovered} Cell
 * @typedef {() => Promise<number | number[] | null>} Computing
 * @typedef {{truth: Computing, aside: Computing}} Computed how a truth is computed: on this page, and where nobody sees it
 * @typedef {(question: import("../lead/message.js").Asking & import("../lead/message.js").Kept, computed?: Computed) => Promise<boolean>} Ask
 * @typedef {{ask: Ask, compute: (...own: Required<Parameters<Ask>>) => void, voting: () => boolean,
 *   asked: () => import("../lead/message.js").Question | null}} Room
 */

/**
 * @typedef {object} Rules what a page does in its own way
 * @property {(at: Cell | null) => void} pointAt points at a cell as a teacher does
 * @property {() => void} leaveVerdict takes away a verdict that stands beside its state: a lesson has gone on
 * @property {() => boolean} revealsAtOnce returns true if an answer is revealed without a run of minutes
 * @property {() => import("../asking/predict.js").Predict | null} predict returns the page's own question; null on a page that has none
 * @property {() => Record<string, unknown>} judging returns what the server needs to judge an answer, besides the state
 */

export class Presence {
  /** @type {Rules} */
  rules = {
    pointAt: () => {},
    leaveVerdict: () => {},
    revealsAtOnce: () => true,
    predict: () => null,
    judging: () => ({}),
  };
  /** Who has loaded this page, until somebody has taken note. @type {import("../lead/state.js").How} */
  how = recall(LED) === null ? "visitor" : "led";
  /** True while a class is asked: nothing tells of the states before. */
  plain = false;
  /** What a lesson may ask a class; null unless this tab teaches one. @type {Room | null} */
  room = null;
  /** The step of a lesson on screen. @type {import("../lead/message.js").Lesson | null} */
  lesson = null;
  #state;
  #leader;
  #remember = addressWriter();
  /** @type {Set<(link: string) => void>} */
  #moves = new Set();
  /** @type {Set<(at: Cell | null) => void>} */
  #points = new Set();
  /** @type {Set<(plain: boolean) => void>} */
  #forgets = new Set();

  /** @param {import("../link/state.js").State} state @param {import("../lead/leader.js").Leader} leader @param {import("./later.js").Later} later */
  constructor(state, leader, later) {
    this.#state = state;
    this.#leader = leader;
    /** Loads lessons, the room and the ways to share. */
    this.later = later;
    keep(LED, null);
  }

  /** Write a link into the address bar, and tell those who listen. @param {string} link */
  arrive(link) {
    this.#remember(link);
    this.#leader.tell({ type: "screen", link });
    for (const listener of this.#moves) listener(link);
  }

  /** Hear each link that comes on screen, the present one at once. @param {(link: string) => void} listener @returns its end */
  onMove(listener) {
    const end = heard(this.#moves, listener);
    if (this.#state.canonical !== null) listener(this.#state.canonical);
    return end;
  }

  /** Tell which cell the visitor points at; null: at none. @param {Cell | null} at */
  pointed(at) {
    for (const listener of this.#points) listener(at);
  }

  /** Hear which cell the visitor points at. @param {(at: Cell | null) => void} listener @returns its end */
  onPoint(listener) {
    return heard(this.#points, listener);
  }

  /** Tell nothing of the states before the present one, or tell it again. @param {boolean} plain */
  forget(plain) {
    if (plain === this.plain) return;
    this.plain = plain;
    for (const listener of this.#forgets) listener(plain);
  }

  /** Hear whether anything tells of the states before. @param {(plain: boolean) => void} listener @returns its end */
  onForget(listener) {
    return heard(this.#forgets, listener);
  }
}

/** @template T @param {Set<T>} listeners @param {T} listener @returns {() => void} */
function heard(listeners, listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
