/** Walks of Anatomy as the server sends them: a head over three tokens, its boxes, and everything that a step may show. */

/** @param {number} rows @param {number} columns @param {[number, number]} [block] @returns {Loose} numbers with both signs */
export const tensor = (rows, columns, block = [1, 1]) => ({
  ...{ rows, columns, block },
  values: Array.from(
    { length: Math.ceil(rows / block[0]) * Math.ceil(columns / block[1]) },
    (_, i) => ((i * 7) % 11) / 4 - 1,
  ),
});

const STEPS = {
  dot_product: ["scores", "scaled", "capped", "masked"],
  additive: ["hidden_q", "hidden_k", "hidden", "tanh", "scores", "masked"],
};
const WEIGHING = {
  softmax: ["exponentials", "weights"],
  sink: ["exponentials", "weights"],
  sigmoid: ["lowered", "weights"],
  entmax: ["halved", "roots", "weights"],
};

/** A walk through two heads over three tokens. @param {Loose} [more] @returns {Loose} */
export function walk(more = {}) {
  const { mechanism = "dot_product", normalisation = "softmax", normed = [] } = more;
  const own = STEPS[/** @type {keyof typeof STEPS} */ (mechanism)];
  const weighing = WEIGHING[/** @type {keyof typeof WEIGHING} */ (normalisation)];
  return {
    ...{ mechanism, normalisation, weighing, step: "scores", rows: "all", row: 1, head: 2, layer: 1, heads: 2 },
    steps: [
      ...["input", "queries", "keys", "values", ...normed, ...own, ...weighing],
      ...["heads", "concatenation", "output"],
    ],
    ...{ scaling: "sqrt_d_k", scaled: true, factor: Math.SQRT1_2, masked: true, trained: false, fits: true },
    ...{ tokens: ["a", "b", "c"], sizes: { n: 3, d_model: 4, h: 2, d_k: 2, d_v: 2, "h·d_v": 4 }, boxes: {} },
    tensors: { X: tensor(3, 4), ...(normed.length ? { normed_q: tensor(3, 2), normed_k: tensor(3, 2) } : {}) },
    ...more,
  };
}

/** @param {string} step @param {string} title @param {Loose} [more] */
const box = (step, title, more = {}) => ({
  ...{ step, title, sign: "→", symbols: "n × d_k", numbers: "3 × 2", weights: "", sizes: "" },
  ...more,
});

export const BOXES = {
  q: box("queries", "q", { sign: "" }),
  k: box("keys", "k", { sign: "", shared: "1, 2" }),
  v: box("values", "v", { symbols: "n × d_v" }),
  compare: box("scores", "compare", { symbols: "n × n", numbers: "3 × 3" }),
  scale: box("scaled", "scale", { factor: "1/√d_k = 0.707" }),
  mask: box("masked", "mask"),
  softmax: box("weights", "softmax", { setting: "b = 1" }),
  matmul_v: box("heads", "matmul_v"),
  x: box("input", "x", { symbols: "n × d_model" }),
  linear_q: box("queries", "linear", { weights: "d_model × d_k", sizes: "4 × 2" }),
  linear_k: box("keys", "linear", { weights: "d_model × d_k", sizes: "4 × 2" }),
  linear_v: box("values", "linear", { weights: "d_model × d_v", sizes: "4 × 2" }),
  attention: box("heads", "attention"),
  concat: box("concatenation", "concat", { symbols: "n × h·d_v" }),
  linear_o: box("output", "linear_o"),
};

const TITLED = {
  titles: Object.fromEntries(
    [...walk().steps, ...walk({ mechanism: "additive" }).steps].map((step) => [step, `title of ${step}`]),
  ),
  ...{ sentences: ["One d_k.", [["two", "f", "a", "s"], " more."]], most: 16 },
};

/** Everything that a step of one's walk may show. @param {Loose} [more] */
export const full = (more = {}) =>
  walk({
    ...TITLED,
    tensors: Object.fromEntries(
      [
        ..."XQKV",
        "W_Q",
        "W_K",
        "W_V",
        "W_O",
        "scores",
        "scaled",
        "capped",
        "masked",
        "maximum",
        "shifted",
        "exponentials",
        "sums",
      ]
        .concat("weights", "weighted", "terms", "head", "concatenation", "output")
        .map((name) => [name, name === "concatenation" ? tensor(3, 4) : tensor(3, 3)]),
    ),
    ...more,
  });
