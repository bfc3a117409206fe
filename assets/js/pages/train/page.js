/** The Train page: small models trained now or shipped with the page. */

import { RunPage } from "../../page/run_page.js";
import { revive } from "../../server/wire.js";
import { TrainFigures } from "./figures.js";

/** @extends {RunPage<{byExperiment: Record<string, string[]>, ofHeads: string[]}>} */
export class Page extends RunPage {
  /** The figures of each trained number of heads. @type {Record<string, [string, import("../../../types/plotly.js").Drawing, string][]> | null} */
  #heads = null;
  /** @type {import("../../figures/figures.js").Figures} */
  figures = new TrainFigures(this.settings, this);

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    super.build(places);
    const { took } = this.answers.rules;
    this.answers.rules.took = (part, newest) =>
      part.header.part === "heads" ? this.#took(part.header.heads, part.blocks) : took(part, newest);
    this.controls.rules.meaningless = ({ experiment }) =>
      experiment === "heads" ? ["task", "mechanisms", "widths", "initialisation"] : this.settings.ofHeads;
    this.controls.onFit(() => this.#fit());
  }

  get pausable() {
    return true;
  }

  get large() {
    return Object.values(this.settings.byExperiment).map(([first]) => first);
  }

  get viewing() {
    return [...super.viewing, "shown"];
  }

  /** @param {import("../../link/values.js").Values} values @param {boolean} tellControls */
  move(values, tellControls) {
    super.move(values, tellControls);
    void this.#showHeads();
  }

  #fit() {
    for (const [experiment, names] of Object.entries(this.settings.byExperiment)) {
      for (const name of names) {
        this.figures.of(name).root.classList.toggle("not-now", experiment !== this.state.values.experiment);
      }
    }
  }

  /** @param {Record<string, import("../../../types/wire.js").Drawings>} heads by their number @param {ArrayBuffer} blocks */
  async #took(heads, blocks) {
    this.#heads = Object.fromEntries(
      Object.entries(heads).map(([h, entries]) => [
        h,
        Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, this.figures.known), entry.hash]),
      ]),
    );
    await this.#showHeads();
  }

  /** Show the heads' figures for the chosen h, else for the largest trained one. */
  async #showHeads() {
    if (this.state.values.experiment !== "heads" || !this.#heads) return;
    const there = Object.keys(this.#heads);
    const wanted = String(this.state.values.shown);
    const chosen = there.includes(wanted) ? wanted : there[there.length - 1];
    const maps = /** @type {import("../../figures/cells_figure.js").CellsFigure} */ (
      this.figures.of("heads-maps").living
    );
    maps.lines.group = Number(this.state.agreed.m); // a head's names stand side by side
    for (const [name, drawing, hash] of this.#heads[chosen]) {
      await this.figures.draw(name, drawing, hash, this.state.present);
    }
  }
}
