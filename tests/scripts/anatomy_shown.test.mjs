/** What Anatomy shows for whole walks: the boxes and their tips, the formulas, the pieces of each step, tables and maps. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Diagram } from "../../assets/js/pages/anatomy/diagram.js";
import { Formula } from "../../assets/js/pages/anatomy/formula.js";
import { cellIn, matrix, shownBy } from "../../assets/js/pages/anatomy/matrix.js";
import { places } from "../../assets/js/pages/anatomy/places.js";
import { pieces } from "../../assets/js/pages/anatomy/steps.js";
import { WalkView } from "../../assets/js/pages/anatomy/walk_view.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { focusedOne, keyed, standIn, StandIn } from "./stand_in.mjs";
import { BOXES, full, tensor, walk } from "./walks.mjs";

const { document } = standIn();
standInDrawing(document);

/** @param {Loose} walked @param {"one" | "all"} rows */
const steps = (walked, rows) =>
  walked.steps.map((/** @type {string} */ step) => {
    const said = pieces(walked, step, rows).map(
      (/** @type {Loose} */ { sign, tensor, symbol, row, columns, turned, result }) =>
        sign
          ? sign
          : [tensor, `“${symbol}”`, row ?? "", columns ?? "", turned ? "turned" : "", result ? "made" : ""]
              .filter((one) => one !== "")
              .join(":"),
    );
    return `${step}: ${said.join(" ")}`;
  });

test("the pieces of every step, of one query and of all", (context) => {
  const walks = [
    walk(),
    walk({ normed: ["normed_q", "normed_k"], softcap: 5, asks: true }),
    walk({ mechanism: "additive", scaled: false }),
    walk({ normalisation: "sink", tensors: {} }),
    walk({ normalisation: "sigmoid", scaled: false }),
    walk({ normalisation: "entmax" }),
  ];
  held(
    context,
    walks.flatMap((one) =>
      ["one", "all"].flatMap((rows) => ["", `${rows}`, ...steps(one, /** @type {"one"} */ (rows))]),
    ),
  );
});

test("the boxes of both halves stand in their rows, with a wire from each input", (context) => {
  const there = {
    dot_product: "q k v norm_q norm_k compare scale softcap mask softmax matmul_v",
    additive: "q k v linear_wq linear_wk add tanh compare mask sigmoid matmul_v",
    multi_head: "x linear_v linear_k linear_q attention concat linear_o",
  };
  const round = (/** @type {Loose} */ one) => Math.round(10 * one) / 10;
  /** @param {string} half @param {string[]} boxes @param {number} height */
  const lines = (half, boxes, height) => [
    `${half}, ${height} high`,
    ...places(half, (box) => boxes.includes(box), { width: 400, height }, 10).map(
      ({ name, x, y, width, height: high, from }) =>
        `${name} ${[x, y, width, high].map(round)} from ${from.map(({ x, y, turn, to, end }) => [x, y, turn, to, end].map(round)).join(" ")}`,
    ),
  ];
  const both = Object.entries(there).flatMap(([half, boxes]) =>
    [300, 900].flatMap((height) => lines(half, boxes.split(" "), height)),
  );
  held(context, [...both, ...lines("dot_product", ["q", "k", "v", "compare", "softmax", "matmul_v"], 300)]);
});

/** A page whose words are their keys, and what was wished of it. @param {Loose} [more] @returns {Loose} */
const pageOf = (more = {}) => ({
  text: keyed,
  state: { agreed: { tie: false, ...more } },
  presenter: { look: { present: Boolean(more.present) } },
  settings: {
    formulas: { scores: ["q · k", "dot"], "scores:additive": ["w · tanh", "additive"] },
    colours: Object.fromEntries(
      ["weights", "signed"].map((name) => [
        name,
        [
          [0, "#ffffff"],
          [1, "#2563eb"],
        ],
      ]),
    ),
  },
});

/** The diagram of a walk, as large as a stage. @param {Loose} walked @param {Loose} [agreed] */
function diagram(walked, agreed = {}) {
  /** @type {unknown[]} */
  const wished = [];
  const stage = /** @type {Loose} */ (new StandIn("div"));
  const made = new Diagram(stage, pageOf(agreed), (/** @type {unknown} */ wish) => void wished.push(wish));
  made.draw(walked); // makes the halves
  for (const half of /** @type {Loose} */ (made.halves).children) {
    Object.assign(half.children[1], { clientWidth: 300, clientHeight: 400 });
  }
  made.draw(walked);
  drawn();
  const find = (/** @type {string} */ name) => /** @type {Loose} */ (made.halves).querySelector(`[data-box="${name}"]`);
  /** @param {string} kind @param {string} name @param {Loose} [more] */
  const hear = (kind, name, more = {}) => {
    const event = Object.assign(new Event(kind, { cancelable: true }), more);
    Object.defineProperty(event, "target", { value: find(name) });
    /** @type {Loose} */ (made.halves).dispatchEvent(event);
    return event;
  };
  return { made: /** @type {Loose} */ (made), wished, hear };
}

