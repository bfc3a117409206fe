/** What the Map draws, number by number: strips, heads, axes, cells and marks, the tip, and when a run starts. */

import { test } from "node:test";
import { axisLabels } from "../../assets/js/pages/map/axis.js";
import { Chart } from "../../assets/js/pages/map/chart.js";
import { Computation } from "../../assets/js/pages/map/computation.js";
import { hearGestures } from "../../assets/js/pages/map/gestures.js";
import { Model } from "../../assets/js/pages/map/model.js";
import { Pointing } from "../../assets/js/pages/map/pointing.js";
import { ends, Strips } from "../../assets/js/pages/map/strips.js";
import { Thumbnails } from "../../assets/js/pages/map/thumbnails.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { keyed, settled, standIn, Time } from "./stand_in.mjs";

const { document } = standIn();
standInDrawing(document);
Object.assign(document, { getSelection: () => null });
const time = new Time();

/** @returns {Loose} */
const stageOf = (width = 600) => Object.assign(document.createElement("div"), { clientWidth: width });
const TABLE = Uint32Array.from({ length: 256 }, (_, i) => i);
const STRIPS = [
  { name: "entropy", unit: "nats", label: "H", asked: ["Σ", "entropy"] },
  { name: "distance", unit: "keys", label: "d", asked: ["|i − j|", "distance"] },
  { name: "peak", unit: "", label: "max", asked: ["max", "peak"] },
];

/** A map of four queries and eight keys in two heads, of which three bins of queries have come. @param {Loose} [more] @returns {Loose} */
function model(more = {}) {
  const title = (/** @type {string} */ text) => ({ title: { text } });
  const header = {
    ...{ id: "m", heads: 2, n_q: 4, n_k: 8, bins_q: 4, bins_k: 4, cut: [] },
    ...{ row_edges: [0, 1, 2, 3, 4], column_edges: [0, 2, 4, 6, 8] },
  };
  const look = { xaxis: title("key"), yaxis: title("query"), coloraxis: {}, strips: STRIPS, average: "", maximum: "" };
  const made = new Model(
    /** @type {Loose} */ (header),
    /** @type {Loose} */ ({ look, ceiling: [0, 0.7, 1.1, 1.4], ...more }),
  );
  const cells = Float32Array.from({ length: 24 }, (_, i) => (i % 5 ? i / 100 : NaN));
  made.weights.overview.take({ first: 0, last: 3, mean: cells, maximum: cells.map((one) => 2 * one) });
  const values = (/** @type {number} */ by) => Float32Array.from({ length: 8 }, (_, i) => by * (1 + i));
  made.statistics.take(
    /** @type {Loose} */ ({ first: 0, last: 4, entropy: values(0.1), distance: values(3), peak: values(0.01) }),
  );
  return made;
}

test("a strip's axis ends at its ceiling, at a round maximum, and four powers of ten below it", (context) => {
  const lines = ["nats", "keys", ""].flatMap((unit) =>
    [0, 0.4, 7, 8].flatMap((most) =>
      ["linear", "log"].map(
        (colour) => `${unit} ${most} ${colour}: ${ends(unit, most, 2, colour)}; ${ends(unit, most, 0, colour)}`,
      ),
    ),
  );
  held(context, lines);
});

