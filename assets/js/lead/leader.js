/** Runs what lead.js decides for this page: asks whether a wish may be fulfilled, tells events, does what follows. */

import { alone, kept, next } from "./lead.js";
import { outcome } from "./modes.js";

/**
 * @typedef {import("./state.js").Lead} Lead
 * @typedef {import("./state.js").Event} Event
 * @typedef {import("./state.js").Act} Act
 * @typedef {import("./state.js").Place} Place
 * @typedef {{[Name in Act["do"]]?: (act: Extract<Act, {do: Name}>) => void}} Doing what does an act
 */

export class Leader {
  /** @type {Lead} */
  lead;
  /** @type {Set<Doing>} */
  #doing = new Set();
  /** @type {Set<(lead: Lead, former: Lead) => void>} */
  #changes = new Set();
  /** Events of events wait for their turn. @type {Event[]} */
  #waiting = [];
  #busy = false;
  /** True while a program moves the page: who leads has decided that. */
  #guided = false;
  /** Keeps what outlives this page; a page without a room keeps nothing. @type {(kept: import("./state.js").Kept) => void} */
  keep = () => {};

  /** @param {string} page that is loaded */
  constructor(page) {
    this.lead = alone(page);
  }

  /** Change the page as a program does that may. @param {() => void} work */
  guide(work) {
    const guided = this.#guided;
    this.#guided = true;
    try {
      work();
    } finally {
      this.#guided = guided;
    }
  }

  /** True if a wish would not be refused now. @param {import("./state.js").Wish} wish @param {Place | null} [place] of a lesson */
  could(wish, place = null) {
    return outcome(this.lead, wish, place) !== "refused";
  }

  /** Ask for what the visitor wants; a refusal is said. @param {import("./state.js").Wish} wish @param {Place | null} [place] of a lesson */
  allows(wish, place = null) {
    if (this.#guided) return true;
    const allowed = this.could(wish, place);
    this.tell({ type: "wish", wish, place });
    return allowed;
  }

  /** @param {Event} event */
  tell(event) {
    this.#waiting.push(event);
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let one = this.#waiting.shift(); one; one = this.#waiting.shift()) this.#take(one);
    } finally {
      this.#busy = false;
    }
  }

  /** @param {Event} event */
  #take(event) {
    const former = this.lead;
    const [lead, acts] = next(former, event);
    this.lead = lead;
    this.keep(kept(lead)); // before a page is left
    if (lead !== former) for (const changed of this.#changes) changed(lead, former);
    for (const act of acts) for (const doing of this.#doing) one(doing, act);
  }

  /** Do these acts from now on. @param {Doing} doing @returns {() => void} its end */
  handle(doing) {
    this.#doing.add(doing);
    return () => void this.#doing.delete(doing);
  }

  /** Hear each new state. @param {(lead: Lead, former: Lead) => void} changed @returns {() => void} its end */
  onChange(changed) {
    this.#changes.add(changed);
    return () => void this.#changes.delete(changed);
  }
}

/** @template {Act["do"]} Name @param {Doing} doing @param {Extract<Act, {do: Name}>} act */
function one(doing, act) {
  const work = /** @type {((act: Extract<Act, {do: Name}>) => void) | undefined} */ (doing[act.do]);
  work?.(act);
}