test("every box says its name and its shapes; the present step's is marked, an idle one dim", (context) => {
  const walked = walk({ boxes: BOXES });
  const { made } = diagram(walked);
  const idle = diagram(walk({ boxes: BOXES, step: "exponentials", masked: false, factor: 1, scaling: "none" }));
  const marks = idle.made.halves
    .querySelectorAll(".box")
    .map((/** @type {Loose} */ one) => [one.getAttribute("data-box"), one.className, one.getAttribute("aria-current")]);
  held(context, [
    ...made.halves.children.map((/** @type {StandIn} */ half) => half.markup.replaceAll("><", ">\n<")),
    ...marks.map(String),
    ...idle.made.halves.querySelectorAll("figcaption").map((/** @type {StandIn} */ one) => one.textContent),
  ]);
});

test("a half of the diagram is never smaller than its type can be read in", () => {
  const { made } = diagram(walk({ boxes: BOXES }));
  const sizes = [
    [0, 0],
    [127, 191],
    [129, 193],
  ].map(([clientWidth, clientHeight]) => {
    for (const half of made.halves.children) Object.assign(half.children[1], { clientWidth, clientHeight });
    made.draw(walk({ boxes: BOXES }));
    const [svg] = made.halves.querySelectorAll("svg");
    return [svg.getAttribute("width"), svg.getAttribute("height")].join(" × ");
  });
  assert.deepEqual(sizes, ["128 × 192", "128 × 192", "129 × 193"]);
});

test("a tip explains each size by how it came about", (context) => {
  const free = { tie: false };
  /** @type {[string, Loose, Loose][]} */
  const cases = [
    ["untied", walk({ boxes: BOXES }), free],
    ["tied", walk({ boxes: BOXES }), { tie: true }],
    ["rounded", walk({ boxes: BOXES, sizes: { n: 3, d_model: 5, h: 2, d_k: 2, d_v: 2, "h·d_v": 4 } }), { tie: true }],
    ["least", walk({ boxes: BOXES, sizes: { n: 3, d_model: 1, h: 2, d_k: 1, d_v: 1, "h·d_v": 2 } }), { tie: true }],
    ["trained", walk({ boxes: BOXES, trained: true }), { tie: true }],
  ];
  const told = cases.flatMap(([name, walked, agreed]) => {
    const { made, hear } = diagram(walked, agreed);
    return Object.keys(BOXES).flatMap((box) => {
      hear(box === "x" ? "focusin" : "pointerover", box);
      const lines = made.tip.root.children.map((/** @type {StandIn} */ one) => one.textContent);
      const said = `${name} ${box}${made.tip.root.hidden ? " hidden" : ""}: ${lines.join(" | ")}`;
      hear("pointerleave", box);
      return made.tip.root.hidden ? [said] : ["the tip stays"];
    });
  });
  held(context, told);
});

test("a press, Enter and Space open a box's tensor, and no other key", (context) => {
  const { wished, hear } = diagram(walk({ boxes: BOXES }));
  hear("click", "compare");
  const stopped = ["Enter", " ", "a"].map((key) => hear("keydown", "mask", { key }).defaultPrevented);
  held(context, [...wished.map((one) => JSON.stringify(one)), String(stopped)]);
});

test("a figure that is drawn anew keeps the focus on its box", () => {
  const { made } = diagram(walk({ boxes: BOXES }));
  made.halves.querySelector('[data-box="scale"]').focus();
  Object.defineProperty(document, "activeElement", {
    value: made.halves.querySelector('[data-box="scale"]'),
    configurable: true,
  });
  made.draw(walk({ boxes: BOXES, step: "scaled" }));
  const focus = /** @type {StandIn} */ (focusedOne());
  assert.deepEqual([focus.getAttribute("data-box"), focus.getAttribute("aria-current")], ["scale", "step"]);
});

/** @param {Loose} walked */
const formulas = (walked) => {
  const stage = /** @type {Loose} */ (new StandIn("div"));
  const formula = new Formula(stage, pageOf());
  Object.assign(formula.root, { scrollWidth: 10, clientWidth: 20, scrollHeight: 10, clientHeight: 20 });
  formula.draw(walked);
  return /** @type {Loose} */ (formula.root);
};

