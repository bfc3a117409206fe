/** Delay before a failed server is asked again: grows with each failure; random, so that pages do not retry together. */

/** Largest mean delay in milliseconds. */
const SELDOM = 4000;

/** @param {number} failures failures in a row @returns {number} milliseconds */
export function backOff(failures) {
  return Math.min(SELDOM, 250 * 2 ** failures) * (0.5 + Math.random());
}
