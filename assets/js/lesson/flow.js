/** Who moved between two votes, as bands from the first vote's answers to the second's: as thick as many moved. */

import { element } from "../dom/dom.js";
import { shape } from "../dom/svg.js";

/**
 * @typedef {import("../lead/message.js").Flow} Flow
 * @typedef {import("../lead/message.js").Move} Move
 */

const WIDTH = 260;
const HEIGHT = 48;
/** Pixels of the bars at both ends, between right and wrong, and beside the bars for their numbers. */
const [BAR, BETWEEN, NUMBERS] = [8, 8, 22];

/** Right stands above wrong at both ends. @type {[Move, boolean, boolean][]} */
const MOVES = [
  ["right_right", true, true],
  ["right_wrong", true, false],
  ["wrong_right", false, true],
  ["wrong_wrong", false, false],
];

/**
 * Return where each move begins and ends and how thick it is, in a drawing of a height. Pure.
 * @param {Flow} flow @param {number} height
 * @returns {{move: Move, from: number, to: number, thick: number}[]}
 */
export function bands(flow, height) {
  const all = MOVES.reduce((sum, [move]) => sum + flow[move], 0);
  const unit = (height - BETWEEN) / all;
  const [right, arrived] = [flow.right_right + flow.right_wrong, flow.right_right + flow.wrong_right];
  const starts = { true: 0, false: right * unit + BETWEEN };
  const ends = { true: 0, false: arrived * unit + BETWEEN };
  return MOVES.map(([move, before, after]) => {
    const [start, end] = /** @type {["true" | "false", "true" | "false"]} */ ([String(before), String(after)]);
    const thick = flow[move] * unit;
    const band = { move, from: starts[start], to: ends[end], thick };
    starts[start] += thick;
    ends[end] += thick;
    return band;
  });
}

/** @param {Flow} flow @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text */
export function flow(flow, text) {
  const drawn = bands(flow, HEIGHT).filter(({ thick }) => thick > 0);
  const [left, right] = [NUMBERS + BAR, WIDTH - NUMBERS - BAR];
  const middle = (left + right) / 2;
  const curved = drawn.map(({ move, from, to, thick }) =>
    shape("path", {
      class: `is-${move.replace("_", "-")}`,
      d:
        `M${left},${from} C${middle},${from} ${middle},${to} ${right},${to} V${to + thick} ` +
        `C${middle},${to + thick} ${middle},${from + thick} ${left},${from + thick} Z`,
    }),
  );
  const ends = [
    ...end(flow.right_right + flow.right_wrong, flow.wrong_right + flow.wrong_wrong, NUMBERS, 0, "end"),
    ...end(flow.right_right + flow.wrong_right, flow.right_wrong + flow.wrong_wrong, right, WIDTH, "start"),
  ];
  const moves = MOVES.map(([move]) => text(`room.flow.${move}`, { n: flow[move] }));
  const all = Object.values(flow).reduce((sum, one) => sum + one, 0);
  return element(
    "figure",
    { className: "class-flow", data: { flow: JSON.stringify(flow) } },
    element("figcaption", {}, text("room.flow", { n: all })),
    shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": moves.join(" ") }, ...curved, ...ends),
    element(
      "ul",
      {},
      ...MOVES.map(([move], i) => element("li", { className: `is-${move.replace("_", "-")}` }, moves[i])),
    ),
  );
}

/**
 * Return the bars of one end with their numbers.
 * @param {number} right @param {number} wrong how many @param {number} x @param {number} side of the drawing @param {string} anchor
 */
function end(right, wrong, x, side, anchor) {
  const unit = (HEIGHT - BETWEEN) / (right + wrong);
  const at = side ? x + BAR + 5 : x - 5;
  /** @param {number} y @param {number} many @param {string} kind */
  const bar = (y, many, kind) =>
    many
      ? [
          shape("rect", { x, y, width: BAR, height: many * unit, class: kind }),
          shape(
            "text",
            { x: at, y: y + (many * unit) / 2 + 4, "text-anchor": anchor === "end" ? "end" : "start" },
            String(many),
          ),
        ]
      : [];
  return [...bar(0, right, "is-right"), ...bar(right * unit + BETWEEN, wrong, "is-wrong")];
}
