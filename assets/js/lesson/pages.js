/** Cuts a handout into pages: none less than half full but the last, and on A4 the same as on Letter. Pure. */

/**
 * What stays together on a page.
 * @typedef {object} Block
 * @property {number} height in pixels
 * @property {number} flexible the part of it that may shrink: its pictures
 * @property {number} rooms places to write in, which may grow
 * @property {boolean} turns true if it begins a page in any case
 *
 * A page: its blocks from `first` to before `end`, the size of its pictures, and the pixels that its places to write in gain.
 * @typedef {{first: number, end: number, zoom: number, gain: number}} Sheet
 */

/** The height between the margins of Letter, the lower of the two papers, less a line for rounding. */
export const HIGH = 945;
/** The smallest size of a picture. */
export const LEAST = 0.8;
/** Room to write grows until a page is that full; below HALF, which is half of A4, a page is too empty. */
const [FULL, HALF, LAST] = [0.66, 0.57, 0.3];

/**
 * Return one page of these blocks; null if they do not fit.
 * @param {Block[]} blocks @param {number} first @param {number} end
 * @returns {Sheet & {full: number} | null}
 */
function sheetOf(blocks, first, end) {
  const own = blocks.slice(first, end);
  const sum = (/** @type {"height" | "flexible" | "rooms"} */ name) => own.reduce((all, one) => all + one[name], 0);
  const [height, flexible] = [sum("height"), sum("flexible")];
  const zoom = height <= HIGH ? 1 : flexible ? 1 - (height - HIGH) / flexible : 0;
  if (zoom < LEAST && own.length > 1) return null; // one alone takes as many pages as it needs
  const gain = sum("rooms") ? Math.max(0, FULL * HIGH - height) : 0;
  return { first, end, zoom: Math.max(LEAST, zoom), gain, full: Math.min(1, (height + gain) / HIGH) };
}

/** Return how bad a page is. @param {Sheet & {full: number}} sheet @param {boolean} last */
function badness({ zoom, full }, last) {
  const empty = full < (last ? LAST : HALF) ? 10 : 0;
  return 0.1 + empty + (1 - zoom) ** 2 + (last ? 0 : (1 - full) ** 2);
}

/** Return the pages of a handout. @param {Block[]} blocks @returns {Sheet[]} */
export function sheets(blocks) {
  /** The least badness of the blocks from each one on, and the page that begins there. @type {{bad: number, sheet: Sheet | null}[]} */
  const best = Array.from({ length: blocks.length + 1 }, () => ({ bad: 0, sheet: null }));
  for (let first = blocks.length - 1; first >= 0; first -= 1) {
    best[first].bad = Infinity;
    for (let end = first + 1; end <= blocks.length; end += 1) {
      if (end > first + 1 && blocks[end - 1].turns) break;
      const sheet = sheetOf(blocks, first, end);
      if (!sheet) continue;
      const bad = badness(sheet, end === blocks.length) + best[end].bad;
      if (bad < best[first].bad) best[first] = { bad, sheet };
    }
  }
  /** @type {Sheet[]} */
  const found = [];
  for (let at = best[0]?.sheet; at; at = best[at.end].sheet) found.push(at);
  return found;
}
