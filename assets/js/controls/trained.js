/** What a trained model decides of the controls: the end of its layers, the masks that its own leaves, what the factor multiplies. */

import { sliderOf } from "./sliders.js";

/**
 * A trained layer that is shown: the layers of its model, and its own mask.
 * @typedef {{layers: number, mask: string}} Trained
 */

export class TrainedControls {
  /** The layer on screen; null without one. @type {Trained | null} */
  #trained = null;
  #drawn;

  /** @param {number | null} [drawn] the last layer of a page that draws layers as well */
  constructor(drawn = null) {
    this.#drawn = drawn;
  }

  /** Take what the server says of the layer. @param {Trained | null} trained @returns {boolean} true if it is news */
  take(trained) {
    const news = trained?.layers !== this.#trained?.layers || trained?.mask !== this.#trained?.mask;
    this.#trained = trained;
    return news;
  }

  /** Return the controls that the layer's own mask leaves without a choice. @param {import("../link/values.js").Values} values */
  meaningless(values) {
    const own = values.source === "model" && values.mask !== "window" ? this.#trained?.mask : "none";
    return own && own !== "none" ? ["mask", "window"] : [];
  }

  /** @param {import("../link/values.js").Values} values @param {(key: string) => string} text */
  fit(values, text) {
    const model = values.source === "model";
    const factor = document.querySelector("#control-scale [data-testid=block-info]");
    if (factor) factor.textContent = text(model ? "control.scale.trained" : "control.scale.label");
    const last = model ? this.#trained?.layers : this.#drawn;
    const slider = sliderOf("layer");
    if (!slider || !last) return;
    for (const input of [slider.range, slider.box]) if (input) input.max = String(last);
    const end = slider.control.querySelector(".max_value");
    if (end) end.textContent = String(last);
  }
}
