/** Curves of a class: places between 0 and 1, on the axes of the question; one that a teacher gave no ends has no numbers. */

import { CurveDrawing, along, axis } from "../asking/predict_curve.js";
import { shape } from "../dom/svg.js";

/** @typedef {import("../../types/wire.js").Curve} Curve */
/** @typedef {import("../lead/message.js").Question} Question */

/** Return values of a curve as places on its vertical axis. Pure. @param {number[]} values @param {Curve} curve */
export function placesOf(values, { low, high, log_y }) {
  const { place } = axis(low, high, log_y);
  return values.map((value) => Math.min(1, Math.max(0, place(value))));
}

/** Return the places of a curve's points on its horizontal axis. Pure. @param {Curve} curve */
export function acrossOf({ x, log_x }) {
  const { place } = axis(x[0], x[x.length - 1], log_x);
  return x.map((value) => Math.min(1, Math.max(0, place(value))));
}

/**
 * Return the axes of a question: those of the page's own language if it has them, else the question's; an axis may have no numbers.
 * @param {Question} question @param {Curve | null} own
 */
export function axes({ x = [], x_label = "", y_label = "", axes: given = {} }, own) {
  if (own && own.x.length === x.length) return own;
  const bare = { bare_x: given.x === undefined, bare_y: given.low === undefined };
  return { x, low: 0, high: 1, log_x: false, log_y: false, ...given, x_label, y_label, ...bare };
}

/**
 * Return a drawing of the class's curves: a band with its middle, the visitor's own, the true one.
 * @param {ReturnType<typeof axes>} curve @param {Record<string, number[]> | null} band quantiles by their percent
 * @param {number[] | null} truth @param {number[] | null} own
 * @param {(key: string) => string} text @param {string} label
 */
export function bandDrawing(curve, band, truth, own, text, label) {
  const drawing = new CurveDrawing(curve, text, () => {});
  drawing.locked = true;
  const { svg } = drawing;
  svg.classList.add("class-curve");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  for (const point of drawing.points) point.remove();
  if (own) drawing.put(own);
  else drawing.line.remove();
  if (band) {
    const [low, first, middle, third, high] = [10, 25, 50, 75, 90].map((share) => along(band[share]));
    /** @param {SVGElement} element @param {import("../asking/predict_curve.js").Point[]} points */
    const lay = (element, points) => {
      drawing.real.before(element);
      drawing.lay(element, points);
    };
    lay(shape("polygon", { class: "class-band" }), [...high, ...low.reverse()]);
    lay(shape("polygon", { class: "class-middle" }), [...third, ...first.reverse()]);
    lay(shape("polyline", { class: "class-median" }), middle);
  }
  if (truth) drawing.lay(drawing.real, along(truth));
  return svg;
}
