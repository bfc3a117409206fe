/** Curves of a class: places between 0 and 1, on the axes of the question or, of a teacher's own, on axes without numbers. */

import { CurveDrawing, axis } from "../predict_curve.js";
import { shape } from "../svg.js";

/** @typedef {import("../../types/wire.js").Curve} Curve */
/** @typedef {import("./message.js").Question} Question */

/** Points of a curve that a teacher asks for. */
const POINTS = 8;

/** Return places along the horizontal axis. */
export const across = () => Array.from({ length: POINTS }, (_, i) => Math.round((1000 * i) / (POINTS - 1)) / 1000);

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
 * Return the axes of a question: those of the page's own language if it has them, else the question's; without numbers if it has none.
 * @param {Question} question @param {Curve | null} own
 */
export function axes({ x = [], x_label = "", y_label = "", axes: told }, own) {
  if (own && own.x.length === x.length) return own;
  if (told) return { ...told, x_label, y_label };
  return { x, low: 0, high: 1, log_x: false, log_y: false, x_label, y_label, bare: true };
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
  const trace = (/** @type {number[]} */ places) => drawing.traced(places);
  const lines = band && [
    area("class-band", [...trace(band["90"]), ...trace(band["10"]).reverse()]),
    area("class-middle", [...trace(band["75"]), ...trace(band["25"]).reverse()]),
    shape("polyline", { class: "class-median", points: trace(band["50"]).join(" ") }),
  ];
  drawing.real.before(...(lines ?? []));
  if (truth) drawing.real.setAttribute("points", trace(truth).join(" "));
  return svg;
}

/** @param {string} name @param {string[]} points */
const area = (name, points) => shape("polygon", { class: name, points: points.join(" ") });
