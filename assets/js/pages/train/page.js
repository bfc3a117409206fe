/** The Train page: small models trained now or shipped with the page. */

import { Experiment } from "../../page/experiment.js";
import { LivePage } from "../../page/live_page.js";
import { revive } from "../../server/wire.js";
import { TrainFigures } from "./figures.js";

/** @typedef {{byExperiment: Record<string, string[]>, ofHeads: string[]}} Train */

export class Page {
  #experiment;
  /** The figures of each trained number of heads. @type {Record<string, [string, import("../../../types/plotly.js").Drawing, string][]> | null} */
  #heads = null;

  /** @param {import("../../page/settings.js").Settings & Train} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Train>} */
    const page = new LivePage(settings, loading);
    this.page = page;
    this.#experiment = new Experiment(page, {
      pausable: true,
      large: Object.values(settings.byExperiment).map(([first]) => first),
      viewing: ["shown"],
    });
    page.figures = new TrainFigures(settings, (key) => page.text(key), this.#experiment);
    const { took } = page.answers.rules;
    page.answers.rules.took = (part, newest) =>
      part.header.part === "heads" ? this.#took(part.header.heads, part.blocks) : took(part, newest);
    page.controls.rules.meaningless = ({ experiment }) =>
      experiment === "heads" ? ["task", "mechanisms", "widths", "initialisation"] : settings.ofHeads;
    page.controls.rules.moved = () => void this.#showHeads();
    page.controls.onFit(() => this.#fit());
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    this.#experiment.build(places);
  }

  #fit() {
    const { figures, settings, state } = this.page;
    for (const [experiment, names] of Object.entries(settings.byExperiment)) {
      for (const name of names) {
        figures.of(name).root.classList.toggle("not-now", experiment !== state.values.experiment);
      }
    }
  }

  /** @param {Record<string, import("../../../types/wire.js").Drawings>} heads by their number @param {ArrayBuffer} blocks */
  async #took(heads, blocks) {
    const { known } = this.page.figures;
    this.#heads = Object.fromEntries(
      Object.entries(heads).map(([h, entries]) => [
        h,
        Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, known), entry.hash]),
      ]),
    );
    await this.#showHeads();
  }

  /** Show the heads' figures for the chosen h, else for the largest trained one. */
  async #showHeads() {
    const { figures, state } = this.page;
    if (state.values.experiment !== "heads" || !this.#heads) return;
    const there = Object.keys(this.#heads);
    const wanted = String(state.values.shown);
    const chosen = there.includes(wanted) ? wanted : there[there.length - 1];
    const maps = /** @type {import("../../figures/cells_figure.js").CellsFigure} */ (figures.of("heads-maps").living);
    maps.lines.group = Number(state.agreed.m); // a head's names stand side by side
    for (const [name, drawing, hash] of this.#heads[chosen]) {
      await figures.draw(name, drawing, hash, state.present);
    }
  }
}
