/** Distributes the panels of a chart over columns and lines. Pure. */

/** Words around a panel, in heights of the text: they count when the shapes of panels are compared. */
const AROUND = { across: 3.5, down: 3.4 };
/** The shape at which a curve is read best: width by height. */
const SHAPE = 1.6;
/**
 * Many panels stand in one row while its panels have this width, until those of another grid have this height, in heights of
 * the text: so a figure keeps its shape while the room around it changes.
 */
const ROW = { count: 4, across: 5, down: 16 };

/**
 * @typedef {object} Slot
 * @property {ArrayLike<number>} across @property {ArrayLike<number>} up the panel's domain in fractions of the figure
 *
 * @typedef {object} Grid
 * @property {number} columns @property {number} lines
 * @property {{column: number, line: number}[]} places of the panels, in their order
 */

/**
 * Return the grid of the panels' domains or, if they stand for themselves, the one in which they are drawn largest.
 * @param {Slot[]} slots
 * @param {{width: number, height: number}} size pixels @param {number} em height of the text
 * @param {boolean} free true if a panel's place says nothing
 * @returns {Grid}
 */
export function arranged(slots, size, em, free) {
  if (free) return flowing(slots.length, size, em);
  const lefts = distinct(slots.map(({ across }) => across[0])).sort((a, b) => a - b);
  const tops = distinct(slots.map(({ up }) => up[1])).sort((a, b) => b - a);
  const places = slots.map(({ across, up }) => ({ column: lefts.indexOf(across[0]), line: tops.indexOf(up[1]) }));
  return { columns: lefts.length, lines: tops.length, places };
}

/** @param {number} count @param {{width: number, height: number}} size @param {number} em @returns {Grid} */
function flowing(count, size, em) {
  let columns = 1;
  let most = -Infinity;
  for (let tried = 1; tried <= count; tried += 1) {
    const lines = Math.ceil(count / tried);
    const width = size.width / tried - AROUND.across * em;
    const height = size.height / lines - AROUND.down * em;
    // a grid with open places wastes their share
    const large = (Math.min(width / SHAPE, height) * count) / (tried * lines);
    if (large > most) [columns, most] = [tried, large];
  }
  const high = size.height / Math.ceil(count / columns) - AROUND.down * em;
  const wide = size.width / count - AROUND.across * em;
  if (count >= ROW.count && wide >= ROW.across * em && high < ROW.down * em) columns = count;
  const places = Array.from({ length: count }, (_, i) => ({ column: i % columns, line: Math.floor(i / columns) }));
  return { columns, lines: Math.ceil(count / columns), places };
}

/** @param {number[]} values */
const distinct = (values) => [...new Set(values)];
