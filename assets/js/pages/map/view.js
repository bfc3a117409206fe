/**
 * The visible window of the map, in cells: cell i covers i … i + 1; `left` and `top` count from the first cell's edge. One
 * number zooms both axes, so a link needs no fourth; cells of a square map stay square. Pure.
 */

/** @typedef {{x: number, y: number}} Point fractions of the window */
/** @typedef {[Point, Point]} Pair of fingers */
/** @typedef {{rows: number, columns: number}} Shape queries and keys */
/** @typedef {{left: number, top: number, across: number, down: number}} View */

/** Visible cells per axis at the deepest zoom. */
export const FEWEST = 4;
/** Links name the window in 1/PARTS of a cell. */
const PARTS = 100;

/** @param {Shape} shape @returns {View} */
export const whole = ({ rows, columns }) => ({ left: 0, top: 0, across: columns, down: rows });

/** Return the number of visible rows for a number of columns. @param {number} across @param {Shape} shape */
export const downOf = (across, { rows, columns }) =>
  Math.min(rows, Math.max(Math.min(rows, FEWEST), (across * rows) / columns));

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));

/**
 * Return the nearest possible window.
 * @param {{left: number, top: number, across: number}} wanted @param {Shape} shape @returns {View}
 */
export function fitted({ left, top, across }, shape) {
  const wide = within(across, Math.min(FEWEST, shape.columns), shape.columns);
  const down = downOf(wide, shape);
  return { left: within(left, 0, shape.columns - wide), top: within(top, 0, shape.rows - down), across: wide, down };
}

/**
 * Show `factor` times as many cells; the point under `at` stays there, except at the map's edge.
 * @param {View} view @param {number} factor below 1 zooms in @param {{x: number, y: number}} at fractions of the window @param {Shape} shape
 */
export function zoomed(view, factor, at, shape) {
  const across = within(view.across * factor, Math.min(FEWEST, shape.columns), shape.columns);
  const down = downOf(across, shape);
  return fitted(
    { left: view.left + at.x * (view.across - across), top: view.top + at.y * (view.down - down), across },
    shape,
  );
}

/** Move the window by fractions of itself. @param {View} view @param {number} x @param {number} y @param {Shape} shape */
export const panned = (view, x, y, shape) =>
  fitted({ left: view.left + x * view.across, top: view.top + y * view.down, across: view.across }, shape);

/** Return the window around a cell. @param {{row: number, column: number}} cell @param {number} across @param {Shape} shape */
export const around = ({ row, column }, across, shape) =>
  fitted({ left: column + 0.5 - across / 2, top: row + 0.5 - downOf(across, shape) / 2, across }, shape);

/**
 * Move the window with two fingers, from `before` to `now`: the cells under them stay.
 * @param {View} view @param {Pair} before @param {Pair} now @param {Shape} shape
 */
export function pinched(view, before, now, shape) {
  const spread = (/** @type {Pair} */ [a, b]) => Math.max(0.02, Math.hypot(a.x - b.x, a.y - b.y));
  const middle = (/** @type {Pair} */ [a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  const [from, to] = [middle(before), middle(now)];
  const moved = {
    ...view,
    left: view.left + (from.x - to.x) * view.across,
    top: view.top + (from.y - to.y) * view.down,
  };
  return zoomed(moved, spread(before) / spread(now), to, shape);
}

/** Return the cell under a point of the window. @param {View} view @param {{x: number, y: number}} at fractions of it @param {Shape} shape */
export const cellUnder = (view, at, { rows, columns }) => ({
  row: within(Math.floor(view.top + at.y * view.down), 0, rows - 1),
  column: within(Math.floor(view.left + at.x * view.across), 0, columns - 1),
});

/** @param {View} view @param {Shape} shape */
export const isWhole = (view, { rows, columns }) => view.across >= columns && view.down >= rows;

/** Return a window's parameters in a link; all 0 shows everything. @param {View} view @param {Shape} shape */
export function written(view, shape) {
  if (isWhole(view, shape)) return { left: 0, top: 0, across: 0 };
  const rounded = (/** @type {number} */ value) => Math.round(value * PARTS) / PARTS;
  return { left: rounded(view.left), top: rounded(view.top), across: rounded(view.across) };
}

/** Return the window that a link names. @param {{left?: number, top?: number, across?: number}} named @param {Shape} shape @returns {View} */
export const named = ({ left = 0, top = 0, across = 0 }, shape) =>
  across > 0 ? fitted({ left, top, across }, shape) : whole(shape);
