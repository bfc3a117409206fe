/** Anatomy opened whole: the walk goes by presses and keys, a question covers its answer, and what leaves the page: files, pictures, prints. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pictured, standing } from "../../assets/js/pages/anatomy/dom_picture.js";
import { keepAnatomy } from "../../assets/js/pages/anatomy/keeping.js";
import { anatomyOnPaper } from "../../assets/js/pages/anatomy/on_paper.js";
import { Page } from "../../assets/js/pages/anatomy/page.js";
import { AnatomyPrints } from "../../assets/js/pages/anatomy/prints.js";
import { added, factor, listed, products, range } from "../../assets/js/pages/anatomy/terms.js";
import { Tip, formulaOf, numberAt, reasonOf } from "../../assets/js/pages/anatomy/tip.js";
import { weighed } from "../../assets/js/pages/anatomy/weighing.js";
import { drawn } from "./drawing.mjs";
import { held } from "./held.mjs";
import {
  dateless,
  drawnOn,
  figurePlace,
  filled,
  opened,
  question,
  settingsOf,
  standInOpened,
  verdict,
} from "./opened_page.mjs";
import { keyed, StandIn } from "./stand_in.mjs";
import { BOXES, full } from "./walks.mjs";

const browser = standInOpened();
const { document, heard, last, time } = browser;

const SETTINGS = settingsOf("anatomy", {
  figures: ["anatomy", "walk"],
  places: ["insight", "predict", "take-away", "menus", "control-d_k", "control-n"],
  scales: { d_k: { low: 1, high: 512, whole: true }, n: { low: 2, high: 64, whole: true } },
  presets: { anatomy_two_heads: { step: "output" } },
  mostLayers: 4,
  texts: [],
  controls: ["d_k", "n", "mask", "window", "source", "row", "head", "layer", "scale", "predict"],
  formulas: { scores: ["q · k", "dot"], weights: ["softmax", "soft"] },
  colours: Object.fromEntries(
    ["weights", "signed"].map((name) => [
      name,
      [
        [0, "#ffffff"],
        [1, "#2563eb"],
      ],
    ]),
  ),
  defaults: { n: 3, d_k: 2, d_model: 4, source: "text", step: "input", rows: "one", row: 1, head: 1 },
});

/** @param {Loose} [more] */
const open = (more = []) =>
  opened(
    browser,
    Page,
    SETTINGS,
    (box) => [...SETTINGS.figures.map(figurePlace), box("predict"), box("take-away")],
    more,
  );

/** The part "walk". @param {Loose} [more] */
const walk = (more = {}) => filled((put) => ({ part: "walk", values: put(full({ boxes: BOXES, said: {}, ...more })) }));

/** Where the walk is. @param {Loose} page */
const where = (page) => {
  const stage = page.figures.of("walk").block.stage;
  const bar = stage
    .querySelectorAll("button")
    .map(
      (/** @type {Loose} */ one) =>
        `${one.textContent}${one.disabled ? " off" : ""}${one.hidden ? " hidden" : ""}${one.getAttribute("aria-pressed") === "true" ? " pressed" : ""}`,
    );
  const tensors = stage
    .querySelectorAll("[data-tensor], .sign")
    .map((/** @type {Loose} */ one) => one.dataset.tensor ?? one.textContent);
  return [
    `step ${page.state.values.step}: ${stage.querySelector("h3").textContent}`,
    `bar: ${bar.join(", ")}`,
    `tensors: ${tensors.join(" ")}, first number ${stage.querySelector("td[data-row]")?.textContent}`,
    `boxes: ${document.querySelectorAll(".box[aria-current]").map((/** @type {Loose} */ one) => one.getAttribute("data-box"))}`,
  ];
};

