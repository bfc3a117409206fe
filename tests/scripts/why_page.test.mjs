/** Why opened whole: curves that come in parts, markers that move a control, covers over the answer, what leaves the page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { legendBelow } from "../../assets/js/pages/why/legend_below.js";
import { Marker } from "../../assets/js/pages/why/marker.js";
import { Page } from "../../assets/js/pages/why/page.js";
import { PredictionCover } from "../../assets/js/pages/why/prediction_cover.js";
import { WhyPrints } from "../../assets/js/pages/why/prints.js";
import "../../assets/js/pages/why/sweep_stream.js";
import { tabs } from "../../assets/js/pages/why/tabs.js";
import { ChartFigure } from "../../assets/js/figures/chart_figure.js";
import { held } from "./held.mjs";
import {
  chart,
  drawnOn,
  figurePlace,
  figuresOf,
  maps,
  opened,
  question,
  settingsOf,
  standInOpened,
  verdict,
} from "./opened_page.mjs";
import { press } from "./page_stand_in.mjs";

const browser = standInOpened();
const { document, end, last, media, paint, refuse, send, time } = browser;

const SCALES = {
  d_k: { low: 1, high: 1024, whole: true },
  scale: { low: 0.0002, high: 16, whole: false },
  n: { low: 2, high: 128, whole: true },
};

const SETTINGS = settingsOf("why", {
  figures: ["sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics"],
  ...{ cells: ["mechanism-maps"], charts: ["sweep", "mechanism-scores", "temperature", "numerics"] },
  places: ["insight", "predict", "tabs", "take-away", "menus", "control-d_k", "control-scale"],
  scales: SCALES,
  comparisons: {
    mechanisms: { axis: "d_k", reads: ["n", "seed"], open: 1 },
    keys: { axis: "n", reads: ["d_k", "seed"], open: 0 },
  },
  texts: [],
  controls: ["d_k", "n", "scaling", "scale", "curves", "seed", "predict"],
  defaults: { n: 32, d_k: 16, tie: false, scaling: "none", curves: "mechanisms" },
});

const open = (/** @type {Loose[]} */ more = []) =>
  opened(
    browser,
    Page,
    SETTINGS,
    (box) => [
      box("predict"),
      figurePlace("sweep"),
      box(
        "panels",
        ...["mechanism-maps", "mechanism-scores"].map(figurePlace),
        box("numbers", box("tabs"), ...["temperature", "numerics"].map(figurePlace)),
      ),
      box("take-away"),
    ],
    more,
  );

/** Curves in two panels over a logarithmic axis, with the line at the present value in each. @param {number[]} y @param {number} [at] */
const curves = (y, at = 16) => {
  const { data } = chart({ entropy: y, gradient: y });
  return {
    data: data.map((one, i) => ({
      ...one,
      ...(i ? { xaxis: "x2", yaxis: "y2" } : {}),
      x: Float64Array.of(1, 10, 100).slice(0, y.length),
    })),
    layout: {
      ...{ xaxis: { type: "log", range: [0, 3], domain: [0, 0.4], anchor: "y", title: { text: "d_k" } } },
      ...{ xaxis2: { type: "log", range: [0, 3], domain: [0.6, 1], anchor: "y2", title: { text: "d_k" } } },
      ...{
        yaxis: { range: [0, 9], domain: [0, 1], anchor: "x" },
        yaxis2: { range: [0, 9], domain: [0, 1], anchor: "x2" },
      },
      annotations: [
        { name: "title", text: "Entropy", xref: "x domain", yref: "y domain" },
        { name: "title", text: "Gradient of d_k", xref: "x2 domain", yref: "y2 domain" },
      ],
      shapes: ["", "2"].map((n) => ({
        ...{ name: "present", type: "line", xref: `x${n}`, yref: `y${n} domain`, x0: at, x1: at, y0: 0, y1: 1 },
        line: { color: "#000000", width: 1 },
      })),
    },
  };
};

