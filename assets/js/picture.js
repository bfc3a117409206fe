/** A figure as PNG or SVG, drawn by plotly from the figure of the notebook. */

import { save } from "./clipboard.js";

const WIDTH = 1200;

/** @param {import("../types/plotly.js").Plotly} Plotly @param {import("../types/plotly.js").Drawing} figure @param {string} name @param {string} format */
export async function savePicture(Plotly, figure, name, format) {
  const height = figure.layout.height ?? 450;
  const address = await Plotly.toImage(figure, { format, width: WIDTH, height, scale: format === "png" ? 2 : 1 });
  save(await (await fetch(address)).blob(), `${name}.${format}`);
}