test("the walk goes where a visitor presses, and the controls are told where they show it", async (context) => {
  const one = open(["#insight", "#message", "#control-scale", "#control-layer", drawnOn, where]);
  one.on("#control-scale").append(Object.assign(document.createElement("span"), { dataset: { testid: "block-info" } }));
  const range = Object.assign(document.createElement("input"), { type: "range", value: "1" });
  one.on("#control-layer").append(range, Object.assign(document.createElement("span"), { className: "max_value" }));
  await one.begin();
  await one.after("a press before the first answer", "#step-next");
  await last(one.state(), walk({ step: "input", rows: "one" }), {
    ...{ part: "figures", drawings: {}, tables: {} },
    ...{ summaries: { anatomy: "boxes" }, insight: ["All of it."] },
  });
  await one.tell("an answer");
  await one.after("next", "#step-next");
  await last(one.state(), walk({ step: "queries", rows: "one" }));
  await one.tell("the queries");
  await one.after("all at once", "[data-rows=all]");
  await last(one.state(), walk({ step: "queries", rows: "all" }));
  await one.tell("all of them");
  await one.after("the first query", ".choose:not([id]) [type=button]");
  await last(one.state(), walk({ step: "queries", rows: "all", row: 0 }));
  await one.after("the first head", document.querySelectorAll("#figure-walk .choose")[2].children[0]);
  await last(one.state(), walk({ step: "queries", rows: "all", row: 0, head: 1 }));
  await one.after("presented", "#present-start");
  await one.after("a box", "[data-box=softmax]");
  await last(one.state(), walk({ step: "scores", rows: "all" }));
  await one.tell("an older answer");
  await last(one.state(), walk({ step: "weights", rows: "all" }));
  await one.tell("the newest");
  await one.move("source", "model");
  await last(one.state(), walk({ step: "values", trained: true, own: { layers: 7, mask: "causal" } }));
  await one.tell(`a trained layer; without effect: ${one.page.controls.meaningless}`);
  await one.move("window", 2);
  await last(one.state(), walk({ step: "values", own: { layers: 7, mask: "none" } }));
  await one.tell(`another mask; without effect: ${one.page.controls.meaningless}`);
  await one.move("source", "text");
  await last(one.state(), walk({ step: "output", layer: 2 }));
  await one.tell(`drawn layers; without effect: ${one.page.controls.meaningless}`);
  await one.after("the next layer", "#feed");
  await last(one.state(), walk({ step: "input", layer: 3 }));
  await one.after("the first layer", "#first-layer");
  await last(one.state(), walk({ step: "input", layer: 1 }));
  await one.after("a preset", "#preset-anatomy_two_heads");
  await last(one.state(), walk({ step: "output", rows: "all" }));
  await one.tell("its step");
  await one.after("d_k by a key", "#control-d_k input[type=range]", "keydown", { key: "PageUp" });
  held(context, one.lines);
});

/** The page that is open. @type {Loose} */
let walks = null;

/** What covers the answer, and what is withheld. @param {Loose} page */
const covered = (page) => [
  `pending ${walks?.pending}, steps shown ${walks?.steps().length}, withheld ${page.prints.withheld()}`,
  ...["#figure-walk", "#insight", "#predict"].map((one) => `${one} ${document.querySelector(one).className}`),
];

test("a question covers what answers it until the visitor has predicted, declined, or gone back before it", async (context) => {
  const one = open([covered, "#predict-open", "#predict .predict", where]);
  walks = one.own;
  await one.begin();
  await last(one.state(), walk({ step: "weights" }), {
    ...{ part: "figures", drawings: {}, tables: {}, summaries: {}, insight: ["All of it."] },
  });
  await one.after("the question is opened where its answer stands", "#predict-open");
  await last(one.state(), question({ kept: false }), walk({ step: "queries" }));
  await one.tell("it is asked before");
  await one.after("a step that shows the answer", "[data-box=softmax]");
  await last(one.state(), question({ kept: true }), walk({ step: "weights" }));
  await one.tell("the answer is covered");
  await one.after("a choice", "#predict [value=one]", "change");
  await one.after("revealed", "#predict-reveal");
  await last(one.state(), question({ kept: true }), verdict(), walk({ step: "weights" }));
  await one.tell("the verdict");
  await one.after("once more", "#predict-again");
  await one.after("declined", "#predict-decline");
  await last(one.state(), walk({ step: "weights" }));
  await one.tell("all is shown");
  await one.after("again, from a step before", "[data-box=q]");
  await last(one.state(), walk({ step: "queries" }));
  await one.after("opened", "#predict-open");
  await last(one.state(), question(), walk({ step: "queries" }));
  await one.tell("it is asked here");
  await one.move("window", 2);
  await last(one.state(), question({ kept: true, about: "another" }), walk({ step: "scores" }));
  await one.tell("a question that was not asked before its answer");
  await one.move("window", 3);
  await last(one.state(), walk({ step: "queries" }));
  await one.tell("a state without a question");
  held(context, one.lines);
});