/** The figures of one d_k. @param {number} y @param {Loose} [more] */
const point = (y, more = {}) =>
  figuresOf(
    {
      "mechanism-maps": maps([{ head: 1 }], [2, 2]),
      "mechanism-scores": chart({ scores: [y] }),
      temperature: curves([y, y]),
      numerics: chart({ errors: [y] }),
    },
    { insight: [`point ${y}`], ...more },
  );

/** The markers, the covers and the sliders. @param {Loose} page */
const markers = (page) =>
  ["sweep", "temperature"].flatMap((name) => {
    const { stage } = page.figures.of(name).block;
    const lines = stage.querySelectorAll(".marker").map((/** @type {Loose} */ one) => one.markup);
    return [`${name} marked ${stage.querySelector(".markers").className}`, ...lines];
  });

/** @param {string} selector @param {(one: Loose) => unknown} tell */
const all = (selector, tell) => document.querySelectorAll(selector).map(tell);

/** @param {Loose} page */
const covers = (page) => [
  ...all(".prediction-covers", ({ markup }) => markup),
  `files ${all("#take-away button", ({ id, disabled }) => `${id}${disabled ? " off" : ""}`)} ${document.querySelector(".held")?.textContent}`,
  `panels painted ${new Set(page.figures.chart("sweep").drawn.map((/** @type {Loose} */ { trace }) => trace.name)).size}`,
];

/** Milliseconds until the first, the second and the third try. */
const WAITS = [500, 1000, 2000];

const SLIDERS = ["#value-d_k", "#value-scale"];

test("curves come in parts and are drawn as they come, once for what they depend on; the words of both stand together", async (context) => {
  const one = open(["#insight", "#message .error", drawnOn]);
  await one.begin();
  await last(one.state(), point(1));
  await one.tell("one d_k");
  await time.pass(249);
  await one.tell("not yet busy");
  await time.pass(1);
  await one.tell("the curves take long");
  await send(figuresOf({ sweep: curves([1]) }));
  await one.tell("a first part");
  await send(figuresOf({ sweep: curves([1, 2]) }));
  await last(figuresOf({}, { done: true, insight: ["swept"], summaries: { sweep: "it falls" } }));
  await one.tell("the last part");
  await one.move("d_k", 64);
  await last(one.state(), point(2));
  await one.tell("another d_k needs no other curves");
  await one.move("n", 8);
  await last(one.state(), point(3));
  await one.tell("another n does");
  await one.move("seed", 1);
  await last(one.state(), point(4));
  await one.tell("others are wanted meanwhile");
  await send(figuresOf({ sweep: curves([3]) }));
  await last(figuresOf({}, { done: true, insight: ["swept anew"] }));
  await one.tell("the newest");
  await one.move("curves", "keys");
  await last(one.state(), point(5));
  await last(figuresOf({ sweep: curves([4]) }), figuresOf({}, { done: true, insight: ["over keys"] }));
  await one.tell("curves over n");
  await one.move("seed", 2);
  await last(one.state(), point(6));
  await last(figuresOf({}, { done: true, insight: null }));
  await one.tell("nothing is said of them");
  await one.move("seed", 3);
  await last(one.state());
  await send(figuresOf({ sweep: curves([5]) }));
  await end();
  await one.tell("an answer that breaks off");
  await time.pass(10_000);
  await one.tell("asked again");
  await last(one.state(), point(7));
  await last({ part: "error", message: "too many" });
  await one.tell("a refusal of the curves");
  await time.pass(60_000);
  await one.tell("which is final");
  await one.move("seed", 4);
  await last(one.state(), point(8));
  await last({ part: "error", message: "busy", retry: 3 });
  await one.tell("a passing refusal");
  await time.pass(10_000);
  await one.tell("asked once more");
  held(context, one.lines);
});

