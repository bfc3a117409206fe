/** The Model page played whole, as its visitors use it: what it shows, asks for and says after each press and each answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelPrints } from "../../assets/js/pages/model/prints.js";
import { Page } from "../../assets/js/pages/model/page.js";
import { ReadLines } from "../../assets/js/pages/model/read_lines.js";
import { unread } from "../../assets/js/pages/model/unread.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { focusedOne, keyed, settled, standIn, StandIn, Time } from "./stand_in.mjs";
import { livePage, packed, partOf, place, press, standInPage, Told, valued } from "./page_stand_in.mjs";

const { document, window, location } = standIn();
standInDrawing(document);
standInPage(document);
const time = new Time();
/** What waits for the next picture on the screen. @type {(() => void)[]} */
const frames = [];
const nothing = { matches: false, addEventListener: () => {} };
Object.assign(window, { devicePixelRatio: 1 });
Object.assign(document, { hidden: true }); // but for one test: figures wait for no frame in a hidden tab
Object.assign(StandIn.prototype, { naturalWidth: 8, naturalHeight: 4, scrollTo() {} });
Object.assign(StandIn.prototype, { offsetLeft: 10, offsetWidth: 40, clientHeight: 60 });
Object.assign(globalThis, {
  ...{ Node: StandIn, matchMedia: () => nothing, devicePixelRatio: 1, HTMLInputElement: StandIn },
  requestAnimationFrame: (/** @type {() => void} */ then) => frames.push(then),
  cancelAnimationFrame: () => {},
  MutationObserver: class {
    observe() {}
  },
});
const painted = () => {
  for (let times = 0; times < 3; times += 1) for (const then of frames.splice(0)) then();
};

const SCALE = [[0, "#ffffff"], [1, "#000000"]]; // prettier-ignore
const FIGURES = [
  ...["model-heads", "head-scatter", "model-says", "head-map"],
  ...["head-picture", "picture-reads", "why-read", "moved-heads"],
];
const DEFAULTS = {
  ...{
    model: "small",
    text: "le chat",
    target: "",
    pictures: "cat",
    sound: "lion",
    layer: 1,
    head: 1,
    row: null,
    key: -1,
  },
  ...{ overview: "grid", sort: "layer", only: "all", least: 1, x: "entropy", y: "sink", cost: "none", over: "text" },
  ...{ other: "", answer: "", patch: "heads", patch_at: "", changes: "", against: "", texts: "", by: "auto" },
  ...{ shows: "weights", key_figure: "why", predict: false, question: "any", lang: "en", page: "model" },
  ...{ present: 0, hide: "", focus: "" },
};
const CONTROLS = ["text", "target", "model", "overview", "over", "cost", "other", "answer", "patch", "patch_at"];
const SETTINGS = {
  ...{ page: "model", first: "explore", defaults: DEFAULTS, seedMaximum: 9, plotly: "plotly.js", versions: {} },
  texts: ["text", "target"],
  controls: [...CONTROLS, "sort", "only", "least", "x", "y", "key_figure", "shows"],
  ...{
    figures: FIGURES,
    cells: ["head-map"],
    charts: ["head-scatter", "moved-heads"],
    viewing: ["layer", "row", "key"],
  },
  ...{ templates: { light: { name: "light" }, dark: { name: "dark" } }, colours: { weights: SCALE } },
  paper: { "#ffffff": [[0, "#ffffff"], [1, "#0000ff"]] }, // prettier-ignore
  ...{
    pictures: { cat: "cat.png", dog: "dog.png" },
    pictureLimit: 10,
    mostPictures: 2,
    sounds: ["lion"],
    soundLimit: 9,
  },
  ...{ weightsLimit: 9, patchExamples: { "": { text: "a", other: "b", answer: "c" } }, parts: [], lesson: [] },
  ...{ changeKinds: {}, own: [], leaves: [], reach: { bounds: {} }, presets: {}, prefix: "headlight" },
};
const NUMBER = { low: 0, high: 9, first: null, keys: false, open: false };
for (const [kind, slot] of [
  ...["factor", "qk_norm", "softcap", "log_n", "hide"].map((one) => [one, one]),
  ...["softmax", "sink", "sigmoid", "entmax"].map((one) => [one, "weights"]),
  ...["causal", "full"].map((one) => [one, "mask"]),
  ...["mean", "mute", "uniform", "replace"].map((one) => [one, "head"]),
]) {
  Object.assign(SETTINGS.changeKinds, { [kind]: { ...NUMBER, slot } });
}

/** @param {string[]} tokens @param {Loose} [more] @returns {Loose} */
const line = (tokens, more = {}) => ({
  ...{ name: "text", tokens, seconds: 0, written: 0, cut: false, grids: [], end: "", forms: [], ids: [], stands: [] },
  ...more,
});

