/** The arithmetic behind every number of the walk, from the core's own tensors. Pure. */

import { number } from "../../figures/axes.js";
import { entry } from "../../link/entry.js";
import { added, factor, listed, products, range, sum } from "./terms.js";
import { weighed } from "./weighing.js";

/**
 * A matrix of the walk, exact or pooled.
 * @typedef {object} Tensor
 * @property {ArrayLike<number>} values one per block
 * @property {number} rows of the whole matrix
 * @property {number} columns
 * @property {[number, number]} block rows and columns that one value covers
 */

/**
 * A box of the diagram: the step it opens, the key of its title, the shapes of its output and, if it has any, of its
 * weights; `sign` stands before what it makes; `factor` is there if it multiplies by one that grows with n, `setting` if a
 * number belongs to it, `shared` if several heads of queries share it: which.
 * @typedef {{step: string, title: string, sign: string, symbols: string, numbers: string, weights: string, sizes: string,
 *   factor?: string, setting?: string, shared?: string}} Box
 */

/**
 * One query's walk through one head of one layer: the part "walk".
 * @typedef {object} Walked
 * @property {string} step
 * @property {string[]} steps all of them
 * @property {Record<string, string>} titles by step
 * @property {boolean} positions true if sinusoids are added to the embeddings
 * @property {"one" | "all"} rows
 * @property {number} row the query
 * @property {number} head from 1
 * @property {number} layer from 1
 * @property {number} heads of the layer; the tensors have one alone if each has a sink of its own
 * @property {boolean} trained true if a trained model brings Q, K, V and the factor: there is no X and no W_O
 * @property {import("../../controls/trained.js").Trained} [own] there if the layer is trained
 * @property {string} mechanism
 * @property {boolean} scaled true if the factor applies to this mechanism
 * @property {"sqrt_d_k" | "d_k" | "none" | "custom"} scaling
 * @property {number} factor multiplies the scores
 * @property {number} [log_n] there if the factor grows with ln n: the keys at which that changes nothing
 * @property {string} normalisation
 * @property {string[]} weighing the steps inside the box of the weights
 * @property {number} [softcap] there if it bends the scores: its c
 * @property {number} [sink] there if the weights have one: its score b
 * @property {Record<string, [string, string] | undefined>} [formulas] of tensors that this state defines otherwise than the
 *   settings do, each with its section
 * @property {boolean} masked true if any cell is forbidden
 * @property {boolean} [asks] true while the page asks which key the query prefers
 * @property {boolean} fits true if every number is printed
 * @property {number} most largest n and d_k for that
 * @property {string[]} tokens
 * @property {string[]} [forms] those that a model has of them, with their numbers, and what unknown ones stand for
 * @property {ArrayLike<number>} [ids]
 * @property {string[]} [stands]
 * @property {import("../../../types/wire.js").Sentence[]} sentences of the present step
 * @property {Record<string, string>} said what each step says, for a print
 * @property {Record<string, number>} sizes by their symbol
 * @property {Partial<Record<string, Box>>} boxes of the diagram
 * @property {Partial<Record<string, Tensor>>} tensors
 */

/**
 * Return one number of a tensor; NaN if it is missing or a mean of several.
 * @param {Walked} walked @param {string} name @param {number} row @param {number} column
 */
export function at(walked, name, row, column) {
  const tensor = walked.tensors[name];
  if (!tensor || tensor.block[0] * tensor.block[1] > 1) return NaN;
  return tensor.values[row * tensor.columns + column] ?? NaN;
}

/** Write the scaling of one score. @param {Walked} walked @param {number} score */
function scaledBy(walked, score) {
  return `${factor(score)} ${scaling(walked)}`;
}

/** Write what stands behind a score to scale it: "/ √4", with ln n also "/ √4 × ln 4 / ln 32". @param {Walked} walked */
export function scaling(walked) {
  const { log_n, sizes } = walked;
  const grown = log_n ? ` × ln ${sizes.n} / ln ${log_n}` : "";
  const by = `× ${number(ungrown(walked))}`;
  const ways = { sqrt_d_k: `/ √${sizes.d_k}`, d_k: `/ ${sizes.d_k}`, none: log_n ? "" : by, custom: by };
  return (entry(ways, walked.scaling) + grown).trim();
}

/** Return the factor without what ln n makes of it. @param {Walked} walked */
export const ungrown = ({ factor: times, log_n, sizes }) =>
  log_n ? (times * Math.log(log_n)) / Math.log(sizes.n) : times;

/** Return the names of the queries and keys that are compared: normalised ones, if there are. @param {Walked} walked */
export const compared = ({ tensors }) => (tensors.normed_q ? { q: "normed_q", k: "normed_k" } : { q: "Q", k: "K" });

/**
 * @typedef {(tensor: string, i: number, j: number) => number} Get
 *
 * @typedef {object} Factors
 * @property {(get: Get, walked: Walked, row: number, column: number) => [number, number]} term
 * @property {(get: Get, walked: Walked, row: number, column: number, c: number) => [number, number]} score
 */

/**
 * The two factors of a term, and of each summand of a score, by mechanism.
 * @type {Record<string, Factors>}
 */
