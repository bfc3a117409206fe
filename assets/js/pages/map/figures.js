/** The figures of the Map: map and strips are drawn as pixels, and the open row waits with the strips for an answer. */

import { Figures } from "../../figures/figures.js";

export class MapFigures extends Figures {
  #map;

  /**
   * @param {import("../../page/settings.js").Settings} settings
   * @param {{covers: boolean, state: import("../../link/state.js").State, viewer: {changed: () => void}}} map
   */
  constructor(settings, map) {
    super(settings);
    this.#map = map;
  }

  /** @param {string} name */
  async redraw(name) {
    if (name === "row") await super.redraw(name);
    else this.#map.viewer.changed();
  }

  /** @param {string} name */
  isCovered(name) {
    return super.isCovered(name) || (name === "row" && this.#map.covers && this.#map.state.values.row !== null);
  }
}
