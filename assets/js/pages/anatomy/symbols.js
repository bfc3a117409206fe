/** The symbols of the walk's tensors, and what their rows and columns are. Pure. */

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** @param {number} value */
export const raised = (value) => [...String(value)].map((digit) => RAISED[Number(digit)]).join("");

/** Tensors whose rows are positions of the sequence. */
const ROWS = [
  "X",
  "Q",
  "K",
  "V",
  "squares_q",
  "squares_k",
  "root_q",
  "root_k",
  "normed_q",
  "normed_k",
  "hidden_q",
  "hidden_k",
  "hidden",
  "tanh",
  "terms",
  "scores",
  "scaled",
  "capped",
  "masked",
  "maximum",
  "shifted",
  "exponentials",
  "sunk",
  "sums",
  "missing",
  "lowered",
  "halved",
  "threshold",
  "roots",
  "weights",
  "mass",
  "weighted",
  "head",
  "concatenation",
  "output",
];
/** Tensors whose columns are positions, the keys. */
const KEYS = [
  "scores",
  "scaled",
  "capped",
  "masked",
  "shifted",
  "exponentials",
  "lowered",
  "halved",
  "roots",
  "weights",
];
/** Tensors that cannot be negative. */
export const POSITIVE = [
  "squares_q",
  "squares_k",
  "root_q",
  "root_k",
  "exponentials",
  "sunk",
  "sums",
  "missing",
  "roots",
  "weights",
  "mass",
];

/** @param {string} name */
export const axes = (name) => ({ rows: ROWS.includes(name), columns: KEYS.includes(name) });

/** Symbols of a row as of a whole tensor. */
/** @type {Record<string, string>} */
const ALIKE = {
  scores: "α",
  scaled: "α",
  capped: "α",
  masked: "α",
  weights: "α′",
  output: "b",
  exponentials: "exp",
  maximum: "max",
  sums: "Σ",
  shifted: "α − max",
  sunk: "exp(b − max)",
  missing: "1 − Σ α′",
  lowered: "α − ln n",
  mass: "Σ α′",
  halved: "α / 2",
  threshold: "τ",
  roots: "[α / 2 − τ]₊",
};

/** Symbols of single rows; those of whole tensors are the paper's. */
/** @type {Record<string, string>} */
const OF_ROW = {
  ...ALIKE,
  X: "a",
  Q: "q",
  K: "k",
  V: "v",
  normed_q: "q̂",
  normed_k: "k̂",
  head: "b",
  concatenation: "b",
  hidden_q: "q",
};

/** Symbols that say already of which row they are, or need not. */
const UNRAISED = ["shifted", "sunk", "missing", "lowered", "mass", "halved", "roots"];

/** @param {string} tensor @param {string} sup the query, raised */
export const ofRow = (tensor, sup) => `${OF_ROW[tensor] ?? tensor}${UNRAISED.includes(tensor) ? "" : sup}`;

/** @param {number} value */
export const lowered = (value) => [...String(value)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");

/** Symbols of whole tensors that differ from their names. */
/** @type {Record<string, string>} */
export const NAMES = {
  ...ALIKE,
  concatenation: "Concat",
  squares_q: "Σ q² / d_k",
  squares_k: "Σ k² / d_k",
  root_q: "RMS(q)",
  root_k: "RMS(k)",
  normed_q: "Q̂",
  normed_k: "K̂",
  W_Q: "W_Q",
  W_K: "W_K",
  W_V: "W_V",
  W_O: "W_O",
  W_q: "W_q",
  W_k: "W_k",
};
