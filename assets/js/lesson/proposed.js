/** Proposes the axes of a curve to draw, from the numbers that the page shows. Pure. */

import { column } from "./quantity.js";

/** @typedef {import("../files/csv.js").Table} Table */
/** @typedef {import("./shape.js").Curve} Curve */

/** Points of a drawing; an axis over more than this ratio is logarithmic. */
const [POINTS, LOG] = [5, 50];

/** Smaller values are 0 on an axis: a quarter of them may have no power of ten. */
const TINY = 1e-300;

/**
 * Return points and ends for a curve between two columns; null where the lines hold no curve.
 * @param {Table | null} table @param {Pick<Curve, "x" | "y" | "lines" | "where">} curve
 * @returns {Pick<Curve, "points" | "low" | "high" | "log_x"> | null}
 */
export function proposed(table, { x, y, ...lines }) {
  if (!table) return null;
  const finite = (/** @type {number} */ at) => column(table, at, lines).filter((value) => Number.isFinite(value));
  const across = [...new Set(finite(x))].sort((a, b) => a - b);
  const up = finite(y);
  if (across.length < 2 || !up.length) return null;
  const [first, last] = [across[0], across[across.length - 1]];
  const log_x = first > 0 && last / first > LOG;
  return { points: points(across, log_x), ...ends(Math.min(...up), Math.max(...up)), ...(log_x ? { log_x } : {}) };
}

/**
 * Return what chooses the first of several series in a table; undefined if it holds one.
 * @param {Table | null} table @param {number} x
 * @returns {{column: number, nth: number} | undefined}
 */
export function firstSeries(table, x) {
  const single = (/** @type {number[]} */ across) => new Set(across).size === across.length;
  if (!table || single(column(table, x, {}))) return undefined;
  const found = table.columns.findIndex((_, i) => {
    if (i + 1 === x) return false;
    const across = column(table, x, { where: { column: i + 1, nth: 1 } });
    return across.length > 1 && single(across);
  });
  return found < 0 ? undefined : { column: found + 1, nth: 1 };
}

/** Choose some of the values that a column has, even on its axis. @param {number[]} across rising @param {boolean} log */
function points(across, log) {
  if (across.length <= POINTS) return across;
  const on = (/** @type {number} */ value) => (log ? Math.log(value) : value);
  const [from, to] = [on(across[0]), on(across[across.length - 1])];
  const chosen = Array.from({ length: POINTS }, (_, i) => {
    const wanted = from + (i / (POINTS - 1)) * (to - from);
    return across.reduce((best, one) => (Math.abs(on(one) - wanted) < Math.abs(on(best) - wanted) ? one : best));
  });
  return [...new Set(chosen.map((value) => (Number.isInteger(value) ? value : Number(value.toPrecision(3)))))];
}

/** Return round ends around values; 0 is one of them unless they cross it. @param {number} least @param {number} most */
function ends(least, most) {
  const low = least < -TINY ? least : 0;
  const high = most > TINY ? most : low ? 0 : 1;
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10);
  const round = (/** @type {number} */ value) => Number((value * step).toPrecision(6));
  return { low: round(Math.floor(low / step)), high: round(Math.ceil(high / step - 1e-9)) };
}
