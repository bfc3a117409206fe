/** What the steps of Anatomy's walk show, the arithmetic behind them, and the boxes of its diagram. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic } from "../../assets/js/pages/anatomy/arithmetic.js";
import { boxLines } from "../../assets/js/pages/anatomy/box_lines.js";
import { places } from "../../assets/js/pages/anatomy/places.js";
import { pieces } from "../../assets/js/pages/anatomy/steps.js";

/** A walk without scaling and mask. @param {string[]} own steps between the values and the scores @param {object} [more] @returns {Loose} */
const walk = (own, more = {}) => ({
  steps: ["queries", "keys", "values", ...own, "scores", "exponentials", "weights", "heads"],
  ...{
    mechanism: "of_its_own",
    normalisation: "softmax",
    weighing: ["exponentials", "weights"],
    row: 2,
    head: 1,
    tensors: {},
    sizes: { d_k: 4 },
    asks: true,
  },
  ...more,
});

/** @param {Loose} walked @param {"one" | "all"} rows the signs and symbols of the keys */
const keys = (walked, rows) => pieces(walked, "keys", rows).map((/** @type {Loose} */ one) => one.sign ?? one.symbol);

test("while the page asks which key a query prefers, the query stands beside the keys if the scores follow from both at once", () => {
  assert.deepEqual(keys(walk([]), "all"), ["K", ",", "q²"]);
  assert.deepEqual(keys(walk(["hidden_q", "hidden"]), "all"), ["K"]);
  assert.deepEqual(keys(walk([]), "one"), ["k²"]);
  assert.deepEqual(keys(walk([], { asks: false }), "all"), ["K"]);
});

/** @param {number[]} values @param {number} [columns] @returns {import("../../assets/js/pages/anatomy/arithmetic.js").Tensor} */
const tensor = (values, columns = values.length) => ({
  ...{ values, columns, rows: values.length / columns, block: [1, 1] },
});

/** One query and two keys of two components, normalised; the second key is zero. @param {object} [more] @returns {Loose} */
const normed = (more = {}) => ({
  ...walk(["normed_q", "normed_k"], {
    mechanism: "dot_product",
    row: 0,
    asks: false,
    scaling: "sqrt_d_k",
    factor: 0.1,
  }),
  sizes: { n: 2, d_model: 2, d_k: 2, d_v: 2, h: 1 },
  tensors: {
    ...{ Q: tensor([3, -4]), squares_q: tensor([12.5]), root_q: tensor([Math.sqrt(12.5)]) },
    normed_q: tensor([3 / Math.sqrt(12.5), -4 / Math.sqrt(12.5)]),
    ...{ K: tensor([1, 1, 0, 0], 2), squares_k: tensor([1, 0], 1), root_k: tensor([1, 0], 1) },
    ...{ normed_k: tensor([1, 1, 0, 0], 2), scores: tensor([-1 / Math.sqrt(12.5), 0]) },
    ...{ W_q: tensor([1, 2, 3, 4], 2), hidden_q: tensor([1, 1]) },
  },
  ...more,
});

/** @param {Loose} walked @param {string} step @param {"one" | "all"} rows */
const shown = (walked, step, rows) =>
  pieces(walked, step, rows).map((/** @type {Loose} */ one) => one.sign ?? one.symbol);

test("a vector is normalised number by number: the mean of its squares, the root of that, and what is left", () => {
  const walked = normed();
  assert.deepEqual(arithmetic(walked, "squares_q", 0, 0), { written: "(3² + (−4)²) / 2", value: 12.5, terms: 2 });
  assert.deepEqual(arithmetic(walked, "root_q", 0, 0), { written: "√12.5", value: Math.sqrt(12.5) });
  assert.deepEqual(arithmetic(walked, "normed_q", 0, 1), { written: "−4 / 3.54", value: -4 / Math.sqrt(12.5) });
  assert.deepEqual(arithmetic(walked, "normed_k", 1, 0), { note: "anatomy.zero_stays", value: 0 });
  assert.equal(arithmetic(walked, "scores", 0, 0)?.written, "0.849 × 1 + (−1.13) × 1", "of what is normalised");
  const hidden = 3 / Math.sqrt(12.5) - (4 * 3) / Math.sqrt(12.5);
  assert.ok(Math.abs((arithmetic(walked, "hidden_q", 0, 0)?.value ?? 0) - hidden) < 1e-12);
});

