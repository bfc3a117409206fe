/** The Map played whole, as visitors use it: its plan, its run, the map that comes, what is pointed at, chosen and opened, questions, files and prints. */

import assert from "node:assert/strict";
import { test } from "node:test";
// what the page is made of, all of which it plays: a sample of mutations is drawn from what a test imports itself
import "../../assets/js/pages/map/known_weights.js";
import "../../assets/js/pages/map/layout.js";
import "../../assets/js/pages/map/on_paper.js";
import "../../assets/js/pages/map/painting.js";
import "../../assets/js/pages/map/passage.js";
import "../../assets/js/pages/map/plan_lines.js";
import "../../assets/js/pages/map/prints.js";
import "../../assets/js/pages/map/row_statistics.js";
import "../../assets/js/pages/map/tip.js";
import "../../assets/js/pages/map/told.js";
import "../../assets/js/pages/map/toolbar.js";
import "../../assets/js/pages/map/viewer.js";
import { held } from "./held.mjs";
import { drawn, watched } from "./drawing.mjs";
import { packed, partOf, played, press, type, valued } from "./page_stand_in.mjs";
import { focusedOne, keyed, StandIn, Time } from "./stand_in.mjs";
import { outline, standInPage, telling } from "./whole_page.mjs";

const { document, location, body, heard, frames, media, localStorage, sessionStorage } = standInPage("?n=200&page=map");
Object.assign(document, { baseURI: "http://page/" });
/** What the document hears of the present page. @type {[string, Loose, Loose][]} */
const hearing = [];
const hear = document.addEventListener.bind(document);
document.addEventListener = (/** @type {string} */ kind, /** @type {Loose} */ then, /** @type {Loose} */ how) => {
  hearing.push([kind, then, how]);
  hear(kind, then, how);
};
Object.assign(globalThis, { innerWidth: 800, innerHeight: 600, devicePixelRatio: 1 });
Object.assign(StandIn.prototype, { setPointerCapture() {} });
Object.defineProperty(globalThis, "navigator", {
  configurable: true,
  value: {
    sendBeacon: (/** @type {URL} */ address, /** @type {Blob} */ blob) => {
      void blob.text().then((text) => heard.push(`beacon ${address.pathname} ${text.slice(4)}`));
    },
  },
});
const time = new Time();
const { Page } = await import("../../assets/js/pages/map/page.js");

/** @type {Loose} in the order of a link */
const DEFAULTS = {
  ...{ n: 100, source: "gaussian", model: "", layer: 1, text: "the passage", split: "words", seed: 0, h: 2, d_k: 8 },
  ...{ mask: "none", window: 16, head: 1, row: null, colour: "linear", pooling: "average", left: 0, top: 0, across: 0 },
  ...{ predict: false, question: "any", page: "map", lang: "en", present: 0, hide: "", focus: "" },
};
const SETTINGS = {
  ...{
    page: "map",
    first: "explore",
    prefix: "api",
    defaults: DEFAULTS,
    figures: ["map", "strips", "row"],
    charts: ["row"],
  },
  texts: [],
  controls: ["n", "source", "layer", "mask", "head", "row", "colour", "pooling", "seed"],
  viewing: [
    "pooling",
    "colour",
    "head",
    "row",
    "left",
    "top",
    "across",
    "lang",
    "page",
    "predict",
    "question",
    "present",
    "hide",
    "focus",
  ],
  uses: {
    source: { gaussian: ["n", "seed"], text: ["text", "split"], model: ["text", "model", "layer"], upload: ["seed"] },
    mask: { none: [], causal: [], window: ["window"] },
  },
  scales: { n: { low: 1, high: 1000, whole: true, root: 0 }, window: { low: 1, high: 64, whole: true, root: 0 } },
  ...{
    uploadLimit: 99,
    longestText: 20,
    seedMaximum: 10,
    leaves: [],
    own: [],
    parts: [],
    presets: {},
    sections: {},
    space: "",
    versions: {},
  },
  ...{ reach: { bounds: {} }, plotly: "plotly.js", paper: { "#000000": [[0, "#ffffff"], [1, "#102030"]] } }, // prettier-ignore
  templates: { light: { layout: {} }, dark: { layout: {} } },
};
const PLACES = [
  "run",
  "insight",
  "predict",
  "passage",
  "upload",
  "take-away",
  "menus",
  "control-n",
  "control-window",
  "message",
];

/** The weight of a cell of a map: NaN above its diagonal. @param {number} head @param {number} row @param {number} key */
const weightOf = (head, row, key) => (key > row + 60 ? NaN : ((7 * row + 13 * key + 31 * head) % 97) / 970);

/**
 * Weights of rows × columns squares.
 * @param {number} head @param {number} top @param {number} left @param {number} size @param {number} rows @param {number} columns @returns {Loose}
 */
const weights = (head, top, left, size, rows, columns) =>
  Object.assign(
    Float32Array.from({ length: rows * columns }, (_, i) =>
      weightOf(head, top + size * Math.floor(i / columns), left + size * (i % columns)),
    ),
    { shape: [rows, columns] },
  );

const title = (/** @type {string} */ text) => ({ title: { text } });
const LOOK = {
  ...{ xaxis: title("key j"), yaxis: title("query i"), average: "mean weight", maximum: "largest weight" },
  coloraxis: { cmin: 0, cmax: 1, colorscale: [[0, "#000000"], [1, "#ffffff"]] }, // prettier-ignore
  strips: [
    { name: "entropy", unit: "nats", label: "entropy", asked: ["Σ", "2.1"] },
    { name: "peak", unit: "", label: "largest", asked: ["max", "2.2"] },
  ],
};
const [ROWS, KEYS] = [200, 300];
const MAP = {
  ...{ id: "m1", heads: 2, n_q: ROWS, n_k: KEYS, bins_q: 2, bins_k: 3, cut: ["not all tokens"] },
  ...{ row_edges: [0, 100, 200], column_edges: [0, 100, 200, 300] },
};

