/** The numbers below a colour bar, their text and place: those that the figure names, else round ones. Pure. */

import { number, ticks } from "./axes.js";

/**
 * @param {Pick<import("../../types/plotly.js").ColourAxis, "cmin" | "cmax" | "colorbar">} axis
 * @param {number} wanted approximate count, unless the bar has a step or numbers of its own
 * @returns {{text: string, place: number}[]} `place`: 0 at the lower end, 1 at the upper
 */
export function colourTicks({ cmin, cmax, colorbar }, wanted) {
  const { tickvals, ticktext } = colorbar ?? {};
  if (tickvals && ticktext) {
    return ticktext.map((text, i) => ({ text, place: (tickvals[i] - cmin) / (cmax - cmin) }));
  }
  return ticks(cmin, cmax, colorbar?.dtick ? cmax - cmin : wanted).map((value) => ({
    text: colorbar?.labelalias?.[String(value)] ?? number(value),
    place: (value - cmin) / (cmax - cmin),
  }));
}
