/** The Cost page: the cost of each mechanism along one size, measured now or shipped with the page. */

import { LogSliders } from "../../controls/log_sliders.js";
import { Experiment } from "../../page/experiment.js";
import { LivePage } from "../../page/live_page.js";

/** @typedef {{scales: Record<string, import("../../controls/stops.js").Scale>}} Cost */

export class Page {
  #experiment;

  /** @param {import("../../page/settings.js").Settings & Cost} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Cost>} */
    this.page = new LivePage(settings, loading);
    this.#experiment = new Experiment(this.page);
    this.page.controls.rules.meaningless = ({ varied }) => [String(varied)];
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { controls, settings, state } = this.page;
    this.#experiment.build(places);
    const sliders = new LogSliders(this.page, places, settings.scales);
    controls.onFit(() => {
      sliders.show(state.values);
      sliders.fit(controls.meaningless);
    });
    controls.onTell(() => sliders.show(state.values));
  }
}