test("the strips have their places beside the map and below it, and draw their ranges and means", (context) => {
  const stage = stageOf(500);
  /** @type {string[]} */
  const heard = [];
  const strips = /** @type {Loose} */ (
    new Strips(stage, {
      hover: (row) => void heard.push(`hover ${row}`),
      click: (row) => void heard.push(`click ${row}`),
    })
  );
  const map = model();
  strips.list(STRIPS);
  const first = strips.strips;
  strips.list(STRIPS);
  const kept = strips.strips === first;
  const lines = [strips.root.markup.replaceAll("><", ">\n<"), `kept ${kept}, least ${strips.least}`];
  for (const [beside, width] of /** @type {[boolean, number][]} */ ([
    [true, 500],
    [true, 50],
    [true, 9000],
    [false, 500],
  ])) {
    stage.clientWidth = width;
    strips.fit(beside, 4, 2);
    const sizes = strips.strips.map((/** @type {Loose} */ { canvas }) => `${canvas.width}×${canvas.height}`);
    lines.push(`${beside} ${width}: ${strips.root.className} ${JSON.stringify(strips.root.style)} ${sizes}`);
    drawn();
    for (const colour of ["linear", "log"]) {
      strips.paint(map, 1, { left: 0, top: 0, across: 8, down: 4 }, colour);
      const bars = drawn().join("; ");
      if (width === 500) lines.push(colour, bars);
      lines.push(
        strips.strips
          .map((/** @type {Loose} */ { low, high }) => `${low.textContent} … ${high.textContent}`)
          .join(", "),
      );
    }
    for (const row of [0, 2, 9, -9, null]) {
      strips.mark(row);
      const [{ line }] = strips.strips;
      lines.push(`mark ${row}: ${line.hidden} ${JSON.stringify(line.style)}`);
      line.style = {};
    }
    const { box } = strips.strips[1];
    box.box = { left: 100, top: 10, width: 12, height: 12 };
    for (const [kind, x, y] of /** @type {[string, number, number][]} */ ([
      ["pointermove", 106, 12],
      ["pointermove", 99, 99],
      ["click", 103, 21],
      ["pointerleave", 0, 0],
    ])) {
      box.dispatchEvent(Object.assign(new Event(kind), { clientX: x, clientY: y }));
    }
    lines.push(heard.splice(0).join(", "));
  }
  strips.covered = true;
  strips.paint(map, 1, { left: 0, top: 0, across: 8, down: 4 }, "linear");
  lines.push(
    "covered",
    ...drawn(),
    strips.strips.map((/** @type {Loose} */ { low, high }) => low.textContent + high.textContent).join("|"),
  );
  strips.list(STRIPS.slice(1));
  lines.push(`${strips.strips.length} of another map, least ${strips.least}`);
  held(context, lines);
});

test("the heads are small maps of one scale, and rows to come are no masked ones", (context) => {
  /** @type {number[]} */
  const chosen = [];
  const thumbnails = /** @type {Loose} */ (new Thumbnails(stageOf(), keyed, (head) => void chosen.push(head)));
  thumbnails.draw(model(), 2, "average", "linear", TABLE);
  const lines = [thumbnails.root.markup.replaceAll("><", ">\n<"), ...drawn()];
  thumbnails.draw(model(), 1, "maximum", "log", TABLE);
  lines.push(
    ...drawn(),
    thumbnails.buttons.map((/** @type {Loose} */ { button }) => button.getAttribute("aria-pressed")).join(" "),
  );
  thumbnails.root.style["--background-fill-secondary"] = "white";
  thumbnails.draw(model(), 1, "average", "linear", TABLE);
  lines.push(...drawn().filter((line) => line.startsWith("fill")));
  thumbnails.buttons[1].button.click();
  const { buttons } = thumbnails;
  thumbnails.count(2);
  lines.push(`chosen ${chosen}, kept ${buttons === thumbnails.buttons}`);
  thumbnails.count(3);
  lines.push(`${thumbnails.root.children.length} heads, ${thumbnails.root.style["--heads"]}`);
  held(context, lines);
});

const TOKENS = Array.from({ length: 40 }, (_, i) => `t${i}`);

test("an axis has as many labels as there is room, and tokens if each has its own", (context) => {
  const lines = [];
  for (const tokens of [null, TOKENS]) {
    for (const vertical of [true, false]) {
      for (const [from, length, pixels] of [
        [0, 40, 400],
        [0, 40, 600],
        [3.5, 8, 400],
        [36, 4, 100],
        [0, 40, 30],
      ]) {
        const labels = axisLabels(from, length, pixels, 40, tokens, vertical, 12);
        const said = labels.map(({ at, text, upright }) => `${text}@${at}${upright ? "↑" : ""}`);
        lines.push(
          `${tokens ? "tokens" : "numbers"} ${vertical ? "down" : "across"} ${from} ${length} ${pixels}: ${said.join(" ")}`,
        );
      }
    }
  }
  held(context, lines);
});

