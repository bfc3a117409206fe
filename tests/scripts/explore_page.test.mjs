/** Explore opened whole: maps first, panels after them, one row by pointer and keys, two states beside each other, questions, files. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Before } from "../../assets/js/pages/explore/before.js";
import { paintEarly } from "../../assets/js/pages/explore/early.js";
import { compared, fit } from "../../assets/js/pages/explore/fitting.js";
import { FullRange } from "../../assets/js/pages/explore/full_range.js";
import "../../assets/js/pages/explore/inspection.js";
import { fitLayers, masked } from "../../assets/js/pages/explore/layers.js";
import "../../assets/js/pages/explore/maps.js";
import { Outline } from "../../assets/js/pages/explore/outline.js";
import { Page } from "../../assets/js/pages/explore/page.js";
import { Panels } from "../../assets/js/pages/explore/panels.js";
import { choosePreset, offerNext, togglePin } from "../../assets/js/pages/explore/presets.js";
import { ExplorePrints } from "../../assets/js/pages/explore/prints.js";
import "../../assets/js/pages/explore/row_detail.js";
import { walk } from "../../assets/js/pages/explore/row_walk.js";
import { sharedLegend } from "../../assets/js/pages/explore/shared_legend.js";
import { Sides } from "../../assets/js/pages/explore/sides.js";
import { served, takeAway } from "../../assets/js/pages/explore/take_away.js";
import { held } from "./held.mjs";
import {
  chart,
  drawnOn,
  each,
  figurePlace,
  filled,
  maps,
  opened,
  question,
  settingsOf,
  standInOpened,
  verdict,
} from "./opened_page.mjs";
import { valued } from "./page_stand_in.mjs";
import { keyed, settled, StandIn } from "./stand_in.mjs";

const browser = standInOpened();
const { document, heard, last, location, media, paint, refuse, send, time } = browser;

const SETTINGS = settingsOf("explore", {
  pages: ["explore", "why"],
  figures: ["heat-maps", "score-distribution", "entropy", "row-weights"],
  ...{ cells: ["heat-maps"], charts: ["score-distribution", "entropy", "row-weights"], ofRow: ["row-weights"] },
  places: ["insight", "predict", "arithmetic", "upload", "take-away", "menus", "row-title", "control-d_k", "control-n"],
  scales: { d_k: { low: 1, high: 1024, whole: true }, n: { low: 2, high: 512, whole: true } },
  presets: {
    base: {},
    text: { source: "text", n: 5 },
    pinned: { pin: "n=3", d_k: 512 },
  },
  ...{ takeAway: ["snippet", "rows", "npz"], uploadLimit: 10 },
  viewing: [
    "lang",
    "head",
    "row",
    "colour_range",
    "columns",
    "present",
    "hide",
    "focus",
    "page",
    "pin",
    "predict",
    "question",
  ],
  uses: {
    mask: { none: [], window: ["window"] },
    source: { gaussian: ["seed"], text: ["text"], upload: [], model: ["text", "layer"] },
  },
  texts: ["text"],
  controls: ["d_k", "n", "mask", "window", "source", "text", "layer", "scale", "row", "head", "columns", "predict"],
  defaults: { n: 3, d_k: 4, question: "any" },
});

/** @param {Loose} more */
const open = (more = []) =>
  opened(
    browser,
    Page,
    SETTINGS,
    (box) => [
      box("upload"),
      box("arithmetic"),
      box("stage-row", box("pin")),
      figurePlace("heat-maps"),
      box(
        "side",
        box("row-detail", box("row-title"), figurePlace("row-weights")),
        box("panels", figurePlace("score-distribution"), figurePlace("entropy")),
      ),
      box("take-away"),
      box("predict"),
    ],
    more,
  );

/** The scores as a histogram with the outline of those before. @param {number[]} y @returns {Loose} */
const scores = (y) => ({
  data: [
    {
      type: "bar",
      meta: { kind: "pooled" },
      name: "now",
      xaxis: "x",
      yaxis: "y",
      x: Float64Array.of(-1, 0, 1),
      y: Float64Array.from(y),
    },
    {
      type: "scatter",
      meta: { kind: "before", beyond: "before, beyond" },
      name: "before",
      xaxis: "x",
      yaxis: "y",
      x: [],
      y: [],
      showlegend: false,
    },
    {
      type: "scatter",
      meta: { row_of: "scores", head: 2 },
      name: "row",
      xaxis: "x",
      yaxis: "y",
      x: Float64Array.of(0),
      y: Float64Array.of(0),
    },
  ],
  layout: { ...chart({}).layout, xaxis: { domain: [0, 1], range: [-2, 2], anchor: "y" } },
});

/** The part "cells". @param {Loose} state @param {Loose} [more] @param {Loose[]} [metas] of the panels */
const cells = (state, more = {}, metas = [{ head: 1 }, { head: 2 }]) => {
  const {
    tokens = ["a", "b", "c"],
    shape = [2, 3, 3],
    vocabulary = {},
    drawing = maps(metas, [shape[1], shape[2]]),
    ...header
  } = more;
  return filled((put) => ({
    ...state,
    ...{ part: "cells", light: false, shape, head: 0, row: state.controls.row ?? null, trained: null },
    labels: put({ tokens, ...vocabulary }),
    drawings: { "heat-maps": put(drawing) },
    ...header,
  }));
};

/** The part "panels". @param {Loose} [more] @param {Loose} [drawings] @param {Loose} [tables] */
const panels = (
  more = {},
  drawings = { "score-distribution": scores([1, 2, 1]), entropy: entropy([1, 2]) },
  tables = {},
) =>
  filled((put) => ({
    ...{ part: "panels", drawings: each(drawings, put), tables: each(tables, put) },
    ...{ summaries: {}, insight: ["All of it."], arithmetic: [], briefs: {}, ...more },
  }));

