/** The grid of panels whose cells are largest. Pure. */

/** The least share of the largest cells' width at which a grid keeps its columns. */
const LEAST_KEPT = 2 / 3;
/** The least share of them at which a grid without holes in its last line is preferred. */
const LEAST_FULL = 0.95;

/**
 * @typedef {object} Grid
 * @property {number} columns
 * @property {number} lines
 * @property {number} width of a panel in pixels
 * @property {number} height of a panel in pixels
 */

/**
 * Return the number of columns that makes panels of one shape largest, or nearly so without a hole in the last line, and their size.
 * @param {number} count of panels, at least 1
 * @param {{width: number, height: number}} room
 * @param {{x: number, y: number, above: number}} gap between panels, and for the title above each
 * @param {number} shape width of a panel for a height of 1
 * @param {number} [chosen] a number of columns that somebody wants; 0: none
 * @param {number} [group] panels that belong beside each other: no line breaks between them
 * @param {number} [kept] a number of columns that stays unless cells would lose a third of their width; 0: none
 * @returns {Grid}
 */
export function largest(count, room, gap, shape, chosen = 0, group = 1, kept = 0) {
  const [fewest, most] = chosen ? [Math.min(chosen, count), Math.min(chosen, count)] : [1, count];
  /** @type {Grid} */
  let best = { columns: fewest, lines: Math.ceil(count / fewest), width: 0, height: 0 };
  const worth = (/** @type {Grid} */ { columns, lines, width }) =>
    columns * lines === count ? width : LEAST_FULL * width;
  for (let columns = fewest; columns <= most; columns += 1) {
    if (!chosen && columns % group) continue;
    const lines = Math.ceil(count / columns);
    const across = (room.width - (columns - 1) * gap.x) / columns;
    const down = (room.height - (lines - 1) * gap.y) / lines - gap.above;
    const width = Math.floor(Math.min(across, down * shape));
    const grid = { columns, lines, width, height: Math.max(1, Math.round(width / shape)) };
    const better = worth(grid) > worth(best) || (width === best.width && columns * lines < best.columns * best.lines);
    if (better && width > 0) best = grid;
  }
  if (!kept || chosen || kept === best.columns || kept > count || kept % group) return best;
  const same = largest(count, room, gap, shape, kept, group);
  return same.width >= LEAST_KEPT * best.width ? same : best;
}

/** Return true if no panel lies below this one. @param {Grid} grid @param {number} panel @param {number} count */
export const lowest = ({ columns }, panel, count) => panel + columns >= count;