const HEADS = [[1, 1], [1, 2], [2, 1], [2, 2]]; // prettier-ignore

/** What the server says of a model of two layers with two heads each. @param {Loose} [more] @returns {Loose} */
const shown = (more = {}) => ({
  ...{
    lines: [line(["le", "chat"])],
    between: [0, 0],
    reads: [0, 0],
    takes: ["text"],
    written: false,
    whole: 2,
    room: 0,
  },
  ...{
    longer: false,
    runs: true,
    opens: true,
    layers: 2,
    parts: [],
    heads: HEADS,
    measuring: null,
    order: [0, 1, 2, 3],
  },
  ...{ labels: ["", "previous token", "", ""], costs: new Float32Array(0), costing: null, texts: [], changes: [] },
  ...{ against: [], values: [], maps: Uint8Array.of(0, 255, 100, 254, 0, 255, 50, 54, 0, 255, 1, 2, 0, 255, 3, 4) },
  ...{ sides: [[2, 2], [2, 2]], covered: [], masked: 255, layer: 1, head: 1, row: 1, key: -1, locked: false }, // prettier-ignore
  ...{ weights: Float32Array.of(1, NaN, 0.25, 0.75), shows: "weights", mapped: null, shape: [2, 2], windows: null },
  ...{ window: null, pictures: [], heard: null, measures: ["entropy", "sink"], readMean: new Float32Array(0) },
  ...{ readHead: new Float32Array(0), absent: ["head-picture", "picture-reads"], ...more },
});

/** A chart whose two points stand for heads. @param {Loose} meta @returns {Loose} */
const chart = (meta) => ({
  data: [
    {
      ...{ type: "scatter", mode: "markers", x: [0.25, 0.75], y: [0.5, 0.5], xaxis: "x", yaxis: "y", meta },
      ...{ hovertemplate: "a", marker: { size: 9, color: "#000000" } },
    },
  ],
  layout: { xaxis: { range: [0, 1] }, yaxis: { range: [0, 1] } },
});

/** A part that draws one figure. @param {string} name @param {Loose} drawing @param {Loose} [more] of its header */
function figure(name, drawing, more = {}) {
  const { entry, blocks } = packed(drawing);
  return partOf({ part: "figures", drawings: { [name]: entry }, tables: {}, summaries: {}, ...more }, blocks);
}

/** Return a link without what is at its default. @param {[string, unknown][]} values */
const differing = (values) =>
  String(
    new URLSearchParams(
      values
        .map(([name, value]) => [name, String(value)])
        .filter(([name, value]) => value !== String(Reflect.get(DEFAULTS, name))),
    ),
  );

