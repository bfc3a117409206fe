/** What a trained model decides of its layers' controls. */

import { sliderOf } from "../../controls/sliders.js";

/** @typedef {import("../../../types/wire.js").CellsHeader["trained"]} Trained */

/** End the slider of the layers at the model's last. @param {Trained} trained the model that is shown; null without one */
export function fitLayers(trained) {
  const slider = sliderOf("layer");
  if (!slider || !trained) return;
  const last = String(trained.layers);
  for (const input of [slider.range, slider.box]) if (input) input.max = last;
  const end = slider.control.querySelector(".max_value");
  if (end) end.textContent = last;
}

/** Return the controls that the layer's own mask leaves without a choice. @param {Trained} trained @returns {string[]} */
export const masked = (trained) => (trained && trained.mask !== "none" ? ["mask", "window"] : []);
