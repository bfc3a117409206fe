/** The places of the boxes in both halves of Figure 2, for any size of the drawing. Pure. */

import { entry } from "../../link/entry.js";

/** Columns as fractions of a half's width: where they begin and how wide they are; the last ends at `END`. */
const END = 0.98;
const LEFT = { x: 0, width: 0.31 };
const MIDDLE = { x: 0.335, width: 0.31 };
const RIGHT = { x: 0.67, width: 0.31 };
const SCORES = { x: 0.05, width: 0.55 };
const WIDE = { x: 0.16, width: 0.66 };

/** What a stack of boxes reaches out to the right, in heights of the type, and what a box's line takes, in pixels. */
export const STACK = 0.5;
const LINE = 1;

/** @typedef {{x: number, width: number}} Across */

/** The boxes that make the weights; a drawing has one of them. */
const WEIGHTS = ["softmax", "sigmoid", "entmax"];

/** @param {number} row @returns {Record<string, [number, Across, string[]]>} */
const weighing = (row) => Object.fromEntries(WEIGHTS.map((box) => [box, [row, SCORES, ["mask"]]]));

/**
 * The place of each box: its row from below, its place across, the boxes whose output it takes. A row whose boxes do not
 * exist closes up, but for the lowest; where an input does not exist, the box that stands at its place or its own inputs
 * take its place.
 * @type {Record<string, Record<string, [number, Across, string[]?]>>}
 */
const HALVES = {
  dot_product: {
    q: [0, LEFT],
    k: [0, MIDDLE],
    v: [0, RIGHT],
    norm_q: [1, LEFT, ["q"]],
    norm_k: [1, MIDDLE, ["k"]],
    compare: [2, SCORES, ["norm_q", "norm_k"]],
    scale: [3, SCORES, ["compare"]],
    softcap: [4, SCORES, ["scale"]],
    mask: [5, SCORES, ["softcap"]],
    ...weighing(6),
    matmul_v: [7, WIDE, [...WEIGHTS, "v"]],
  },
  additive: {
    q: [0, LEFT],
    k: [0, MIDDLE],
    v: [0, RIGHT],
    norm_q: [1, LEFT, ["q"]],
    norm_k: [1, MIDDLE, ["k"]],
    linear_wq: [2, LEFT, ["norm_q"]],
    linear_wk: [2, MIDDLE, ["norm_k"]],
    add: [3, SCORES, ["linear_wq", "linear_wk"]],
    tanh: [4, SCORES, ["add"]],
    compare: [5, SCORES, ["tanh"]],
    softcap: [6, SCORES, ["compare"]],
    mask: [7, SCORES, ["softcap"]],
    ...weighing(8),
    matmul_v: [9, WIDE, [...WEIGHTS, "v"]],
  },
  multi_head: {
    x: [0, WIDE],
    linear_v: [1, LEFT, ["x"]],
    linear_k: [1, MIDDLE, ["x"]],
    linear_q: [1, RIGHT, ["x"]],
    attention: [2, WIDE, ["linear_v", "linear_k", "linear_q"]],
    concat: [3, WIDE, ["attention"]],
    linear_o: [4, WIDE, ["concat"]],
  },
};

/** In heights of the type: the tallest box, the farthest step between rows, the least room above a box, and the last arrow's. */
const [TALLEST, FARTHEST, LEAST_GAP, OUT] = [4.2, 12, 1.05, 1.4];

/**
 * A box in pixels, and the wires into it.
 * @typedef {{name: string, x: number, y: number, width: number, height: number, from: Wire[]}} Placed
 *
 * A wire: straight up from a box, then across, then up into the next.
 * @typedef {{x: number, y: number, turn: number, to: number, end: number}} Wire
 */

/**
 * Return the boxes of a half that exist, from below.
 * @param {string} half @param {(box: string) => boolean} exists
 * @param {{width: number, height: number}} size in pixels @param {number} em height of the type
 * @returns {Placed[]}
 */
export function places(half, exists, { width, height }, em) {
  const boxes = Object.entries(entry(HALVES, half)).filter(([box]) => exists(box));
  const taken = [...new Set([0, ...boxes.map(([, [row]]) => row)])].sort((a, b) => a - b);
  const rows = taken.length;
  /** @param {string} input */
  const replaced = (input) => {
    const [row, across] = entry(HALVES, half)[input];
    return boxes.some(([, place]) => place[0] === row && place[1] === across);
  };
  /** @param {string} input @returns {string[]} */
  const standing = (input) => {
    if (exists(input)) return [input];
    return replaced(input) ? [] : (entry(HALVES, half)[input][2] ?? []).flatMap(standing);
  };
  const room = height - OUT * em;
  const pitch = Math.min(room / rows, FARTHEST * em);
  const tall = Math.min(TALLEST * em, pitch - Math.max(LEAST_GAP * em, pitch * 0.28));
  const bottom = height - 2 - (room - pitch * rows) / 2;
  const inner = width - 2 * LINE - (half === "multi_head" ? STACK * em : 0);
  /** @type {Map<string, Placed>} */
  const found = new Map();
  for (const [name, [row, across, inputs = []]] of boxes) {
    const own = {
      x: LINE + (across.x * inner) / END,
      width: (across.width * inner) / END,
      y: bottom - taken.indexOf(row) * pitch - tall,
    };
    const from = inputs.flatMap(standing).flatMap((input) => {
      const below = found.get(input);
      if (!below) return [];
      const middle = below.x + below.width / 2;
      const inset = Math.min(14, own.width / 4);
      // Straight up if the two overlap; else to the nearer end of the upper box, or spread along a wide lower one.
      const to = Math.min(Math.max(middle, own.x + inset), own.x + own.width - inset);
      const end = own.y + tall;
      return [{ x: input === "x" ? to : middle, y: below.y, turn: end + (pitch - tall) * 0.62, to, end: end + 2 }];
    });
    found.set(name, { name, ...own, height: tall, from });
  }
  return [...found.values()];
}