test("a line of a table tells the arithmetic of its numbers, of the step on screen", async (context) => {
  const one = open();
  await one.begin();
  const ask = (/** @type {Loose} */ line) => one.page.answers.telling.rules.arithmetic(line, "state");
  /** @type {string[]} */
  const lines = [JSON.stringify(await ask({ table: "walk", line: 1 }))];
  const tables = {
    anatomy: {
      caption: "boxes",
      columns: [
        { label: "box", values: ["q"] },
        { label: "shape", values: ["3 × 2"] },
      ],
    },
    walk: {
      caption: "scores",
      columns: [
        { label: "query", values: [0, 1] },
        { label: "name", values: ["a", "b"] },
        { label: "0", values: [1, 2], asked: true },
        { label: "1", values: [3, 4], asked: true },
      ],
    },
  };
  await last(
    one.state(),
    walk({ step: "scores", rows: "all" }),
    filled((put) => ({
      ...{ part: "figures", drawings: {}, summaries: {}, insight: null },
      tables: Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, put(table)])),
    })),
  );
  for (const line of [
    { table: "walk", line: 1 },
    { table: "walk", line: 0 },
    { table: "anatomy", line: 0 },
  ]) {
    lines.push(`${JSON.stringify(line)}: ${JSON.stringify(await ask(line))}`);
  }
  await last(walk({ step: "weights", rows: "all" }));
  held(context, lines.map(dateless));
});

test("the tables and the offline page have every tensor that answers no question", async (context) => {
  /** @type {Loose} */
  let made = null;
  Object.assign(document, {
    implementation: {
      createHTMLDocument: (/** @type {string} */ title) => {
        const [html, head, body] = ["html", "head", "body"].map((name) => document.createElement(name));
        head.append(Object.assign(document.createElement("title"), { textContent: title }));
        html.append(head, body);
        return (made = { documentElement: html, head, body });
      },
    },
  });
  Object.assign(StandIn.prototype, { toDataURL: () => "data:drawn" });
  const one = open(["#take-away .said", "#message"]);
  await one.begin();
  await last(one.state(), walk({ step: "scores", fits: false, tensors: { ...full().tensors, W_O: pooled() } }), {
    ...{ part: "figures", drawings: {}, tables: {} },
    ...{ summaries: {}, insight: ["One.", "Two."] },
  });
  heard.splice(0);
  const take = async (/** @type {string} */ what) => {
    await one.after(what, `#take-${what}`);
    return (await browser.file("headlight-anatomy.csv"))
      .split(/(?:\r?\n){2,}/)
      .map((table) => table.replaceAll(/\r?\n/g, "; "));
  };
  /** @type {string[]} */
  const lines = [];
  await one.after("link", "#take-link");
  lines.push(...(await take("tables")));
  await take("html");
  const look = () => [
    ...made.head.children.map((/** @type {Loose} */ each) => each.markup),
    ...made.body.children.flatMap((/** @type {Loose} */ each) =>
      each.localName === "section" ? section(each) : [each.markup.slice(0, 300)],
    ),
  ];
  lines.push((await browser.file("headlight-anatomy.html")).slice(0, 60), ...look());
  document.body.classList.add("dark");
  await last(one.state(), walk({ step: "scores" }));
  await one.move("predict", true);
  await last(one.state(), question(), walk({ step: "keys" }));
  await one.tell("asked");
  lines.push("while a question is open", ...(await take("tables")));
  await take("html");
  lines.push(...look().filter((each) => !each.startsWith("<div")));
  document.body.classList.remove("dark");
  one.own.walked = null;
  lines.push("without a walk", ...(await take("tables")));
  await one.after("a page without a walk", "#take-html");
  held(context, [...one.lines, ...lines].map(dateless));
});