test("the chart draws the visible cells on whole pixels, the end of the computation, labels and marks", (context) => {
  Object.assign(globalThis.window, { devicePixelRatio: 2 });
  const stage = stageOf();
  const chart = /** @type {Loose} */ (new Chart(stage));
  const map = model();
  const lines = [
    `fit ${[chart.fit(300, 200), chart.fit(300, 200), chart.side, chart.canvas.width]} ${stage.style["--side"]}`,
  ];
  lines.push(`least ${[chart.fit(30, 20), chart.side]}, again ${chart.fit(200, 300)} ${chart.side}`);
  chart.name({ xaxis: { title: { text: "key" } }, yaxis: { title: { text: "query" } } });
  const fine = { extent: { left: 2, top: 1, across: 2, down: 2 }, rows: 2, columns: 2 };
  const far = { extent: { left: 40, top: 1, across: 2, down: 2 }, rows: 2, columns: 2 };
  const layers = [map.weights.overview.cells[0], fine, far];
  drawn();
  for (const view of [
    { left: 0, top: 0, across: 8, down: 4 },
    { left: 2.5, top: 1.25, across: 3, down: 1.5 },
  ]) {
    chart.paint(view, layers, (/** @type {Loose} */ cells) => `a canvas of ${cells.columns}×${cells.rows}`, 3);
    lines.push(...drawn());
    chart.label(view, { rows: 4, columns: 8 }, null);
    chart.mark(view, { row: 2, preview: 1, cell: { rows: [1, 2], columns: [3, 5] }, centre: true });
    lines.push(stage.markup.replaceAll("><", ">\n<"));
    chart.mark(view, { row: null, preview: 9, cell: { rows: [0, 1], columns: [-5, -4] }, centre: false });
    chart.label(view, { rows: 4, columns: 8 }, TOKENS.slice(0, 8));
    lines.push(stage.markup.replaceAll("><", ">\n<"));
  }
  const sinks = [
    { key: 0, share: 0.5 },
    { key: 7, share: 0.25 },
    { key: 9, share: 1 },
  ];
  chart.markSinks({ left: 0, top: 0, across: 8, down: 4 }, sinks, (/** @type {Loose} */ { key }) => `sink ${key}`);
  lines.push(chart.canvas.parent.parent.querySelector(".map-sinks").markup.replaceAll("><", ">\n<"));
  chart.cells.box = { left: 50, top: 60, right: 250, bottom: 260 };
  stage.box = { left: 10, top: 20 };
  chart.cells.parent.box = { left: 20, width: 300, bottom: 300 };
  lines.push(JSON.stringify(chart.around));
  held(context, lines);
});

/** A stage on which somebody points. @param {Loose} [more] of the model @param {Loose} [sees] */
function pointed(more = {}, sees = {}) {
  const stage = stageOf();
  /** @type {string[]} */
  const heard = [];
  const said =
    (/** @type {string} */ name) =>
    (/** @type {unknown[]} */ ...given) =>
      void heard.push(`${name} ${JSON.stringify(given)}`);
  const wishes = Object.fromEntries(["mark", "click", "open", "release", "rest"].map((name) => [name, said(name)]));
  const sight = {
    ...{ model: model(more), view: { left: 0, top: 0, across: 8, down: 4 }, head: 1, looks: { pooling: "average" } },
    ...sees,
  };
  const asking = { waits: false };
  const page = {
    text: keyed,
    presence: { pointed: said("pointed") },
    message: { speak: said("speak") },
  };
  const cells = Object.assign(document.createElement("div"), {
    ...{ offsetLeft: 30, offsetTop: 5, box: { left: 0, top: 0, width: 100, height: 100 } },
    setPointerCapture() {},
  });
  const move = (/** @type {Loose} */ view) => {
    heard.push(`move ${JSON.stringify(view)}`);
    sight.view = view;
  };
  const pointing = /** @type {Loose} */ (
    new Pointing(
      /** @type {Loose} */ (page),
      /** @type {Loose} */ ({ sight, asking }),
      /** @type {Loose} */ ({ cells, side: 100 }),
      stage,
      /** @type {Loose} */ ({ ...wishes, move }),
    )
  );
  const tip = () => {
    const [one] = stage.querySelectorAll(".tip");
    return one.hidden
      ? "no tip"
      : `${one.children.map((/** @type {Loose} */ part) => part.textContent).join(" | ")} ${JSON.stringify(one.style)}`;
  };
  const hear = (/** @type {Loose} */ on, /** @type {string} */ kind, /** @type {Loose} */ more = {}) => {
    const event = Object.assign(new Event(kind, { cancelable: true }), more);
    on.dispatchEvent(event);
    return `${kind} ${Object.values(more)}: ${heard.splice(0).join(", ")} row ${pointing.row}, ${tip()}${event.defaultPrevented ? ", stopped" : ""}`;
  };
  return { stage, cells, sight, asking, pointing, hear, heard, tip };
}

