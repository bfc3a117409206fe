/** Labels of the map's axes: round positions, or each token if all have room. Pure. */

import { labelled } from "../../figures/axes.js";
import { tokenLabel } from "../../words/token.js";

/** Heights of the type per label: on a vertical axis, for a number on a horizontal one, for an upright token. */
const ROOM = { high: 1.25, number: 4.33, upright: 1.25 };

/**
 * @typedef {object} Label
 * @property {number} position
 * @property {number} at pixels from the beginning to the middle of the cell
 * @property {string} text
 * @property {boolean} upright
 */

/**
 * @param {number} from first visible position's edge @param {number} length visible positions @param {number} pixels @param {number} count number of positions
 * @param {string[] | null} tokens @param {boolean} vertical @param {number} type its height in pixels
 * @returns {Label[]}
 */
export function axisLabels(from, length, pixels, count, tokens, vertical, type) {
  const each = pixels / length;
  const words = tokens !== null && each >= ROOM.upright * type;
  const room = type * (vertical ? ROOM.high : words ? ROOM.upright : ROOM.number);
  const most = Math.max(2, Math.floor(pixels / room));
  const positions = words
    ? labelled([from - 0.5, from + length - 0.5], count, Infinity)
    : labelled([from - 0.5, from + length - 0.5], count, vertical ? Math.min(most, 16) : most);
  return positions
    .map((position) => ({
      position,
      at: (position + 0.5 - from) * each,
      text: words ? `${tokenLabel(tokens[position])} ${position}` : String(position),
      upright: words && !vertical,
    }))
    .filter(({ at }) => at >= 0 && at <= pixels);
}