/** The state of a link, as the server reads it. @param {Loose} [change] */
const state = (change = {}) => ({
  part: "state",
  query: Object.entries({ n: 200, page: "map", ...change })
    .map(([name, value]) => `${name}=${value}`)
    .join("&"),
  controls: { ...DEFAULTS, n: 200, ...change },
  notices: [],
});
/** @param {Loose} [more] */
const plan = (more = {}) => ({
  ...{
    part: "plan",
    n: 200,
    sentences: [[["2 s", "why", "how", "2"], " of work"], "Little memory."],
    expected_seconds: 2,
    before: 0,
  },
  ...{ cut: ["too long"], trained: null, ...more },
});

/** The cells of the map in the window, whatever their number of pixels. */
const CELLS = { box: { left: 10, top: 20, width: 100, height: 100, right: 110, bottom: 120 } };

/** A page on which nothing has happened. */
function mapPage() {
  for (const one of [...body.children]) one.remove();
  for (const [kind, then, how] of hearing.splice(0)) document.removeEventListener(kind, then, how);
  const window = Object.assign(new EventTarget(), { localStorage, sessionStorage, devicePixelRatio: 1 });
  Object.assign(globalThis, { window });
  location.search = "?n=200&page=map";
  /** @type {Loose} */
  const places = {};
  const put = (/** @type {string} */ id, within = body, className = "") => {
    const element = Object.assign(document.createElement("div"), { id, className });
    within.append(element);
    places[id] = { element, trigger: (/** @type {string} */ kind) => heard.push(`${id} ${kind}`) };
    return element;
  };
  const page_root = put("page", body, "page");
  const figures = put("figures", page_root);
  for (const id of PLACES) put(id, page_root);
  for (const name of ["map", "strips", "row"]) put(`figure-${name}`, put(name, figures), "figure-place");
  const own = /** @type {Loose} */ (
    new Page(
      /** @type {Loose} */ (SETTINGS),
      /** @type {Loose} */ ({ texts: { lang: "en", of: (/** @type {string} */ key) => key }, later: () => ({}) }),
    )
  );
  const { page } = own;
  const server = played();
  page.text = keyed;
  page.presenter.show = (/** @type {Loose} */ look) => void (page.presenter.look = look);
  const asks = (/** @type {string} */ path, /** @type {Loose} */ given, /** @type {Uint8Array | null} */ file) => {
    const { theme: _t, columns: _c, address: _a, known: _k, ...fields } = given;
    heard.push(`asks ${path} ${JSON.stringify(fields)}${file ? ` with ${file.length} bytes` : ""}`);
  };
  const refuse = /** @type {Loose} */ ({});
  Object.assign(page.server, {
    ask: async (
      /** @type {string} */ path,
      /** @type {Loose} */ given,
      /** @type {Uint8Array | null} */ file,
      /** @type {Loose} */ how = {},
    ) => {
      asks(path, given, file);
      if (refuse[path]) throw refuse[path];
      return { body: server.answer(how.signal, path) };
    },
    send: async (/** @type {string} */ path, /** @type {Blob} */ blob) => {
      heard.push(`sends ${path} ${blob.size}`);
      return { body: server.answer(undefined, path) };
    },
    tell: async (/** @type {string} */ path) => (heard.push(`tells ${path}`), new Response(null, { status: 204 })),
    alive: async () => (heard.push("alive?"), refuse.alive !== false),
  });
  page.message.build(places.message.element);
  page.figures.build(places, keyed, (/** @type {unknown[]} */ ...given) => heard.push(`saves ${given}`));
  page.answers.telling.build(places.insight.element);
  const { map, strips, row } = Object.fromEntries(
    ["map", "strips", "row"].map((name) => [name, page.figures.of(name)]),
  );
  const sizes = (/** @type {Loose} */ on, /** @type {Loose} */ put) => {
    for (const [name, value] of Object.entries(put)) {
      Object.defineProperty(on, name, { value, configurable: true, writable: true });
    }
  };
  const room = { figures, map: map.root, stage: map.block.stage, strips: strips.block.stage };
  figures.style.columnGap = "8px";
  sizes(figures, { clientWidth: 400 });
  sizes(map.root, { clientWidth: 300 });
  sizes(map.block.stage, { clientHeight: 190, clientWidth: 300, box: { left: 0, top: 0 } });
  sizes(strips.block.stage, { clientWidth: 140 });
  own.build(places);
  page.controls.onTell(() => heard.push("the controls are told"));
  sizes(body.querySelector(".map-cells"), { ...CELLS, offsetLeft: 10, offsetTop: 20 });
  sizes(body.querySelector(".map-chart"), { box: { left: 0, width: 130, bottom: 140 } });
  sizes(row.living.area, { clientWidth: 200, clientHeight: 100, offsetWidth: 200, offsetHeight: 100 });
  page.presence.onPoint((/** @type {unknown} */ at) => void heard.push(`points at ${JSON.stringify(at)}`));
  page.presence.onMove((/** @type {string} */ link) => void heard.push(`link ${link}`));
  return { page, window, places, server, refuse, room, sizes };
}

/** A hash of a long line. @param {string} line */
const hashOf = (line) => {
  let hash = 7;
  for (let i = 0; i < line.length; i += 1) hash = (Math.imul(31, hash) + line.charCodeAt(i)) | 0;
  return (hash >>> 0).toString(36);
};
/** What brushes drew: the images and where they are, and all other strokes by a hash. */
function strokes() {
  const lines = drawn();
  const images = lines.filter((line) => line.startsWith("drawImage"));
  const others = lines.filter((line) => !line.startsWith("drawImage"));
  return [...images, ...(others.length ? [`${others.length} strokes ${hashOf(others.join())}`] : [])];
}

/** What of the page is looked at. */
const LOOKED = [
  ".map-run",
  "#map",
  "#strips",
  "#row",
  "#insight",
  "#predict",
  "#message",
  "#take-away .said",
  "#passage",
  "#upload",
];