test("the formulas of every way to compare and to weigh", (context) => {
  const written = (/** @type {Loose} */ more) =>
    formulas(walk(more))
      .children.map((/** @type {StandIn} */ one) => one.markup)
      .join("\n");
  held(context, [
    written({}),
    written({ scaling: "d_k", normed: ["normed_q", "normed_k"], normalisation: "sink", sink: 0.25, masked: false }),
    written({ scaling: "none", log_n: 32, normalisation: "sigmoid" }),
    written({ scaling: "custom", factor: 0.3, softcap: 5, normalisation: "entmax", trained: true }),
    written({ mechanism: "additive" }),
  ]);
});

test("each step lights its symbols", (context) => {
  const lit = (/** @type {Loose} */ walked) =>
    formulas(walked)
      .querySelectorAll("[data-lit]")
      .map((/** @type {StandIn} */ one) => one.getAttribute("data-symbol"));
  const walks = [
    walk({ softcap: 5 }),
    walk({ mechanism: "additive", normed: ["normed_q", "normed_k"], normalisation: "sigmoid" }),
    walk({ normalisation: "entmax" }),
  ];
  held(
    context,
    walks.flatMap((one) =>
      one.steps.map((/** @type {string} */ step) => `${step}: ${lit({ ...one, step }).join(" ")}`),
    ),
  );
});

/** @param {Loose} walked @param {Loose} piece @param {Loose} [page] */
const table = (walked, piece, page = pageOf()) => {
  drawn(); // what others have drawn
  const shown = /** @type {Loose} */ (matrix(page, walked, piece));
  const made = drawn();
  return [shown.markup.replaceAll("><", ">\n<"), ...made];
};

test("a small tensor is a table with named rows and columns, a large one a map in its colours", (context) => {
  const tensors = {
    scores: tensor(3, 3),
    W_Q: tensor(2, 3),
    weights: { ...tensor(3, 3), values: [0.5, 0.25, 0.25, 0, 1, 0, 0.125, NaN, 0.875] },
    masked: { ...tensor(3, 3), values: [1, -Infinity, 2, 3, 4, -Infinity, 5, 6, -7] },
    V: tensor(4, 20, [2, 1]),
  };
  const walked = walk({ tensors });
  held(context, [
    ...table(walked, { tensor: "scores", symbol: "QKᵀ", result: true }),
    ...table(walked, { tensor: "scores", symbol: "α", row: 1, turned: true }),
    ...table(walked, { tensor: "W_Q", symbol: "W_Q", columns: [1, 3] }, pageOf({ present: true })),
    ...table(walked, { tensor: "masked", symbol: "α" }),
    ...table({ ...walked, fits: false }, { tensor: "weights", symbol: "α′" }),
    ...table({ ...walked, fits: false }, { tensor: "masked", symbol: "α", row: 2 }),
    ...table(walked, { tensor: "V", symbol: "V" }),
    ...table(walked, { tensor: "V", symbol: "v¹", row: 3, columns: [5, 9] }),
  ]);
});

test("a place on a map is the cell that was drawn there, and outside there is none", (context) => {
  const walked = walk({ fits: false, tensors: { Q: tensor(3, 4), scores: tensor(3, 3) } });
  /** @param {Loose} piece @param {[number, number][]} places */
  const cells = (piece, places) => {
    const map = /** @type {Loose} */ (matrix(pageOf(), walked, piece)).querySelector("canvas");
    const shown = /** @type {import("../../assets/js/pages/anatomy/matrix.js").Shown} */ (shownBy(map));
    return places.map(([x, y]) => `${x} ${y}: ${JSON.stringify(cellIn(shown, x, y))}`);
  };
  held(context, [
    ...cells({ tensor: "Q", symbol: "Q" }, [
      [0, 0],
      [0.99, 0.99],
      [0.3, 0.6],
      [0.6, 0.3],
      [1.1, 0],
      [0, 1.1],
      [0.5, -0.1],
    ]),
    ...cells({ tensor: "scores", symbol: "α", row: 2, turned: true }, [
      [0.5, 0.1],
      [0.5, 0.5],
      [0.5, 0.9],
    ]),
  ]);
});