test("the steps show what is compared with a hat, in rows and in whole", () => {
  const walked = normed({ asks: true });
  assert.deepEqual(shown(walked, "normed_q", "one"), ["q⁰", "→", "Σ q² / d_k", "√ →", "RMS(q)", "q / RMS =", "q̂⁰"]);
  assert.deepEqual(shown(walked, "normed_k", "all").slice(-3), ["K̂", ",", "q̂⁰"], "who compares by hand needs both");
  assert.deepEqual(shown(walked, "keys", "all").at(-1), "K", "these keys are not compared");
  assert.deepEqual(shown(walked, "scores", "all"), ["Q̂", "×", "K̂ᵀ", "=", "Q̂K̂ᵀ"]);
  assert.deepEqual(shown(walked, "scores", "one").slice(0, 5), ["q̂⁰", "∘", "k̂ʲ", "=", "q̂⁰ ∘ k̂ʲ"]);
  assert.deepEqual(shown(walked, "hidden_q", "all").at(-1), "Q̂ W_q");
  assert.deepEqual(shown(walked, "hidden", "one").at(-1), "q̂⁰ W_q + k̂ʲ W_k");
});

test("a factor that grows is written with its logarithms, and the rest of it as it was", () => {
  const times = Math.log(2) / Math.log(32);
  const signs = { sqrt_d_k: "/ √2", d_k: "/ 2", custom: "× 0.3", none: "" };
  const bases = { sqrt_d_k: Math.SQRT1_2, d_k: 0.5, custom: 0.3, none: 1 };
  for (const [scaling, sign] of Object.entries(signs)) {
    const factor = bases[/** @type {keyof typeof bases} */ (scaling)] * times;
    const walked = normed({ scaling, factor, log_n: 32 });
    const written = `${sign} × ln 2 / ln 32`.trim();
    assert.deepEqual(shown(walked, "scaled", "one").slice(0, 3), ["α⁰", written, "="]);
    assert.equal(arithmetic(walked, "scaled", 0, 0)?.written, `(−0.283) ${written}`);
    assert.equal(arithmetic(walked, "scaled", 0, 0)?.value, walked.tensors.scores.values[0] * factor);
  }
});

const PLAIN = {
  dot_product: ["q", "k", "v", "compare", "scale", "mask", "softmax", "matmul_v"],
  additive: ["q", "k", "v", "linear_wq", "linear_wk", "add", "tanh", "compare", "mask", "softmax", "matmul_v"],
};

/** One query with a forbidden third key under each normalisation, b = 1 and c = 2. @param {string} normalisation @param {Loose} tensors @returns {Loose} */
const weighed = (normalisation, tensors) => ({
  ...walk([], { mechanism: "dot_product", row: 0, asks: false, scaled: true, scaling: "none", factor: 1 }),
  ...{ normalisation, sink: 1, softcap: 2, sizes: { n: 3, d_model: 2, d_k: 2, d_v: 2, h: 1 } },
  tensors: {
    scaled: tensor([3, -1, 9]),
    capped: tensor([1.81, -0.924, 2]),
    masked: tensor([2, -1, -Infinity]),
    ...tensors,
  },
});
const E = Math.exp(1);

