/** The sinks of a head above the map: a mark at each key, with its share where the names have room. Pure. */

import { number } from "../../figures/axes.js";

/** In heights of the type: the width of a mark (assets/css/map.css), its distance from its name, and that of two names. */
const [MARK, BESIDE, APART] = [0.5, 0.2, 0.4];

/**
 * @typedef {{key: number, share: number}} Sink a key with its share of a head's weight, 0 … 1
 * @typedef {Sink & {at: number, left: boolean, from: number | null}} SinkMark
 * `at`: pixels from the map's left to the mark's tip; `left`: true if the mark is left of it; `from`: pixels to the
 * beginning of its name, null if it has no room
 */

/** Return what names a sink. @param {(key: string, fields: import("../../words/message_format.js").Fields) => string} text */
export const sinkName =
  (text) =>
  (/** @type {Sink} */ { key, share }) =>
    text("figure.map.sink", { key, share: number(100 * share) });

/**
 * Place the sinks in view. The largest are named first; a name never touches another one or another sink's mark.
 * @param {Sink[]} sinks
 * @param {import("./view.js").View} view
 * @param {number} side of the map in pixels
 * @param {number} type height of the type in pixels
 * @param {(sink: Sink) => number} width of a sink's name in pixels
 * @returns {SinkMark[]} from left to right
 */
export function placedSinks(sinks, view, side, type, width) {
  const [mark, beside, apart] = [MARK * type, (MARK + BESIDE) * type, APART * type];
  /** @type {SinkMark[]} */
  const marks = sinks
    .map((sink) => ({ ...sink, at: ((sink.key + 0.5 - view.left) / view.across) * side }))
    .filter(({ at }) => at >= 0 && at <= side)
    .map((sink) => ({ ...sink, left: sink.at + mark > side, from: null }))
    .sort((a, b) => a.at - b.at);
  /** @type {[number, number][]} taken pixels */
  const taken = marks.map(({ at, left }) => (left ? [at - mark, at] : [at, at + mark]));
  for (const one of [...marks].sort((a, b) => b.share - a.share || a.at - b.at)) {
    const wide = width(one);
    const own = marks.indexOf(one);
    const free = (/** @type {number} */ from) =>
      from >= 0 &&
      from + wide <= side &&
      taken.every(([left, right], i) => i === own || right + apart <= from || from + wide + apart <= left);
    const [from = null] = [one.at + beside, one.at - beside - wide].filter(free);
    one.from = from;
    if (from !== null) taken.push([from, from + wide]);
  }
  return marks;
}
