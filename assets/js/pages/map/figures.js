/** The figures of the Map: map and strips are drawn as pixels, and the open row waits with the strips for an answer. */

import { Figures } from "../../figures/figures.js";

export class MapFigures extends Figures {
  #map;

  /**
   * @param {import("../../page/shell.js").Settings} settings
   * @param {{row: () => number | null, covers: () => boolean, changed: () => void}} map `covers`: true while a question is open; `changed` paints it again
   */
  constructor(settings, map) {
    super(settings);
    this.#map = map;
  }

  /** @param {string} name */
  async redraw(name) {
    if (name === "row") await super.redraw(name);
    else this.#map.changed();
  }

  /** @param {string} name */
  isCovered(name) {
    return super.isCovered(name) || (name === "row" && this.#map.row() !== null && this.#map.covers());
  }
}