/** @param {number[]} y @returns {Loose} */
const entropy = (y) => {
  const { data, layout } = chart({ entropy: y, row: [0] });
  return { data: data.map((one, i) => (i ? { ...one, meta: { row_of: "entropy", head: 1 } } : one)), layout };
};

/** What is seen of the maps and their row. @param {Loose} page */
const seen = (page) => {
  const { living, block } = page.figures.of("heat-maps");
  const tip = block.stage.querySelector(".tip");
  const marked = document
    .querySelectorAll("[aria-pressed], [aria-selected], [disabled]")
    .filter((/** @type {Loose} */ { id }) => id && !id.startsWith("side-"));
  const words = tip?.children.map((/** @type {Loose} */ one) => one.textContent).join(" | ");
  const window = JSON.stringify(living.panels[0] ? living.windows.of(living.panels[0]) : null);
  const pressed = (/** @type {Loose} */ { attributes }) =>
    `${attributes["aria-pressed"] ?? ""}${attributes["aria-selected"] ?? ""}`;
  return [
    `panels ${living.seen}, in a line ${JSON.stringify(living.lines)}, across ${living.across}, rows ${JSON.stringify(living.marks.rows)}`,
    `tip ${tip?.hidden ? "hidden" : `${words} ${JSON.stringify(tip?.style)}`}`,
    `spoken “${page.message.spoken.textContent}” failed “${page.message.error.textContent}” window ${window}`,
    ...marked.map(
      (/** @type {Loose} */ one) =>
        `${one.id}: ${pressed(one)}${one.hidden ? " hidden" : ""}${one.disabled ? " off" : ""} “${one.title ?? ""}” ${one.textContent}`,
    ),
    ...block.stage
      .querySelectorAll(".cell-mark, .row-mark")
      .flatMap((/** @type {Loose} */ one) => (one.hidden ? [] : [`${one.className} ${JSON.stringify(one.style)}`])),
    ...["score-distribution", "entropy"].flatMap((name) => {
      const { data = [] } = page.figures.chart(name).shown ?? {};
      const rows = data.filter((/** @type {Loose} */ { meta }) => meta?.row_of);
      return rows.map((/** @type {Loose} */ { x, y, meta }) => `${meta.row_of} of the row [${[...x]}] [${[...y]}]`);
    }),
    `page ${document.querySelector("#explore").className}, row “${document.querySelector("#title-row")?.textContent}”`,
  ];
};

test("maps come first, panels and words after them; a drag asks for pictures, and for all when it rests", async (context) => {
  const one = open(["#insight", "#arithmetic", "#message .notices", drawnOn, seen]);
  await one.begin();
  await one.move("d_k", 8);
  await send(cells(one.state({ notices: ["a notice"] }), { shape: [2, 3, 3] }));
  await one.tell("maps");
  const table = { caption: "entropies", columns: [{ label: "row", values: [1, 2] }] };
  await last(
    panels(
      {
        ...{
          summaries: { entropy: "it falls" },
          briefs: { entropy: [["2 of ", ["3", "f", "a", "s"]], "more"], "score-distribution": [] },
        },
        insight: ["First.", ["Of ", ["4", "f", "a", "s"], "."]],
        arithmetic: ["Q: 3 × 4 · K: 3 × 4", `${"long ".repeat(7)}· end`],
        offer: { text: "try n", change: { n: 5, pin: true } },
      },
      undefined,
      { entropy: table },
    ),
  );
  await one.tell("panels");
  await one.after("the offer", ".offer");
  await last(cells(one.state()), panels({}, { "score-distribution": scores([1, 3, 1]), entropy: entropy([2, 2]) }));
  await one.tell("another state");
  await time.pass(700);
  await one.tell("at rest");
  await one.move("d_k", 16);
  await one.move("d_k", 32);
  await last(
    cells(one.state(), { light: true }),
    panels({ insight: undefined }, { "score-distribution": scores([2, 3, 1]) }),
  );
  await one.tell("the pictures of a drag");
  await last(cells(one.state(), { light: true }));
  await one.tell("the last of them");
  await time.pass(180);
  await one.tell("the drag rests");
  await last(cells(one.state()), panels({ offer: null }));
  await one.tell("all of it");
  await one.move("d_k", 32);
  await one.move("row", null);
  one.page.leader.could = () => false;
  await one.move("n", 7);
  await one.tell("refused");
  one.page.leader.could = () => true;
  await one.move("columns", 2);
  await send(cells(one.state()));
  refuse("page/explore", new Error("lost"));
  await last({ part: "error", message: "no such state" });
  await one.tell("a refusal");
  await one.move("columns", 1);
  await last(cells(one.state()), panels({}, { entropy: { data: [{}], layout: null } }));
  await one.tell("panels that cannot be drawn");
  held(context, one.lines);
});

test("maps that are not painted yet hold back the panels of a page that opens, and no others", async (context) => {
  /** @type {string[]} */
  const lines = [];
  /** @type {(() => void)[]} */
  const painted = [];
  const one = open();
  await one.begin();
  await last(cells(one.state()), panels());
  await one.tell("opened");
  const { page } = one;
  const around = {
    mapsPainted: () => new Promise((resolve) => void painted.push(() => resolve(undefined))),
    outlined: (/** @type {Loose} */ drawing, /** @type {string} */ state) => (
      lines.push(`outlined for ${state}`),
      drawing
    ),
    covers: () => false,
  };
  const below = new Panels(page, /** @type {Loose} */ (around));
  const place = document.createElement("div");
  below.build(place);
  lines.push(String(below.names));
  const tell = async (/** @type {string} */ what) => {
    await settled();
    const shown = page.figures.drawn.get("entropy").drawing.data[0].y;
    lines.push(
      `${what}: entropy ${[...shown]}, wait ${painted.length}, “${place.textContent}” ${place.className} ${place.getAttribute("aria-busy")}`,
    );
  };
  const take = (/** @type {number} */ y, /** @type {Loose} */ more = {}) => {
    const { entry, blocks } = packedIn({ "score-distribution": scores([y]), entropy: entropy([y]) });
    below.take(
      {
        part: "panels",
        drawings: entry,
        tables: {},
        summaries: {},
        insight: [],
        arithmetic: [`n = ${y}`],
        briefs: {},
        ...more,
      },
      blocks,
    );
  };
  take(5);
  await tell("taken");
  painted.splice(0)[0]();
  await tell("maps are painted");
  painted.splice(0)[0]();
  await tell("and words");
  take(6);
  await tell("the next is drawn at once");
  take(7);
  take(8);
  painted.splice(0)[0]();
  await tell("the newest of two that waited");
  below.behind(true);
  await tell("behind");
  painted.splice(0)[0]();
  await tell("its words");
  page.state.canonical = "n=9";
  take(9, { arithmetic: undefined });
  page.state.canonical = "n=10";
  await settled();
  painted.splice(0)[0]();
  await tell("of a state that has been left");
  held(context, lines);
});

