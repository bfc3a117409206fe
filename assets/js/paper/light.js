/** The colours of maps on paper: zero is white, so that a print costs little ink. The scales are visualiser/theme.py's. Pure. */

/**
 * @typedef {import("../figures/palette.js").ColourScale} ColourScale
 * @typedef {import("../../types/plotly.js").Drawing} Drawing
 */

/**
 * Return a scale as it is printed; a scale without another for paper is its own.
 * @param {Partial<Record<string, ColourScale>>} scales for paper, by the first colour of the screen's
 * @param {ColourScale} scale
 */
export const inked = (scales, scale) => scales[scale[0][1]] ?? scale;

/**
 * Return a drawing in the colours of paper: its maps and the bars that explain them.
 * @param {Drawing} drawing @param {Partial<Record<string, ColourScale>>} scales as `inked` takes them
 * @returns {Drawing}
 */
export function lightened(drawing, scales) {
  const layout = { ...drawing.layout };
  for (const name of Object.keys(layout).filter((one) => one.startsWith("coloraxis"))) {
    const axis = /** @type {import("../../types/plotly.js").ColourAxis} */ (layout[name]);
    layout[name] = { ...axis, colorscale: inked(scales, axis.colorscale) };
  }
  return { ...drawing, layout };
}
