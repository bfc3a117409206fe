/** The sinks of a head above the map: a mark at each key, with its share where the names have room. Pure. */

/** Heights of the type between a mark and its name, and between two names. */
const [BESIDE, APART] = [0.45, 0.8];

/**
 * @typedef {{key: number, share: number}} Sink a key with its share of a head's weight, 0 … 1
 * @typedef {Sink & {at: number, from: number | null}} SinkMark
 * `at`: pixels from the map's left to the mark; `from`: to the beginning of its name, null if it has no room
 */

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
  /** @type {SinkMark[]} */
  const marks = sinks
    .map((sink) => ({ ...sink, at: ((sink.key + 0.5 - view.left) / view.across) * side, from: null }))
    .filter(({ at }) => at >= 0 && at <= side)
    .sort((a, b) => a.at - b.at);
  const [beside, half] = [BESIDE * type, type / 2];
  /** @type {[number, number][]} taken pixels */
  const taken = marks.map(({ at }) => [at - half, at + half]);
  for (const mark of [...marks].sort((a, b) => b.share - a.share || a.at - b.at)) {
    const wide = width(mark);
    const own = marks.indexOf(mark);
    const free = (/** @type {number} */ from) =>
      from >= 0 &&
      from + wide <= side &&
      taken.every(
        ([left, right], i) => i === own || right + APART * half <= from || from + wide + APART * half <= left,
      );
    const places = [mark.at + beside, mark.at - beside - wide].filter(free);
    if (!places.length) continue;
    mark.from = places[0];
    taken.push([mark.from, mark.from + wide]);
  }
  return marks;
}
