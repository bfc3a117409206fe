/** The Cost page: what one size costs each mechanism, measured here and now or as it came with the page. */

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