/** A page that is told step by step. */
function told() {
  const made = mapPage();
  const { page } = made;
  const looked = LOOKED.flatMap((selector) => body.querySelectorAll(selector));
  const [root] = body.querySelectorAll(".page");
  const look = () => [
    `${location.search} | ${page.state.present} | ${JSON.stringify(page.controls.meaningless)} ${root.className}`,
    ...looked.flatMap((/** @type {Loose} */ one) => outline(one)),
  ];
  const focus = { at: focusedOne() };
  const { lines, tell } = telling(look, heard);
  /** @param {string} what */
  const now = async (what, wait = 0) => {
    await time.pass(wait);
    for (let turn = 0; turn < 3; turn += 1) {
      for (const then of frames.splice(0)) then();
      await time.pass(0);
    }
    for (const [i, line] of heard.entries()) heard[i] = line.replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, "today");
    heard.push(...strokes());
    if (focusedOne() !== focus.at) {
      focus.at = focusedOne();
      const one = /** @type {Loose} */ (focus.at);
      heard.push(`focus ${one?.id || one?.textContent}`);
    }
    tell(what);
  };
  const on = (/** @type {string} */ selector) => {
    const found = body.querySelector(selector);
    if (!found) throw new Error(selector);
    return found;
  };
  /** Give the controls' values, as gradio does. @param {string} name @param {unknown} value */
  const turn = async (name, value) => {
    page.controls.heard(name, [value]);
    await now(`${name} = ${value}`);
  };
  /** Send the tiles that are asked for. @param {number} head @param {number} level @param {[number, number][]} addresses */
  const tiles = (head, level, ...addresses) => {
    const size = 2 ** level;
    return addresses.map(([row, column]) => {
      const [top, left] = [128 * size * row, 128 * size * column];
      const shape = /** @type {[number, number]} */ ([
        Math.min(128, Math.ceil((ROWS - top) / size)),
        Math.min(128, Math.ceil((KEYS - left) / size)),
      ]);
      const mean = weights(head, top, left, size, ...shape);
      return valued("tile", { mean, maximum: level ? mean.map((/** @type {number} */ one) => 2 * one) : null });
    });
  };
  const cells = () => on(".map-cells");
  /** Let the map hear a pointer. @param {string} kind @param {number} x fractions of the map @param {number} y @param {Loose} [more] */
  const point = (kind, x, y, more = {}) =>
    press(cells(), kind, {
      ...{
        clientX: 10 + 100 * x,
        clientY: 20 + 100 * y,
        pointerId: 1,
        button: 0,
        buttons: kind === "pointermove" ? 0 : 1,
      },
      ...more,
    });
  const click = (/** @type {number} */ x, /** @type {number} */ y) => {
    point("pointerdown", x, y);
    point("pointerup", x, y);
  };
  return { ...made, lines, now, on, turn, tiles, cells, point, click };
}

/** Some rows of the overview of a map. @param {number} first @param {number} [last] */
const overview = (first, last = first + 1) => {
  const heads = [1, 2].flatMap((head) =>
    Array.from({ length: 3 * (last - first) }, (_, i) =>
      weightOf(head, 100 * (first + Math.floor(i / 3)), 100 * (i % 3)),
    ),
  );
  const mean = Float32Array.from(heads);
  return valued("overview", { first, last, mean, maximum: mean.map((one) => 3 * one) });
};
const HALF = Float32Array.from({ length: 2 * ROWS }, (_, i) => (i % 90) / 60);
const STRIPS = valued("strips", { first: 0, last: ROWS, entropy: HALF, peak: HALF.map((one) => one / 9) });

/** What is told of a map. @param {Loose} [more] */
function words(more = {}) {
  const columns = [{ label: "i", values: [0, 1] }, { label: "H", values: [0.5, 1] }]; // prettier-ignore
  const { entry: table, blocks } = packed({ caption: "rows", columns });
  const tables = { map: table };
  const said = { summaries: { map: "A map.", strips: "Its strips." }, insight: ["Short.", "In full."] };
  const sinks = [{ key: 5, shares: [[1, 0.5], [2, 0.25]] }]; // prettier-ignore
  return partOf({ part: "figures", drawings: {}, tables, sinks, ...said, ...more }, blocks);
}

/** The answer for a row. @param {number} row @param {number} head */
function rowFigures(row, head) {
  const y = Float32Array.from({ length: 12 }, (_, i) => ((5 * i + row) % 12) / 60);
  const drawing = {
    data: [{ name: "weights", x: Array.from(y.keys()), y }],
    layout: { xaxis: { range: [0, 11] }, yaxis: { range: [0, 1] } },
  };
  const { entry: drawn_row, blocks } = packed(drawing);
  const { entry: table } = packed({ caption: "weights", columns: [{ label: "j", values: [0], asked: true }] });
  const facts = [{ name: "entropy", label: "H_i", reason: ["why", "how", "2.1"] }];
  return partOf(
    {
      ...{ part: "figures", row, head, statistics: { entropy: 1.25 }, facts, drawings: { row: drawn_row } },
      ...{ tables: { row: table }, summaries: { row: `Row ${row}.` }, insight: null },
    },
    blocks,
  );
}

const VALUES = { look: LOOK, ceiling: [0, 1, 2], tokens: null };

/** A page whose map has come, with the tiles of its window. @param {Loose} [change] of the state @param {Loose} [values] of the map */
async function arrived(change = {}, values = {}) {
  const made = told();
  const { page, server, lines, now, tiles } = made;
  void page.updates.open();
  await now("");
  await server.lastTo("page/map", state(change), plan());
  await now("");
  const head = change.head ?? 1;
  await server.sendTo("run/map", { part: "began", run: "r1" });
  await server.sendTo("run/map", valued("map", { ...VALUES, ...values }, "values", MAP));
  await server.lastTo("run/map", overview(0, 2), STRIPS, words(), { part: "ended" });
  await now("");
  await server.lastTo("page/map/tiles", ...tiles(head, 1, [0, 0], [0, 1]));
  await now("");
  await server.lastTo("page/map/tiles", ...tiles(head, 0, ...AHEAD));
  await now("arrived");
  lines.length = 0;
  return made;
}
/** The tiles that are asked for ahead of a zoom into the middle, in their order. @type {[number, number][]} */
const AHEAD = [[0, 1], [0, 0], [1, 1], [1, 0], [0, 2], [1, 2]]; // prettier-ignore