/** A tensor whose values are means. */
const pooled = () => ({ rows: 4, columns: 5, block: [2, 2], values: [1, 2, 3, 4, 5, 6] });

/** A step of the offline page: its title, its pictures, and what the first and the last number say. @param {Loose} root */
const section = (root) => {
  const cells = root.querySelectorAll("td[data-row]").map((/** @type {Loose} */ cell) => cell.title);
  const images = root
    .querySelectorAll("img")
    .map((/** @type {Loose} */ each) => `${each.src} ${each.alt} ${each.getAttribute("style")}`);
  const canvases = root.querySelectorAll("canvas").length;
  const parts = root.children.map((/** @type {Loose} */ each) => `${each.localName}.${each.className}`);
  return [
    `## ${root.querySelector("h2").textContent}: ${cells.length} numbers, ${canvases} canvases in ${parts}`,
    ...cells.slice(0, 1),
    ...cells.slice(1).slice(-1),
    ...images.slice(0, 1),
  ];
};

test("on paper the figure stands with every step, in type that fits", async (context) => {
  const one = open();
  await one.begin();
  /** @type {string[]} */
  const lines = [`${one.page.prints.printed().length} before the walk`];
  const said = Object.fromEntries(full().steps.map((/** @type {string} */ step) => [step, `${step} said`]));
  await last(one.state(), walk({ step: "scores", rows: "all", said }), {
    ...{ part: "figures", drawings: {}, tables: {}, summaries: { walk: "summary" }, insight: null },
  });
  await one.tell("a walk");
  const titled = (/** @type {Loose[]} */ nodes) =>
    nodes.map((node) => (typeof node === "string" ? node : node.markup)).join("");
  const list = (/** @type {Loose[]} */ all) =>
    all.map(
      ({ name, title, caption, present, height }) =>
        `${name}: ${titled(title)} | ${caption.join(" | ")} | ${present} ${height}`,
    );
  lines.push(...list(one.page.prints.printed()));
  const [figure, ...steps] = one.page.prints.printed();
  const paper = document.createElement("div");
  figure.draw(paper);
  lines.push(
    JSON.stringify(paper.style),
    ...paper.children.map((/** @type {Loose} */ each) => each.className),
    ...paper.querySelectorAll("marker").map((/** @type {Loose} */ each) => each.id),
    ...new Set(
      paper.querySelectorAll("[marker-end]").map((/** @type {Loose} */ each) => each.getAttribute("marker-end")),
    ),
  );
  const step = steps.find((/** @type {Loose} */ { present }) => present);
  for (const [name, wide] of /** @type {[string, (fit: number) => number][]} */ ([
    ["fits at once", () => 400],
    ["fits smaller", (fit) => 450 * fit],
    ["never fits", () => 500],
  ])) {
    const tried = /** @type {string[]} */ ([]);
    Object.defineProperty(StandIn.prototype, "scrollWidth", {
      configurable: true,
      get() {
        tried.push(this.style["--fit"]);
        return wide(Number(this.style["--fit"]));
      },
    });
    const stage = document.createElement("div");
    step.draw(stage);
    const [walkBox] = stage.children;
    const [pieces] = walkBox.children;
    lines.push(
      `${name}: ${stage.children.length} ${walkBox.className} ${pieces.className} ${JSON.stringify(pieces.style)} tried ${tried}`,
    );
  }
  Reflect.deleteProperty(StandIn.prototype, "scrollWidth");
  one.page.figures.of("anatomy").root.classList.add("is-out");
  lines.push(`without the figure: ${one.page.prints.printed().map((/** @type {Loose} */ { name }) => name)}`);
  one.page.figures.of("walk").root.classList.add("is-out");
  lines.push(`without both: ${one.page.prints.printed().length}`);
  held(context, lines.map(dateless));
});

/** The words of a picture's file. @param {string} text */
const wordsIn = (text) => (text.match(/iTXt\w+|figure\.\w+\.\w+|content of \w+|^<.*/g) ?? []).join(" ");

