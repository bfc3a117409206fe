/** The Cost page: the cost of each mechanism along one size, measured now or shipped with the page. */

import { RunPage } from "../run_page.js";

export class Page extends RunPage {
  /** @param {import("../controls.js").Values} values @param {boolean} tellControls */
  move(values, tellControls) {
    this.forsake();
    super.move(values, tellControls);
  }

  /** @param {import("../controls.js").Values} values */
  meaningless(values) {
    return [String(values.varied)];
  }
}