test("curves that break off are asked for later and later, and sooner again once they have come", async () => {
  const one = open();
  await one.begin();
  const waits = /** @type {number[]} */ ([]);
  const asks = () => browser.heard.splice(0).some((line) => line.startsWith("asks page/why “"));
  /** Let the curves break off, and wait until the page asks again. */
  const broken = async () => {
    await last(one.state(), point(1));
    await end();
    browser.heard.splice(0);
    let waited = 0;
    while (!asks() && waited < 60_000) {
      await time.pass(250);
      waited += 250;
    }
    waits.push(waited);
  };
  for (let i = 0; i < 3; i += 1) await broken();
  await last(one.state(), point(1));
  await last(figuresOf({}, { done: true, insight: [] }));
  await one.move("seed", 7);
  await broken();
  assert.equal(waits[3], waits[0]);
  assert.deepEqual(waits.slice(0, 3), WAITS);
});

test("the sentences of a sweep come before those of its d_k, or change alone", async (context) => {
  const one = open(["#insight"]);
  await one.begin();
  await send(one.state());
  await last(figuresOf({ sweep: curves([1]) }), figuresOf({}, { done: true, insight: ["swept"] }));
  await one.tell("the sweep came first");
  await last(point(1));
  await one.tell("then its d_k");
  await one.move("seed", 1);
  await send(one.state());
  await last(figuresOf({}, { done: true, insight: ["swept"] }));
  await one.tell("the same is said");
  await last(point(2));
  await one.tell("of another d_k");
  media("(max-width: 700px)").turn(true);
  await last(one.state(), point(3));
  await one.tell("a narrow page asks for curves of its own");
  await last(figuresOf({}, { done: true, insight: ["narrow"] }));
  await one.tell("its words");
  held(context, one.lines);
});

test("a control moves the markers, and a moved factor becomes one's own; a drag asks for little", async (context) => {
  const one = open([...SLIDERS, markers, "#figure-mechanism-maps .brief"]);
  await one.begin();
  await one.move("d_k", 8);
  await last(one.state(), point(1), figuresOf({}));
  await last(figuresOf({ sweep: curves([1, 2, 3]) }), figuresOf({}, { done: true, insight: ["swept"] }));
  await one.tell("curves");
  for (const [name, value] of [
    ["d_k", 64],
    ["scale", 1],
    ["scaling", "sqrt_d_k"],
    ["scale", 0.125],
    ["scaling", "d_k"],
    ["scale", 0.5],
    ["scale", 0.25],
    ["d_k", 64],
  ]) {
    await time.pass(1000);
    await one.move(String(name), value);
    await last(one.state(), point(1));
  }
  await one.tell("at rest");
  for (const [name, value] of [
    ["d_k", 32],
    ["scale", 2],
    ["n", 5],
  ]) {
    await one.move(String(name), value);
    await last(one.state(), point(1));
  }
  await time.pass(180);
  await one.tell("it rests");
  await time.pass(1000);
  const press = (/** @type {string} */ where, /** @type {string} */ key) => one.after(key, where, "keydown", { key });
  await press("#figure-sweep [role=slider]", "PageUp");
  await last(one.state(), point(1));
  await time.pass(1000);
  await press("#figure-temperature [role=slider]", "Home");
  await last(one.state(), point(1));
  await press("#control-d_k input[type=range]", "End");
  await press("#control-scale input[type=range]", "End");
  await last(one.state(), point(1));
  await time.pass(1000);
  await one.move("curves", "keys");
  await last(one.state(), point(1));
  await last(figuresOf({ sweep: curves([1, 2, 3]) }), figuresOf({}, { done: true, insight: [] }));
  await one.tell("curves over n");
  await press("#figure-sweep [role=slider]", "Home");
  await last(one.state(), point(1));
  await last(figuresOf({ sweep: curves([1, 2, 3]) }), figuresOf({}, { done: true, insight: [] }));
  await one.move("curves", "mechanisms");
  await last(one.state(), point(1));
  await last(figuresOf({ sweep: curves([1, 2, 3]) }), figuresOf({}, { done: true, insight: [] }));
  await one.tell("curves over d_k again");
  await press("#figure-sweep [role=slider]", "End");
  held(context, one.lines);
});