/** The Model page in a document of its own, whose server the test plays. @param {Loose} [values] of its link */
function opened(values = {}) {
  const root = place();
  location.search = "";
  const html = /** @type {Loose} */ (document).documentElement;
  html.className = "";
  const made = (/** @type {string} */ id, /** @type {Loose[]} */ ...inside) => {
    const one = /** @type {Loose} */ (document.createElement("div"));
    one.id = id;
    one.append(...inside);
    return one;
  };
  const figures = FIGURES.map((name) => Object.assign(made(`figure-${name}`), { className: "figure-place" }));
  const names = ["insight", "predict", "model-text", "head-page", "control-pictures", "control-sound", "take-away"];
  const others = ["control-changes", "models-place", "run", "measure-run", "cost-run", "menus", "message", "messenger"];
  const places = Object.fromEntries([...names, ...others].map((id) => [id, { element: made(id), trigger: () => {} }]));
  const controls = SETTINGS.controls.map((name) => {
    const inputs = ["entropy", "sink", "layer", "weight", "least", "all"].map((value) => {
      const label = /** @type {Loose} */ (document.createElement("label"));
      label.append(Object.assign(/** @type {Loose} */ (document.createElement("input")), { value, type: "radio" }));
      return label;
    });
    return made(`control-${name}`, ...inputs);
  });
  const main = Object.assign(made("model", made("figures", made("one-head", ...figures))), { className: "page" });
  root.append(main, ...Object.values(places).map(({ element }) => element), ...controls);
  const figureOf = (/** @type {string} */ name) => root.querySelector(`#figure-${name}`);
  const said = (/** @type {Loose} */ one) => `${one.className}${one.hidden ? " hidden" : ""}`;
  const short = (/** @type {string} */ id) => {
    const { element: one } = places[id];
    const text = one.querySelector(".changes-made")?.textContent ?? one.textContent; // its controls have a test of their own
    const hidden = one.all().filter((/** @type {Loose} */ child) => child.hidden);
    return `<i>#${id} ${said(one)} | ${text} | ${hidden.map(said).join(", ")}</i>`;
  };
  const look = {
    get markup() {
      const classes = [html, main, root.querySelector("#figures")].map((each) => each.className);
      const all = figures.map((one) => {
        const { painted: at, error } = one.dataset;
        const brief = one.querySelector(".brief")?.textContent ?? "";
        const instead = one.querySelector(".instead")?.textContent ?? "";
        return `<i>${one.id} ${one.className} | ${at ?? "unpainted"} ${error ?? ""} | ${brief} ${instead}</i>`;
      });
      const off = controls.filter((one) => one.classList.contains("not-now")).map(({ id }) => id.slice(8));
      const controlled = ["control-pictures", "control-sound", "control-changes"];
      const parts = ["predict", ...controlled, "run", "measure-run", "cost-run", "head-page", "message"];
      const below = [".below-map", ".below-picture"].map((one) => root.querySelector(one)?.markup ?? "");
      const whole = [places["model-text"].element.markup, ...below, root.querySelector(".small-maps")?.markup ?? ""];
      return `<i>page ${classes.join(" | ")}</i>${all.join("")}<i>without effect: ${off.join(" ")}</i>${parts.map(short).join("")}${whole.join("")}`;
    },
  };
  const told = new Told(look);
  const { page: played, send, last, end } = livePage(told, {}, {});
  const one = /** @type {Loose} */ (
    new Page(
      /** @type {Loose} */ ({ ...SETTINGS, defaults: { ...DEFAULTS, ...values } }),
      /** @type {Loose} */ ({
        texts: { lang: "en", of: (/** @type {string} */ key) => key },
        later: () => ({ head: async () => ({ draw: () => told.story.push("draws the page of the head") }) }),
      }),
    )
  );
  const { page } = one;
  page.text = keyed;
  page.server = played.server;
  const { tell } = page.controls;
  page.controls.tell = () => {
    told.story.push("tells the controls");
    tell.call(page.controls);
  };
  page.message.build(places.message.element);
  page.figures.build(
    Object.fromEntries(FIGURES.map((name) => [`figure-${name}`, { element: figureOf(name) }])),
    keyed,
    () => {},
  );
  page.answers.telling.build(places.insight.element);
  one.build(places);
  page.controls.build(places.messenger);
  for (const name of ["head-scatter", "moved-heads"]) {
    const { area } = page.figures.chart(name);
    Object.assign(area, { clientWidth: 400, clientHeight: 300, box: { left: 10, top: 20, width: 400, height: 300 } });
  }
  /** What the server is asked for, without what every request has. */
  const ask = page.server.ask;
  page.server.ask = (/** @type {string} */ path, /** @type {Loose} */ body, /** @type {Loose[]} */ ...rest) => {
    const { query = "", theme, columns, address, known, ...more } = body;
    if (more.asked) more.asked = more.asked.split(" ")[0]; // the rest is a time
    return ask(path, { ...more, query: differing([...new URLSearchParams(query)]) }, ...rest);
  };
  /** Answer with a state and what is shown of it. @param {Loose} controls what differs from the wish @param {Loose[]} parts */
  const answer = async (controls, ...parts) => {
    const agreed = { ...page.state.values, ...controls };
    await last({ part: "state", query: differing(Object.entries(agreed)), controls: agreed, notices: [] }, ...parts);
    painted();
    await time.pass(1000);
  };
  return { one, page, root, places, told, send, last, end, answer, figureOf };
}

/** @param {Loose} root @param {string} head */
const mapOf = (root, head) => root.querySelector(`.small-maps [data-head="${head}"]`);