test("a sink takes part in the maximum and the sum, and has what is missing from 1", () => {
  const low = weighed("sink", { maximum: tensor([2], 1), sunk: tensor([1 / E], 1) });
  assert.deepEqual(arithmetic(low, "maximum", 0, 0), { written: "max(2, −1, −∞, 1)", value: 2 });
  assert.deepEqual(arithmetic(low, "sunk", 0, 0), { written: "exp(1 − 2)", value: Math.exp(-1) });
  const high = { ...low, sink: 5, tensors: { ...low.tensors, maximum: tensor([5], 1) } };
  assert.equal(arithmetic(high, "maximum", 0, 0)?.value, 5, "larger than every score");
  assert.deepEqual(arithmetic(high, "shifted", 0, 1), { written: "−1 − 5", value: -6 });
  const parts = { exponentials: tensor([1, 0.05, 0]), sunk: tensor([0.5], 1), sums: tensor([1.55], 1) };
  const summed = weighed("sink", parts);
  assert.deepEqual(arithmetic(summed, "sums", 0, 0), { written: "1 + 0.05 + 0 + 0.5", value: 1.55, terms: 4 });
  assert.deepEqual(arithmetic(summed, "missing", 0, 0), { written: "0.5 / 1.55", value: 0.5 / 1.55 });
  assert.deepEqual(arithmetic(summed, "weights", 0, 1), { written: "0.05 / 1.55", value: 0.05 / 1.55 });
  assert.equal(arithmetic({ ...summed, normalisation: "softmax" }, "sums", 0, 0)?.value, 1.05);
});

test("a gate is σ of its own score less ln n, and only their sum looks at the others", () => {
  const walked = weighed("sigmoid", { lowered: tensor([0.5, -2, -Infinity]), weights: tensor([0.6, 0.1, 0]) });
  assert.deepEqual(arithmetic(walked, "lowered", 0, 1), { written: "−1 − ln 3", value: -1 - Math.log(3) });
  const gate = arithmetic(walked, "weights", 0, 0);
  assert.deepEqual(gate, { written: "σ(0.5) = 1 / (1 + exp(−0.5))", value: 1 / (1 + Math.exp(-0.5)) });
  assert.equal(arithmetic(walked, "weights", 0, 2)?.value, 0, "of a forbidden key");
  assert.deepEqual(arithmetic(walked, "mass", 0, 0), { written: "0.6 + 0.1 + 0", value: 0.7, terms: 3 });
  assert.equal(arithmetic(walked, "sums", 0, 0), null, "nothing is divided by a sum");
});

test("entmax squares what half a score has above the threshold, which the keys above it make", () => {
  const walked = weighed("entmax", {
    ...{ halved: tensor([1, 0.6, -Infinity]), threshold: tensor([0.12], 1), roots: tensor([0.88, 0.48, 0]) },
  });
  assert.deepEqual(arithmetic(walked, "halved", 0, 1), { written: "−1 / 2", value: -0.5 });
  const found = arithmetic(walked, "threshold", 0, 0);
  assert.equal(found?.written, "0.8 − √((1 − 0.08) / 2)");
  const value = found?.value ?? NaN;
  assert.ok(Math.abs((1 - value) ** 2 + (0.6 - value) ** 2 - 1) < 1e-12, "the squares above it add up to 1");
  assert.deepEqual(arithmetic(walked, "roots", 0, 0), { written: "max(0, 1 − 0.12)", value: 0.88 });
  assert.equal(arithmetic(walked, "roots", 0, 2)?.value, 0);
  assert.deepEqual(arithmetic(walked, "weights", 0, 0), { written: "0.88²", value: 0.88 ** 2 });
});

test("a softcap bends the scaled scores, and the mask takes what it leaves", () => {
  const walked = weighed("softmax", {});
  assert.deepEqual(arithmetic(walked, "capped", 0, 1), { written: "2 × tanh(−1 / 2)", value: 2 * Math.tanh(-0.5) });
  assert.deepEqual(shown(walked, "capped", "one"), ["α⁰", "2 tanh(… / 2) →", "α⁰"]);
  /** @param {Loose} walked */
  const from = (walked) => pieces(walked, "masked", "all").map((/** @type {Loose} */ one) => one.tensor)[0];
  assert.deepEqual([from(walked), from({ ...walked, softcap: undefined })], ["capped", "scaled"]);
  assert.equal(from({ ...walked, softcap: undefined, scaled: false }), "scores");
});

