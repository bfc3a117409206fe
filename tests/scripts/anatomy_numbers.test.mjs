/** Tables of what Anatomy writes: the arithmetic and the symbols of every tensor, the text of every box at every size. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic, at, compared, scaling, ungrown } from "../../assets/js/pages/anatomy/arithmetic.js";
import { boxLines } from "../../assets/js/pages/anatomy/box_lines.js";
import { beside, resultOf } from "../../assets/js/pages/anatomy/steps.js";
import { axes, lowered, NAMES, ofRow, POSITIVE, raised } from "../../assets/js/pages/anatomy/symbols.js";
import { weighed } from "../../assets/js/pages/anatomy/weighing.js";
import { held } from "./held.mjs";
import { full, walk } from "./walks.mjs";

/** Every tensor that a walk may have. */
const TENSORS = [
  ..."X Q K V W_Q W_K W_V W_O W_q W_k w squares_q squares_k root_q root_k normed_q normed_k".split(" "),
  ..."hidden_q hidden_k hidden tanh tanh_all terms scores scaled capped masked maximum shifted exponentials".split(" "),
  ..."sunk sums missing lowered halved threshold roots weights mass weighted head concatenation output".split(" "),
  ..."all_weights all_values".split(" "),
];

/** A walk with all of them, each with numbers of its own. @param {Loose} [more] @param {string[]} [without] */
function everything(more = {}, without = []) {
  const tensors = TENSORS.filter((name) => !without.includes(name)).map((name, i) => [
    name,
    {
      ...{ rows: 12, columns: 4, block: [1, 1] },
      values: Array.from({ length: 48 }, (_, k) => (((k + 1) * (2 * i + 3)) % 17) / 4 - (i % 3 ? 0 : 2)),
    },
  ]);
  return walk({
    ...{ row: 2, head: 1, softcap: 5, sink: 0.5, positions: false },
    tensors: Object.fromEntries(tensors),
    ...more,
  });
}

test("every tensor has the arithmetic of its kind", (context) => {
  const bare = ["normed_q", "normed_k"];
  const walks = /** @type {[string, Loose][]} */ ([
    ["plain", everything({}, bare)],
    ["normed", everything()],
    ["additive", everything({ mechanism: "additive", normalisation: "sigmoid", positions: true }, bare)],
    [
      "trained, of layer 2",
      everything({ trained: true, layer: 2, normalisation: "sink", scaling: "d_k" }, [...bare, "X"]),
    ],
    ["entmax", everything({ normalisation: "entmax", log_n: 32, scaling: "none" }, bare)],
  ]);
  const zero = everything();
  zero.tensors.root_q.values[4] = 0;
  zero.tensors.masked.values[5] = -Infinity;
  const all = walks.flatMap(([name, walked]) => {
    const lines = TENSORS.map((tensor) => `${tensor}: ${JSON.stringify(arithmetic(walked, tensor, 1, 1))}`);
    return ["", name, ...lines];
  });
  held(context, [
    ...all,
    ...["normed_q", "masked"].map((name) => JSON.stringify(arithmetic(zero, name, 1, 1))),
    ...[3, 5].map((column) =>
      JSON.stringify(arithmetic(everything({ sizes: { n: 3, d_v: 2 } }), "concatenation", 1, column)),
    ),
  ]);
});

