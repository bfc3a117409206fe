/** The prints of Anatomy: every step that does not answer an open question. */

import { Prints } from "../../paper/prints.js";
import { pictureOf } from "./dom_picture.js";
import { anatomyOnPaper } from "./on_paper.js";

export class AnatomyPrints extends Prints {
  #page;
  #walks;

  /** @param {import("./host.js").Page} page @param {import("./host.js").Walks} walks */
  constructor(page, walks) {
    super(page);
    this.#page = page;
    this.#walks = walks;
  }

  printed() {
    return anatomyOnPaper(this.#page, this.#walks);
  }

  withheld() {
    const { steps = [], titles = {} } = this.#walks.walked ?? {};
    return steps.slice(this.#walks.steps().length).map((step) => titles[step]);
  }

  /** Save the figure; plotly draws nothing here. @param {string} name @param {string} format @param {boolean} lined */
  async save(name, format, lined) {
    await pictureOf(this.#page.figures.of(name).block.stage, `headlight-${name}`, format, this.label(name, lined));
  }
}