test("a first visit: a plan, a short run that starts unasked, the map that comes row by row, its strips and its sentences", async (context) => {
  const { page, server, lines, now, tiles } = told();
  await now("built");
  void page.updates.open();
  await now("opened");
  await server.lastTo("page/map", state(), plan());
  await now("planned");
  await server.sendTo("run/map", { part: "waiting", before: 1, at_once: 2 });
  await now("it waits in line");
  await server.sendTo("run/map", { part: "began", run: "r1" });
  await now("it begins");
  await server.sendTo("run/map", valued("map", VALUES, "values", MAP));
  await now("a map without weights");
  await server.sendTo("run/map", overview(0), { part: "progress", done: 0.5, seconds_left: 1.2 });
  await now("half of it");
  await server.sendTo("run/map", overview(1));
  await server.sendTo("run/map", STRIPS);
  await now("all of it");
  await server.sendTo("run/map", words());
  await now("told");
  await server.lastTo("run/map", { part: "ended" });
  await now("ended");
  await server.sendTo("page/map/tiles", ...tiles(1, 1, [0, 0]));
  await now("one tile");
  await server.lastTo("page/map/tiles", ...tiles(1, 1, [0, 1]));
  await now("the other");
  held(context, lines);
});

test("the map under a pointer, a wheel, fingers: it tells cells, moves its window, chooses a cell and opens its row", async (context) => {
  const { lines, now, server, point, click, on, page } = await arrived();
  point("pointermove", 0.5, 0.5);
  await now("over the middle");
  point("pointermove", 0.9, 0.1);
  await now("over a masked cell");
  await now("it rests", 150);
  point("pointerleave", 0, 0);
  await now("left");
  point("wheel", 0.25, 0.75, { deltaY: -200, deltaMode: 0 });
  await now("zoomed in");
  await now("at rest", 200);
  point("pointermove", 0.5, 0.5);
  await now("over a single cell");
  point("pointerdown", 0.5, 0.5);
  point("pointermove", 0.4, 0.5, { buttons: 1 });
  point("pointermove", 0.3, 0.25, { buttons: 1 });
  await now("dragged");
  point("pointerup", 0.3, 0.25);
  await now("let go", 200);
  point("pointerdown", 0.25, 0.5, { pointerId: 2, isPrimary: true });
  point("pointerdown", 0.75, 0.5, { pointerId: 3 });
  point("pointermove", 0.9, 0.5, { pointerId: 3, buttons: 1 });
  point("pointerup", 0.9, 0.5, { pointerId: 3 });
  point("pointerup", 0.25, 0.5, { pointerId: 2 });
  await now("two fingers", 200);
  press(on("#map-all"));
  await now("everything", 200);
  click(0.5, 0.5);
  await now("a click");
  click(0.5, 0.5);
  await now("another there");
  await server.lastTo("page/map/row", rowFigures(101, 1));
  await now("its row");
  press(on('#row [data-key="2"]'));
  await now("one of its keys", 200);
  press(on("#open-row"));
  await now("opened by the button");
  Object.defineProperty(on("#strips .strip-cells"), "box", { value: { left: 0, top: 0, width: 150, height: 44 } });
  press(on("#strips .strip-cells"), "pointermove", { clientX: 75, clientY: 5 });
  await now("over a strip");
  press(on("#strips .strip-cells"), "click", { clientX: 10, clientY: 5 });
  await now("a row of a strip");
  await server.lastTo("page/map/row", rowFigures(90, 1));
  await now("the row of the strip");
  press(on("#row-close"));
  await now("closed");
  press(on('#map [data-head="2"]'));
  await now("the other head");
  await server.lastTo(
    "page/map/tiles",
    valued("tile", { mean: Object.assign(new Float32Array(4).fill(0.5), { shape: [2, 2] }), maximum: null }),
  );
  await now("its tile");
  page.presence.rules.pointAt({ figure: "map", head: 2, row: 100, column: 20 });
  await now("the teacher points");
  page.presence.rules.pointAt({ figure: "map", head: 1, row: 100, column: 20 });
  await now("at another head");
  page.presence.rules.pointAt(null);
  await now("and no more");
  held(context, lines);
});

test("the map by keys and by its toolbar: it tells the cell at its centre aloud, and takes positions inside the map", async (context) => {
  const { lines, now, on } = await arrived();
  const go = async (/** @type {string} */ row, /** @type {string} */ column) => {
    on("#map-query").value = row;
    on("#map-key").value = column;
    const { defaultPrevented } = press(on("#map .map-go"), "submit");
    await now(`go to ${row}, ${column}${defaultPrevented ? "" : ", and leave the page"}`, 200);
  };
  press(on("#map-in"));
  await now("in", 200);
  press(on("#map-in"));
  press(on("#map-out"));
  await now("in and out", 200);
  await go("150", "20");
  await go("-3.5", "999");
  await go("12.9", "0");
  await go("999", "7.5");
  press(on("#map-out"));
  press(on("#map-out"));
  await now("out, and out", 200);
  held(context, lines);
});

test("the keys of the map", async (context) => {
  const { lines, now, on, server } = await arrived();
  const stage = on("#map .stage");
  for (const one of ["x", "+", "ArrowRight", "ArrowDown", "Home", "End", "Enter"]) {
    const event = press(stage, "keydown", { key: one });
    await now(`${one}${event.defaultPrevented ? " (taken)" : ""}`, 200);
  }
  await server.lastTo("page/map/row", rowFigures(5, 1));
  await now("a row by the keyboard");
  for (const one of ["0", "Escape"]) {
    press(stage, "keydown", { key: one });
    await now(one, 200);
  }
  stage.dispatchEvent(new Event("blur"));
  await now("left");
  held(context, lines);
});