const FACTORS = {
  dot_product: {
    term: (get, walked, row, column) => {
      const { q, k } = compared(walked);
      return [get(q, walked.row, column), get(k, row, column)];
    },
    score: (get, walked, row, column, c) => {
      const { q, k } = compared(walked);
      return [get(q, row, c), get(k, column, c)];
    },
  },
  additive: {
    term: (get, _walked, row, column) => [get("w", 0, column), get("tanh", row, column)],
    score: (get, walked, row, column, c) => [get("w", 0, c), get("tanh_all", row * walked.sizes.n + column, c)],
  },
};

/**
 * Return the arithmetic behind the number at (row, column) of a tensor, or a note if it has none.
 * Return null if the numbers behind it are incomplete.
 * @param {Walked} walked @param {string} name @param {number} row @param {number} column
 * @returns {import("./terms.js").Made | null}
 */
export function arithmetic(walked, name, row, column) {
  const own = at(walked, name, row, column);
  /** @param {string} tensor @param {number} i @param {number} j */
  const get = (tensor, i, j) => at(walked, tensor, i, j);
  const { n, d_model, d_k, d_v } = walked.sizes;
  /** @param {string} left @param {string} right @param {number} width */
  const matrix = (left, right, width) => products(range(width).map((c) => [get(left, row, c), get(right, c, column)]));
  /** @param {string} note */
  const noted = (note) => ({ note, value: own });
  const drawn = () => noted(walked.trained ? "anatomy.trained_number" : "anatomy.drawn_number");
  /** @param {string} vectors */
  const squares = (vectors) => {
    const parts = range(d_k).map((c) => get(vectors, row, c));
    const written = listed(
      parts.map((part) => `${factor(part)}²`),
      " + ",
    );
    return { written: `(${written}) / ${d_k}`, value: sum(parts.map((part) => part * part)) / d_k, terms: d_k };
  };
  /** @param {string} name */
  const root = (name) => ({ written: `√${number(get(name, row, 0))}`, value: Math.sqrt(get(name, row, 0)) });
  /** @param {string} vectors @param {string} by a vector of zeros stays zero */
  const divided = (vectors, by) => {
    const [part, length] = [get(vectors, row, column), get(by, row, 0)];
    return length
      ? { written: `${number(part)} / ${number(length)}`, value: part / length }
      : noted("anatomy.zero_stays");
  };
  /** @type {Record<string, (() => import("./terms.js").Made) | undefined>} */
  const ways = {
    X: () => {
      if (walked.layer > 1) return noted("anatomy.below");
      return noted(walked.positions ? "anatomy.embedding_positions" : "anatomy.embedding");
    },
    W_Q: drawn,
    W_K: drawn,
    W_V: drawn,
    W_O: drawn,
    W_q: drawn,
    W_k: drawn,
    w: drawn,
    Q: () => (walked.tensors.X ? matrix("X", "W_Q", d_model) : drawn()),
    K: () => (walked.tensors.X ? matrix("X", "W_K", d_model) : drawn()),
    V: () => (walked.tensors.X ? matrix("X", "W_V", d_model) : drawn()),
    squares_q: () => squares("Q"),
    squares_k: () => squares("K"),
    root_q: () => root("squares_q"),
    root_k: () => root("squares_k"),
    normed_q: () => divided("Q", "root_q"),
    normed_k: () => divided("K", "root_k"),
    hidden_q: () => matrix(compared(walked).q, "W_q", d_k),
    hidden_k: () => matrix(compared(walked).k, "W_k", d_k),
    hidden: () => added([get("hidden_q", walked.row, column), get("hidden_k", row, column)]),
    tanh: () => ({
      written: `tanh(${number(get("hidden", row, column))})`,
      value: Math.tanh(get("hidden", row, column)),
    }),
    terms: () => products([entry(FACTORS, walked.mechanism).term(get, walked, row, column)]),
    scores: () => products(range(d_k).map((c) => entry(FACTORS, walked.mechanism).score(get, walked, row, column, c))),
    scaled: () => ({
      written: scaledBy(walked, get("scores", row, column)),
      value: get("scores", row, column) * walked.factor,
    }),
    capped: () => {
      const [score, cap] = [get("scaled", row, column), walked.softcap ?? NaN];
      const written = `${number(cap)} × tanh(${number(score)} / ${number(cap)})`;
      return { written, value: cap * Math.tanh(score / cap) };
    },
    masked: () => (own === -Infinity ? noted("anatomy.forbidden") : noted("anatomy.unchanged")),
    weighted: () => products([[get("weights", walked.row, row), get("V", row, column)]]),
    head: () => matrix("weights", "V", n),
    concatenation: () => {
      const [from, c] = [Math.floor(column / d_v) * n, column % d_v];
      return products(range(n).map((j) => [get("all_weights", from + row, j), get("all_values", from + j, c)]));
    },
    output: () => matrix("concatenation", "W_O", walked.sizes["h·d_v"]),
  };
  const numbers = {
    walked,
    every: (/** @type {string} */ tensor) => range(n).map((j) => get(tensor, row, j)),
    one: (/** @type {string} */ tensor) => get(tensor, row, column),
    own: (/** @type {string} */ tensor) => get(tensor, row, 0),
  };
  const made = ways[name] ? ways[name]() : weighed(numbers, name);
  return made && !Number.isNaN(made.value) ? made : null;
}
