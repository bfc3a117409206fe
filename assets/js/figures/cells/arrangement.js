/** Where the panels of a figure stand, with their names: in the grid and the ways of names that make cells largest. Pure. */

import { largest, lowest } from "./grid.js";
import { columnLabels, isNamed, lengthOf, longest, rowLabels } from "./labels.js";
import { ONE_LINE, apart, depth, leads, stand, ways, wide } from "./standing.js";

/**
 * @typedef {import("../../../types/plotly.js").AxisLayout} AxisLayout
 * @typedef {import("../panel.js").Box} Box
 * @typedef {import("./windows.js").Window} Window
 * @typedef {import("../chart/words.js").Word} Word
 *
 * A panel on screen, with its axes in the layout.
 * `sink`: the name of a column apart at its right; null: none.
 * @typedef {{rows: number, columns: number, window: Window, x: AxisLayout | undefined, y: AxisLayout | undefined,
 *   sink: string | null}} Seen
 *
 * The room of all panels in pixels; `em`: the height of the text, `above`: that of a title.
 * @typedef {{width: number, height: number, em: number, above: number}} Room
 *
 * How many panels stand in a line: the visitor's number, those that stay together, and the number that stays if cells lose little by it.
 * @typedef {{columns: number, group: number, kept: number}} Lines 0: none
 *
 * The places of the panels, in the order in which they are given.
 * @typedef {object} Arrangement
 * @property {Box[]} boxes
 * @property {(Box | null)[]} strips the places of the columns apart
 * @property {number} width of a panel with what is beside its cells
 * @property {number} across the number of panels in a line
 * @property {Word[]} words around them
 */

/** Return a window's width for a height of 1, so that cells are square, within what can still be seen. @param {Window} window */
const ratio = ({ x, y }) => Math.min(3, Math.max(1 / 3, Math.abs(x[1] - x[0]) / Math.abs(y[1] - y[0])));

/**
 * Arrange the panels.
 * @param {Seen[]} seen @param {Room} room @param {Lines} lines @param {string[]} tokens on their axes
 * @returns {Arrangement}
 */
export function arrange(seen, room, lines, tokens) {
  const { em } = room;
  // the column of a sink is as wide as a key, unless that is too narrow to be seen or wider than needed
  const sunk = seen.some(({ sink }) => sink !== null);
  const rough = sunk ? fitting(seen, room, gapsOf(room, LEAST_APART * em), lines, tokens).cell : 0;
  const strip = sunk ? Math.round(Math.min(MOST_APART * em, Math.max(LEAST_APART * em, rough))) : 0;
  const gap = gapsOf(room, strip);
  const { below, inner, grid, beside, upright, ofRows, ofColumns } = fitting(seen, room, gap, lines, tokens);
  const across = grid.columns * grid.width + (grid.columns - 1) * gap.x;
  const down = grid.lines * (grid.height + gap.above) + (grid.lines - 1) * gap.y;
  const left = beside + (inner.width - across) / 2;
  // below the header, not apart from it: what is left over stands together
  const top = Math.min(em * 0.3, Math.max(0, (inner.height - down) / 2));
  const boxes = seen.map(({ window }, at) => {
    const [column, line] = [at % grid.columns, Math.floor(at / grid.columns)];
    return {
      left: Math.round(left + column * (grid.width + gap.x)),
      top: Math.round(top + line * (grid.height + gap.y + gap.above) + gap.above),
      width: Math.round(grid.height * ratio(window)),
      height: grid.height,
      ...window,
    };
  });
  const strips = seen.map(({ sink, window }, at) => (sink === null ? null : stripOf(boxes[at], window, strip, em)));
  /** @type {Word[]} */
  const words = seen.flatMap(({ rows, columns, x, y, sink }, at) => {
    const ofKeys = lowest(grid, at, seen.length) ? columnLabels(x, columns, boxes[at], em, upright, ofColumns) : [];
    const apart = strips[at];
    return [
      ...(at % grid.columns === 0 ? rowLabels(y, rows, boxes[at], em, ofRows) : []),
      ...(apart && lowest(grid, at, seen.length)
        ? withSink(ofKeys, sink ?? "", apart, em, upright && isNamed(x))
        : ofKeys),
    ];
  });
  const named = [seen.at(0)?.y?.title?.text, seen.at(-1)?.x?.title?.text ?? seen.at(0)?.x?.title?.text];
  if (named[0]) {
    words.push({ text: named[0], x: left - beside + em * 0.7, y: top + down / 2, align: "middle", kind: "aside" });
  }
  if (named[1]) {
    const under = top + down + below - em * 0.85;
    words.push({ text: named[1], x: left + across / 2, y: under, align: "middle", kind: "title" });
  }
  return { boxes, strips, width: grid.width, across: grid.columns, words };
}