test("a text and all heads of a model: each press chooses, locks, previews or looks for heads, and is asked for", async (context) => {
  const { page, root, places, told, answer, figureOf } = opened();
  told.now("built");
  const offers = places["take-away"].element
    .querySelectorAll("button")
    .map((/** @type {Loose} */ one) => one.textContent);
  assert.deepEqual(offers, ["link", "tables", "html", "snippet", "npz"].map((one) => `export.${one}`)); // prettier-ignore
  const menus = places.menus.element.children.map((/** @type {Loose} */ one) => one.id || one.className);
  assert.deepEqual(menus, ["lessons-open", "menu takes", "menu room", "help-open"]);
  void page.updates.open();
  await settled();
  told.now("asked");
  const drawing = chart({ heads: HEADS.slice(2) });
  await answer(
    {},
    valued("model", shown()),
    figure("head-scatter", drawing, { briefs: { "head-scatter": ["two heads"], "why-read": [] }, instead: { "why-read": ["nothing"] } }),
    figure("moved-heads", chart({ layer: 2 })),
  ); // prettier-ignore
  told.now("the first answer");
  const dots = root.querySelector(".dots");
  assert.deepEqual([dots.getAttribute("role"), dots.ariaLabel], ["group", "page.panels"]);
  assert.deepEqual(
    dots.children.map((/** @type {Loose} */ dot) => dot.ariaLabel),
    FIGURES.map((name) => `figure.${name.replaceAll("-", "_")}.title`),
  );
  assert.deepEqual(page.figures.labels, ["le", "chat"]);
  assert.equal(page.figures.drawn.get("model-heads"), null, "a script paints it: it is in prints and files");
  const marked = () => page.figures.of("head-map").living.marks.rows.locked;
  assert.equal(marked(), null);
  const tokens = () => places["model-text"].element.querySelectorAll(".token");
  tokens()[0].onpointerenter({ pointerType: "mouse" });
  told.now("a token is pointed at");
  await told.after("the pointer leaves", root.querySelector(".token-strip"), "pointerleave");
  const { onCell, onClick } = page.figures.rules.reactions("head-map");
  assert.deepEqual(page.figures.rules.reactions("head-scatter"), {});
  onCell({ row: 0, column: 0 });
  told.now("a cell is pointed at");
  onCell({ row: 0, column: 1 });
  told.now("a forbidden one");
  onCell(null);
  told.now("none");
  await told.after("a token is pressed", tokens()[0]);
  await answer({}, valued("model", shown({ locked: true, row: 0 })));
  told.now("it is locked");
  assert.equal(marked(), 0);
  await told.after("the same again", tokens()[0]);
  await answer({}, valued("model", shown()));
  onClick({ row: 1, column: 0 });
  await settled();
  told.now("a cell is pressed");
  await answer({}, valued("model", shown({ locked: true, key: 0 })));
  told.now("it is locked");
  onClick({ row: 1, column: 1 });
  await settled();
  told.now("another cell of its row");
  await answer({}, valued("model", shown({ locked: true, key: 1 })));
  onClick({ row: 1, column: 1 });
  await settled();
  told.now("the same cell: it is free");
  await answer({}, valued("model", shown()));
  onClick({ row: 1, column: 1 });
  await settled();
  await answer({}, valued("model", shown({ locked: true, key: 1 })));
  await told.after("the token of a locked cell's row: it is free", tokens()[1]);
  await answer({}, valued("model", shown()));
  onClick({ row: 1, column: 1 });
  await settled();
  await answer({}, valued("model", shown({ locked: true, key: 1 })));
  told.now("locked once more");
  await told.after("heads are looked for", root.querySelector(".find-heads"));
  await answer(
    {},
    valued("model", shown({ locked: true, key: 1, order: [2, 0], values: { 2: ["0.5", "it reads 0.5"] } })),
  );
  told.now("two are found");
  root.querySelector(".find-heads").focus();
  await told.after("one of them", mapOf(root, "2.1"));
  await answer({}, valued("model", shown({ layer: 2, locked: true, key: 1 })));
  told.now(`it is chosen, the button keeps the focus: ${focusedOne() === root.querySelector(".find-heads")}`);
  await told.after("the order of the model again", root.querySelector(".find-heads"));
  await answer({}, valued("model", shown({ layer: 2, locked: true, key: 1 })));
  await told.after("a head", mapOf(root, "1.2"));
  await answer({}, valued("model", shown({ head: 2 })));
  const mute = root.querySelector(".open-in .mute-head");
  mute.focus();
  await told.after("muted", mute);
  await answer(
    {},
    valued("model", shown({ head: 2, changes: [{ written: "mute@1.2", said: "1.2 mute", overruled: false }] })),
  );
  told.now(`it is mute, the button keeps the focus: ${focusedOne() === root.querySelector(".open-in .mute-head")}`);
  page.controls.heard("overview", ["scatter"]);
  await settled();
  told.now("the scatter");
  await answer({}, valued("model", shown({ head: 2 })));
  const { area } = page.figures.chart("head-scatter");
  const panel = page.figures.chart("head-scatter").panels[0];
  const at = (/** @type {number} */ x) => ({ clientX: 10 + panel.across.pixel(x), clientY: 20 + panel.up.pixel(0.5) });
  await told.after("beside the points", area, "click", at(0.5));
  await told.after("a point", area, "click", at(0.75));
  await answer({}, valued("model", shown({ layer: 2, head: 2 })));
  await told.after("too far from a point", area, "click", { clientX: at(0.75).clientX, clientY: 25 });
  await told.after("a point of the other chart", page.figures.chart("moved-heads").area, "click", at(0.25));
  await answer({}, valued("model", shown({ layer: 2 })));
  void page.updates.again();
  await settled();
  await answer({}, valued("model", shown({ layer: 2 })), figure("moved-heads", chart({})));
  await told.after("a point that is no head's", page.figures.chart("moved-heads").area, "click", at(0.25));
  for (const [cost, nats] of Object.entries({ mute: 2, noise: 3 })) {
    const costs = { costs: Float32Array.of(0.5, 0, -1, nats), values: [["0.5", "it reads 0.5"]] };
    page.controls.heard("cost", [cost]);
    await settled();
    await answer({}, valued("model", shown(costs)));
    const titles = root.querySelectorAll(".small-maps button").map((/** @type {Loose} */ one) => one.title);
    told.now(`costs by ${cost}: ${titles.join(" | ")}`);
  }
  const seven = Array.from({ length: 7 }, (_, one) => [1, one + 1]);
  void page.updates.again();
  await settled();
  const many = { heads: seven, labels: ["local", ...Array(6).fill("")], order: [0, 1, 2, 3, 4, 5, 6], layers: 1 };
  await answer({}, valued("model", shown({ ...many, sides: [[1, 1]], maps: new Uint8Array(7) }))); // prettier-ignore
  assert.equal(root.querySelector(".small-maps-ringed").textContent, "model.ringed");
  told.now(`the end, the charts: ${figureOf("head-scatter").className} ${figureOf("model-heads").className}`);
  held(context, told.lines);
});

