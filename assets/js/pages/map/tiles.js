/**
 * The tiles that a window needs. A tile of level L holds up to 128 × 128 squares of 2^L × 2^L tokens; tile (r, c) begins at query r · 128 · 2^L and key
 * c · 128 · 2^L. Pure.
 */

export const SIDE = 128;
/** Most squares along an axis of a window. */
const MOST = 256;

/** @typedef {{level: number, row: number, column: number}} Address */

/** Return the finest level at which no axis of the window shows more than 256 squares. @param {{across: number, down: number}} view */
export const levelOf = ({ across, down }) => Math.max(0, Math.ceil(Math.log2(Math.max(across, down) / MOST) - 1e-9));

/**
 * Return true if the overview shows this window as finely as tiles would.
 * @param {{across: number, down: number}} view @param {{rows: number, columns: number}} shape @param {{rows: number, columns: number}} bins
 */
export const overviewSuffices = (view, shape, bins) =>
  2 ** levelOf(view) >= Math.max(shape.rows / bins.rows, shape.columns / bins.columns);

/** Return the level of an overview's squares. @param {{rows: number, columns: number}} shape @param {{rows: number, columns: number}} bins */
export const overviewLevel = (shape, bins) =>
  Math.ceil(Math.log2(Math.max(shape.rows / bins.rows, shape.columns / bins.columns)));

/** Return the zoom factor to the widest window of a level. @param {{across: number, down: number}} view @param {number} level */
export const toLevel = ({ across, down }, level) => (MOST * 2 ** level) / Math.max(across, down);

/**
 * Return the tiles that cover a window, nearest to its centre first.
 * @param {{left: number, top: number, across: number, down: number}} view @param {number} level @returns {Address[]}
 */
export function covering(view, level) {
  const size = SIDE * 2 ** level;
  /** @param {number} start @param {number} length */
  const indices = (start, length) => {
    const [first, end] = [
      Math.floor(start / size),
      Math.max(Math.ceil((start + length) / size - 1e-9), Math.floor(start / size) + 1),
    ];
    return Array.from({ length: end - first }, (_, i) => first + i);
  };
  const middle = { row: (view.top + view.down / 2) / size - 0.5, column: (view.left + view.across / 2) / size - 0.5 };
  const far = (/** @type {{row: number, column: number}} */ { row, column }) =>
    Math.hypot(row - middle.row, column - middle.column);
  return indices(view.top, view.down)
    .flatMap((row) => indices(view.left, view.across).map((column) => ({ level, row, column })))
    .sort((a, b) => far(a) - far(b));
}

/** @param {number} head @param {Address} tile */
export const nameOf = (head, { level, row, column }) => `${head} ${level} ${row} ${column}`;

/**
 * Return the window that a tile of rows × columns cells covers; its last cells may exceed the sequence.
 * @param {Address} tile @param {number} rows @param {number} columns
 */
export function extent({ level, row, column }, rows, columns) {
  const size = 2 ** level;
  return { left: column * SIDE * size, top: row * SIDE * size, across: columns * size, down: rows * size };
}