test("a control is another map or another view; a long run waits for a press, an old map is stale, and a run may end early", async (context) => {
  const { lines, now, server, on, turn, page, tiles } = await arrived({ row: 12 });
  await now("a link with a row");
  await server.lastTo("page/map/row", rowFigures(12, 1));
  await now("its row");
  await turn("colour", "log");
  await turn("pooling", "maximum");
  await turn("row", 30);
  await server.lastTo("page/map/row", rowFigures(30, 1));
  await turn("row", null);
  await turn("head", null);
  await turn("head", 1);
  await turn("seed", 3);
  const slow = plan({ expected_seconds: 9, sentences: ["9 s."] });
  await server.lastTo("page/map", state({ seed: 3, colour: "log", pooling: "maximum" }), slow);
  await now("a long one");
  press(on("#run-start"));
  await now("started");
  await server.sendTo("run/map", { part: "began", run: "r2" });
  await now("begun");
  press(on("#run-cancel"));
  await now("cancelled");
  press(on("#run-start"));
  await server.sendTo("run/map", { part: "began", run: "r3" }, valued("map", VALUES, "values", { ...MAP, id: "m2" }));
  await now("its map, without weights");
  await server.lastTo("run/map", { part: "error", message: "It failed." });
  await now("failed before its weights");
  press(on("#run-start"));
  await server.lastTo(
    "run/map",
    { part: "began", run: "r4" },
    valued("map", VALUES, "values", { ...MAP, id: "m3", heads: 1 }),
    overview(0, 2),
    STRIPS,
    { part: "ended" },
  );
  await now("and again, of one head");
  await server.lastTo("page/map/tiles", ...tiles(1, 1, [0, 0], [0, 1]));
  await turn("mask", "causal");
  await turn("n", 150);
  await server.lastTo("page/map", state({ mask: "causal", n: 150 }), plan());
  await now("waits for rest", 499);
  await now("begins", 1);
  await turn("seed", 4);
  await server.lastTo("page/map", state({ mask: "causal", n: 150, seed: 4 }), slow);
  await now("the short run is not wanted any more");
  await turn("seed", 3);
  await server.lastTo("page/map", state({ mask: "causal", n: 150, seed: 3 }), plan({ before: 2 }));
  await now("two runs are ahead");
  page.controls.heard("seed", [3]);
  await now("the same seed");
  press(on("#run-start"));
  await server.sendTo("run/map", { part: "began", run: "r7" }, valued("map", VALUES, "values", { ...MAP, id: "m7" }));
  const [printed] = page.prints.printed();
  printed.draw(document.createElement("div"), document.createElement("div"));
  await now("a print before its first weights");
  held(context, lines);
});

test("a link shows another view of the same map, or another map", async (context) => {
  const { lines, now, page } = await arrived();
  const values = { ...page.state.values };
  page.ways.rules.adopt({ ...values, head: 2, left: 10, top: 20, across: 50 });
  await now("another view");
  page.ways.rules.adopt({ ...values, seed: 9 });
  await now("another map");
  held(context, lines);
});

test("a text: short in the link, long beside it; a file; a trained model with a file of all its heads", async (context) => {
  const { lines, now, server, on, turn } = await arrived();
  await turn("source", "text");
  await server.lastTo("page/map", state({ source: "text" }), plan({ expected_seconds: 9 }));
  await now("a text");
  const write = async (/** @type {string} */ words, wait = 500) => {
    type(on("#control-text"), words);
    await now(`“${words}”`, wait);
  };
  await write("le", 499);
  await write("le chat");
  await server.lastTo("page/map", state({ source: "text", text: "le chat" }), plan({ expected_seconds: 9 }));
  await write("le chat noir est assis sur");
  await server.lastTo("page/map", state({ source: "text" }), plan({ expected_seconds: 9 }));
  await now("a long one, which the box keeps");
  on("#control-text").focus();
  await write("twenty letters, all.");
  await server.lastTo("page/map", state({ source: "text", text: "something else" }), plan({ expected_seconds: 9 }));
  await now("whoever types is not disturbed");
  body.focus();
  await write("");
  await server.lastTo("page/map", state({ source: "text" }), plan({ expected_seconds: 9 }));
  await now("the page's own");
  const tell = async (/** @type {string} */ id) => {
    press(on(id));
    await now(id);
  };
  await tell("#take-heads");
  await turn("source", "model");
  const trained = { layers: 6, mask: "causal" };
  await server.lastTo("page/map", state({ source: "model", text: "a b" }), plan({ expected_seconds: 9, trained }));
  await now("a trained model");
  await turn("layer", 2);
  await server.lastTo(
    "page/map",
    state({ source: "model", text: "a b", layer: 2 }),
    plan({ expected_seconds: 9, trained }),
  );
  await now("its next layer");
  await tell("#take-heads");
  const { entry, blocks } = packed({ name: "heads.npz", bytes: Uint8Array.of(104, 105) });
  await server.lastTo("run/map", { part: "began", run: "r9" }, partOf({ part: "file", values: entry }, blocks), {
    part: "ended",
  });
  await now("its file", 10);
  await turn("source", "upload");
  await now("no file yet");
  on("#upload-file").files = [new File(["1234"], "own.npz")];
  press(on("#upload-file"), "change");
  await now("a file is read");
  const own = packed({ file: Uint8Array.of(1, 2, 3) });
  await server.lastTo("upload", partOf({ part: "upload", message: "3 bytes.", file: own.entry }, own.blocks));
  await now("it is there");
  await server.lastTo("page/map", state({ source: "upload" }), plan());
  await now("and computed", 500);
  held(context, lines);
});

