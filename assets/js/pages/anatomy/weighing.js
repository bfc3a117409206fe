/** The arithmetic from the masked scores to the weights, by normalisation. Pure. */

import { number } from "../../figures/axes.js";
import { entry } from "../../link/entry.js";
import { added, factor, listed, sum } from "./terms.js";

/**
 * What is known of the weights: whose they are, the score of a sink, the sizes.
 * @typedef {{normalisation: string, sink?: number, sizes: Record<string, number>}} Weighted
 *
 * @typedef {object} Row of one query's masked scores
 * @property {Weighted} walked
 * @property {(tensor: string) => number[]} every the numbers of the row in a tensor
 * @property {(tensor: string) => number} one the number in its column
 * @property {(tensor: string) => number} own the one number that it has for the whole row
 *
 * @typedef {Record<string, ((row: Row) => import("./terms.js").Made) | undefined>} Weighing
 */

/** e^s over the sum of a row. @type {Weighing} */
const EXPONENTIALS = {
  maximum: ({ every }) => largest(every("masked")),
  shifted: ({ one, own }) => ({
    written: `${number(one("masked"))} − ${factor(own("maximum"))}`,
    value: one("masked") - own("maximum"),
  }),
  exponentials: ({ one }) => ({ written: `exp(${number(one("shifted"))})`, value: Math.exp(one("shifted")) }),
  sums: ({ every }) => added(every("exponentials")),
  weights: ({ one, own }) => ({
    written: `${number(one("exponentials"))} / ${number(own("sums"))}`,
    value: one("exponentials") / own("sums"),
  }),
};

/**
 * The arithmetic from the masked scores to the weights, by normalisation.
 * @type {Record<string, Weighing>}
 */
const WEIGHINGS = {
  softmax: EXPONENTIALS,
  sink: {
    ...EXPONENTIALS,
    maximum: ({ walked, every }) => largest([...every("masked"), sinkOf(walked)]),
    sunk: ({ walked, own }) => ({
      written: `exp(${number(sinkOf(walked))} − ${factor(own("maximum"))})`,
      value: Math.exp(sinkOf(walked) - own("maximum")),
    }),
    sums: ({ every, own }) => added([...every("exponentials"), own("sunk")]),
    missing: ({ own }) => ({
      written: `${number(own("sunk"))} / ${number(own("sums"))}`,
      value: own("sunk") / own("sums"),
    }),
  },
  sigmoid: {
    lowered: ({ walked, one }) => ({
      written: `${number(one("masked"))} − ln ${walked.sizes.n}`,
      value: one("masked") - Math.log(walked.sizes.n),
    }),
    weights: ({ one }) => ({
      written: `σ(${number(one("lowered"))}) = 1 / (1 + exp(${number(-one("lowered"))}))`,
      value: 1 / (1 + Math.exp(-one("lowered"))),
    }),
    mass: ({ every }) => added(every("weights")),
  },
  entmax: {
    halved: ({ one }) => ({ written: `${number(one("masked"))} / 2`, value: one("masked") / 2 }),
    threshold: ({ every }) => {
      const roots = every("roots");
      return threshold(every("halved").filter((_, j) => roots[j] > 0));
    },
    roots: ({ one, own }) => ({
      written: `max(0, ${number(one("halved"))} − ${factor(own("threshold"))})`,
      value: Math.max(0, one("halved") - own("threshold")),
    }),
    weights: ({ one }) => ({ written: `${number(one("roots"))}²`, value: one("roots") ** 2 }),
  },
};

/** @param {number[]} values */
const largest = (values) => ({ written: `max(${listed(values.map(number), ", ")})`, value: Math.max(...values) });

/** @param {Weighted} walked */
const sinkOf = ({ sink }) => {
  if (sink === undefined) throw new Error("sink");
  return sink;
};

/** Return what solves Σ (h − τ)² = 1 over the halves above it: their mean less a root. @param {number[]} halves */
function threshold(halves) {
  const mean = sum(halves) / halves.length;
  const spread = sum(halves.map((half) => (half - mean) ** 2));
  return {
    written: `${number(mean)} − √((1 − ${number(spread)}) / ${halves.length})`,
    value: mean - Math.sqrt((1 - spread) / halves.length),
  };
}

/**
 * Return the arithmetic of a tensor's number between the masked scores and the weights; undefined if it is none of those.
 * @param {Row} row @param {string} tensor
 */
export const weighed = (row, tensor) => entry(WEIGHINGS, row.walked.normalisation)[tensor]?.(row);
