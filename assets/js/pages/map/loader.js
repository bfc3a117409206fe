/**
 * Fetches the tiles of the present window, nearest to its centre first, one request at a time: the server computes one
 * tile at a time anyway. Tiles that went out of sight are given up. Then it fetches the tiles likely to be wanted next.
 */

import { backOff } from "../../server/backoff.js";
import { nameOf } from "./tiles.js";

/** The server's limit per request; enough to cover any window. */
const AT_ONCE = 9;
/** Longest request in milliseconds from an idle server; a busy one is not asked ahead of need. */
const IDLE = 2000;

/** @typedef {{head: number, address: import("./tiles.js").Address}} Wish */

/** @template Answer */
export class Loader {
  /**
   * @param {(wishes: Wish[], signal: AbortSignal) => AsyncIterable<Answer>} ask yields an answer for each wish, in order
   * @param {(wish: Wish, answer: Answer) => void} took
   * @param {(problem: unknown) => boolean} failed tells the visitor; returns false if asking again is useless
   */
  constructor(ask, took, failed) {
    this.ask = ask;
    this.took = took;
    this.failed = failed;
    /** @type {Wish[][]} missing tiles in sight; tiles perhaps wanted next */
    this.wished = [[], []];
    /** @type {{coming: Wish[], controller: AbortController} | null} */
    this.underWay = null;
    this.failures = 0;
    this.spent = 0;
    /** @type {number | null} the timer of the next try */
    this.waiting = null;
  }

  /**
   * Want these tiles in this order, then those ahead, and nothing else; each list is of one head and level.
   * @param {Wish[]} inSight @param {Wish[]} ahead
   */
  want(inSight, ahead = []) {
    this.wished = [inSight, ahead];
    // Wait for the tile under way if it is still wanted: a window that never rests would otherwise get none.
    if (this.underWay?.coming.length && !this.#wants(this.underWay.coming[0])) this.#giveUp();
    this.#next();
  }

  /** The missing tiles in sight; without any, those ahead. */
  get #wanted() {
    const [inSight, ahead] = this.wished;
    return inSight.length ? inSight : this.spent < IDLE ? ahead : [];
  }

  /** @param {Wish} wish */
  #wants(wish) {
    const name = nameOf(wish.head, wish.address);
    return this.#wanted.some(({ head, address }) => nameOf(head, address) === name);
  }

  #giveUp() {
    this.underWay?.controller.abort();
    this.underWay = null;
  }

  #next() {
    const wishes = this.#wanted;
    if (!this.underWay && !this.waiting && wishes.length) void this.#fetch(wishes.slice(0, AT_ONCE));
  }

  /** @param {Wish[]} wishes */
  async #fetch(wishes) {
    const request = { coming: [...wishes], controller: new AbortController() };
    this.underWay = request;
    const start = performance.now();
    try {
      for await (const answer of this.ask(wishes, request.controller.signal)) {
        if (this.underWay !== request) return;
        const wish = request.coming.shift();
        if (!wish) break;
        const name = nameOf(wish.head, wish.address);
        this.wished = this.wished.map((wishes) => wishes.filter(({ head, address }) => nameOf(head, address) !== name));
        this.failures = 0;
        this.spent = performance.now() - start;
        this.took(wish, answer);
        if (request.coming.length && !this.#wants(request.coming[0])) break;
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
    }, backOff(this.failures));
  }
}