test("a pointer reads the finest block under it, and its row if that is one query", async (context) => {
  const { stage, cells, sight, asking, pointing, hear, heard, tip } = pointed();
  const at = (/** @type {number} */ clientX, /** @type {number} */ clientY) => ({ clientX, clientY });
  const lines = [stage.markup, hear(cells, "pointermove", at(30, 30)), hear(cells, "pointermove", at(99, 60))];
  sight.looks.pooling = "maximum";
  lines.push(hear(cells, "pointermove", at(40, 30)), `at ${JSON.stringify(pointing.at)}`);
  lines.push(hear(cells, "pointermove", at(0, 0)), hear(cells, "pointermove", at(0, 99)));
  asking.waits = true;
  lines.push(hear(cells, "pointermove", at(40, 30)));
  asking.waits = false;
  await time.pass(200);
  lines.push(`rest: ${heard.splice(0)}`);
  pointing.refresh();
  lines.push(`refresh: ${heard.splice(0)} ${tip()}`, hear(cells, "pointerleave"), hear(stage, "blur"));
  await time.pass(200);
  lines.push(`no rest: ${heard.splice(0)}, at ${JSON.stringify(pointing.at)}`);
  for (const cell of [
    { figure: "map", head: 1, row: 2, column: 5 },
    { figure: "map", head: 2, row: 2, column: 5 },
    { figure: "other", head: 1, row: 2, column: 5 },
    { figure: "map", head: 1, row: 7, column: 5 },
    { figure: "map", head: 1, row: 1, column: 9 },
    null,
  ]) {
    pointing.show(cell);
    lines.push(`shown ${JSON.stringify(cell)}: ${heard.splice(0)} ${tip()}`);
  }
  sight.view = { left: 4, top: 2, across: 2, down: 2 };
  pointing.show({ figure: "map", head: 1, row: 2, column: 5 });
  lines.push(`in a window: ${heard.splice(0)} ${tip()}`);
  pointing.show({ figure: "map", head: 1, row: 1, column: 5 });
  lines.push(`above it: ${heard.splice(0)} ${tip()}`);
  held(context, lines);
});

test("a single cell is told by its tokens", (context) => {
  const tokens = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const { stage, sight, hear } = pointed({ tokens }, { view: { left: 0, top: 0, across: 4, down: 2 } });
  const values = { rows: [1, 2], columns: [2, 3], average: 0.125, maximum: 0.25 };
  sight.model.weights.block = () => values;
  held(context, [hear(stage, "keydown", { key: "ArrowRight" }), hear(stage, "keydown", { key: "x" })]);
});

test("each key moves the window, opens, releases, and tells what is at its centre", (context) => {
  const keys = [
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "PageUp",
    "PageDown",
    "Home",
    "End",
    "Enter",
    "+",
    "-",
    "0",
    "Escape",
    "q",
  ];
  const lines = keys.map((key) => {
    const { stage, hear, pointing } = pointed({}, { view: { left: 2, top: 1, across: 4, down: 2 } });
    return `${hear(stage, "keydown", { key })} ${pointing.walking}`;
  });
  const { stage, hear, sight, pointing } = pointed();
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
    lines.push(hear(stage, "keydown", { key: "+", ...more }));
  }
  pointing.zoom(0.5, { x: 0, y: 1 });
  lines.push(JSON.stringify(sight.view));
  sight.model = null;
  lines.push(hear(stage, "keydown", { key: "+" }));
  held(context, lines);
});

test("wheel, fingers and mouse are wishes in fractions of the map", (context) => {
  const root = Object.assign(document.createElement("div"), {
    box: { left: 10, top: 20, width: 200, height: 100 },
    setPointerCapture() {},
  });
  /** @type {string[]} */
  const heard = [];
  let filled = false;
  const names = ["zoom", "pan", "pinch", "hover", "click"];
  hearGestures(
    /** @type {Loose} */ (root),
    /** @type {Loose} */ ({
      filled: () => filled,
      ...Object.fromEntries(
        names.map((name) => [
          name,
          (/** @type {unknown[]} */ ...given) => void heard.push(`${name} ${JSON.stringify(given)}`),
        ]),
      ),
    }),
  );
  const hear = (/** @type {string} */ kind, /** @type {Loose} */ more) => {
    const event = Object.assign(new Event(kind, { cancelable: true }), {
      clientX: 60,
      clientY: 45,
      pointerId: 1,
      button: 0,
      buttons: 1,
      isPrimary: true,
      ...more,
    });
    root.dispatchEvent(event);
    return `${kind} ${JSON.stringify(more)}: ${heard.splice(0).join(", ")}${event.defaultPrevented ? " stopped" : ""}`;
  };
  const lines = [
    ...[
      { deltaY: 100, deltaMode: 0 },
      { deltaY: 3, deltaMode: 1 },
      { deltaY: 1, deltaMode: 2 },
      { deltaY: -9000, deltaMode: 0 },
      { deltaY: 25, deltaMode: 0, ctrlKey: true },
      { deltaY: 0, deltaMode: 0 },
    ].map((more) => hear("wheel", more)),
  ];
  filled = true;
  lines.push(hear("wheel", { deltaY: 100, deltaMode: 0 }), hear("wheel", { deltaY: -100, deltaMode: 0 }));
  lines.push(
    hear("pointermove", {}),
    hear("pointerdown", {}),
    hear("pointermove", { clientX: 62 }),
    hear("pointerup", { clientX: 62 }),
  );
  lines.push(
    hear("pointerdown", {}),
    hear("pointermove", { clientX: 80, clientY: 55 }),
    hear("pointermove", { clientX: 90, clientY: 55 }),
    hear("pointerup", { clientX: 90 }),
  );
  lines.push(
    hear("pointerdown", {}),
    hear("pointerdown", { pointerId: 2, clientX: 160, isPrimary: false }),
    hear("pointermove", { pointerId: 2, clientX: 190, isPrimary: false }),
  );
  lines.push(hear("pointerup", { pointerId: 2, isPrimary: false }), hear("pointerup", {}), hear("pointerleave", {}));
  held(context, lines);
});