test("a picture of the figure has its styles, its size and its origin, without what the pointer shows", async (context) => {
  const one = open(["#message"]);
  await one.begin();
  await last(one.state(), walk({ step: "scores" }));
  await one.tell("a walk");
  const { root, block } = one.page.figures.of("anatomy");
  /** @type {string[]} */
  const lines = [];
  const stage = block.stage;
  Object.assign(stage.style, { width: "300.2px", height: "200.7px", color: "red" });
  root.querySelector(".figure").style["background-color"] = "white";
  Object.assign(globalThis, {
    XMLSerializer: class {
      serializeToString(/** @type {Loose} */ node) {
        lines.push(
          `written with ${document.querySelectorAll(".is-pictured").length} pictured: ${node.markup?.slice(0, 900)}`,
        );
        return `content of ${node.localName ?? "svg"}`;
      }
    },
    DOMParser: class {
      parseFromString(/** @type {string} */ text) {
        lines.push(`parsed ${text}`);
        return {
          documentElement: document.createElement("svg"),
          createElementNS: (/** @type {string} */ _, /** @type {string} */ name) => document.createElement(name),
        };
      }
    },
    Image: class extends StandIn {
      constructor() {
        super("img");
      }
      async decode() {
        lines.push(`decodes ${decodeURIComponent(/** @type {Loose} */ (this).src)}`);
      }
    },
  });
  const png = new Blob([Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0, 73, 72, 68, 82, 0, 0, 0, 0)]);
  Object.assign(StandIn.prototype, {
    /** @this {Loose} */
    toBlob(/** @type {Loose} */ then, /** @type {string} */ type) {
      lines.push(`a ${type} of ${this.width} × ${this.height}`);
      then(one.page.fails ? null : png);
    },
  });
  drawn();
  for (const format of ["svg", "png"]) {
    await one.page.prints.picture("anatomy", format, false);
    await one.tell(format);
    lines.push(
      ...drawn(),
      wordsIn(await browser.file(`headlight-anatomy.${format}`)),
      `still pictured: ${stage.classList.contains("is-pictured")}`,
    );
  }
  one.page.fails = true;
  await one.page.prints.picture("anatomy", "png", false);
  lines.push(`a browser without pictures: ${heard.splice(0)}`);
  const canvas = document.createElement("canvas");
  canvas.setAttribute("aria-label", "a map");
  canvas.setAttribute("tabindex", "0");
  Object.assign(globalThis, {
    HTMLCanvasElement: { [Symbol.hasInstance]: (/** @type {Loose} */ each) => each?.localName === "canvas" },
  });
  const source = document.createElement("div");
  source.setAttribute("aria-describedby", "tip");
  source.append(canvas, "text");
  const copy = /** @type {Loose} */ (standing(source));
  lines.push(copy.markup, /** @type {Loose} */ (pictured(document.createElement("canvas"), null)).markup);
  canvas.toDataURL = () => {
    throw new Error("tainted");
  };
  assert.throws(() => standing(source), /tainted/);
  lines.push(`after a failure: ${source.className}`);
  held(context, lines.map(dateless));
});

test("the type of the tensors and of the formulas is the largest that fits, and the diagram measures in its own", async (context) => {
  const one = open();
  await one.begin();
  await last(one.state(), walk({ step: "scores", rows: "all" }));
  await one.tell("a walk");
  /** @type {string[]} */
  const lines = [];
  for (const place of document.querySelectorAll(".half > div")) Object.assign(place, { clientHeight: 900 });
  for (const wide of [200, 300, 500, 900]) {
    const tried = /** @type {Record<string, string[]>} */ ({ pieces: [], formulas: [] });
    Object.defineProperty(StandIn.prototype, "scrollWidth", {
      configurable: true,
      get() {
        const fit = this.style["--fit"];
        if (this.className in tried) tried[this.className].push(Number(fit).toFixed(3));
        return fit ? wide * Number(fit) : 0;
      },
    });
    await one.move("window", wide);
    drawn();
    await last(one.state(), walk({ step: "scores", rows: "all", softcap: wide }));
    await one.tell("drawn");
    const fonts = new Set(drawn().filter((line) => line.startsWith("font")));
    lines.push(
      `${wide}: pieces ${tried.pieces.join(" ")}`,
      `formulas ${tried.formulas.join(" ")}`,
      [...fonts].join(", "),
    );
  }
  Reflect.deleteProperty(StandIn.prototype, "scrollWidth");
  held(context, lines);
});