test("a question covers strips, words and row, waits for its map, and its verdict stands beside it", async (context) => {
  const { lines, now, server, on, turn, page, point } = await arrived({ row: 7 });
  await server.lastTo("page/map/row", rowFigures(7, 1));
  await now("a row is open");
  press(on("#predict-open"));
  await now("asked for a question");
  const choices = [["a", "here"], ["b", "there"]]; // prettier-ignore
  const question = { part: "question", name: "sink", about: "m1", sentence: "Where?", choices, following: "next" };
  await server.lastTo("page/map", state({ row: 7, predict: true }), plan(), question);
  await now("asked");
  point("pointermove", 0.5, 0.5);
  await now("no number is told");
  on("#predict input").onchange();
  await now("answered");
  press(on("#predict-reveal"));
  await now("revealed");
  const verdict = {
    part: "verdict",
    name: "sink",
    right: true,
    sentences: ["Right.", "So it is."],
    judging: 1,
    real: ["a"],
  };
  await server.lastTo("page/map/reveal", { ...verdict, change: { mask: "causal" } });
  await now("the verdict");
  await server.lastTo("page/map", state({ row: 7, mask: "causal" }), plan({ expected_seconds: 9 }));
  await now("the state that answers");
  press(on("#predict-back"));
  await now("back");
  await server.lastTo("page/map", state({ row: 7 }), plan());
  await now("as before");
  await server.lastTo("page/map/row", rowFigures(7, 1));
  await now("with its row");
  await turn("seed", 5);
  await server.lastTo("page/map", state({ seed: 5 }), plan({ expected_seconds: 9 }));
  press(on("#predict-open"));
  await server.lastTo("page/map", state({ seed: 5, predict: true }), plan({ expected_seconds: 9 }), {
    ...question,
    about: "m2",
  });
  on("#predict input").onchange();
  press(on("#predict-reveal"));
  await now("without its map");
  page.presence.rules.leaveVerdict();
  await now(`a lesson goes on: ${page.presence.rules.predict().open} ${JSON.stringify(page.presence.rules.judging())}`);
  held(context, lines);
});

test("before there is a map nothing can be taken, and the line over it says how to draw one", async (context) => {
  const { lines, now, server, on, page, window, cells, point, refuse } = told();
  void page.updates.open();
  await now("opened");
  await server.lastTo("page/map", state(), plan({ expected_seconds: 60, cut: [] }));
  lines.length = 0;
  await now("planned");
  for (const id of ["#take-rows", "#take-npz", "#take-tables", "#map-in", "#map-all"]) {
    press(on(id));
    await now(id);
  }
  press(on("#map .map-go"), "submit");
  press(on("#map .stage"), "keydown", { key: "+" });
  point("pointermove", 0.5, 0.5);
  point("wheel", 0.5, 0.5, { deltaY: -100, deltaMode: 0 });
  point("pointerdown", 0.5, 0.5);
  point("pointerup", 0.5, 0.5);
  await now("the empty map", 1000);
  await now(`${cells().className} ${JSON.stringify(page.presence.rules.judging())} ${page.prints.printed().length}`);
  refuse["run/map"] = new TypeError("lost");
  press(on("#run-start"));
  await now("lost on its way");
  delete refuse["run/map"];
  press(on("#run-start"));
  await now("again");
  await server.sendTo("run/map", { part: "began", run: "r1" }, valued("map", VALUES, "values", MAP), overview(0));
  await now("half of it");
  point("pointerdown", 0.1, 0.2);
  point("pointerup", 0.1, 0.2);
  await now("a cell is chosen soon");
  point("pointerdown", 0.1, 0.9);
  point("pointerup", 0.1, 0.9);
  await now("where nothing has come");
  await server.lastTo("run/map", { part: "error", message: "Out of memory." });
  await now("failed");
  window.dispatchEvent(new Event("pagehide"));
  await now("left", 10);
  held(context, lines);
});

test("what the server has lost, refuses or no longer holds is said, and asked again where that helps", async (context) => {
  const { lines, now, server, on, window, click, point, refuse } = await arrived({ row: 3 });
  await server.lastTo("page/map/row", { part: "error", message: "Busy.", retry: 2 });
  await now("a row is refused for now");
  await now("asked again", 500);
  await server.end(new Error("broken"), "page/map/row");
  refuse.alive = false;
  await now("its line breaks");
  await now("nobody answers", 5000);
  delete refuse.alive;
  await now("the server is back", 5000);
  await server.lastTo("page/map/row", rowFigures(3, 1));
  await now("the row at last");
  press(on('#map [data-head="2"]'));
  await server.lastTo("page/map/row", rowFigures(3, 2));
  await server.lastTo("page/map/tiles");
  await now("too few tiles");
  await now("asked again", 1000);
  await server.lastTo("page/map/tiles", { part: "error", message: "No such tile." });
  await now("refused");
  click(0.2, 0.8);
  await now("a cell is asked for");
  await server.lastTo("page/map/tiles", { part: "error", message: "No." });
  await now("refused, too");
  for (const [id, path] of [
    ["#take-rows", "csv"],
    ["#take-npz", "npz"],
  ]) {
    press(on(id));
    await now(id);
    const { entry, blocks } = packed({ name: `rows.${path}`, bytes: Uint8Array.of(97) });
    await server.lastTo(`page/map/${path}`, partOf({ part: "file", values: entry }, blocks));
    await now("saved", 10);
  }
  press(on("#take-rows"));
  await now("once more");
  await server.lastTo("page/map/csv", { part: "error", message: "The map is gone.", gone: true });
  await now("gone");
  point("wheel", 0.5, 0.5, { deltaY: -200, deltaMode: 0 });
  await now("nothing more is asked", 1000);
  press(on("#map-again"));
  await now("computed again");
  await server.sendTo(
    "run/map",
    { part: "began", run: "r5" },
    valued("map", VALUES, "values", { ...MAP, id: "m5" }),
    overview(0, 2),
  );
  await now("its map");
  await server.end(undefined, "run/map");
  await now("it broke off", 100);
  press(on("#run-start"));
  await server.lastTo(
    "run/map",
    { part: "began", run: "r6" },
    valued("map", VALUES, "values", { ...MAP, id: "m6" }),
    overview(0, 2),
    { part: "ended" },
  );
  await now("whose map is there again");
  window.dispatchEvent(new Event("pagehide"));
  await now("left", 10);
  held(context, lines);
});