/** A computation of a page, its run stood in for. */
function computed() {
  /** @type {string[]} */
  const heard = [];
  const page = /** @type {Loose} */ ({
    text: keyed,
    state: { present: "n=50&page=map" },
    settings: { viewing: [] },
    figures: { known: [] },
    updates: { rules: {} },
    live: {},
  });
  const rules = Object.fromEntries(
    ["began", "opened", "grown", "told", "over"].map((name) => [
      name,
      (/** @type {unknown[]} */ ...given) => void heard.push(`${name} ${given.map((one) => typeof one)}`),
    ]),
  );
  const computation = /** @type {Loose} */ (
    new Computation(/** @type {Loose} */ (stageOf()), page, () => 1, /** @type {Loose} */ (rules))
  );
  const { run } = computation;
  run.start = async (/** @type {unknown} */ wish) => void heard.push(`start ${JSON.stringify(wish)}`);
  run.cancel = () => void heard.push("cancel");
  run.say = (/** @type {unknown} */ key) => void heard.push(`say ${key}`);
  return { heard, page, computation, run };
}

test("a short run starts unasked, at once or after a rest; a long one waits, and a press starts any", async (context) => {
  const lines = [];
  for (const [seconds, before] of [
    [1, 0],
    [5, 0],
    [5.1, 0],
    [2, 2],
    [2, 1],
  ]) {
    const { heard, computation } = computed();
    computation.follow({ expected_seconds: seconds, before });
    lines.push(`${seconds} s behind ${before}: ${computation.isComputing} ${heard.splice(0)}`);
    await time.pass(1);
    lines.push(`then ${computation.isComputing} ${heard.splice(0)}`);
    computation.follow({ expected_seconds: 1, before: 0 });
    await time.pass(499);
    lines.push(`after 499 ms ${heard.splice(0)}`);
    await time.pass(1);
    lines.push(`after 500 ms ${heard.splice(0)}`);
  }
  const { heard, page, computation, run } = computed();
  computation.follow({ expected_seconds: 1, before: 0 });
  page.state.present = "n=51&page=map";
  await time.pass(1);
  lines.push(`another subject: ${heard.splice(0)}`);
  computation.follow({ expected_seconds: 1, before: 0 });
  computation.compute();
  await time.pass(1000);
  lines.push(`once: ${heard.splice(0)}`);
  computation.heads();
  run.go.click();
  await settled();
  lines.push(`heads, press: ${heard.splice(0)}`);
  computation.model = model();
  lines.push(`${computation.current} ${computation.isOld} ${computation.isKept}`);
  computation.model.subject = computation.subject;
  lines.push(`${computation.current} ${computation.isOld} ${computation.isKept} ${computation.subject}`);
  computation.follow({ expected_seconds: 1, before: 0 });
  await time.pass(1000);
  lines.push(`current: ${heard.splice(0)}`);
  page.state.present = "n=52&page=map";
  Object.defineProperty(run, "lost", { value: true, configurable: true });
  computation.follow({ expected_seconds: 1, before: 0 });
  await time.pass(1000);
  lines.push(`lost: ${heard.splice(0)}`);
  Object.defineProperty(run, "lost", { value: false });
  computation.follow({ expected_seconds: 9, before: 0 });
  computation.compute();
  lines.push(`old: ${heard.splice(0)}`);
  held(context, lines);
});