test("another text or model has other keys and heads, and nothing is asked before the server has read the link", async (context) => {
  const { page, root, told, answer, last } = opened();
  page.figures.rules.reactions("head-map").onCell({ row: 0, column: 0 });
  void page.updates.open();
  page.controls.heard("text", ["too early"]);
  page.figures.rules.reactions("head-map").onClick({ row: 0, column: 0 });
  await settled();
  told.now("before an answer");
  const locked = { row: 1, key: 1, layer: 2, head: 2, changes: "mute@1.2", against: "factor:2" };
  const model = shown({ layer: 2, head: 2, locked: true, key: 0 });
  await answer(locked, valued("model", model));
  told.now("a locked cell");
  const hear = async (/** @type {string} */ name, /** @type {Loose} */ value) => {
    page.controls.heard(name, [value]);
    await settled();
    const { row, key, layer, head, changes, against } = page.state.values;
    told.lines.push(
      `## ${name} ${value}: ${JSON.stringify({ row, key, layer, head, changes, against })}`,
      ...told.story.splice(0),
    );
    await last({ part: "error", message: "no" });
    page.state.values = { ...page.state.values, ...locked, sort: "layer" };
    told.story.splice(0);
  };
  for (const value of ["le chat", "un chien"]) await hear("text", value);
  for (const value of ["entropy", "weight"]) await hear("sort", value);
  for (const [name, value] of Object.entries({ target: "a dog", model: "large", cost: "mute", least: null })) {
    await hear(name, value);
  }
  told.now("refused, and what stands is old");
  await told.after("opened", root.querySelector("#models-open"));
  const choice = {
    name: "listed",
    label: "A model",
    takes: "text",
    here: true,
    loaded: true,
    megabytes: 9,
    to_fetch: 0,
  };
  const more = { licence: "MIT", enough: 200, problem: "", fits: true, shown: true };
  await last(valued("models", { models: [{ ...choice, ...more }], offered: false, network: "there" }));
  await told.after(
    "chosen from the list",
    /** @type {Loose} */ (document).querySelector("#models .models-list button"),
  );
  assert.equal(page.state.values.model, "listed");
  assert.equal(page.text("model.head", { head: 1 }), "model.head 1");
  held(context, told.lines);
});

test("a model that is not there is offered, with the places of its heads; one that stands is marked as another's", async (context) => {
  const { page, root, told, answer, last, end } = opened();
  void page.updates.open();
  await settled();
  const lacks = {
    megabytes: 900,
    here: true,
    key: "model.unloaded",
    takes: "text",
    layers: 2,
    h: 3,
    licence: "",
    auto: false,
  };
  await answer({}, valued("unloaded", { ...lacks, model: "small" }));
  told.now("not there");
  await answer({}, valued("model", shown()));
  void page.updates.again();
  await settled();
  const measured = { costing: { seconds: 2, heads: 4, refused: "" }, measuring: "it is large" };
  await answer({}, valued("model", shown({ ...measured, texts: ["english"] })));
  told.now("it came");
  page.controls.heard("model", ["seeing"]);
  await settled();
  await answer({}, valued("unloaded", { ...lacks, model: "seeing", takes: "picture", layers: 9, h: 9 }));
  told.now("another, which sees");
  page.controls.heard("model", ["other"]);
  await settled();
  await answer({}, valued("unloaded", { ...lacks, model: "other" }));
  told.now("a third, of texts");
  page.controls.heard("model", ["small"]);
  await settled();
  await answer({}, valued("model", shown()));
  told.now("back");
  page.controls.heard("text", ["lost"]);
  await settled();
  await end(new TypeError("gone"));
  told.now("the connection is lost");
  await time.pass(60_000);
  await answer(
    {},
    valued("model", shown({ lines: [line(["lost"])], shape: [1, 1], weights: Float32Array.of(1), row: 0 })),
  );
  told.now("and there again");
  page.controls.heard("text", ["read"]);
  await settled();
  await answer({}, valued("model", shown({ texts: ["english"] })));
  await told.after("the page of the head", root.querySelector(".open-in .mute-head"));
  await last(
    { part: "state", query: "texts=english", controls: page.state.values, notices: [] },
    valued("model", shown({ texts: ["english"] })),
  );
  await last(valued("head", { read: true, problem: "" }));
  told.now("it is read");
  held(context, told.lines);
});