test("each normalisation shows its own steps, and an unknown one none", () => {
  /** @param {string} normalisation @param {string} step */
  const one = (normalisation, step) => shown(weighed(normalisation, {}), step, "one");
  assert.deepEqual(one("softmax", "weights"), ["exp⁰", "/", "Σ⁰", "=", "α′⁰"]);
  const sunk = ["α⁰", "−", "max⁰", "=", "α − max", "exp →", "exp⁰", ",", "exp(b − max)", "Σ →", "Σ⁰"];
  assert.deepEqual(one("sink", "exponentials"), sunk);
  assert.deepEqual(one("sink", "weights"), ["exp⁰", "/", "Σ⁰", "=", "α′⁰", ",", "1 − Σ α′"]);
  assert.deepEqual(one("sigmoid", "lowered"), ["α⁰", "− ln n =", "α − ln n"]);
  assert.deepEqual(one("sigmoid", "weights"), ["α − ln n", "σ →", "α′⁰", "Σ →", "Σ α′"]);
  assert.deepEqual(one("entmax", "halved"), ["α⁰", "/ 2 =", "α / 2"]);
  assert.deepEqual(one("entmax", "roots"), ["α / 2", "−", "τ⁰", "[ ]₊ →", "[α / 2 − τ]₊"]);
  assert.deepEqual(one("entmax", "weights"), ["[α / 2 − τ]₊", "² =", "α′⁰"]);
  assert.throws(() => one("relu", "weights"), /relu/);
  assert.throws(() => arithmetic(weighed("relu", {}), "weights", 0, 0), /relu/);
});

test("one box makes the weights, and a softcap stands between Scale and Mask", () => {
  for (const [half, plain] of Object.entries(PLAIN)) {
    for (const box of ["softmax", "sigmoid", "entmax"]) {
      const there = [...plain.filter((one) => one !== "softmax"), box, "softcap"];
      const placed = places(half, (one) => there.includes(one), { width: 300, height: 500 }, 12);
      const found = new Map(placed.map((one) => [one.name, /** @type {Loose} */ (one)]));
      assert.deepEqual([...found.keys()].sort(), [...there].sort());
      const before = half === "dot_product" ? "scale" : "compare";
      const order = [before, "softcap", "mask", box, "matmul_v"];
      const heights = order.map((one) => found.get(one).y);
      assert.deepEqual(
        heights,
        [...heights].sort((a, b) => b - a),
        "from below",
      );
      for (const [i, one] of order.slice(1).entries()) {
        assert.ok(
          found.get(one).from.some((/** @type {Loose} */ wire) => wire.y === found.get(order[i]).y),
          `${one} takes ${order[i]}`,
        );
      }
      assert.equal(found.get("matmul_v").from.length, 2, "weights and V, nothing else");
    }
  }
});

test("a box with a number of its own shows it beside its name as long as there is room", () => {
  const box = {
    title: "SoftMax, sink",
    sign: "→",
    symbols: "n × n",
    numbers: "4 × 4",
    weights: "",
    sizes: "",
    setting: "b = 1",
  };
  /** @param {number} width @param {number} height */
  const lines = (width, height) => boxLines(box, { width, height }, (text) => text.length).map(({ text }) => text);
  assert.deepEqual(lines(40, 4), ["SoftMax, sink", "b = 1", "→ n × n = 4 × 4"]);
  assert.deepEqual(lines(21, 2.5), ["SoftMax, sink, b = 1", "→ n × n = 4 × 4"]);
  assert.deepEqual(lines(14, 2.5), ["SoftMax, sink", "b = 1 → 4×4"]);
  assert.deepEqual(lines(21, 1.5), ["SoftMax, sink, b = 1"]);
  assert.deepEqual(lines(12, 1.5), ["sink, b = 1"]);
});

