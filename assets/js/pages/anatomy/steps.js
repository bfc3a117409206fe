/** The tensors, or rows of them, that each step of the walk shows, with signs between. Pure. */

import { number } from "../../figures/axes.js";
import { entry } from "../../link/entry.js";
import { compared, scaling } from "./arithmetic.js";
import { lowered, NAMES, ofRow, raised } from "./symbols.js";

/**
 * A tensor or a part of it.
 * @typedef {object} Piece
 * @property {string} tensor
 * @property {string} symbol
 * @property {number} [row] one row of it
 * @property {[number, number]} [columns] some of its columns
 * @property {boolean} [turned] transposed: rows as columns
 * @property {boolean} [result] true for the step's output
 *
 * The sign between two tensors.
 * @typedef {{sign: string}} Sign
 */

/**
 * @param {import("./arithmetic.js").Walked} walked from the server
 * @param {string} step @param {"one" | "all"} rows
 * @returns {(Piece | Sign)[]}
 */
export function pieces(walked, step, rows) {
  const { row: i, mechanism, tensors, head } = walked;
  const one = rows === "one";
  const sup = raised(i);
  /** @param {string} sign */
  const say = (sign) => ({ sign });
  /** @param {string} tensor @param {string} [symbol] @param {Partial<Piece>} [more] @returns {Piece} */
  const whole = (tensor, symbol = tensor, more = {}) => ({ tensor, symbol, ...more });
  /** @param {string} tensor @param {string} [symbol] @param {Partial<Piece>} [more] @returns {Piece} */
  const mine = (tensor, symbol = ofRow(tensor, sup), more = {}) =>
    one ? { tensor, row: i, symbol, ...more } : whole(tensor, NAMES[tensor] ?? tensor, more);
  const result = { result: true };
  /** @param {string} weights @param {string} tensor */
  const project = (weights, tensor) =>
    tensors.X
      ? [mine("X"), say("×"), whole(weights, NAMES[weights]), say("="), mine(tensor, undefined, result)]
      : [mine(tensor, undefined, result)];
  const { q, k } = compared(walked);
  const hat = q === "Q" ? "" : "\u0302";
  // the page asks which key this query prefers: both stand in sight, if the scores follow from them without a step between
  const direct = walked.steps[walked.steps.indexOf(hat ? "normed_k" : "values") + 1] === "scores";
  const both = walked.asks && !one && direct ? [say(","), whole(q, `q${hat}${sup}`, { row: i })] : [];
  /** @param {string} name @param {"q" | "k"} of */
  const normalise = (name, of) => [
    mine(name),
    say("→"),
    mine(`squares_${of}`, NAMES[`squares_${of}`]),
    say("√ →"),
    mine(`root_${of}`, NAMES[`root_${of}`]),
    say(`${of} / RMS =`),
    mine(`normed_${of}`, undefined, result),
  ];
  const per = `${sup}·${raised(head)}`;
  /** @type {Record<string, () => (Piece | Sign)[]>} */
  const compares = {
    dot_product: () => {
      if (!one) {
        const made = whole("scores", `Q${hat}K${hat}ᵀ`, result);
        return [whole(q, `Q${hat}`), say("×"), whole(k, `K${hat}ᵀ`, { turned: true }), say("="), made];
      }
      return [
        mine(q),
        say("∘"),
        whole(k, `k${hat}ʲ`),
        say("="),
        whole("terms", `q${hat}${sup} ∘ k${hat}ʲ`),
        say("Σ →"),
        mine("scores", `α${sup}·ʲ`, { turned: true, ...result }),
      ];
    },
    additive: () => {
      const made = one ? mine("scores", `α${sup}·ʲ`, { turned: true, ...result }) : whole("scores", "α", result);
      return [whole("w"), say("∘"), whole("tanh"), say("="), whole("terms", "w ∘ tanh"), say("Σ →"), made];
    },
  };
  /** @type {Record<string, () => (Piece | Sign)[]>} */
  const ways = {
    input: () => [mine("X", undefined, result)],
    queries: () => project("W_Q", "Q"),
    keys: () => [...project("W_K", "K"), ...(hat ? [] : both)],
    values: () => project("W_V", "V"),
    normed_q: () => normalise("Q", "q"),
    normed_k: () => [...normalise("K", "k"), ...both],
    hidden_q: () => {
      const made = one ? mine("hidden_q", `q${hat}${sup} W_q`, result) : whole("hidden_q", `Q${hat} W_q`, result);
      return [mine(q), say("×"), whole("W_q", NAMES.W_q), say("="), made];
    },
    hidden_k: () => {
      const keys = one ? `k${hat}ʲ` : `K${hat}`;
      return [whole(k, keys), say("×"), whole("W_k", NAMES.W_k), say("="), whole("hidden_k", `${keys} W_k`, result)];
    },
    hidden: () => [
      { tensor: "hidden_q", row: i, symbol: `q${hat}${sup} W_q` },
      say("+"),
      whole("hidden_k", `k${hat}ʲ W_k`),
      say("="),
      whole("hidden", `q${hat}${sup} W_q + k${hat}ʲ W_k`, result),
    ],
    tanh: () => [
      say("tanh"),
      whole("hidden", `q${hat}${sup} W_q + k${hat}ʲ W_k`),
      say("="),
      whole("tanh", "tanh", result),
    ],
    scores: () => entry(compares, mechanism)(),
    scaled: () => [mine("scores"), say(scaling(walked)), say("="), mine("scaled", undefined, result)],
    capped: () => {
      const cap = number(walked.softcap ?? NaN);
      return [
        mine(walked.scaled ? "scaled" : "scores"),
        say(`${cap} tanh(… / ${cap}) →`),
        mine("capped", undefined, result),
      ];
    },
    masked: () => {
      const from = walked.softcap ? "capped" : walked.scaled ? "scaled" : "scores";
      return [mine(from), say("→"), mine("masked", undefined, result)];
    },
    ...entry(weighings(mine, say), walked.normalisation),
    heads: () =>
      one
        ? [
            mine("weights", `α′${sup}·ʲ`, { turned: true }),
            say("∘"),
            whole("V", "vʲ"),
            say("="),
            whole("weighted", "α′ vʲ"),
            say("Σ ↓"),
            mine("head", `b${per}`, result),
          ]
        : [whole("weights", "α′"), say("×"), whole("V"), say("="), whole("head", `head${lowered(head)}`, result)],
    concatenation: () => {
      const width = walked.sizes.d_v;
      /** @type {Piece[]} */
      const heads = Array.from({ length: walked.sizes.h }, (_, h) => ({
        tensor: "concatenation",
        columns: [h * width, (h + 1) * width],
        symbol: one ? `b${sup}·${raised(h + 1)}` : `head${lowered(h + 1)}`,
        ...(one ? { row: i } : {}),
      }));
      return [
        ...heads.flatMap((piece, h) => (h ? [say(","), piece] : [piece])),
        say("→"),
        mine("concatenation", `Concat b${sup}`, result),
      ];
    },
    output: () => [
      mine("concatenation", `Concat b${sup}`),
      say("×"),
      whole("W_O", NAMES.W_O),
      say("="),
      mine("output", undefined, result),
    ],
  };
  return ways[step]();
}