/** @param {Record<string, Loose>} trees */
const packedIn = (trees) => {
  const part = filled((put) => ({ trees: each(trees, put) }));
  const length = new DataView(part.buffer).getUint32(0, true);
  return {
    entry: JSON.parse(new TextDecoder().decode(part.slice(4, 4 + length))).trees,
    blocks: part.slice(4 + length).buffer,
  };
};

/** The part "row". @param {Loose} [more] */
const row = (more = {}) =>
  valued(
    "row",
    {
      stage: Float32Array.of(0.5, 0.25, 0.25, 0.125, NaN, 0.875),
      scores: Float32Array.of(1, 2, 3, 4, -Infinity, 6),
      entropy: Float32Array.of(1.5, 0.5),
      ...more,
    },
    "row",
  );

/** @param {number} x @param {number} y @param {Loose} [more] */
const at = (x, y, more = {}) => ({ clientX: x, clientY: y, button: 0, buttons: 0, pointerId: 1, ...more });

test("a cell under the pointer tells its number and marks its row; a press locks the row", async (context) => {
  const one = open([drawnOn, seen]);
  await one.begin();
  await last(cells(one.state()), panels());
  await one.tell("maps");
  one.page.presence.onPoint((/** @type {unknown} */ where) => heard.push(`points at ${JSON.stringify(where)}`));
  const { living, block } = one.page.figures.of("heat-maps");
  block.stage.setPointerCapture = () => {};
  const middle = (
    /** @type {number} */ panel,
    /** @type {number} */ r,
    /** @type {number} */ c,
    /** @type {Loose} */ more = {},
  ) => {
    const { box } = living.panels[panel];
    return at(box.left + ((c + 0.5) * box.width) / 3, box.top + ((r + 0.5) * box.height) / 3, more);
  };
  await one.after("a cell", block.stage, "pointermove", middle(0, 1, 0));
  await last(row());
  await one.tell("its row");
  await one.after("another cell of the row", block.stage, "pointermove", middle(0, 1, 2));
  await one.after("the same cell", block.stage, "pointermove", middle(0, 1, 2));
  await one.after("the other head", block.stage, "pointermove", middle(1, 1, 1));
  await one.after("another row", block.stage, "pointermove", middle(1, 2, 0));
  await one.after("out of the maps", block.stage, "pointerleave");
  await last(row());
  await one.tell("a row that came late");
  await one.after("back", block.stage, "pointermove", middle(1, 2, 0));
  await one.after("pressed", block.stage, "pointerdown", middle(1, 2, 0, { buttons: 1 }));
  await one.after("let go", block.stage, "pointerup", middle(1, 2, 0));
  await last(cells(one.state()), panels({}, { "row-weights": chart({ weights: [1] }), entropy: entropy([3]) }));
  await one.tell("the row is locked");
  await last(row({ stage: Float32Array.of(1, 1, 1, 1, 1, 1) }));
  await one.tell("its numbers");
  await one.after("another row is pressed", block.stage, "pointerdown", middle(0, 0, 0, { buttons: 1 }));
  await one.after("let go there", block.stage, "pointerup", middle(0, 0, 0));
  await last(cells(one.state()), panels());
  await one.after("its own row", block.stage, "pointermove", middle(0, 0, 0));
  await last(row());
  await one.after("pressed again", block.stage, "pointerdown", middle(0, 0, 1, { buttons: 1 }));
  await one.after("it is let go", block.stage, "pointerup", middle(0, 0, 1));
  await last(cells(one.state()), panels());
  await one.tell("no row");
  await one.after("a title", living.titles.headings[1]);
  await last(cells(one.state()));
  await one.after("the title again", living.titles.headings[1]);
  await last(row());
  await last(cells(one.state()));
  await last(row());
  refuse("page/explore/row", new Error("lost"));
  await one.after("a row without an answer", block.stage, "pointermove", middle(0, 1, 1));
  await one.after("asked once more", block.stage, "pointermove", middle(0, 1, 2));
  await last(row());
  await one.tell("its row");
  held(context, one.lines);
});

