/** The Cost page: the cost of each mechanism along one size, measured now or shipped with the page. */

import { LogSliders } from "../../controls/log_sliders.js";
import { RunPage } from "../../page/run_page.js";

/** @extends {RunPage<{scales: Record<string, import("../../controls/stops.js").Scale>}>} */
export class Page extends RunPage {
  /** @type {LogSliders} */
  sliders;

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    super.build(places);
    this.sliders = new LogSliders(this, places, this.settings.scales);
    this.controls.rules.meaningless = ({ varied }) => [String(varied)];
    this.controls.onFit(() => {
      this.sliders.show(this.state.values);
      this.sliders.fit(this.controls.meaningless);
    });
    this.controls.onTell(() => this.sliders.show(this.state.values));
  }
}
