/** The prints of Explore: the server draws the figures of its files. */

import { Prints } from "../../paper/prints.js";
import { served } from "./take_away.js";

export class ExplorePrints extends Prints {
  #live;
  #row;

  /** @param {import("../../page/live_page.js").LivePage<{ofRow: string[]}>} page @param {() => string | null} row returns the title of the locked row */
  constructor(page, row) {
    super(page);
    this.#live = page;
    this.#row = row;
  }

  /** Return the figure with true values: cells travel as bytes for colours. @param {string} name */
  standing(name) {
    return served(this.#live, name);
  }

  /** Name the row above its figures. @param {string} name */
  figureOnPaper(name) {
    const figure = super.figureOnPaper(name);
    if (!this.#live.settings.ofRow.includes(name)) return figure;
    return { ...figure, title: [`${this.#row()} · `, ...figure.title] };
  }
}