test("keys walk over the cells, lock rows, zoom and speak; a class points late and within the maps", async (context) => {
  const one = open([seen]);
  await one.begin();
  await last(
    cells(one.state(), {
      vocabulary: { forms: ["A", "B", "C"], ids: Int32Array.of(7, 8, -1), stands: ["", "b b", ""] },
    }),
    panels(),
  );
  await one.tell("maps");
  const { block, living } = one.page.figures.of("heat-maps");
  one.page.presence.onPoint((/** @type {unknown} */ where) => heard.push(`points at ${JSON.stringify(where)}`));
  const key = (/** @type {string} */ name, /** @type {Loose} */ more = {}) =>
    one.after(`${name} ${JSON.stringify(more)}`, block.stage, "keydown", { key: name, ...more });
  await key("Escape");
  await key("Enter");
  await key("x");
  await key("ArrowDown");
  await last(row());
  await one.tell("its row");
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) await key("ArrowDown", more);
  for (const name of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "End"]) await key(name);
  await last(row({ hidden: Uint8Array.of(0, 1, 0), marks: Uint8Array.of(0, 0, 1, 3, 0, 4) }));
  for (const name of ["ArrowLeft", "ArrowLeft", "PageUp", "PageDown", "Home"]) await key(name);
  await key("+");
  await key("-");
  await key("+");
  await key("0");
  await key(" ");
  await last(cells(one.state()), panels());
  await last(row());
  await one.tell("the row is locked");
  await key("Escape");
  await last(cells(one.state()), panels());
  await one.tell("and let go");
  await key("Escape");
  await key("End");
  await one.after("blur", block.stage, "blur");
  await one.after("a key of a button inside", living.titles.headings[0], "keydown", { key: "ArrowDown" });
  one.page.state.values.head = 2;
  one.page.presence.rules.pointAt({ figure: "heat-maps", head: 2, row: 1, column: 0 });
  await one.tell("a teacher points");
  await time.pass(199);
  await one.tell("not yet");
  await time.pass(1);
  await last(row());
  await one.tell("its row is asked for");
  for (const where of [
    { figure: "heat-maps", head: 7, row: 0, column: 2 },
    { figure: "entropy", head: 1, row: 0, column: 0 },
    { figure: "heat-maps", head: 1, row: 3, column: 0 },
    { figure: "heat-maps", head: 1, row: 2, column: 3 },
    { figure: "heat-maps", head: 1, row: 2, column: 2 },
    null,
  ]) {
    one.page.presence.rules.pointAt(where);
    await one.tell(`points at ${JSON.stringify(where)}`);
  }
  await time.pass(400);
  await one.tell("nothing is asked for a cell that was left");
  const { childNodes, ...stage } = block.stage;
  const said = [stage.className, stage.tabIndex, stage.attributes, childNodes.at(-1).markup];
  held(context, [...one.lines, JSON.stringify(said)]);
});

/** A column apart of a sink beside each panel. @param {Loose[]} metas @param {string} [side] */
const withSinks = (metas, side = "b") => {
  const { data, layout } = maps(metas, [3, 3]);
  const sinks = metas.flatMap((meta, i) =>
    (meta.of ?? "b") === side
      ? [
          {
            type: "heatmap",
            z: Object.assign(Uint8Array.of(1, 2, 3), { shape: [3, 1] }),
            coloraxis: "coloraxis",
            meta: { kind: "sink", panel: i },
            xaxis: "x9",
            yaxis: "y9",
          },
        ]
      : [],
  );
  return { data: [...data, ...sinks], layout: { ...layout, xaxis9: { ticktext: ["sink"] }, yaxis9: {} } };
};

test("A and B have their numbers and their difference; the sink is one more key of a side that has one", async (context) => {
  const one = open([seen]);
  await one.begin();
  const metas = [
    { head: 1, of: "a" },
    { head: 1, of: "b" },
    { head: 1, of: "difference" },
  ];
  const { block } = one.page.figures.of("heat-maps");
  const key = (/** @type {string} */ name) => one.after(name, block.stage, "keydown", { key: name });
  await last(cells(one.state(), { drawing: withSinks([{ head: 1 }]), shape: [1, 3, 3] }), panels());
  await key("ArrowDown");
  await last(row({ sink: Float32Array.of(0.0625) }));
  for (let i = 0; i < 4; i += 1) await key("ArrowRight");
  one.page.presence.rules.pointAt({ figure: "heat-maps", head: 1, row: 0, column: 3 });
  await one.tell("a teacher points at the sink");
  await one.after("pinned", () => one.page.controls.pressed("pin"));
  const compared = (/** @type {string} */ sunk = "b") =>
    last(cells(one.state(), { drawing: withSinks(metas, sunk), shape: [1, 3, 3] }), panels());
  await compared();
  await one.tell("A and B");
  const both = {
    pinned: Float32Array.of(0.25, 0.5, NaN),
    pinned_sink: Float32Array.of(0.125),
    sink: Float32Array.of(0.5),
  };
  await last(row(both));
  await one.tell("numbers of both");
  for (const name of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"]) await key(name);
  for (const [window, [what, more]] of /** @type {[string, Loose][]} */ ([
    ["no sink in A", { ...both, pinned_sink: undefined }],
    ["no sink in B", { ...both, sink: undefined }],
    ["a shorter A", { ...both, pinned: Float32Array.of(0.25) }],
  ]).entries()) {
    await time.pass(200);
    await one.move("window", window + 2);
    await compared("a");
    await last(row(more));
    await one.tell(what);
    for (let i = 0; i < 3; i += 1) await key("ArrowRight");
    await key("ArrowLeft");
  }
  held(context, one.lines);
});

test("tabs choose A, B, their difference or all, by presses and arrows; a difference that is none is off", async (context) => {
  const one = open(["#figure-heat-maps .compared", "#pin", seen]);
  await one.begin();
  const metas = [
    { head: 1, of: "a" },
    { head: 1, of: "b" },
    { head: 1, of: "difference" },
  ];
  await one.after("pinned before an answer", () => one.page.controls.pressed("pin"));
  await last(cells(one.state()), panels());
  one.page.controls.pressed("pin");
  await one.tell("pinned");
  await last(cells(one.state(), {}, metas), panels());
  await one.tell("A and B");
  for (const side of ["a", "difference", "all"]) await one.after(side, `#side-${side}`);
  const key = async (/** @type {string} */ name, /** @type {Loose} */ more = {}) => {
    document.activeElement.focus();
    await one.after(`${name} ${JSON.stringify(more)}`, document.activeElement, "keydown", { key: name, ...more });
  };
  one.on("#side-all").focus();
  for (const name of ["ArrowRight", "ArrowLeft", "ArrowLeft", "Home", "End", "x"]) await key(name);
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) await key("Home", more);
  await one.after("the difference", "#side-difference");
  await one.move("n", 5);
  await last(cells(one.state(), {}, metas.slice(0, 2)), panels());
  await one.tell("states without a difference");
  one.on("#side-b").focus();
  await key("ArrowRight");
  await one.move("d_k", 8);
  await last(
    cells(one.state(), {}, [
      { head: 1, of: "b" },
      { head: 2, of: "b" },
    ]),
    panels(),
  );
  await one.tell("maps of B alone");
  one.page.controls.pressed("pin");
  await last(cells(one.state()), panels());
  await one.tell("unpinned");
  held(context, one.lines);
});

