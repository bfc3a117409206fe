/** The panels of a chart: each pair of axes with its place in pixels. Pure. */

import { axisKey } from "../axes.js";
import { Scale } from "./scale.js";

/**
 * @typedef {{left: number, top: number, right: number, bottom: number}} Sides pixels
 *
 * Two axes that cross, by their names in traces ("x2", "y3").
 * @typedef {object} Panel
 * @property {string} x
 * @property {string} y
 * @property {Scale} across
 * @property {Scale} up
 * @property {Sides} box
 * @property {boolean} beside true if the vertical axis is written at the right of another's panel
 */

/**
 * Return all panels of a layout. The chart's own margins replace those of the layout, which fit a figure of its own size.
 * @param {import("../../types/plotly.js").Layout} layout
 * @param {{width: number, height: number}} size
 * @param {Sides} margin around all panels
 * @param {(panel: string) => Sides} own margins inside each panel's domain, by its vertical axis
 * @returns {Panel[]}
 */
export function panels(layout, size, margin, own) {
  const width = size.width - margin.left - margin.right;
  const height = size.height - margin.top - margin.bottom;
  return Object.keys(layout)
    .filter(isVertical)
    .map((key) => {
      const y = key.replace("axis", "");
      const up = layout[key];
      const host = up.overlaying ? layout[axisKey(up.overlaying)] : up;
      const x = host.anchor ?? up.anchor ?? "x";
      const across = layout[axisKey(x)];
      const [left, right] = across.domain ?? [0, 1];
      const [bottom, top] = host.domain ?? [0, 1];
      const inner = own(y);
      const box = {
        left: margin.left + left * width + inner.left,
        right: margin.left + right * width - inner.right,
        top: margin.top + (1 - top) * height + inner.top,
        bottom: margin.top + (1 - bottom) * height - inner.bottom,
      };
      return {
        x,
        y,
        across: new Scale(across, box.left, box.right),
        up: new Scale(up, box.bottom, box.top),
        box,
        beside: up.overlaying !== undefined,
      };
    });
}

/** @param {string} key @returns {key is import("../../types/plotly.js").AxisName} */
function isVertical(key) {
  return /^yaxis\d*$/.test(key);
}