/** The least and the largest width of the column of a sink, its distance from the keys, and the air after it, in heights of the text. */
const [LEAST_APART, MOST_APART, BEFORE, AFTER] = [0.6, 2.5, 0.35, 0.5];

/** Return the gaps between panels. @param {Room} room @param {number} strip width of a column apart in pixels; 0: none */
function gapsOf({ em, above }, strip) {
  const apart = strip ? strip + (BEFORE + AFTER) * em : 0;
  return { x: em * 0.8 + apart, y: em * 0.35, above, after: apart };
}

/**
 * Return the place of the column of a sink: beside its panel, with the same rows.
 * @param {Box} box of the panel @param {Window} window @param {number} width @param {number} em
 * @returns {Box}
 */
function stripOf({ left, top, width: keys, height }, { y }, width, em) {
  return { left: Math.round(left + keys + BEFORE * em), top, width, height, x: [-0.5, 0.5], y };
}

/**
 * Return the names of keys with the sink's after them; those that it would touch make way.
 * @param {Word[]} words of the keys @param {string} sink its name @param {Box} strip @param {number} em @param {boolean} upright
 * @returns {Word[]}
 */
function withSink(words, sink, { left, width, top, height }, em, upright) {
  const x = left + width / 2;
  const half = (/** @type {string} */ text) => wide(lengthOf(text), em) / 2;
  const free = words.filter((word) => x - word.x > (upright ? 0.95 * em : half(word.text) + half(sink) + 0.3 * em));
  const y = top + height + em * (upright ? 0.3 : 0.85);
  return [
    ...free,
    { text: sink, x, y, align: upright ? "start" : "middle", kind: upright ? "upright" : "tick", plain: true },
  ];
}

/** Return the length of the longest name below a panel. @param {Seen} one @param {number} letters the most of a name */
const longestBelow = ({ x, columns, sink }, letters) => Math.max(longest(x, columns, letters), lengthOf(sink ?? ""));

/**
 * Return the largest grid beside and above names that all have their places.
 * @param {Seen[]} seen @param {Room} room @param {{x: number, y: number, above: number, after: number}} gap `after`: the last panel of a line
 * @param {Lines} lines @param {string[]} tokens
 */
function fitting(seen, { width, height, em }, gap, { columns, group, kept }, tokens) {
  const shape = Math.max(...seen.map(({ window }) => ratio(window)));
  const cellOf = (/** @type {number} */ across) =>
    Math.min(...seen.map(({ window: { x } }) => across / Math.abs(x[1] - x[0])));
  /** Return the grid beside names that stand so. @param {import("./standing.js").Standing} way */
  const laid = (way) => {
    const { lines, letters } = way;
    const row = Math.max(...seen.map(({ y, rows }) => longest(y, rows, letters)));
    const column = Math.max(...seen.map((one) => (isNamed(one.x) ? longestBelow(one, letters) : 0)));
    const beside = em * 2 + depth(seen.some(({ y }) => isNamed(y)) ? lines : 1, row, em);
    const fitted = (/** @type {number} */ below) => {
      const inner = { width: width - beside - 2 - gap.after, height: height - below };
      return { below, inner, grid: largest(seen.length, inner, gap, shape, columns, group, kept) };
    };
    // names stand upright where their columns are too narrow for them
    const level = fitted(em * 2.7);
    const upright = wide(column, em) + em * 0.6 > cellOf(level.grid.width);
    const found = column && upright ? fitted(em * 1.9 + depth(lines, column, em)) : level;
    const cell = cellOf(found.grid.width);
    /** Return how all names of an axis stand. @param {number} length of the longest */
    const names = (length) =>
      stand(way, cell, em) ? { ...way, apart: apart(length, em), tokens, led: leads(way, cell, em) } : undefined;
    return { ...found, beside, upright, cell, ofRows: names(row), ofColumns: names(column) };
  };
  const one = laid(ONE_LINE);
  const named = seen.some(({ x, y }) => isNamed(x) || isNamed(y));
  const more = named ? ways(one.cell, em).map(laid) : [];
  return more.find(({ ofRows: all }) => all) ?? one;
}