test("a locked row stands beside the maps under its name, and is let go by its button or Escape", async (context) => {
  const one = open(["#row-detail", drawnOn, seen]);
  await one.begin();
  await last(cells(one.state()), panels());
  await one.tell("maps");
  const living = one.page.figures.of("heat-maps").living;
  await one.move("row", 1);
  await last(cells(one.state()), panels({}, { "row-weights": chart({ weights: [1] }) }));
  await one.tell("locked by its control");
  await one.after("closed", "#row-close");
  await last(cells(one.state()), panels());
  await one.tell("no row");
  living.across = 5;
  one.own.page.figures.of("heat-maps").block.stage.setPointerCapture = () => {};
  await one.move("head", 2);
  await one.move("row", 2);
  await last(cells(one.state()), panels());
  const side = one.on("#row-detail");
  await one.after("a key", side, "keydown", { key: "a" });
  const heard = Object.assign(new Event("keydown", { cancelable: true }), { key: "Escape" });
  heard.preventDefault();
  side.dispatchEvent(heard);
  await one.tell("Escape that something else has taken");
  await one.after("Escape", side, "keydown", { key: "Escape" });
  held(context, [
    ...one.lines,
    `focus on the maps: ${document.activeElement === one.page.figures.of("heat-maps").block.stage}`,
  ]);
});

test("a question covers the figures; its verdict stands beside the state that answers, without the outline of before", async (context) => {
  const one = open(["#insight", "#predict", drawnOn]);
  await one.begin();
  await last(cells(one.state()), panels());
  await one.tell("maps");
  await time.pass(700);
  await one.after("opened", "#predict-open");
  await last(cells(one.state()), question(), panels({}, { entropy: entropy([1]) }));
  await one.tell("asked");
  await one.move("row", 1);
  await last(cells(one.state()), question(), panels({}, { "score-distribution": scores([4, 4, 4]) }));
  await one.tell("with a row");
  await one.after("a choice", "#predict [value=two]", "change");
  await one.after("reveal", "#predict-reveal");
  await last(verdict({ change: { d_k: 16 } }));
  await last(cells(one.state()), panels({}, { "score-distribution": scores([5, 5, 5]) }));
  await one.tell("the verdict");
  one.page.presence.rules.leaveVerdict();
  await one.tell("a lesson goes on");
  heard.push(`its question: ${one.page.presence.rules.predict().root.id}`);
  await time.pass(700);
  await one.move("n", 5);
  await last(cells(one.state()), panels({}, { "score-distribution": scores([6, 6, 6]) }));
  await one.tell("another state, with the outline of before");
  one.page.presence.forget(true);
  await one.tell("a class is asked");
  await last(cells(one.state()), panels({}, { "score-distribution": scores([6, 6, 6]) }));
  await one.tell("nothing of before");
  await time.pass(700);
  await one.move("n", 6);
  await last(cells(one.state()), panels({}, { "score-distribution": scores([7, 7, 7]) }));
  await one.tell("and of the next state");
  one.page.presence.forget(false);
  await one.tell("the class has answered");
  one.page.presence.forget(true);
  one.page.figures.clear("score-distribution");
  await last(cells(one.state()));
  one.page.presence.forget(false);
  await one.tell("without scores");
  held(context, one.lines);
});

test("what was before a class is asked is forgotten, and what rests after it is kept", () => {
  const before = new Before();
  const outline = (/** @type {number} */ y, /** @type {string} */ painted, /** @type {string | null} */ settled) =>
    Array.from(/** @type {Loose} */ (before.take(scores([y, y, y]), painted, settled)).data[1].y);
  assert.deepEqual(outline(1, "a", null), []);
  assert.deepEqual(outline(2, "b", "a"), [1, 1, 1]);
  before.forget();
  assert.deepEqual(outline(3, "c", "a"), []);
  assert.deepEqual(outline(4, "d", "c"), [3, 3, 3]);
});

test("before a page is open it asks nothing again when a class is asked", async () => {
  const told = /** @type {unknown[]} */ ([]);
  const page = /** @type {Loose} */ ({
    updates: { isOpen: false, again: () => void told.push("again") },
    answers: { settled: null },
    presence: { plain: false },
    figures: { drawn: new Map() },
  });
  const outline = new Outline(page, () => false);
  outline.forget(true);
  outline.forget(false);
  page.updates.isOpen = true;
  outline.forget(true);
  assert.deepEqual(told, ["again"]);
  const drawing = scores([1]);
  assert.equal(outline.around(drawing, "a"), drawing, "nothing was before");
});

test("the colours go up to the largest cell by a press, and each head with its own scale has no such button", async (context) => {
  const one = open([seen]);
  await one.begin();
  await last(cells(one.state()), panels());
  await one.tell("maps");
  for (const what of ["up to the largest", "back"]) {
    await one.after(what, "#full-range");
    await last(cells(one.state()), panels());
    await one.tell("an answer");
  }
  await one.move("colour_range", "per_head");
  const another = new FullRange(one.page);
  another.fit();
  assert.equal(
    another.button.outerHTML.replace(/<svg.*<\/svg>/, ""),
    '<button aria-pressed="true" ariaLabel="live.full_range" hidden="true" id="full-range" title="live.full_range_hint" type="button"></button>',
  );
  assert.deepEqual([another.button.hidden, another.button.getAttribute("aria-pressed")], [true, "true"]);
  held(context, one.lines);
});

