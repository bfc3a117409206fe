/** The heat maps: what an answer draws on them, the side of a comparison that they show, and the row and the head that they choose. */

import { inside } from "../../dom/dom.js";
import { revive } from "../../server/wire.js";
import { Sides } from "./sides.js";

export class Maps {
  /** Number of heads, queries and keys on screen. @type {[number, number, number] | null} */
  shape = null;
  /** What a model knows the tokens by. @type {import("../../words/token.js").Vocabulary} */
  vocabulary = {};
  /** Resolves when the newest maps are painted. @type {Promise<void> | undefined} */
  painted;
  /** The tabs of the pinned and the present state. @type {Sides} */
  sides;
  #page;

  /** @param {import("../../page/live_page.js").LivePage} page */
  constructor(page) {
    this.#page = page;
  }

  /** @param {HTMLElement} place of the figure */
  build(place) {
    this.sides = new Sides(
      (key) => this.#page.text(key),
      () => this.showSide(),
    );
    inside(place, "header").after(this.sides.root);
  }

  get figure() {
    return /** @type {import("../../figures/cells_figure.js").CellsFigure} */ (
      this.#page.figures.of("heat-maps").living
    );
  }

  /** Draw the maps of an answer. @param {import("../../../types/wire.js").CellsHeader} header @param {ArrayBuffer} blocks */
  async take(header, blocks) {
    const { figures, state } = this.#page;
    this.shape = header.shape;
    const { tokens, ...vocabulary } = revive(header.labels, blocks, figures.known);
    this.vocabulary = vocabulary;
    figures.labels = tokens;
    const entry = header.drawings["heat-maps"];
    this.figure.lines.columns = Number(state.agreed.columns);
    const drawn = await figures.draw("heat-maps", revive(entry, blocks, figures.known), entry.hash, header.query);
    this.painted = drawn.painted;
    this.figure.marks.row("locked", header.row);
  }

  /** Show the chosen side of A and B, or B if there is no such side. */
  showSide() {
    const { figure, sides } = this;
    const pinned = Boolean(this.#page.state.values.pin);
    sides.fit(pinned, !pinned || figure.has("difference") || !figure.has("a"));
    figure.show(pinned && sides.chosen !== "all" ? sides.chosen : null);
  }

  /** Show one head large, or all again. @param {number} head */
  chooseHead(head) {
    const { values } = this.#page.state;
    this.#page.move({ ...values, head: values.head === head ? 0 : head }, true);
  }

  /** @param {number | null} row */
  lockRow(row) {
    const { values } = this.#page.state;
    // the heads stay where they were beside the row that opens
    if (values.row === null) this.figure.lines.kept = this.figure.across;
    if (row === null) this.figure.lines.kept = 0;
    this.#page.move({ ...values, row }, true);
  }
}
