/** The point of a chart under the pointer, and the text that the figure's hover template makes of it. Pure. */

import { number } from "../axes.js";
import { plainText } from "../cells/labels.js";
import { prefixed } from "./scale.js";

/** Largest distance in pixels. */
const REACH = 24;

/**
 * @typedef {import("./frame.js").Panel} Panel
 * @typedef {import("../../../types/plotly.js").Trace} Trace
 */

/**
 * Return the nearest point that has something to say, or null.
 * @param {{panel: Panel, trace: Trace}[]} drawn @param {number} x @param {number} y pixels
 * @returns {{trace: Trace, panel: Panel, index: number, x: number, y: number} | null}
 */
export function nearest(drawn, x, y) {
  let best = null;
  let least = REACH;
  for (const { panel, trace } of drawn) {
    const { left, right, top, bottom } = panel.box;
    if (x < left - 2 || x > right + 2 || y < top - 2 || y > bottom + 2) continue;
    if (trace.hoverinfo === "skip" || (!trace.hovertemplate && trace.type !== "box")) continue;
    const xs = trace.x ?? [];
    for (let index = 0; index < xs.length; index += 1) {
      const heights = trace.type === "box" ? five(trace, index).slice(1, 4) : [trace.y?.[index] ?? NaN];
      for (const height of heights) {
        const [across, up] = [panel.across.pixel(xs[index]), panel.up.pixel(height)];
        // Bars and long lines are pointed at by their place across.
        const apart = trace.type === "bar" ? Math.abs(across - x) : Math.hypot(across - x, (up - y) * 0.6);
        if (apart < least) {
          least = apart;
          best = { trace, panel, index, x: across, y: up };
        }
      }
    }
  }
  return best;
}

/**
 * Return upper whisker, upper quartile, median, lower quartile and lower whisker of one box.
 * @param {Trace} trace @param {number} index
 */
export function five({ upperfence, q3, median, q1, lowerfence }, index) {
  return [upperfence, q3, median, q1, lowerfence].map((of) => of?.[index] ?? NaN);
}

/** Return a point's lines of text. @param {{trace: Trace, index: number}} point @returns {string[]} */
export function linesOf({ trace, index }) {
  if (trace.type === "box") {
    return [trace.name ?? "", five(trace, index).map(number).join(" · ")];
  }
  const template = String(trace.hovertemplate).replace(
    /<extra>(.*)<\/extra>/s,
    (_whole, /** @type {string} */ extra) => (extra ? `<br>${extra}` : ""),
  );
  /** @type {Record<string, unknown>} */
  const values = {
    x: trace.x?.[index],
    y: trace.y?.[index],
    text: trace.text?.[index],
    customdata: trace.customdata?.[index],
  };
  return template
    .replace(/%\{(\w+)(?::([^}]*))?\}/g, (_whole, /** @type {string} */ name, /** @type {string} */ format) =>
      written(values[name], format),
    )
    .split(/<br>/)
    .map(plainText);
}

/**
 * Write a value: whole numbers in full, else three digits, with a prefix of the SI for "3s".
 * @param {unknown} value @param {string} [format] d3's
 */
function written(value, format = "") {
  if (typeof value !== "number") return typeof value === "string" ? value : "";
  if (format.endsWith("s")) return prefixed(value);
  return !format && Number.isSafeInteger(value) ? String(value).replace("-", "−") : number(value);
}
