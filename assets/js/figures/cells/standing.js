/**
 * How names stand beside an axis. Where cells are narrower than a line of text, names take turns on several lines, and are
 * shortened if these would leave the cells too little room. Pure.
 */

/**
 * On so many lines, each name on the next one, with at most so many letters.
 * @typedef {{lines: number, letters: number}} Standing
 */

/** A longer name is cut in the room that it is given. */
export const LONGEST = 10;

/** @type {Standing} */
export const ONE_LINE = { lines: 1, letters: LONGEST };

/** The other ways of names to stand, the most wished first. @type {Standing[]} */
const MORE = [
  { lines: 2, letters: LONGEST },
  { lines: 2, letters: 7 },
  { lines: 3, letters: LONGEST },
  { lines: 3, letters: 7 },
  { lines: 3, letters: 5 },
  { lines: 3, letters: 4 },
];

/** Mean width of a letter, least distance of two names on one line, and air between two lines, in heights of the text. */
const [LETTER, DENSE, AIR] = [0.56, 1, 0.25];
/** Distance of two names on one line with air for a line between them. */
const AIRY = 1.2;

/**
 * Return true if all names have their places.
 * @param {Standing} way @param {number} cell its length in pixels @param {number} em height of the text in pixels
 */
export const stand = ({ lines }, cell, em) => lines * cell >= DENSE * em;

/**
 * Return true if there is air for lines that lead past names to those farther away.
 * @param {Standing} way @param {number} cell @param {number} em
 */
export const leads = ({ lines }, cell, em) => lines * cell >= AIRY * em;

/** Return the ways that may give all names a place, if more lines leave cells no longer than `cell`. @param {number} cell @param {number} em */
export const ways = (cell, em) => (stand(ONE_LINE, cell, em) ? [] : MORE.filter((way) => stand(way, cell, em)));

/** Return the width of a line of names in pixels. @param {number} length of the longest name in letters @param {number} em */
export const wide = (length, em) => length * LETTER * em;

/** Return the distance of two lines of names in pixels. @param {number} length of the longest name in letters @param {number} em */
export const apart = (length, em) => wide(length, em) + AIR * em;

/** Return the depth of all lines in pixels. @param {number} lines @param {number} length of the longest name in letters @param {number} em */
export const depth = (lines, length, em) => wide(length, em) + (lines - 1) * apart(length, em);