test("presets keep what is pinned unless they bring their own, and the language", async (context) => {
  const one = open(["#pin", ".compared"]);
  await one.begin();
  await one.after("before an answer", "#preset-base");
  await last(
    cells(one.state({ query: "lang=ko&n=7", controls: { ...SETTINGS.defaults, n: 7, lang: "ko" } })),
    panels(),
  );
  await one.tell("an answer in Korean");
  one.page.controls.pressed("pin");
  for (const name of ["preset-text", "preset-pinned", "preset-base", "reset"]) {
    await one.after(name, `#${name}`);
    await last(cells(one.state()), panels());
    await one.tell("an answer");
  }
  held(context, one.lines);
});

test("what is offered next keeps the present state as A where it says so, and is one button", (context) => {
  const root = document.createElement("div");
  root.append(Object.assign(document.createElement("div"), { className: "insight" }));
  /** @type {string[]} */
  const lines = [];
  const page = /** @type {Loose} */ ({
    text: keyed,
    settings: { presets: {}, defaults: { text: "a" } },
    state: { values: { n: 3, pin: "" }, canonical: "n=3", canonicalValues: null },
    answers: { telling: { root } },
    move: (/** @type {unknown} */ values, /** @type {boolean} */ tells) =>
      void lines.push(`moves ${JSON.stringify(values)} ${tells}`),
  });
  for (const canonical of ["n=3", ""]) {
    page.state.canonical = canonical;
    for (const change of [{ n: 5 }, { n: 5, pin: true }]) {
      offerNext(page, { text: "n = 5", change });
      const [button] = root.querySelectorAll("button");
      lines.push(`${root.querySelectorAll("button").length} ${button.textContent}`);
      button.click();
    }
  }
  offerNext(page, undefined);
  lines.push(String(root.querySelectorAll("button").length));
  togglePin(page);
  for (const pin of ["", "n=2"]) {
    for (const canonical of ["n=3", ""]) {
      Object.assign(page.state, { canonicalValues: {}, canonical, values: { n: 3, pin } });
      togglePin(page);
    }
  }
  const sides = new Sides(
    (key) => key,
    () => {},
  );
  choosePreset(page, sides, null);
  held(context, lines);
});

test("own tensors are used once the server has checked them, and leave a pin that needs others", async (context) => {
  const one = open(["#upload", "#predict", "#message .error"]);
  await one.begin();
  await one.move("source", "upload");
  await last(cells(one.state()), panels());
  await one.tell("without a file");
  await one.move("source", "upload");
  await one.tell("a file is waited for");
  const input = one.on("#upload-file");
  const choose = async (/** @type {string} */ name, size = 5) => {
    input.files = [Object.assign(new Blob([new Uint8Array(size)]), { name })];
    await one.after(name, input, "change");
  };
  await choose("large.npz", 11);
  await choose("own.npz");
  one.page.state.values.pin = "n=5&source=upload";
  await last(valued("upload", { file: Uint8Array.of(1, 2, 3) }, "file", { message: "3 × 3" }));
  await one.tell("checked");
  await last(cells(one.state()), panels());
  one.page.state.values.pin = "n=5";
  await choose("other.npz");
  await last(valued("upload", { file: Uint8Array.of(4) }, "file", { message: "1 × 1" }));
  await one.tell("another");
  one.page.leader.could = () => false;
  await choose("refused.npz");
  await last(valued("upload", { file: Uint8Array.of(5, 6) }, "file", { message: "2 × 1" }));
  await one.tell(`a class is led: ${one.page.state.upload}`);
  held(context, one.lines);
});

test("one takes away a link, a script that says what it needs, and files of the server; prints have true values", async (context) => {
  const one = open(["#take-away .said", "#take-away .fallback", "#message .error"]);
  await one.begin();
  await last(cells(one.state()), panels({}, { "row-weights": chart({ weights: [1] }), entropy: entropy([1]) }));
  await one.tell("maps");
  const file = (/** @type {string} */ text, name = "") =>
    new Response(text, { headers: name ? { "Content-Disposition": `attachment; filename*=UTF-8''${name}; x` } : {} });
  await one.after("link", "#take-link");
  const route = "take-away/explore/";
  for (const code of ["print()", "import numpy as np", "x\nfrom attention_core import y", "from other import numpy"]) {
    refuse(`${route}snippet`, file(code));
    await one.after(code, "#take-snippet");
  }
  document.execCommand = () => false;
  refuse(`${route}snippet`, file("import numpy"));
  await one.after("a browser that copies nothing", "#take-snippet");
  refuse(`${route}rows`, file("1,2", "rows%20of%20all.csv"));
  await one.after("rows", "#take-rows");
  refuse(`${route}npz`, file("npz"));
  await one.after("a file without a name", "#take-npz");
  refuse(`${route}npz`, new Response(JSON.stringify({ message: "too large" }), { status: 400 }));
  await one.after("a refusal", "#take-npz");
  refuse(`${route}figure`, file(JSON.stringify({ data: [], layout: { title: "true" } })));
  const lines = [JSON.stringify(await one.page.prints.standing("heat-maps"))];
  refuse(`${route}figure`, file('{"data": [1]}'));
  lines.push(JSON.stringify(await served(one.page, "entropy")), ...heard.splice(0));
  one.on("#title-row").textContent = "Row 1";
  const titled = (/** @type {string} */ name) =>
    one.page.prints
      .figureOnPaper(name)
      .title.map((/** @type {Loose} */ each) => each.markup ?? each)
      .join("");
  lines.push(
    ...["entropy", "row-weights"].map(titled),
    JSON.stringify(new ExplorePrints(one.page, () => null).figureOnPaper("row-weights").title[0]),
  );
  const ids = (/** @type {string[]} */ kinds) => {
    const root = document.createElement("div");
    takeAway(root, /** @type {Loose} */ ({ text: keyed, settings: { takeAway: kinds }, message: {} }));
    return root
      .querySelectorAll("button")
      .map((/** @type {Loose} */ each) => each.id)
      .join(" ");
  };
  lines.push(ids(["snippet", "html"]), ids(["html"]));
  held(context, [...one.lines, ...lines]);
});

