/** The prints of a page of one experiment: none while it invites, and no result that is predicted once more. */

import { inside } from "../dom/dom.js";
import { Prints } from "../paper/prints.js";

export class ExperimentPrints extends Prints {
  #asksAgain;

  /** @param {import("../paper/figures.js").Source} page @param {() => boolean} asksAgain returns true while a result that is there is predicted */
  constructor(page, asksAgain) {
    super(page);
    this.#asksAgain = asksAgain;
  }

  /** @param {string} name */
  withholds(name) {
    return this.#asksAgain() || super.withholds(name);
  }

  /** Print no empty figures. */
  printed() {
    return inside(document.body, ".page").classList.contains("is-inviting") ? [] : super.printed();
  }
}