test("a question covers all panels that answer it, its files wait, and a verdict or a refusal lifts the covers", async (context) => {
  const one = open(["#predict", "#insight", covers, drawnOn]);
  await one.begin();
  await last(one.state(), point(1));
  await last(figuresOf({ sweep: curves([1, 2, 3]) }), figuresOf({}, { done: true, insight: ["swept"] }));
  await one.tell("curves");
  await one.after("a question is opened", "#predict-open");
  await last(one.state(), question());
  await one.tell("asked");
  await one.after("an answer", "#predict [value=one]", "change");
  await one.after("revealed", "#predict-reveal");
  await send(figuresOf({ sweep: curves([1, 2]) }));
  await one.tell("its curves grow");
  await last(verdict(), figuresOf({}, { done: true, insight: ["swept"] }));
  await one.tell("the verdict");
  await one.after("once more", "#predict-again");
  await one.after("declined", "#prediction-cover-lift");
  await last(one.state(), point(2));
  await one.tell(`all is shown, focus ${document.activeElement?.getAttribute("role")}`);
  await one.after("opened again", "#predict-open");
  await last(one.state(), question({ about: "another" }));
  await one.after("another answer", "#predict [value=two]", "change");
  refuse("page/why/curves", new Response(JSON.stringify({ message: "no curves" }), { status: 400 }));
  await one.after("revealed, in vain", "#predict-reveal");
  await one.tell("it may be tried again");
  await one.move("curves", "keys");
  await last(one.state(), question({ about: "keys" }));
  await one.tell("a question that leaves no panel open");
  one.page.leader.could = () => false;
  await one.after("declined while a class is led", "#prediction-cover-lift");
  held(context, one.lines);
});

/** A chart with a marker, as large as a stage. @param {Loose} [layout] */
function marked(layout = curves([1, 2, 3]).layout) {
  const stage = document.createElement("div");
  document.body.replaceChildren(stage);
  const figure = /** @type {Loose} */ (new ChartFigure(stage));
  /** @type {string[]} */
  const moves = [];
  const marker = /** @type {Loose} */ (
    new Marker(/** @type {Loose} */ (stage), figure, SCALES.d_k, "d_k", (value) => void moves.push(String(value)))
  );
  const draw = (/** @type {Loose} */ shown = { ...curves([1, 2, 3]), layout }) => figure.draw(shown, {});
  const told = (/** @type {string} */ what) => {
    const words = figure.words.root.children.map(
      (/** @type {Loose} */ one) => `${one.textContent}${one.style.visibility ? " hidden" : ""}`,
    );
    return [
      `${what}: ${moves.splice(0)}`,
      ...marker.layer.children.map((/** @type {Loose} */ one) => one.markup),
      `top ${marker.layer.style.top} ${marker.layer.className}; words ${words.join(", ")}`,
    ];
  };
  return { stage, figure, marker, moves, draw, told };
}

test("a marker stands at the value on every panel, over no word, and only where its panel is", (context) => {
  const { figure, marker, draw, told } = marked();
  /** @type {string[]} */
  const lines = [];
  lines.push(...told("made"));
  marker.show(16);
  lines.push(...told("before a drawing"), `${figure.replaced} ${marker.shapes.length}`);
  draw();
  lines.push(...told("drawn"));
  for (const value of [1, 2, 9.5, 100, 1000, 1010, 5000, 0.5]) {
    marker.show(value);
    lines.push(...told(`at ${value}`));
  }
  marker.sign.hidden = true;
  marker.show(10);
  lines.push(...told("its value is out of sight"));
  marker.sign.hidden = false;
  marker.stand(SCALES.scale, "factor", () => {});
  lines.push(...told("another control"), String(marker.value));
  marker.show(0.125);
  marker.show(12.5);
  lines.push(...told("its value"));
  const { shapes } = curves([1]).layout;
  lines.push(JSON.stringify(marker.standing([...shapes, { name: "other", x0: 1 }])));
  marker.value = null;
  lines.push(JSON.stringify(marker.standing(shapes).map((/** @type {Loose} */ { x0, x1 }) => [x0, x1])));
  draw({
    ...curves([1, 2, 3]),
    layout: { ...curves([1]).layout, shapes: [{ name: "present", xref: "x9", yref: "y9" }] },
  });
  marker.show(10);
  lines.push(...told("a panel that is not there"));
  draw({ ...curves([1, 2, 3]), layout: { ...curves([1]).layout, shapes: [] } });
  lines.push(...told("no line"));
  held(context, lines);
});