const GRID = { picture: 0, first: 1, rows: 1, columns: 2, stride: 2, box: [0, 0, 1, 1] };

/** What the server says of a vision model: a class token and two patches. @param {Loose} [more] @returns {Loose} */
const vision = (more = {}) =>
  shown({
    ...{
      lines: [line(["[CLS]", "1·1", "1·2"], { name: "picture", grids: [GRID] })],
      takes: ["picture"],
      pictures: ["cat"],
    },
    ...{
      shape: [3, 3],
      weights: Float32Array.from({ length: 9 }, (_, at) => at / 9),
      absent: ["head-map", "picture-reads"],
    },
    sides: [
      [1, 2],
      [1, 2],
    ],
    maps: Uint8Array.of(0, 254, 100, 255, 1, 2, 3, 4), // prettier-ignore
    ...more,
  });

test("a picture, two lines and a sound take the place of the text, and what stands below goes along", async (context) => {
  const { page, root, told, answer, figureOf } = opened();
  void page.updates.open();
  await settled();
  drawn();
  await answer({}, valued("model", vision()));
  const stage = figureOf("head-picture").querySelector(".picture-stage");
  stage.box = { left: 0, top: 0, width: 80, height: 40 };
  const canvas = mapOf(root, "1.1").querySelector("canvas");
  told.now(`a picture; a small map is ${canvas.width} × ${canvas.height}, drawn ${drawn().length > 0}`);
  await told.after("a patch is pressed", stage, "click", { clientX: 60, clientY: 20 });
  await answer({}, valued("model", vision({ row: 2, locked: true, key: 1 })));
  told.now("it is locked");
  const moved = { row: 2, locked: true, key: 1, texts: ["english"] };
  await told.after("another picture", root.querySelectorAll(".picture-choices button")[1]);
  await answer({}, valued("model", vision({ ...moved, pictures: ["dog"] })));
  told.now("it is shown");
  page.state.upload = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
  page.move({ ...page.state.values, pictures: "own" }, true);
  await settled();
  told.now("the visitor's own: its file goes along");
  await answer({}, valued("model", vision({ ...moved, pictures: ["own"] })));
  await told.after("back", root.querySelectorAll(".picture-choices button")[1]);
  await answer({}, valued("model", vision({ ...moved, pictures: ["dog"] })));
  page.controls.heard("model", ["reader"]);
  await settled();
  const reads = { readMean: Float32Array.of(0.5, 0.25, 0.125, 1), readHead: Float32Array.of(0.25, 0.5, 1, 0.125) };
  const mixed = { ...reads, takes: ["text", "picture"], absent: ["head-picture"], row: 0 };
  await answer({}, valued("model", vision(mixed)));
  told.now("a text with a picture");
  await told.after("a layer", root.querySelector('.patch-layers [data-layer="2"]'));
  await answer({}, valued("model", vision({ ...mixed, layer: 2 })));
  figureOf("picture-reads").querySelector("canvas").box = { left: 0, top: 0, width: 80, height: 40 };
  const patches = figureOf("picture-reads").querySelector(".patch-reads-stage");
  await told.after("one of its patches", patches, "click", { clientX: 60, clientY: 20 });
  await answer({}, valued("model", shown()));
  told.now("a text again");
  page.controls.heard("model", ["translator"]);
  await settled();
  const target = line(["the", "cat", "."], { name: "target", end: "</s>" });
  const joined = { lines: [line(["le", "chat"]), target], between: [1, 0], takes: ["text", "target"], shape: [3, 2] };
  const cross = { ...joined, weights: Float32Array.of(0.9, 0.1, 0.2, 0.8, 0.5, 0.5), row: 2 };
  await answer({}, valued("model", shown(cross)));
  told.now("two lines");
  page.figures.rules.reactions("head-map").onCell({ row: 0, column: 1 });
  told.now("a cell of their map");
  await told.after("a token of the target", root.querySelectorAll(".joined-line")[1].children[1]);
  await answer({}, valued("model", shown({ ...cross, row: 1, locked: true })));
  await told.after("one of the source", root.querySelectorAll(".joined-line")[0].children[0]);
  const sound = { lines: [line(["0 s", "1 s"], { seconds: 1, name: "sound" })], takes: ["sound"] };
  await answer({}, valued("model", shown({ ...sound, heard: { name: "lion", seconds: 2, stretch: 30 } })));
  told.now("a sound");
  await told.after("it again", root.querySelector(".sound-choices button"));
  await told.after("two files dropped on what is read", root.querySelector("#model-text"), "drop", {
    dataTransfer: { types: ["Files"], files: [{ name: "a.wav" }, { name: "b.wav" }] },
  });
  await answer({ model: "weights-file@1" }, valued("model", shown({ takes: [], runs: false, opens: false })));
  told.now("weights alone");
  held(context, told.lines);
});