test("presented, the panels' legends stand below the maps under their names, and go back elsewhere", async (context) => {
  const below = () => {
    const place = document.querySelector(".legends");
    const legends = document
      .querySelectorAll(".chart-legend")
      .map((/** @type {Loose} */ each) => each.parent.className || each.parent.localName);
    return [
      `below ${place.hidden ? "hidden" : "seen"}: ${place.children.map((/** @type {Loose} */ each) => each.children[0].textContent)}`,
      `legends in ${legends}`,
    ];
  };
  const one = open([below]);
  await one.begin();
  await last(cells(one.state()), panels());
  await one.tell("maps");
  const look = (/** @type {Loose} */ more) => one.page.presenter.show({ ...one.page.presenter.look, ...more });
  for (const [what, work] of /** @type {[string, () => void][]} */ ([
    ["presented", () => look({ present: 1 })],
    ["one is hidden", () => look({ hide: ["entropy"] })],
    ["all are there", () => look({ hide: [] })],
    ["narrow", () => media("(max-width: 700px)").turn(true)],
    ["wide", () => media("(max-width: 700px)").turn(false)],
    ["one figure stands alone", () => look({ focus: "entropy" })],
    ["no more", () => look({ focus: "" })],
    ["the maps are out of sight", () => ((one.page.figures.of("heat-maps").block.stage.hidden = true), look({}))],
    ["and back", () => ((one.page.figures.of("heat-maps").block.stage.hidden = false), look({}))],
    ["not presented", () => look({ present: 0 })],
  ])) {
    work();
    await one.tell(what);
  }
  look({ present: 1 });
  const { living } = one.page.figures.of("entropy");
  living.legend.key = "another";
  for (const then of living.after) then();
  await one.tell("another legend is drawn");
  const maps = one.page.figures.of("heat-maps").living;
  maps.after.at(-1)();
  sharedLegend(one.page, maps, ["score-distribution", "heat-maps"]);
  await one.tell("maps have no legend");
  held(context, one.lines);
});

test("arrows, pages and ends walk and stay inside; other keys lock, let go and zoom", () => {
  const at = { row: 12, column: 3 };
  const shape = { rows: 25, columns: 8 };
  const to = (/** @type {string} */ key, from = at) => walk(key, from, shape);
  const place = (/** @type {number} */ row, /** @type {number} */ column) => ({ at: { row, column } });
  const expected = {
    ...{ ArrowDown: place(13, 3), ArrowUp: place(11, 3), ArrowRight: place(12, 4), ArrowLeft: place(12, 2) },
    ...{ PageDown: place(22, 3), PageUp: place(2, 3), Home: place(0, 3), End: place(24, 3) },
    ...{ Enter: { lock: true }, " ": { lock: true }, Escape: { release: true } },
    ...{ "+": { zoom: 0.5 }, "=": { zoom: 0.5 }, "-": { zoom: 2 }, 0: { zoom: 0 }, a: null, Tab: null },
  };
  for (const [key, wish] of Object.entries(expected)) assert.deepEqual(to(key), wish, key);
  assert.deepEqual(to("ArrowUp", { row: 0, column: 0 }), place(0, 0));
  assert.deepEqual(to("ArrowLeft", { row: 0, column: 0 }), place(0, 0));
  assert.deepEqual(to("ArrowDown", { row: 24, column: 7 }), place(24, 7));
  assert.deepEqual(to("ArrowRight", { row: 24, column: 7 }), place(24, 7));
  assert.deepEqual(to("PageUp", { row: 3, column: 7 }), place(0, 7));
  assert.deepEqual(to("PageDown", { row: 20, column: 7 }), place(24, 7));
});

test("A and B are named by what differs, short, in the words of their choices", (context) => {
  const words = /** @type {Record<string, string>} */ ({
    ...{ "control.d_k.label": "d_k, width of a head", "control.mask.label": "Mask", "control.n.label": "n: positions" },
    ...{
      "control.text.label": "sequence of tokens, any",
      "choice.mask.none": "no mask",
      "choice.mask.causal": "only before",
    },
  });
  const text = (/** @type {string} */ key, /** @type {Loose} */ fields = {}) => keyed(words[key] ?? key, fields);
  const defaults = /** @type {Loose} */ ({ d_k: 4, d_model: 8, h: 2, tie: true, mask: "none", n: 4, text: "a" });
  const names = [
    ["", ""],
    ["d_k=8", ""],
    ["mask=causal", "n=5"],
    [`text=${"x".repeat(24)}`, `text=${"y".repeat(25)}`],
    ["head=2", "row=3"],
  ].map(([a, b]) => compared(a, b, defaults, text));
  held(context, names);
});

test("controls without an effect, the box of a file, the factor's name and the pin follow the values", (context) => {
  const root = document.createElement("div");
  const part = (/** @type {string} */ id, /** @type {Loose[]} */ ...inside) => {
    const made = Object.assign(document.createElement("div"), { id });
    made.append(...inside);
    return made;
  };
  const info = Object.assign(document.createElement("span"), { dataset: { testid: "block-info" } });
  root.append(part("control-n"), part("control-scale", info), part("upload"), part("pin"));
  document.body.replaceChildren(root);
  const label = document.createElement("p");
  /** @type {string[]} */
  const lines = [];
  const told = (/** @type {Loose} */ values, /** @type {string[]} */ hidden) => {
    fit(values, hidden, "n=5", /** @type {Loose} */ ({ n: 4 }), keyed, label);
    lines.push(
      `${JSON.stringify(values)} ${hidden}: ${root.children.map((/** @type {Loose} */ each) => each.markup).join("")} ${/** @type {Loose} */ (label).markup}`,
    );
  };
  told({ n: 4, scale: 1, source: "gaussian", pin: "" }, ["n"]);
  told({ n: 4, scale: 1, source: "upload", pin: "n=3" }, []);
  told({ n: 4, scale: 1, source: "model", pin: "" }, ["scale", "absent"]);
  document.body.replaceChildren();
  fit(
    /** @type {Loose} */ ({ n: 4, source: "upload", pin: "n=3" }),
    [],
    "n=5",
    /** @type {Loose} */ ({ n: 4 }),
    keyed,
    label,
  );
  lines.push(`a page without them: ${/** @type {Loose} */ (label).markup}`);
  held(context, lines);
});