test("the map is the largest square beside or above its strips, with room for an open row", async (context) => {
  const { lines, now, on, page, window, room, sizes } = await arrived();
  const styles = () => JSON.stringify([room.figures.style, on(".map-strips").style]);
  const wide = media("(min-width: 821px)");
  /** @param {string} what @param {() => void} [change] */
  const fit = async (what, change = () => {}) => {
    change();
    for (const { then, places } of watched) if (places.includes(room.figures)) then();
    await now(what);
    lines.push(styles());
  };
  await fit("narrow");
  await fit("narrow, and as wide as it is", () => sizes(room.stage, { clientWidth: 190 }));
  wide.matches = true;
  await fit("wide");
  page.controls.heard("row", [5]);
  await fit("a row beside it");
  page.controls.heard("row", [null]);
  await fit("wider", () => sizes(room.figures, { clientWidth: 1200 }));
  await fit("higher", () => sizes(room.stage, { clientHeight: 700 }));
  await fit("its title has room", () => sizes(room.map, { clientWidth: 672 }));
  await fit("and the strips' title", () => sizes(room.strips, { clientWidth: 336 }));
  await fit("no longer", () => sizes(room.map, { clientWidth: 671 }));
  await fit("nor the strips'", () => sizes(room.strips, { clientWidth: 335 }));
  await fit("the strips begin below the map", () => sizes(on(".strip-cells"), { box: { top: 5 } }));
  await fit("or above it", () => sizes(on(".strip-cells"), { box: { top: 50 } }));
  await fit("the heads beside it grow with it", () => {
    const chart = on(".map-chart");
    Object.defineProperty(chart, "box", {
      configurable: true,
      get: () => ({ left: 0, width: on(".map-cells canvas").width > 500 ? 500 : 130, bottom: 140 }),
    });
  });
  Object.assign(window, { devicePixelRatio: 2 });
  window.dispatchEvent(new Event("resize"));
  await now("another resolution");
  wide.matches = false;
  held(context, lines);
});

test("a print has the map, its strips and the open row, in the colours of paper, and says what it shows", async (context) => {
  const { lines, now, server, page, click } = await arrived(
    { row: 4, mask: "causal" },
    { tokens: Array.from({ length: KEYS }, (_, i) => `t${i}`) },
  );
  await server.lastTo("page/map/row", rowFigures(4, 1));
  click(0.1, 0.5);
  await now("open");
  lines.length = 0;
  const print = () => {
    for (const { name, title, caption, height, draw } of page.prints.printed()) {
      const [stage, bars] = [document.createElement("div"), document.createElement("div")];
      const said = title.map((/** @type {Loose} */ one) => one.textContent ?? one).join("");
      lines.push(`${name} “${said}” ${height}`, ...caption.map((/** @type {string} */ one) => `  ${one}`));
      draw(stage, bars);
      if (name !== "row") lines.push(...outline(stage), ...outline(bars));
      lines.push(...strokes());
    }
    lines.push(`withheld: ${page.prints.withheld()}`);
  };
  print();
  page.controls.heard("mask", ["none"]);
  await server.lastTo("page/map", state({ row: 4 }), plan({ expected_seconds: 9 }));
  await now("");
  lines.splice(lines.indexOf("# "));
  lines.push("without a mask");
  print();
  for (const name of ["map", "row"]) lines.push(`${name}: ${page.prints.label(name, true).description}`);
  const asked = page.prints.standing("strips");
  await now("");
  lines.splice(lines.indexOf("# "), 1);
  const { entry, blocks } = packed({ data: [{ y: Float32Array.of(1, 2) }], layout: { title: "x" } });
  await server.lastTo("page/map/figure", partOf({ part: "figure", values: entry }, blocks));
  lines.push(JSON.stringify(await asked));
  lines.push(JSON.stringify((await page.prints.standing("row")).layout));
  held(context, lines);
});

test("another sequence is seen whole, other settings keep the window; numbers of a row say how they are made", async (context) => {
  const { lines, now, server, on, page } = await arrived({ row: 4 });
  await server.lastTo("page/map/row", rowFigures(4, 1));
  press(on("#map-in"));
  await now("zoomed in", 200);
  const made = page.answers.telling.rules.arithmetic({ table: "row", line: 3 });
  await now("a number is asked");
  await server.lastTo("page/map/arithmetic", { part: "arithmetic", made: ["1 + 1 = 2"] });
  lines.length = 0;
  lines.push(`made: ${await made}`);
  const { across } = page.state.values;
  for (const [name, value] of Object.entries({
    ...{ seed: 1, mask: "causal", h: 4, n: 210, layer: 3, split: "letters", model: "one", source: "model" },
  })) {
    page.state.values = { ...page.state.values, left: 20, top: 10, across, row: 4 };
    page.controls.heard(name, [value]);
    const { left, top, across: wide, row } = page.state.values;
    lines.push(`${name}: ${[left, top, wide, row]}`);
  }
  held(context, lines);
});

test("a cell chosen while a map is computed is found on the next one, and given up if none comes", async (context) => {
  const { lines, now, server, on, turn, click, tiles } = await arrived();
  const computing = async (/** @type {number} */ seed, /** @type {string} */ run) => {
    await turn("seed", seed);
    await server.lastTo("page/map", state({ seed }), plan());
    await now("", 500);
    await server.sendTo(
      "run/map",
      { part: "began", run },
      valued("map", VALUES, "values", { ...MAP, id: run }),
      overview(0, 2),
    );
  };
  const chosen = (/** @type {string} */ what) => lines.push(`${what}: ${on(".map-chosen").textContent}`);
  await computing(1, "r2");
  await now("");
  lines.length = 0;
  click(0.1, 0.8);
  await now("");
  chosen("while it is computed");
  await turn("seed", 2);
  await server.lastTo("page/map", state({ seed: 2 }), plan());
  await now("");
  chosen("another is wanted");
  await now("", 500);
  chosen("which begins");
  await server.lastTo("run/map", { part: "error", message: "No." });
  await now("");
  chosen("and fails");
  await computing(3, "r4");
  click(0.1, 0.8);
  await now("");
  await turn("seed", 4);
  await server.lastTo("page/map", state({ seed: 4 }), plan());
  await now("");
  chosen("another is wanted");
  await turn("seed", 5);
  await server.lastTo("page/map", state({ seed: 5 }), plan({ expected_seconds: 99 }));
  await now("");
  chosen("which is too long to begin");
  await computing(6, "r7");
  click(0.1, 0.8);
  await now("");
  chosen("while it is computed");
  await server.lastTo("run/map", { part: "ended" });
  await now("");
  await server.lastTo("page/map/tiles", ...tiles(1, 0, [1, 0], [0, 0]));
  await now("");
  chosen("it has come");
  held(
    context,
    lines.filter((line) => /^[a-z]/.test(line) || line.startsWith("> asks run")),
  );
});