test("a question covers what would answer it; the verdict goes when a lesson goes on", async (context) => {
  const { one, page, root, told, answer, last, figureOf } = opened();
  void page.updates.open();
  await settled();
  const drawing = chart({ layer: 2 });
  const insight = {
    insight: [["one", "sentence"]],
    summaries: { "moved-heads": "said of it", "why-read": "said of another" },
  };
  await answer({}, valued("model", shown({ locked: true, key: 0 })), figure("moved-heads", drawing, insight));
  const summary = () => {
    const said = ["moved-heads", "why-read"].map((name) => figureOf(name).querySelector(".summary").textContent);
    told.lines.push(`said: ${said.join(", ")}; drawn: ${[...page.figures.drawn.keys()].join(" ")}`);
  };
  told.now("nothing is asked");
  summary();
  await told.after("a question is asked", root.querySelector("#predict-open"));
  const question = { part: "question", name: "next", about: "1", sentence: "Which?", choices: [["a", "A"], ["b", "B"]], following: "other" }; // prettier-ignore
  const covered = ["moved-heads", "head-map", "model-heads"];
  const asked = shown({ key: -1, covered });
  await answer({}, valued("model", asked), question);
  told.now(`it is: ${page.presence.rules.predict().id}`);
  summary();
  const [box] = root.querySelectorAll("#predict input");
  await told.after("answered", box, "change");
  await told.after("revealed", root.querySelector("#predict-reveal"));
  await last({
    part: "verdict",
    name: "next",
    right: true,
    sentences: ["So."],
    judging: 1,
    real: ["a"],
    change: { head: 2 },
  });
  told.now("judged");
  await answer({}, valued("model", shown({ head: 2 })));
  told.now("the answer is seen");
  summary();
  page.presence.rules.leaveVerdict();
  told.now("a lesson goes on");
  assert.equal(page.presence.rules.predict(), one.page.presence.rules.predict());
  page.move({ ...page.state.values, predict: true }, false);
  await settled();
  await last(
    { part: "state", query: "predict=1", controls: { ...page.state.values }, notices: [] },
    valued("model", asked),
    { ...question, about: "2" },
  );
  told.now("asked once more");
  held(context, told.lines);
});

test("on paper the small maps are painted in its colours, the head over a picture as it stands, the others as on every page", async () => {
  const { page, told, answer, last, figureOf } = opened();
  const { prints } = page;
  assert.ok(prints instanceof ModelPrints);
  void page.updates.open();
  await settled();
  assert.throws(() => prints.figureOnPaper("model-heads"), /model-heads/);
  await answer({}, valued("model", vision()), figure("moved-heads", chart({ layer: 2 })));
  drawn();
  const sheet = () => /** @type {Loose} */ (document.createElement("div"));
  const maps = prints.figureOnPaper("model-heads");
  assert.deepEqual([maps.name, maps.height], ["model-heads", null]);
  const stage = sheet();
  void page.updates.again();
  await settled();
  await answer({}, valued("model", shown()));
  drawn();
  prints.figureOnPaper("model-heads").draw(stage, sheet());
  const painted = drawn().filter((one) => one.startsWith("putImageData"));
  const inks = [0xffffffff, 0, 0xffff9b9b, 0xffff0000]; // white, nothing, and more and more blue
  assert.equal(painted.at(0)?.split(" ").at(1), `2×2[${inks}]`);
  assert.deepEqual(
    stage.querySelectorAll("button").map((/** @type {Loose} */ one) => one.title),
    HEADS.map((head) => `model.head ${head.join(".")}`),
  );
  stage.querySelector("button").onclick();
  assert.deepEqual(told.story.filter((each) => /moves/.test(each)), []); // prettier-ignore
  void page.updates.again();
  await settled();
  await answer({}, valued("model", vision()));
  figureOf("head-picture").querySelector(".picture-stage").box = { left: 0, top: 0, width: 80, height: 80 };
  const picture = prints.figureOnPaper("head-picture");
  picture.draw(stage, sheet());
  assert.equal(picture.height, null);
  assert.deepEqual([stage.children.length, stage.firstChild.className], [1, "picture-on-paper"]);
  assert.deepEqual([stage.firstChild.width, stage.firstChild.height], [80, 40]);
  assert.equal(typeof prints.figureOnPaper("moved-heads").height, "number");
  for (const name of ["model-heads", "head-picture"]) {
    told.story.splice(0);
    const standing = prints.standing(name);
    await last(valued("figure", { data: [{ type: "bar", name }], layout: { height: 300, template: "dark" } }));
    assert.deepEqual(JSON.parse(JSON.stringify(await standing)), {
      ...{ data: [{ type: "bar", name }], layout: { height: 300, template: { name: "light" } } },
    });
    assert.deepEqual(told.story, [`asks page/model/figure {"figure":"${name}","query":""} `]);
  }
  told.story.splice(0);
  assert.deepEqual((await prints.standing("moved-heads")).layout.height, 450);
  assert.deepEqual(told.story, []);
});

