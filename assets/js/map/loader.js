/** Fetches the tiles of the present window: the nearest to its centre first, few at a time, and none that has gone out of sight meanwhile. */

import { nameOf } from "./tiles.js";

const AT_ONCE = 4;
const LONGEST_WAIT = 4000;

/** @typedef {{head: number, address: import("./tiles.js").Address}} Wish */

export class Loader {
  /**
   * @param {(wish: Wish, signal: AbortSignal) => Promise<any>} ask
   * @param {(wish: Wish, answer: any) => void} took
   * @param {(problem: any) => boolean} failed tells the visitor; false when asking again is useless
   */
  constructor(ask, took, failed) {
    Object.assign(this, { ask, took, failed });
    /** @type {Wish[]} */
    this.wished = [];
    /** @type {Map<string, AbortController>} */
    this.underWay = new Map();
    this.failures = 0;
  }

  /** These are wanted now, in this order, and nothing else. @param {Wish[]} wishes */
  want(wishes) {
    const names = new Set(wishes.map(({ head, address }) => nameOf(head, address)));
    for (const [name, controller] of this.underWay) {
      if (names.has(name)) continue;
      this.underWay.delete(name);
      controller.abort();
    }
    this.wished = wishes.filter(({ head, address }) => !this.underWay.has(nameOf(head, address)));
    this.#next();
  }

  #next() {
    while (!this.waiting && this.wished.length && this.underWay.size < AT_ONCE) this.#fetch(this.wished.shift());
  }

  /** @param {Wish} wish */
  async #fetch(wish) {
    const name = nameOf(wish.head, wish.address);
    const controller = new AbortController();
    this.underWay.set(name, controller);
    try {
      const answer = await this.ask(wish, controller.signal);
      if (controller.signal.aborted) return;
      this.underWay.delete(name);
      this.failures = 0;
      this.took(wish, answer);
    } catch (problem) {
      if (controller.signal.aborted) return;
      this.underWay.delete(name);
      if (!this.failed(problem)) return;
      this.wished.unshift(wish);
      this.failures += 1;
      this.waiting ??= setTimeout(() => {
        this.waiting = null;
        this.#next();
      }, Math.min(LONGEST_WAIT, 250 * 2 ** this.failures));
      return;
    }
    this.#next();
  }
}