test("the chosen query is scrolled into sight, and nothing moves that is in sight", async () => {
  const one = open();
  await one.begin();
  const tokens = "abcdefgh".split("");
  const more = { tokens, sizes: { n: 8, d_model: 4, h: 2, d_k: 2, d_v: 2, "h·d_v": 4 }, step: "scores", rows: "all" };
  await last(one.state(), walk({ ...more, row: 0 }));
  await one.tell("a walk");
  const [, queries] = document.querySelectorAll("#figure-walk .choose");
  Object.assign(queries, { offsetLeft: 10, clientWidth: 100, scrollLeft: 0 });
  for (const [i, button] of queries.children.entries()) {
    Object.assign(button, { offsetLeft: 10 + 40 * i, offsetWidth: 40 });
  }
  /** @type {number[]} */
  const places = [];
  for (const row of [1, 2, 7, 6, 5, 4, 0]) {
    await one.move("window", row + 2);
    await last(one.state(), walk({ ...more, row }));
    await one.tell("another query");
    places.push(queries.scrollLeft);
  }
  assert.deepEqual(places, [0, 20, 220, 220, 200, 160, 0]);
});

test("arrow keys and ends go from number to number of a tensor, and say where each comes from", async (context) => {
  const one = open();
  await one.begin();
  await last(one.state(), walk({ step: "queries", rows: "all" }));
  await one.tell("a walk");
  /** @type {string[]} */
  const lines = [];
  const grids = document.querySelectorAll("#figure-walk table");
  const cell = (/** @type {number} */ r, /** @type {number} */ c) =>
    grids[1].querySelector(`[data-row="${r}"][data-column="${c}"]`);
  for (const [r, c] of [
    [0, 0],
    [1, 1],
    [2, 2],
  ]) {
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp"]) {
      const from = cell(r, c);
      for (const one of grids[1].querySelectorAll("td[data-row]")) one.tabIndex = one === from ? 0 : -1;
      from.focus();
      const event = Object.assign(new Event("keydown", { cancelable: true }), { key });
      Object.defineProperty(event, "target", { value: from });
      browser.window.dispatchEvent(event); // before anything on the page
      const now = document.activeElement;
      const stop = grids[1]
        .querySelectorAll("td[data-row]")
        .filter((/** @type {Loose} */ { tabIndex }) => tabIndex === 0);
      const at = (/** @type {Loose} */ { dataset }) => `${dataset.row}, ${dataset.column}`;
      lines.push(
        `${key} at ${r}, ${c}: ${at(now)} of ${now.closest("[data-tensor]").dataset.tensor}, stop ${stop.map(at)} ${event.defaultPrevented}`,
      );
    }
  }
  await time.pass(300);
  lines.push(document.querySelector(".reason-tip")?.textContent ?? "no tip");
  held(context, lines);
});

test("sums and products are written as one writes them, and shortened from seventeen parts on", (context) => {
  const parts = (/** @type {number} */ count) => range(count).map(String);
  const numbers = (/** @type {number} */ count) => range(count).map((i) => (i % 2 ? -i : i));
  held(context, [
    ...[0, 1, 16, 17].map((count) => listed(parts(count), " + ")),
    ...[-2, 0, 2].map(factor),
    ...[2, 16, 17].map((count) => JSON.stringify(added(numbers(count)))),
    ...[2, 17].map((count) => JSON.stringify(products(numbers(count).map((a) => [a, a + 1])))),
  ]);
});