/**
 * Return the steps from the masked scores to the weights, by normalisation.
 * @param {(tensor: string, symbol?: string, more?: Partial<Piece>) => Piece} mine @param {(sign: string) => Sign} say
 * @returns {Record<string, Record<string, () => (Piece | Sign)[]>>}
 */
function weighings(mine, say) {
  /** @param {string} tensor */
  const made = (tensor) => mine(tensor, undefined, { result: true });
  const shifted = () => [mine("masked"), say("−"), mine("maximum"), say("="), mine("shifted"), say("exp →")];
  const divided = () => [mine("exponentials"), say("/"), mine("sums"), say("="), made("weights")];
  return {
    softmax: {
      exponentials: () => [...shifted(), made("exponentials"), say("Σ →"), made("sums")],
      weights: divided,
    },
    sink: {
      exponentials: () => [...shifted(), made("exponentials"), say(","), made("sunk"), say("Σ →"), made("sums")],
      weights: () => [...divided(), say(","), made("missing")],
    },
    sigmoid: {
      lowered: () => [mine("masked"), say("− ln n ="), made("lowered")],
      weights: () => [mine("lowered"), say("σ →"), made("weights"), say("Σ →"), made("mass")],
    },
    entmax: {
      halved: () => [mine("masked"), say("/ 2 ="), made("halved")],
      roots: () => [mine("halved"), say("−"), mine("threshold"), say("[ ]₊ →"), made("roots")],
      weights: () => [mine("roots"), say("² ="), made("weights")],
    },
  };
}

/**
 * Return the step before or after: first those of one row, then of all. Return null at the ends.
 * @param {string[]} steps @param {Record<string, unknown>} now @param {1 | -1} way
 */
export function beside(steps, now, way) {
  const places = ["one", "all"].flatMap((rows) => steps.map((step) => ({ step, rows })));
  const here = places.findIndex(({ step, rows }) => step === now.step && rows === now.rows);
  return places[here + way] ?? null;
}

/** Return the tensor that the present step makes. @param {import("./arithmetic.js").Walked} walked */
export function resultOf(walked) {
  const made = pieces(walked, walked.step, walked.rows).find((piece) => "result" in piece && piece.result);
  return made && "tensor" in made ? made.tensor : walked.step;
}
