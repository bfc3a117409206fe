/** The prints of Why: the marker of d_k and of the factor stands on them where it stands on the page. */

import { Prints } from "../../paper/prints.js";

export class WhyPrints extends Prints {
  #markers;

  /** @param {import("../../paper/figures.js").Source} page @param {() => Partial<Record<string, import("./marker.js").Marker>>} markers of each figure */
  constructor(page, markers) {
    super(page);
    this.#markers = markers;
  }

  /** @param {string} name */
  async standing(name) {
    const figure = await super.standing(name);
    const { shapes } = figure.layout;
    const marker = this.#markers()[name];
    if (marker && shapes) figure.layout.shapes = marker.standing(shapes);
    return figure;
  }

  /** @param {string} name */
  onPaper(name) {
    const drawing = super.onPaper(name);
    const { shapes } = drawing.layout;
    const marker = this.#markers()[name];
    return marker && shapes ? { ...drawing, layout: { ...drawing.layout, shapes: marker.standing(shapes) } } : drawing;
  }
}