test("boxes that normalise stand between q, k and what takes them, and close up where they are not", () => {
  for (const [half, plain] of Object.entries(PLAIN)) {
    /** @param {string[]} there */
    const placed = (there) =>
      new Map(
        places(half, (box) => there.includes(box), { width: 300, height: 500 }, 12).map((box) => [box.name, box]),
      );
    const [without, within] = [placed(plain), placed([...plain, "norm_q", "norm_k"])];
    /** @param {Map<string, Loose>} found @param {string} name */
    const middle = (found, name) => found.get(name).x + found.get(name).width / 2;
    const first = half === "dot_product" ? ["compare"] : ["linear_wq", "linear_wk"];
    for (const [found, below] of /** @type {[Map<string, Loose>, string[]][]} */ ([
      [without, ["q", "k"]],
      [within, ["norm_q", "norm_k"]],
    ])) {
      const wires = first.flatMap((name) => found.get(name).from);
      assert.deepEqual(
        wires.map(({ x, y }) => [x, y]),
        below.map((name) => [middle(found, name), found.get(name).y]),
      );
      const levels = [...new Set([...found.values()].map(({ y }) => y))].sort((a, b) => a - b);
      const steps = levels.slice(1).map((level, i) => level - levels[i]);
      assert.ok(Math.max(...steps) - Math.min(...steps) < 1e-9, "no row is left empty");
      for (const box of found.values()) assert.ok(box.y >= 0 && box.y + box.height <= 500);
    }
    assert.deepEqual(
      ["norm_q", "norm_k"].map((name) => middle(within, name)),
      ["q", "k"].map((name) => middle(within, name)),
      "straight above what they take",
    );
    assert.equal(within.size, plain.length + 2);
    assert.equal(
      new Set([...within.values()].map(({ y }) => y)).size,
      new Set([...without.values()].map(({ y }) => y)).size + 1,
    );
  }
});

test("a box that scales shows the factor as it is made if there is room, else the number alone", () => {
  const shapes = { title: "Scale", sign: "→", symbols: "n × n", numbers: "4 × 4", weights: "", sizes: "" };
  const box = { ...shapes, factor: "1/√d_k · ln n / ln 32 = 0.2" };
  /** @param {number} width @param {number} height */
  const lines = (width, height) => boxLines(box, { width, height }, (text) => text.length).map(({ text }) => text);
  assert.deepEqual(lines(40, 4), ["Scale", "× 1/√d_k · ln n / ln 32 = 0.2", "→ n × n = 4 × 4"]);
  assert.deepEqual(lines(24, 4), ["Scale × 0.2", "1/√d_k · ln n / ln 32", "→ n × n = 4 × 4"]);
  assert.deepEqual(lines(24, 2.5), ["Scale × 0.2", "→ n × n = 4 × 4"]);
  assert.deepEqual(lines(12, 2.5), ["Scale × 0.2", "→ 4×4"]);
  const named = { ...shapes, title: "RMSNorm" };
  const norm = (/** @type {number} */ width) =>
    boxLines(named, { width, height: 1.5 }, (text) => text.length).map(({ text }) => text);
  assert.deepEqual([norm(8), norm(5)], [["RMSNorm"], ["Norm"]], "the part that says most, where the name is too long");
  const usual = boxLines(shapes, { width: 40, height: 4 }, (text) => text.length).map(({ text }) => text);
  assert.deepEqual(usual, ["Scale", "→ n × n = 4 × 4"]);
});

test("the arithmetic is written as one would write it", () => {
  const walked = /** @type {Loose} */ ({
    ...{ row: 0, head: 1, layer: 1, mechanism: "dot_product", scaling: "custom", factor: 0.5 },
    tensors: { Q: tensor([2, -3]), K: tensor([0.5, 4]), scores: tensor([-11]), scaled: tensor([-5.5]) },
    sizes: { n: 1, d_model: 2, d_k: 2, d_v: 2, h: 1, "h·d_v": 2 },
  });
  const [scores, scaled, Q] = ["scores", "scaled", "Q"].map((name) => arithmetic(walked, name, 0, 0));
  assert.deepEqual(scores, { written: "2 × 0.5 + (−3) × 4", value: -11, terms: 2 });
  assert.deepEqual(scaled, { written: "(−11) × 0.5", value: -5.5 });
  assert.deepEqual(Q, { note: "anatomy.drawn_number", value: 2 });
});

test("a mean of a block has no arithmetic", () => {
  const pooled = { values: [1], rows: 2, columns: 2, block: [2, 2] };
  const walked = /** @type {Loose} */ ({ tensors: { W_O: pooled }, sizes: {}, layer: 1 });
  assert.equal(arithmetic(walked, "W_O", 0, 0), null);
});