test("controls that mean nothing for what is shown are named", () => {
  const of = (/** @type {string[]} */ takes, /** @type {string[]} */ absent = []) => shown({ takes, absent });
  const rows = /** @type {[Loose, "text" | "other", string, string][]} */ ([
    [null, "text", "small", "target"],
    [null, "other", "small", "text target"],
    [of(["text"]), "text", "small", "target"],
    [of(["text", "target"]), "text", "small", ""],
    [of([]), "other", "weights-file@1", "text target over cost key_figure"],
    [of(["picture"], ["head-map"]), "other", "small", "text target shows"],
    [of(["text"], ["head-picture"]), "text", "small", "target"],
  ]);
  for (const [model, reads, name, off] of rows) assert.equal(unread(model, reads, name).join(" "), off);
});

test("what is read is one line or two, marked as another's; a picture in a text stands as a chip", () => {
  const root = place();
  /** @type {string[]} */
  const heard = [];
  const read = new ReadLines(root, keyed, {
    point: (row) => void heard.push(`point ${row}`),
    lock: (row, key) => void heard.push(`lock ${row} ${key}`),
  });
  read.preview(0);
  assert.equal(root.querySelectorAll(".token").length, 0);
  const chips = () => root.querySelectorAll(".token-grid").map((/** @type {Loose} */ one) => one.textContent);
  const tokens = ["a", "p", "q", "|", "r", "s", "b"];
  const two = [GRID, { ...GRID, first: 4, columns: 1, rows: 2, stride: 1 }];
  const weights = Float32Array.from({ length: 49 }, (_, at) => at / 49);
  for (const [grids, named] of [
    [[GRID], ["model.grid_chip 1 1 2"]],
    [two, ["model.tiles_chip 1 4 2"]],
    [
      [GRID, { ...two[1], picture: 1 }],
      ["model.grid_chip 1 1 2", "model.grid_chip 2 2 1"],
    ],
  ]) {
    read.show(shown({ lines: [line(tokens, { grids })], weights, shape: [7, 7], row: 0 }), ["more"]);
    assert.deepEqual(chips(), named);
  }
  const [strip, joined] = root.children;
  const states = () =>
    [strip, joined].map((one) => `${Boolean(one.hidden)} ${one.classList.contains("is-of-another")}`);
  assert.deepEqual(states(), ["false false", "true false"]);
  assert.equal(root.querySelector(".token-cut").textContent, "more");
  const query = () => root.querySelectorAll(".is-query").map((/** @type {Loose} */ one) => one.textContent);
  read.preview(6);
  assert.deepEqual(query(), ["b"]);
  read.preview(null);
  assert.deepEqual(query(), ["a"]);
  const lines = [line(["le"]), line(["the", "cat"], { name: "target" })];
  read.show(shown({ lines, between: [1, 0], shape: [2, 1], weights: Float32Array.of(1, 0.5), row: 1 }), []);
  assert.deepEqual(states(), ["true false", "false false"]);
  read.preview(0);
  assert.deepEqual(query(), ["a", "the"]);
  read.ofAnother(true);
  assert.deepEqual(states(), ["true true", "false true"]);
  read.ofAnother(false);
  assert.deepEqual(states(), ["true false", "false false"]);
  root.querySelectorAll(".joined-line")[1].children[0].click();
  read.show(shown(), []);
  press(strip, "pointerleave");
  press(strip.querySelectorAll(".token")[1]);
  assert.deepEqual(heard, ["lock 0 undefined", "point null", "lock 1 undefined"]);
});

test("the figures of one head wait until the maps of all are painted, and tell whether the model says anything", async () => {
  const { page, send, end } = opened();
  const state = { part: "state", query: "", controls: page.state.values, notices: [] };
  const { root } = page.figures.of("model-says");
  const heldBack = () => page.figures.drawn.get("moved-heads") === undefined;
  document.hidden = false;
  try {
    void page.updates.open();
    await send(state, valued("model", shown()), figure("moved-heads", chart({ layer: 2 }), { absent: ["model-says"] }));
    assert.deepEqual([heldBack(), root.classList.contains("not-now")], [true, false]);
    painted();
    await settled();
    assert.deepEqual([heldBack(), root.classList.contains("not-now")], [false, true]);
    await send(figure("moved-heads", chart({ layer: 2 }), { absent: [] }));
    assert.equal(root.classList.contains("not-now"), false);
    await end();
  } finally {
    document.hidden = true;
  }
});