test("a number is told without its arithmetic where the numbers behind it are missing", () => {
  const told = (/** @type {string} */ name, /** @type {string[]} */ without, more = {}) =>
    arithmetic(everything(more, without), name, 1, 1);
  for (const [name, behind] of Object.entries({
    ...{ scores: ["Q"], scaled: ["scores"], capped: ["scaled"], shifted: ["maximum"], weights: ["sums"] },
    ...{ weighted: ["V"], head: ["weights"], output: ["W_O"], concatenation: ["all_values"], hidden: ["hidden_k"] },
    ...{ terms: ["normed_k"], tanh: ["hidden"], root_q: ["squares_q"], normed_q: ["Q"], squares_k: ["K"] },
  })) {
    assert.ok(told(name, []), name);
    if (name !== "scores") assert.equal(told(name, behind), null, name);
  }
  assert.equal(arithmetic(everything(), "unknown", 0, 0), null);
  const pooled = everything();
  for (const block of [
    [1, 2],
    [2, 1],
  ]) {
    pooled.tensors.X.block = block;
    assert.ok(Number.isNaN(at(pooled, "X", 0, 0)));
  }
  assert.ok(Number.isNaN(at(everything(), "X", 12, 0)), "beyond the last row");
  assert.throws(
    () => weighed(/** @type {Loose} */ ({ walked: { normalisation: "sink" }, every: () => [1] }), "maximum"),
    /^Error: sink$/,
  );
});

test("what scales a score is written as it was made", (context) => {
  const lines = ["sqrt_d_k", "d_k", "none", "custom"].flatMap((way) =>
    [undefined, 32].map((log_n) => {
      const walked = everything({ scaling: way, log_n, factor: 0.3 });
      return `${way} ${log_n}: ${scaling(walked)}, ${ungrown(walked)}`;
    }),
  );
  held(context, [...lines, JSON.stringify([compared(everything()), compared(everything({}, ["normed_q"]))])]);
});

test("every tensor has its symbols, and says what its rows and columns are", (context) => {
  const tensors = [...TENSORS, "unknown"].map((name) => {
    const { rows, columns } = axes(name);
    const along = [rows ? "positions down" : "", columns ? "keys across" : "", POSITIVE.includes(name) ? "≥ 0" : ""];
    return `${name}: ${NAMES[name] ?? "–"}, ${ofRow(name, "¹")}; ${along.filter(Boolean).join(", ")}`;
  });
  held(context, [...tensors, raised(1234567890), lowered(1234567890)]);
});

test("each step makes its tensor, and the steps of one query come before those of all", (context) => {
  const walked = full();
  const made = walked.steps.flatMap((/** @type {string} */ step) =>
    ["one", "all"].map((rows) => `${step} ${rows}: ${resultOf({ ...walked, step, rows })}`),
  );
  const ways = ["input one", "output one", "input all", "output all", "other one"].map((now) => {
    const [step, rows] = now.split(" ");
    return `${now}: ${[-1, 1].map((way) => JSON.stringify(beside(walked.steps, { step, rows }, /** @type {1} */ (way))))}`;
  });
  held(context, [...made, ...ways]);
});

/** Boxes with everything that a box may say. */
const SAYING = {
  plain: { title: "Scaled MatMul", sign: "→" },
  unsigned: { title: "Q", sign: "" },
  weights: { title: "Linear", sign: "→", weights: "d_m × d_k", sizes: "8 × 2" },
  factor: { title: "Scale", sign: "→", factor: "1/√d_k = 0.5" },
  setting: { title: "SoftMax sink", sign: "→", setting: "b = 1" },
  name: { title: "RMSNorm", sign: "→" },
};

test("a box says as much as its size holds, to the last tenth", (context) => {
  const lines = Object.entries(SAYING).flatMap(([name, more]) => {
    const box = { symbols: "n × d_k", numbers: "4 × 2", weights: "", sizes: "", ...more };
    return [1.3, 1.32, 2.4, 2.44, 3.5, 3.56, 4.7].flatMap((height) => {
      /** @type {[string, string][]} */
      const runs = [];
      for (let tenth = 23; tenth <= 300; tenth += 1) {
        const width = tenth / 10;
        const said = boxLines(box, { width, height }, (text, strong) => (strong ? 1.25 : 1) * text.length)
          .map(({ text, strong }) => (strong ? `*${text}*` : text))
          .join(" | ");
        if (runs.at(-1)?.[1] !== said) runs.push([`from ${width}`, said]);
      }
      return runs.map((run) => `${name}, ${height} high, ${run.join(": ")}`);
    });
  });
  held(context, lines);
});
