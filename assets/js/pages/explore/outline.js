/** The outline of the scores before, unless it would answer a question. */

import { Before } from "./before.js";

/** @typedef {import("../../../types/plotly.js").Drawing} Drawing */

/** The figure that has it. */
export const OUTLINED = "score-distribution";

export class Outline {
  #before = new Before();
  #page;
  #covers;

  /** @param {import("../../page/live_page.js").LivePage} page @param {() => boolean} covers returns true while a question covers the figures */
  constructor(page, covers) {
    this.#page = page;
    this.#covers = covers;
  }

  /** Return the scores with those before. @param {Drawing} drawing @param {string} painted the state of the scores */
  around(drawing, painted) {
    const { answers, presence } = this.#page;
    const both = this.#before.take(drawing, painted, answers.settled);
    return this.#covers() || presence.plain ? drawing : both;
  }

  /** No outline and no sentence of the state before; once the class has answered, the outline that was kept back. @param {boolean} plain */
  forget(plain) {
    const { updates } = this.#page;
    if (!plain) {
      this.#draw();
      return;
    }
    this.#before.forget();
    if (updates.isOpen) void updates.again();
  }

  /** Draw the scores with those before: the page has both. */
  #draw() {
    const { figures } = this.#page;
    const shown = figures.drawn.get(OUTLINED);
    if (!shown) return;
    const drawing = this.around(shown.drawing, shown.painted);
    if (drawing !== shown.drawing) void figures.draw(OUTLINED, drawing, shown.hash, shown.painted);
  }
}
