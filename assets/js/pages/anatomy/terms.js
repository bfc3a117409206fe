/** Numbers, sums and products as one writes them. Pure. */

import { number } from "../../figures/axes.js";

/**
 * The origin of a number: its arithmetic as text and its value, or a note.
 * @typedef {{written?: string, note?: string, value: number, terms?: number}} Made
 */

const MOST_TERMS = 16;

/** Write a number as a factor: negative ones in brackets. @param {number} value */
export const factor = (value) => (value < 0 ? `(${number(value)})` : number(value));

/** @param {string[]} parts @param {string} sign */
export function listed(parts, sign) {
  return parts.length <= MOST_TERMS ? parts.join(sign) : [...parts.slice(0, 6), "…", ...parts.slice(-2)].join(sign);
}

/** @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, i) => i);
/** @param {number[]} values */
export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @param {number[][]} pairs */
export const products = (pairs) => ({
  written: listed(
    pairs.map(([a, b]) => `${factor(a)} × ${factor(b)}`),
    " + ",
  ),
  value: sum(pairs.map(([a, b]) => a * b)),
  terms: pairs.length,
});

/** @param {number[]} values */
export const added = (values) => ({
  written: listed(values.map(factor), " + "),
  value: sum(values),
  terms: values.length,
});