test("a number has its arithmetic, its formula and its section; a note stands for what was drawn", (context) => {
  const page = /** @type {Loose} */ ({
    text: keyed,
    settings: { formulas: { scores: ["q · k", "dot"], "scores:additive": ["w · tanh", "additive"] } },
  });
  const wide = (/** @type {number} */ d_k) => ({ rows: 3, columns: d_k, block: [1, 1], values: range(3 * d_k) });
  const one = full({
    layer: 2,
    sizes: { n: 3, d_model: 4, h: 2, d_k: 17, d_v: 2 },
    tensors: { X: wide(4), Q: wide(17), K: wide(17), V: pooled() },
  });
  const few = { ...one, sizes: { ...one.sizes, d_k: 16 }, tensors: { ...one.tensors, Q: wide(16), K: wide(16) } };
  const numbers = [
    [one, "scores", 0, 1],
    [few, "scores", 0, 1],
    [one, "X", 1, 1],
    [{ ...one, layer: 1, mechanism: "additive" }, "X", 0, 0],
    [one, "V", 0, 0],
    [one, "unknown", 0, 0],
  ];
  const formulas = [one, { ...one, mechanism: "additive" }, { ...one, formulas: { scores: ["own", "section"] } }];
  const row = (/** @type {string} */ normalisation, /** @type {Loose} */ more = {}) => ({
    walked: { normalisation, sizes: { n: 3 }, ...more },
    every: (/** @type {string} */ name) => (name === "roots" ? [1, 0, 2] : [1, 2, 4]),
    one: () => -2,
    own: () => 3,
  });
  const steps = "maximum shifted exponentials sums weights sunk missing lowered mass halved threshold roots".split(" ");
  held(context, [
    ...numbers.flatMap(([walked, name, r, c]) =>
      [numberAt, reasonOf].map(
        (tell) =>
          `${name}: ${JSON.stringify(tell(page, /** @type {Loose} */ (walked), String(name), Number(r), Number(c)))}`,
      ),
    ),
    ...formulas.map((walked) => String(formulaOf(page, walked, "scores"))),
    String(formulaOf(page, one, "V")),
    ...["softmax", "sink", "sigmoid", "entmax"].flatMap((kind) =>
      steps.map((step) => `${kind} ${step}: ${JSON.stringify(weighed(row(kind, { sink: 2 }), step))}`),
    ),
  ]);
  assert.throws(() => weighed(row("sink"), "maximum"), /sink/);
});

test("a tip stands below what it explains or below the pointer, inside its stage, and Escape takes it away", (context) => {
  const stage = document.createElement("div");
  const [first, second] = [document.createElement("i"), document.createElement("b")];
  stage.box = { left: 100, top: 50, width: 300 };
  const tip = /** @type {Loose} */ (new Tip(stage, "tip"));
  /** @type {string[]} */
  const lines = [];
  const told = (/** @type {string} */ what) => {
    const names = [first, second].map((one) => one.getAttribute("aria-describedby"));
    lines.push(`${what}: ${tip.root.markup} ${names}`);
  };
  told("made");
  for (const [what, target, box, point] of /** @type {[string, Loose, Loose, Loose?][]} */ ([
    ["below a box", first, { left: 150, bottom: 80 }],
    ["at the left edge", first, { left: 20, bottom: 80 }],
    ["at the right edge", second, { left: 390, bottom: 80 }],
    ["below the pointer", first, { left: 150, bottom: 80 }, { x: 200, y: 90 }],
  ])) {
    target.box = box;
    tip.show(target, "d_k = 4", ["one", "n × d_k"], point);
    told(what);
  }
  for (const key of ["a", "Escape", "Escape"]) {
    stage.dispatchEvent(Object.assign(new Event("keydown"), { key }));
    told(key);
  }
  held(context, lines);
});

test("nothing is printed or kept before the walk is there", async () => {
  const walks = /** @type {Loose} */ ({ walked: null, pending: false, steps: () => [] });
  const page = /** @type {Loose} */ ({ settings: {}, figures: { of: () => assert.fail("no figure is asked for") } });
  assert.deepEqual(anatomyOnPaper(page, walks), []);
  assert.deepEqual(new AnatomyPrints({ ...page, settings: { plotly: "plotly.js" } }, walks).withheld(), []);
  const root = document.createElement("div");
  keepAnatomy(root, { ...page, text: keyed, ways: {}, message: {} }, walks);
  const ids = root.querySelectorAll("button").map((/** @type {Loose} */ one) => one.id);
  assert.deepEqual(ids, ["take-link", "take-tables", "take-html"]);
});