test("a trained model ends the slider of layers, and its own mask leaves none to choose", () => {
  const input = (/** @type {string} */ type) => Object.assign(document.createElement("input"), { type, max: "4" });
  const control = Object.assign(document.createElement("div"), { id: "control-layer" });
  const [range, box, end] = [
    input("range"),
    input("number"),
    Object.assign(document.createElement("span"), { className: "max_value" }),
  ];
  const shown = () => [range.max, box.max, end.textContent].join(" ");
  document.body.replaceChildren(control);
  fitLayers({ layers: 6, mask: "none" });
  control.append(range);
  fitLayers(null);
  assert.equal(shown(), "4 4 ");
  fitLayers({ layers: 6, mask: "none" });
  assert.equal(shown(), "6 4 ");
  control.append(box, end);
  fitLayers({ layers: 12, mask: "causal" });
  assert.equal(shown(), "12 12 12");
  assert.deepEqual(
    [masked(null), masked({ layers: 6, mask: "none" }), masked({ layers: 6, mask: "causal" })],
    [[], [], ["mask", "window"]],
  );
});

test("the first maps are painted in the outline, in their place, unless something else may stand there", async (context) => {
  /** @type {string[]} */
  const lines = [];
  /** @type {Loose[]} */
  const adopted = [];
  Object.assign(globalThis, {
    CSSStyleSheet: class {
      replaceSync(/** @type {string} */ text) {
        this.text = text;
      }
    },
  });
  Object.assign(StandIn.prototype, {
    /** @this {Loose} */
    attachShadow(/** @type {Loose} */ { mode }) {
      const inner = Object.assign(document.createElement("shadow"), { mode });
      this.append(inner);
      Object.defineProperty(inner, "adoptedStyleSheets", {
        set(sheets) {
          adopted.push(sheets.map((/** @type {Loose} */ each) => each.text));
        },
      });
      return inner;
    },
  });
  const state = { query: "n=5", notices: [], controls: { ...SETTINGS.defaults, columns: 2 } };
  const answer = (/** @type {Loose} */ more = {}) => new Response(cells(state, more));
  const tried = async (
    /** @type {string} */ what,
    /** @type {Loose} */ {
      search = "?n=5",
      texts = { "figure.heat_maps.title": "Maps" },
      response = answer(),
      place = true,
      gone = false,
    } = {},
  ) => {
    location.search = search;
    const outline = Object.assign(document.createElement("div"), { id: "outline" });
    const within = Object.assign(document.createElement("div"), { className: "outlined-page" });
    const sheets = ["first-styles", "early-styles"].map((id) =>
      Object.assign(document.createElement("style"), { id, textContent: `${id} of the page` }),
    );
    if (place) outline.append(within);
    document.body.replaceChildren(outline, ...sheets.slice(gone ? 2 : 0));
    const page = /** @type {Loose} */ ({
      server: {
        early: async () => {
          lines.push(`${what}: asks`);
          if (gone) within.remove();
          return response;
        },
      },
    });
    const painting = paintEarly(page, Promise.resolve(texts), "css of all pages");
    await settled();
    await paint();
    await painting;
    const [inner] = within.children;
    const found = inner && [
      inner.mode,
      adopted.at(-1),
      within.dataset,
      /** @type {Loose} */ (within).painting === inner,
    ];
    lines.push(`${what}: ${JSON.stringify(found ?? "nothing")}`);
    return inner;
  };
  const root = (await tried("plain")).children[0];
  const whole = (/** @type {Loose} */ each, depth = 0) => [
    `${"  ".repeat(depth)}${each.localName} ${each.id ?? ""} ${each.className}${each.hidden ? " hidden" : ""}`,
    ...each.children.flatMap((/** @type {Loose} */ child) =>
      ["svg", "menu"].includes(child.localName) ? [] : whole(child, depth + 1),
    ),
  ];
  lines.push(...whole(root), root.querySelector("h2").textContent);
  const perHead = await tried("a scale for each head", {
    response: answer({ controls: { ...state.controls, colour_range: "per_head", columns: 1 } }),
  });
  lines.push(
    `full range: ${perHead.querySelectorAll("#full-range").length}, first map at ${perHead.querySelector("canvas").style.left}`,
  );
  const others = "predict=true pin=n=3 row=1 present=1 hide=mask focus=entropy head=2 room=ABC lesson=x".split(" ");
  for (const other of others) await tried(other, { search: `?${other}` });
  await tried("a theme", { search: "?__theme=dark" });
  await tried("without texts", { texts: null });
  await tried("without an answer", { response: null });
  await tried("with a notice", { response: answer({ notices: ["a notice"] }) });
  await tried("another part first", { response: new Response(panels()) });
  await tried("without an outline", { place: false });
  await tried("the page has come meanwhile", { gone: true });
  await tried("an empty answer", { response: new Response(new Uint8Array(0)) });
  held(context, lines);
});

test("a page of Explore paints ahead, and is silent where that fails", async () => {
  const one = open();
  document.body.replaceChildren(Object.assign(document.createElement("div"), { id: "outline" }));
  const within = Object.assign(document.createElement("div"), { className: "outlined-page" });
  document.body.children[0].append(within);
  let asked = 0;
  one.page.server.early = async () => {
    asked += 1;
    throw new Error("lost");
  };
  one.own.ahead(Promise.resolve({}), "css");
  await settled();
  assert.deepEqual([asked, within.children.length], [1, 0]);
});
