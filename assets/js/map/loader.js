/**
 * Fetches the tiles of the present window, the nearest to its centre first, in one request at a time: the server's cores are busy with one tile at a
 * time anyway, and whatever has gone out of sight meanwhile is given up.
 */

import { nameOf } from "./tiles.js";

/** More the server does not take at once; so many cover any window. */
const AT_ONCE = 9;
const LONGEST_WAIT = 4000;

/** @typedef {{head: number, address: import("./tiles.js").Address}} Wish */

export class Loader {
  /**
   * @param {(wishes: Wish[], signal: AbortSignal) => AsyncIterable<any>} ask an answer for each wish, in their order
   * @param {(wish: Wish, answer: any) => void} took
   * @param {(problem: any) => boolean} failed tells the visitor; false when asking again is useless
   */
  constructor(ask, took, failed) {
    Object.assign(this, { ask, took, failed });
    /** @type {Wish[]} not there yet, those under way among them */
    this.wished = [];
    /** @type {{coming: Wish[], controller: AbortController} | null} */
    this.underWay = null;
    this.failures = 0;
  }

  /** These are wanted now, in this order, all of one head and level, and nothing else. @param {Wish[]} wishes */
  want(wishes) {
    this.wished = wishes;
    // The tile that is being computed is waited for if it is still wanted, or a window that never rests would never see one.
    if (this.underWay?.coming.length && !this.#wants(this.underWay.coming[0])) this.#giveUp();
    this.#next();
  }

  /** @param {Wish} wish */
  #wants(wish) {
    const name = nameOf(wish.head, wish.address);
    return this.wished.some(({ head, address }) => nameOf(head, address) === name);
  }

  #giveUp() {
    this.underWay.controller.abort();
    this.underWay = null;
  }

  #next() {
    if (!this.underWay && !this.waiting && this.wished.length) this.#fetch(this.wished.slice(0, AT_ONCE));
  }

  /** @param {Wish[]} wishes */
  async #fetch(wishes) {
    const request = { coming: [...wishes], controller: new AbortController() };
    this.underWay = request;
    try {
      for await (const answer of this.ask(wishes, request.controller.signal)) {
        if (this.underWay !== request) return;
        const wish = request.coming.shift();
        this.wished = this.wished.filter((one) => nameOf(one.head, one.address) !== nameOf(wish.head, wish.address));
        this.failures = 0;
        this.took(wish, answer);
        if (!request.coming.every((one) => this.#wants(one))) break;
      }
    } catch (problem) {
      if (this.underWay !== request) return;
      this.#giveUp();
      if (this.failed(problem)) this.#later();
      return;
    }
    if (this.underWay !== request) return;
    if (request.coming.length) this.#giveUp();
    this.underWay = null;
    this.#next();
  }

  #later() {
    this.failures += 1;
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.#next();
    }, Math.min(LONGEST_WAIT, 250 * 2 ** this.failures));
  }
}