test("a marker is dragged along its panel to values that the control has, and moved by keys", (context) => {
  const { figure, marker, draw, told } = marked();
  /** @type {string[]} */
  const lines = [];
  draw();
  marker.show(16);
  const [first, second] = marker.lines;
  for (const line of [first, second]) line.setPointerCapture = () => {};
  figure.area.box = { left: 7, top: 0, width: 400, height: 300 };
  const hear = (
    /** @type {string} */ what,
    /** @type {Loose} */ line,
    /** @type {string} */ kind,
    /** @type {Loose} */ more = {},
  ) => {
    const { defaultPrevented } = press(line, kind, { button: 0, buttons: 1, pointerId: 1, ...more });
    lines.push(
      ...told(`${what}${defaultPrevented ? " (taken)" : ""}${document.activeElement === first ? " focused" : ""}`),
    );
  };
  hear("moved without a press", first, "pointermove", { clientX: 60, buttons: 0 });
  hear("pressed", first, "pointerdown", { clientX: 60 });
  for (const clientX of [60, 61, 90, -50, 900]) hear(`moved to ${clientX}`, first, "pointermove", { clientX });
  hear("let go", first, "pointerup");
  document.body.focus();
  hear("the second panel", second, "pointerdown", { clientX: 300 });
  hear("moved there", second, "pointermove", { clientX: 300 });
  hear("broken off", second, "pointercancel");
  for (const more of [
    { key: "ArrowRight" },
    { key: "PageDown" },
    { key: "Home" },
    { key: "a" },
    { key: "End", ctrlKey: true },
    { key: "End", altKey: true },
    { key: "End", metaKey: true },
    { key: "End" },
  ]) {
    hear(JSON.stringify(more), first, "keydown", more);
  }
  hear("a key on the second", second, "keydown", { key: "Home" });
  marker.value = null;
  hear("a key without a value", first, "keydown", { key: "Home" });
  marker.value = 16;
  draw({
    ...curves([1, 2, 3]),
    layout: {
      ...curves([1]).layout,
      shapes: [
        { name: "present", xref: "x9", yref: "y9" },
        { name: "present", xref: "x9", yref: "y9" },
      ],
    },
  });
  hear("pressed where no panel is", first, "pointerdown", { clientX: 60 });
  hear("moved there", first, "pointermove", { clientX: 90 });
  held(context, lines);
});

test("two figures share a place, chosen by a button each that says what its figure is called", (context) => {
  const place = document.createElement("div");
  const figures = ["Temperature", ""].map((title) => {
    const root = document.createElement("div");
    if (title) root.append(Object.assign(document.createElement("h2"), { textContent: title }));
    return { root };
  });
  tabs(/** @type {Loose} */ (place), /** @type {Loose} */ (figures), ["curve", "numbers"]);
  const told = () => `${/** @type {Loose} */ (place).markup} ${figures.map(({ root }) => `“${root.className}”`)}`;
  const lines = [told()];
  for (const i of [1, 1, 0]) {
    place.children.item(i).click();
    lines.push(told());
  }
  held(context, lines);
});

