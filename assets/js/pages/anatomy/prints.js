/** The prints of Anatomy: every step that does not answer an open question. */

import { Prints } from "../../paper/prints.js";
import { pictureOf } from "./dom_picture.js";
import { anatomyOnPaper } from "./on_paper.js";

export class AnatomyPrints extends Prints {
  #page;

  /** @param {import("./host.js").Page} page */
  constructor(page) {
    super(page);
    this.#page = page;
  }

  printed() {
    return anatomyOnPaper(this.#page);
  }

  withheld() {
    const { steps = [], titles = {} } = this.#page.walked ?? {};
    return steps.slice(this.#page.steps().length).map((step) => titles[step]);
  }

  /** Save the figure; plotly draws nothing here. @param {string} name @param {string} format @param {boolean} lined */
  async save(name, format, lined) {
    await pictureOf(this.#page.figures.of(name).block.stage, `headlight-${name}`, format, this.label(name, lined));
  }
}
