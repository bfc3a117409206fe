/** A figure as PNG or SVG, drawn by plotly from the figure of the notebook. */

import { save } from "./clipboard.js";
import { labelledPng, labelledSvg } from "./picture_origin.js";

const WIDTH = 1200;

/**
 * @param {import("../../types/plotly.js").Plotly} Plotly @param {import("../../types/plotly.js").Drawing} figure
 * @param {string} name @param {string} format @param {import("./picture_origin.js").Label} label
 */
export async function savePicture(Plotly, figure, name, format, label) {
  const height = figure.layout.height ?? 450;
  const address = await Plotly.toImage(figure, { format, width: WIDTH, height, scale: format === "png" ? 2 : 1 });
  const drawn = await fetch(address);
  save(await labelled(drawn, format, label), `${name}.${format}`);
}

/** @param {Response} drawn @param {string} format @param {import("./picture_origin.js").Label} label */
async function labelled(drawn, format, label) {
  return format === "png" ? labelledPng(await drawn.blob(), label) : labelledSvg(await drawn.text(), label);
}
