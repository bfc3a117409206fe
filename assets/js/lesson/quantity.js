/** Quantities of the result that the page holds: numbers in the tables behind its figures. Pure. */

/** @typedef {import("../files/csv.js").Table} Table */
/** @typedef {import("./shape.js").Quantity} Quantity */
/** @typedef {import("./shape.js").Lines} Lines */

/**
 * Return the numbers of a column, or NaN where a cell holds none.
 * @param {Table} table @param {number} column from 1 @param {Lines} lines
 */
export function column(table, column, { lines, where }) {
  const { values } = table.columns[column - 1] ?? { values: [] };
  const others = where && Array.from(table.columns[where.column - 1]?.values ?? [], String);
  const is = where && String(where.nth ? [...new Set(others)][where.nth - 1] : where.is);
  const [first, last] = lines ?? [1, values.length];
  const found = [];
  for (let i = Math.max(1, first) - 1; i < Math.min(last, values.length); i += 1) {
    const value = values[i];
    if (others && others[i] !== is) continue;
    found.push(typeof value === "number" || (typeof value === "string" && value.trim()) ? Number(value) : NaN);
  }
  return found;
}

/** Return a quantity of a table; NaN if it has none. @param {Table | null} table @param {Quantity} quantity */
export function quantity(table, { column: at, take = "mean", ...lines }) {
  if (!table) return NaN;
  const all = column(table, at, lines);
  const found = all.filter((value) => Number.isFinite(value));
  if (!found.length) return NaN;
  const sum = found.reduce((total, value) => total + value, 0);
  const takes = {
    mean: () => sum / found.length,
    sum: () => sum,
    smallest: () => Math.min(...found),
    largest: () => Math.max(...found),
    first: () => found[0],
    last: () => found[found.length - 1],
    line_of_largest: () => all.indexOf(Math.max(...found)) + 1,
  };
  return takes[take]();
}

/** Return true if a value lies in a range, whose end belongs to the next. @param {number} value @param {{from?: number, below?: number}} range */
export const within = (value, { from = -Infinity, below = Infinity }) => value >= from && value < below;

/**
 * Return the heights of a curve at some x, along straight lines between the table's points.
 * @param {Table | null} table @param {import("./shape.js").Curve} curve
 */
export function curve(table, { x, y, points, log_x = false, ...lines }) {
  if (!table) return points.map(() => NaN);
  const [across, up] = [column(table, x, lines), column(table, y, lines)];
  const known = across
    .map((at, i) => /** @type {const} */ ([log_x ? Math.log(at) : at, up[i]]))
    .filter(([at, value]) => Number.isFinite(at) && Number.isFinite(value))
    .sort(([a], [b]) => a - b);
  return points.map((point) => {
    const at = log_x ? Math.log(point) : point;
    const after = known.findIndex(([one]) => one >= at);
    if (!known.length) return NaN;
    if (after <= 0) return known[after < 0 ? known.length - 1 : 0][1];
    const [[from, low], [to, high]] = [known[after - 1], known[after]];
    return low + ((high - low) * (at - from)) / (to - from || 1);
  });
}