/** The walk on a stage, and what is wished of it. @param {Loose} [more] of the page's state */
function walking(more = {}) {
  const stage = /** @type {Loose} */ (new StandIn("div"));
  /** @type {string[]} */
  const heard = [];
  const page = pageOf();
  page.state.values = { step: "scores", rows: "all", ...more };
  page.settings.mostLayers = 2;
  page.figures = { of: () => ({ block: { note: (/** @type {string} */ said) => void heard.push(`note ${said}`) } }) };
  const view = new WalkView(stage, page, (wish) => void heard.push(`go ${JSON.stringify(wish)}`));
  return { stage, heard, page, view: /** @type {Loose} */ (view) };
}

test("the walk has its steps, its queries, its heads, and leads to other layers", (context) => {
  const { stage, heard, view } = walking();
  view.draw(full());
  const lines = [stage.markup.replaceAll("><", ">\n<"), ...heard.splice(0)];
  const bar = () =>
    stage
      .querySelectorAll("button")
      .map(
        (/** @type {Loose} */ one) =>
          `${one.textContent}${one.disabled ? " off" : ""}${one.hidden ? " hidden" : ""} ${one.getAttribute("aria-pressed")}`,
      )
      .join(", ");
  for (const more of [
    { step: "input", rows: "one", row: 0, head: 1 },
    { step: "output", rows: "all" },
    { step: "output", layer: 2, fits: false, heads: 17 },
    { step: "weights", tokens: [], sizes: { n: 17, d_model: 4, h: 2, d_k: 2, d_v: 2, "h·d_v": 4 } },
    { step: "values", heads: 1, tokens: [] },
  ]) {
    view.draw(full(more));
    const groups = stage.querySelectorAll(".choose").map((/** @type {Loose} */ one) => Boolean(one.hidden));
    const note = stage.querySelector(".too-large");
    lines.push(JSON.stringify(more), bar(), `${groups} ${note.hidden} ${note.textContent}`, ...heard.splice(0));
  }
  view.draw(full({ step: "output" }));
  heard.splice(0);
  for (const button of stage.querySelectorAll("button")) {
    button.click();
    lines.push(`${button.textContent} ${button.id ?? ""}: ${heard.splice(0)}`);
  }
  const select = stage.querySelector("select");
  select.value = "keys";
  select.onchange();
  lines.push(`chosen: ${heard.splice(0)}`);
  held(context, lines);
});

test("arrow keys walk, but not on the choice of steps; a map of single numbers tells them", (context) => {
  const { stage, heard, view } = walking();
  view.draw(full({ fits: false }));
  heard.splice(0);
  const lines = [];
  const [root] = stage.querySelectorAll(".walk");
  for (const more of [
    { key: "ArrowLeft" },
    { key: "ArrowRight" },
    { key: "a" },
    { key: "ArrowLeft", ctrlKey: true },
    { key: "ArrowLeft", altKey: true },
    { key: "ArrowLeft", metaKey: true },
  ]) {
    const event = Object.assign(new Event("keydown", { cancelable: true }), more);
    root.dispatchEvent(event);
    lines.push(`${JSON.stringify(more)}: ${event.defaultPrevented} ${heard.splice(0)}`);
  }
  const event = Object.assign(new Event("keydown"), { key: "ArrowLeft" });
  Object.defineProperty(event, "target", { value: stage.querySelector("select") });
  root.dispatchEvent(event);
  lines.push(`on the choice: ${heard.splice(0)}`);
  const pieces = stage.querySelector(".pieces");
  const [tip] = stage.querySelectorAll("#walk-tip");
  tip.offsetWidth = 50;
  stage.box = { left: 5, top: 10, width: 80 };
  const point = (/** @type {Loose} */ target, /** @type {number} */ clientX, /** @type {number} */ clientY) => {
    const event = Object.assign(new Event("pointermove"), { clientX, clientY });
    Object.defineProperty(event, "target", { value: target });
    pieces.dispatchEvent(event);
    lines.push(
      `${clientX}, ${clientY}: ${tip.hidden} ${tip.children.map((/** @type {Loose} */ one) => one.textContent).join(" | ")} ${JSON.stringify(tip.style)}`,
    );
  };
  const maps = stage.querySelectorAll("canvas");
  for (const map of maps) map.box = { left: 10, top: 20, width: 30, height: 30 };
  point(maps[0], 15, 25);
  point(maps.at(-1), 35, 45);
  point(maps.at(-1), 45, 45);
  pieces.dispatchEvent(new Event("pointerleave"));
  lines.push(`left: ${tip.hidden}`);
  view.draw(full({ fits: false, tensors: { ...full().tensors, scores: tensor(6, 6, [2, 2]) } }));
  const pooled = stage.querySelectorAll("canvas").at(-1);
  pooled.box = { left: 0, top: 0, width: 30, height: 30 };
  point(pooled, 5, 5);
  held(context, lines);
});
