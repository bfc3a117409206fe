/** The time before a server that has failed is asked again: ever longer, and never the same for two pages that failed together. */

/** Milliseconds on average at most. */
const SELDOM = 4000;

/** @param {number} failures how many times in a row @returns {number} milliseconds */
export function backOff(failures) {
  return Math.min(SELDOM, 250 * 2 ** failures) * (0.5 + Math.random());
}