test("covers stand over the panels that answer, beside each other, and follow the chart; what was covered comes back", (context) => {
  const { figure, stage, draw } = marked();
  const takes = document.createElement("div");
  takes.append(Object.assign(document.createElement("button"), { id: "take-html" }));
  const roots = [document.createElement("i"), document.createElement("b")];
  let lifted = 0;
  const cover = /** @type {Loose} */ (
    new PredictionCover(
      /** @type {Loose} */ (roots),
      stage,
      figure,
      takes,
      (key) => key,
      () => (lifted += 1),
    )
  );
  const told = (/** @type {string} */ what) => [
    `${what}: ${roots.map((one) => one.className)} files ${takes.children[0].disabled} painted ${figure.drawn.length}`,
    cover.sheets.markup,
  ];
  /** @type {string[]} */
  const lines = [
    stage.children
      .slice(1)
      .map((/** @type {Loose} */ one) => one.markup)
      .join(""),
  ];
  draw();
  lines.push(...told("drawn"));
  cover.show(true);
  lines.push(...told("covered"));
  cover.open = 0;
  cover.show(true);
  lines.push(...told("all covered"));
  draw();
  lines.push(...told("drawn once more"));
  cover.show(false);
  lines.push(...told("lifted"));
  cover.sheets.replaceChildren();
  draw();
  lines.push(...told("nothing is covered"));
  cover.skip.click();
  held(context, [...lines, `${cover.skip.markup} lifted ${lifted}`]);
});

test("presented, the legend of the factor's curves stands below the maps", async (context) => {
  const where = () => {
    const legends = document.querySelectorAll(".legends");
    const legend = one.page.figures.chart("temperature").legend.root;
    const { parent } = legend;
    return [
      `${legends[0].hidden ? "hidden" : "seen"} ${legends[0].children.length}`,
      `legend in ${parent.className}, first ${parent.children[0] === legend}`,
    ];
  };
  const one = open([where]);
  await one.begin();
  await last(one.state(), point(1));
  const look = (/** @type {Loose} */ more) => one.page.presenter.show({ ...one.page.presenter.look, ...more });
  const { stage } = one.page.figures.of("mechanism-maps").block;
  for (const [what, work] of /** @type {[string, () => unknown][]} */ ([
    ["presented", () => look({ present: 1 })],
    ["narrow", () => media("(max-width: 700px)").turn(true)],
    ["wide", () => media("(max-width: 700px)").turn(false)],
    ["one stands alone", () => look({ focus: "numerics" })],
    ["no more", () => look({ focus: "" })],
    ["maps out of sight", () => ((stage.hidden = true), look({}))],
    [
      "maps in sight, and the curves are drawn",
      () => ((stage.hidden = false), one.page.figures.chart("temperature").after.at(-1)()),
    ],
    ["not presented", () => look({ present: 0 })],
  ])) {
    work();
    await one.tell(what);
  }
  legendBelow(one.page);
  await one.tell("once");
  held(context, one.lines);
});

test("prints and files have the markers where the page has them", async () => {
  const one = open();
  await one.begin();
  await last(one.state(), point(1));
  await last(figuresOf({ sweep: curves([1, 2, 3], 7) }), figuresOf({}, { done: true, insight: [] }));
  await paint();
  const lines = (/** @type {Loose} */ drawing) =>
    drawing.layout.shapes?.map((/** @type {Loose} */ { x0, x1 }) => [x0, x1]);
  const { prints } = one.page;
  assert.deepEqual(lines(prints.onPaper("sweep")), [
    [16, 16],
    [16, 16],
  ]);
  assert.deepEqual(lines(await prints.standing("sweep")), [
    [16, 16],
    [16, 16],
  ]);
  assert.deepEqual(lines(prints.onPaper("temperature")), [
    [1, 1],
    [1, 1],
  ]);
  assert.equal(lines(prints.onPaper("numerics")), undefined);
  assert.equal(lines(await prints.standing("numerics")), undefined);
  const unmarked = new WhyPrints(one.page, () => ({}));
  assert.deepEqual(lines(unmarked.onPaper("sweep")), [
    [7, 7],
    [7, 7],
  ]);
  assert.deepEqual(lines(await unmarked.standing("sweep")), [
    [7, 7],
    [7, 7],
  ]);
});