test("an open row that was lost is asked for again as soon as the server answers anything", async (context) => {
  const { lines, now, server, on, turn, refuse } = await arrived({ row: 3 });
  await server.lastTo("page/map/row", rowFigures(3, 1));
  press(on('#map [data-head="2"]'));
  refuse.alive = false;
  await server.end(new Error("broken"), "page/map/row");
  await now("the row's connection breaks");
  lines.length = 0;
  await server.sendTo("page/map/tiles", valued("tile", { mean: weights(2, 0, 0, 2, 100, 128), maximum: null }));
  await now("a tile comes");
  await server.lastTo("page/map/row", rowFigures(3, 2));
  await now("so does the row", 20_000);
  await turn("seed", 5);
  await server.lastTo("page/map", state({ row: 3, seed: 5, head: 2 }), plan({ expected_seconds: 9 }));
  await now("another map is wanted");
  held(context, lines);
});

test("a row that comes late is not shown: another is open, or another map", async (context) => {
  const { lines, now, server, on, turn } = await arrived({ row: 3 });
  await turn("row", 9);
  lines.length = 0;
  await server.lastTo("page/map/row", rowFigures(3, 1));
  await now("the row before");
  await server.lastTo("page/map/row", rowFigures(9, 1));
  await now("the newest");
  await turn("row", 11);
  await turn("seed", 1);
  await server.lastTo("page/map", state({ row: 11, seed: 1 }), plan());
  await now("another map", 500);
  await server.sendTo("run/map", { part: "began", run: "r2" }, valued("map", VALUES, "values", { ...MAP, id: "m2" }));
  await server.lastTo("page/map/row", rowFigures(11, 1));
  await now("the row of the map before");
  await server.lastTo("run/map", overview(0, 2), { part: "ended" });
  await now("its own map has come");
  lines.push(on("#row .row-numbers").textContent);
  held(
    context,
    lines.filter((line) => /^(# |> asks)|row-numbers|Row|^[a-z]/.test(line)),
  );
});

test("a chosen cell is looked up in the other head and on the next map, as it was", async () => {
  const { now, server, on, turn, click, tiles } = await arrived();
  const chosen = () => on(".map-chosen").textContent;
  click(0.1, 0.8);
  await now("");
  const told = [chosen()];
  press(on('#map [data-head="2"]'));
  await server.lastTo("page/map/tiles", ...tiles(2, 0, [1, 0]));
  await now("");
  told.push(chosen());
  await turn("mask", "causal");
  await server.lastTo("page/map", state({ mask: "causal", head: 2 }), plan());
  await now("", 500);
  await server.sendTo("run/map", { part: "began", run: "r2" }, valued("map", VALUES, "values", { ...MAP, id: "m2" }));
  await now("");
  told.push(chosen());
  await server.lastTo("run/map", overview(0, 2), { part: "ended" });
  await server.lastTo("page/map/tiles", ...tiles(2, 0, [1, 0]));
  await now("");
  told.push(chosen());
  assert.deepEqual(told, [
    "map.chosen_in_block live.cell 1 161 30 0.0959map.open_row 161",
    "map.chosen live.cell 2 161 30 0.0278map.open_row 161",
    "map.chosen_soonmap.open_row 161",
    "map.chosen live.cell 2 161 30 0.0278map.open_row 161",
  ]);
});

test("a teacher points at cells up to the edges of the window, and beyond them at none", async () => {
  const { page, now, on } = await arrived();
  page.ways.rules.adopt({ ...page.state.values, left: 10.5, top: 20.5, across: 60 });
  await now("");
  const seen = (/** @type {number} */ row, /** @type {number} */ column) => {
    page.presence.rules.pointAt({ figure: "map", head: 1, row, column });
    return !on("#map .tip").hidden;
  };
  const cells = [
    [20, 10],
    [60, 70],
    [19, 10],
    [20, 9],
    [61, 70],
    [60, 71],
  ];
  assert.deepEqual(
    cells.map(([row, column]) => seen(row, column)),
    [true, true, false, false, false, false],
  );
  page.presence.rules.pointAt({ figure: "heat-maps", head: 1, row: 30, column: 30 });
  assert.equal(on("#map .tip").hidden, true, "at another figure");
});

test("a trained model decides how far its layers go and what the factor is of, others give both back", async () => {
  const { page, server, turn, now } = await arrived();
  const [layer, scale] = ["layer", "scale"].map((name) =>
    Object.assign(document.createElement("div"), { id: `control-${name}` }),
  );
  const range = Object.assign(document.createElement("input"), { type: "range" });
  const end = Object.assign(document.createElement("span"), { className: "max_value" });
  const info = document.createElement("span");
  info.setAttribute("data-testid", "block-info");
  layer.append(range, end);
  scale.append(info);
  body.append(layer, scale);
  const said = () => [range.max, end.textContent, info.textContent];
  await turn("source", "model");
  assert.deepEqual(said(), [undefined, "", "control.scale.trained"], "its layers are not known yet");
  const trained = { layers: 6, mask: "causal" };
  await server.lastTo("page/map", state({ source: "model" }), plan({ expected_seconds: 9, trained }));
  assert.deepEqual(said(), ["6", "6", "control.scale.trained"]);
  assert.equal(page.controls.meaningless.includes("mask"), true, "its own mask");
  await turn("source", "gaussian");
  await now("");
  assert.deepEqual(said(), ["6", "6", "control.scale.label"]);
  assert.equal(page.controls.meaningless.includes("mask"), false);
});

test("nobody waits for a lost row once a run has begun", async () => {
  const { server, now, on, refuse } = await arrived({ row: 3 });
  refuse.alive = false;
  await server.end(new Error("broken"), "page/map/row");
  const probes = async () => {
    heard.length = 0;
    await time.pass(20_000);
    return heard.filter((line) => line === "alive?").length;
  };
  assert.ok((await probes()) > 3, "it asks whether the server is back");
  press(on("#run-start"));
  await now("");
  assert.equal(await probes(), 0);
  assert.equal(on("#message .error").hidden, true);
});
