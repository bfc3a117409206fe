/** Charts of every shape and size: where panels and words stand, what the pointer is told, and what a picture says of itself. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc, broken, labelledPng, labelledSvg, textChunk, withTexts } from "../../assets/js/files/picture_origin.js";
import { apart, clear } from "../../assets/js/figures/chart/labels.js";
import { panels } from "../../assets/js/figures/chart/frame.js";
import { arranged } from "../../assets/js/figures/chart/grid.js";
import { linesOf, nearest } from "../../assets/js/figures/chart/hover.js";
import { names } from "../../assets/js/figures/chart/naming.js";
import { ChartFigure } from "../../assets/js/figures/chart_figure.js";
import { Figures } from "../../assets/js/figures/figures.js";
import { drawn, standInDrawing, watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { keyed, settled, standIn } from "./stand_in.mjs";

const { document, window } = standIn();
standInDrawing(document);
Object.assign(window, { devicePixelRatio: 1 });
Object.assign(globalThis, {
  requestAnimationFrame: (/** @type {() => void} */ then) => then(),
  Path2D: class {
    moveTo() {}
    lineTo() {}
    arc() {}
  },
});

/** Numbers that look random, and are the same each time. @param {number} seed */
function numbers(seed) {
  let now = seed;
  return (/** @type {number} */ below) => {
    now = (now * 1103515245 + 12345) % 2147483648;
    return (now / 2147483648) * below;
  };
}
const short = (/** @type {number} */ one) => Number(one.toFixed(2));

test("panels stand in as many columns as leave them largest and best shaped", (context) => {
  /** @type {string[]} */
  const lines = [];
  const sizes = [
    [300, 200],
    [600, 200],
    [600, 400],
    [1200, 200],
    [1200, 300],
    [300, 900],
    [1000, 150],
  ];
  for (let count = 1; count <= 9; count += 1) {
    const slots = Array.from({ length: count }, () => ({ across: [0, 1], up: [0, 1] }));
    const found = sizes.flatMap(([width, height]) =>
      [10, 16].map((em) => {
        const { columns, lines: high, places } = arranged(/** @type {Loose} */ (slots), { width, height }, em, true);
        return `${columns}×${high}${places.at(-1)?.column}${places.at(-1)?.line}`;
      }),
    );
    lines.push(`${count}: ${found.join(" ")}`);
  }
  const slots = [
    [0.5, 1],
    [0, 0.4],
  ].flatMap((across) =>
    [
      [0, 0.4],
      [0.6, 1],
    ].map((up) => ({ across, up })),
  );
  lines.push(JSON.stringify(arranged(/** @type {Loose} */ (slots), { width: 100, height: 100 }, 12, false)));
  held(context, lines);
});

test("names of marks stand inside, over no other name, nearer to their own mark, and as wished where that is free", (context) => {
  /** @type {string[]} */
  const lines = [];
  for (let seed = 1; seed <= 14; seed += 1) {
    const next = numbers(seed);
    const count = 2 + (seed % 5);
    const [wide, high] = [80 + next(160), 60 + next(90)];
    const sides = ["top right", "bottom left", "middle right", "top center", "bottom center", "middle left"];
    const marks = Array.from({ length: count }, (_, i) => ({
      ...{ text: ["n_q", "softmax", " a ", "d_model", "x", "long name"][i], x: next(wide), y: next(high) },
      ...{ side: sides[Math.floor(next(6))], colour: i ? "red" : undefined },
    }));
    const words = names(/** @type {Loose} */ (marks), { left: 0, right: wide, top: 0, bottom: high }, 10 + (seed % 3));
    lines.push(
      marks.map(({ text, x, y, side }) => `${text} ${short(x)},${short(y)} ${side}`).join("; "),
      ...words.map(
        ({ text, x, y, align, kind, colour }) => `  ${text} ${short(x)},${short(y)} ${align} ${kind} ${colour}`,
      ),
    );
  }
  held(context, lines);
});

test("texts that would touch stand apart, in their order, and off the markers", (context) => {
  /** @type {string[]} */
  const lines = [];
  for (let seed = 1; seed <= 10; seed += 1) {
    const next = numbers(40 + seed);
    const words = Array.from({ length: 3 + (seed % 4) }, (_, i) => ({
      ...{ text: ["a", "softmax", "n_q", "dot", "e", "additive"][i], x: next(90), y: next(50), kind: "note" },
      align: ["start", "middle", "end"][Math.floor(next(3))],
    }));
    const dots = Array.from({ length: 3 }, () => [next(90), next(50)]).map(([x, y]) => ({
      left: x - 3,
      right: x + 3,
      top: y - 3,
      bottom: y + 3,
    }));
    const written = (/** @type {Loose[]} */ all) =>
      all.map(({ text, x, y }) => `${text} ${short(x)},${short(y)}`).join("; ");
    const placed = apart(/** @type {Loose} */ (words), 12);
    lines.push(written(words), `  ${written(placed)}`, `  ${written(clear(placed, dots, 12))}`);
  }
  held(context, lines);
});

const line = (/** @type {Loose} */ more) => ({ type: "scatter", x: [0, 2, 4, 8], y: [1, 3, 2, 4], name: "a", ...more });
const title = (/** @type {string} */ text) => ({ title: { text } });
const note = (/** @type {string} */ text, x = "x", y = "y") => ({ text, xref: `${x} domain`, yref: `${y} domain` });
/** Drawings as Python's figures have them. @type {Record<string, Loose>} */
const DRAWINGS = {
  "one panel": {
    data: [
      line({ hovertemplate: "%{x} → %{y:.2s}<extra>of a</extra>" }),
      line({ type: "bar", y: [2, 1, 1, 3], hovertemplate: "%{y}<br>%{text}", text: ["p", "q", "r", "s"] }),
    ],
    layout: { xaxis: { ...title("positions n"), range: [0, 8] }, yaxis: { ...title("loss"), range: [0, 5] } },
  },
  "a heading and a guest": {
    data: [
      line({ mode: "lines+text", text: ["", "", "", "the end"], textposition: "middle right" }),
      line({ yaxis: "y2", y: [10, 20, 30, 40], hoverinfo: "skip", hovertemplate: "no" }),
    ],
    layout: {
      ...{
        xaxis: {
          ...title("a long name of what is counted along here"),
          range: [1, 8],
          type: "linear",
          tickmode: "array",
          tickvals: [1, 4, 8],
          ticktext: ["one", "four", "+8"],
        },
      },
      ...{
        yaxis: { ...title("weight"), anchor: "x" },
        yaxis2: { ...title("entropy in nats"), overlaying: "y", side: "right", anchor: "x" },
      },
      ...{ annotations: [note("Head 1")], meta: { short: { yaxis: ["w", ""], yaxis2: ["entropy", "H"] } } },
    },
  },
  "panels beside each other": {
    data: [1, 2, 3, 4].flatMap((i) => [
      line({
        xaxis: i > 1 ? `x${i}` : "x",
        yaxis: i > 1 ? `y${i}` : "y",
        name: "shared",
        hovertemplate: "%{customdata:.3f}",
        customdata: [0.5, 1.25, 2, 3],
      }),
      line({
        xaxis: i > 1 ? `x${i}` : "x",
        yaxis: i > 1 ? `y${i}` : "y",
        mode: "markers+text",
        text: ["n_q", "", "long name", "d_k"],
        name: "named",
        textposition: ["top right", "top right", "bottom left", "middle left"],
        textfont: { color: "red" },
      }),
    ]),
    layout: {
      ...Object.fromEntries(
        [1, 2, 3, 4].flatMap((i) => [
          [i > 1 ? `xaxis${i}` : "xaxis", title("steps")],
          [i > 1 ? `yaxis${i}` : "yaxis", { ...title(i % 2 ? "" : "loss"), anchor: i > 1 ? `x${i}` : "x" }],
        ]),
      ),
      annotations: [1, 2, 3, 4].map((i) =>
        note(
          `Heading of panel ${i}${i === 3 ? ", which is a long one" : ""}`,
          i > 1 ? `x${i}` : "x",
          i > 1 ? `y${i}` : "y",
        ),
      ),
    },
  },
  "panels over each other": {
    data: [
      line({}),
      line({
        xaxis: "x2",
        yaxis: "y2",
        mode: "markers+lines+text",
        text: ["p", "q", "r", "s"],
        marker: { size: 12 },
        textposition: "top center",
      }),
    ],
    layout: {
      ...{ xaxis: { ...title("t"), domain: [0, 1] }, yaxis: { domain: [0.6, 1], anchor: "x" } },
      ...{
        xaxis2: { ...title("t"), domain: [0, 1], type: "log", range: [0, 2] },
        yaxis2: { domain: [0, 0.4], anchor: "x2", showticklabels: false },
      },
      shapes: [
        {
          xref: "x2",
          yref: "y2",
          x0: 1,
          x1: 2,
          y0: 2,
          y1: 2,
          label: { text: "chance", yanchor: "top", font: { color: "blue" } },
        },
        { xref: "x", yref: "y", x0: 1, x1: 2, y0: 3, y1: 3, layer: "below", label: { text: "mean" } },
        { xref: "x", yref: "y", x0: 1, x1: 2, y0: 99, y1: 99, label: { text: "far" }, name: "own" },
      ],
    },
  },
  "large markers": {
    data: [5, 20, 45].map((size, i) => ({
      ...{
        type: "scatter",
        x: [1, 2, 3, 4],
        y: [i, 3 - i, i + 1, 2],
        name: `${size}`,
        mode: "markers+lines+text",
        marker: { size },
      },
      ...{
        text: ["first", "n_q", "third", "d_model"],
        textposition: ["middle right", "top left", "bottom center", "middle center"][i],
      },
    })),
    layout: { xaxis: { range: [0, 5] }, yaxis: { range: [-1, 5] } },
  },
  "boxes and tokens": {
    data: [
      {
        type: "box",
        x: [0, 1, 2],
        name: "h",
        lowerfence: [0, 1, 2],
        q1: [1, 2, 3],
        median: [2, 3, 4],
        q3: [3, 4, 5],
        upperfence: [4, 5, 6],
      },
      line({ x: [0, 1, 2], y: [1, NaN, 3], mode: "text", text: ["the", "cat", ""], textposition: "bottom left" }),
      line({ x: [0, 1, 2], y: [1, 2, 3], mode: "text", text: ["the", "dog", "sat"], textposition: "bottom right" }),
    ],
    layout: {
      xaxis: {
        range: [-0.5, 2.5],
        tickmode: "array",
        tickvals: [0, 1, 2],
        ticktext: ["n", "d_k", "m"],
        labelalias: {},
        showticklabels: true,
      },
      yaxis: { ...title("score"), range: [0, 6], tickmode: "linear", dtick: 2, tick0: 0 },
    },
  },
};
const SIZES = [
  [240, 150],
  [420, 300],
  [900, 260],
  [700, 620],
];

test("axes, headings, names and texts have their places at every size", (context) => {
  /** @type {string[]} */
  const lines = [];
  for (const [what, { data, layout }] of Object.entries(DRAWINGS)) {
    for (const [clientWidth, clientHeight] of SIZES) {
      const figure = /** @type {Loose} */ (new ChartFigure(/** @type {Loose} */ (document.createElement("div"))));
      Object.assign(figure.area, { clientWidth, clientHeight });
      figure.draw({ data, layout }, { layout: {} });
      lines.push(
        `# ${what}, ${clientWidth} × ${clientHeight}`,
        figure.panels
          .map((/** @type {Loose} */ { x, y, box }) => `${x} ${y} ${Object.values(box).map(short)}`)
          .join("; "),
        ...figure.words.shown.map((/** @type {Loose} */ { text, x, y, align, kind, most, plain, colour }) =>
          [text, short(x), short(y), align, kind, most && short(most), plain, colour].join(" "),
        ),
      );
    }
  }
  held(context, lines);
});

test("the pointer is told the nearest point of what is drawn, in the words of its template", (context) => {
  /** @type {string[]} */
  const lines = [];
  for (const [what, drawing] of Object.entries(DRAWINGS)) {
    const { data, layout } = /** @type {Loose} */ (drawing);
    const all = panels(layout, data, { width: 500, height: 300 }, 12);
    const there = data.map((/** @type {Loose} */ trace) => ({
      trace,
      panel: all.find(({ y }) => y === (trace.yaxis ?? "y")),
    }));
    for (const y of [10, 60, 120, 150, 200, 240, 262, 290]) {
      const told = [5, 30, 60, 120, 180, 250, 330, 410, 470, 486, 499].map((x) => {
        const found = nearest(there, x, y);
        return found
          ? `${data.indexOf(found.trace)}.${found.index} ${short(found.x)},${short(found.y)} “${linesOf(found).join(" | ")}”`
          : "–";
      });
      lines.push(`${what}, ${y}: ${told.join("; ")}`);
    }
  }
  const template = (/** @type {string} */ hovertemplate, more = {}) =>
    linesOf(
      /** @type {Loose} */ ({
        trace: { x: [-3, 0.5], y: [1234.5, 2e6], text: ["<b>t</b>"], hovertemplate, ...more },
        index: 0,
      }),
    );
  for (const one of [
    "%{x}",
    "%{x:.1f}",
    "%{y}",
    "%{y:.2s}",
    "%{text}",
    "%{customdata}",
    "%{z}",
    "a<extra></extra>",
    "a<extra>b</extra>",
    "%{x}<br>%{y}",
  ]) {
    lines.push(`${one}: ${template(one).join(" | ")}`);
  }
  held(context, lines);
});

test("a chart paints a part of its panels, moved marks, no shapes of the page's own, and follows its area", (context) => {
  const stage = /** @type {Loose} */ (document.createElement("div"));
  const figure = /** @type {Loose} */ (new ChartFigure(stage));
  /** @type {string[]} */
  const lines = [];
  let after = 0;
  figure.after.push(() => (after += 1));
  const told = (/** @type {string} */ what) => {
    const strokes = drawn();
    const [, , dot, tip] = figure.area.children;
    const panels_ = `${figure.panels.length} panels, ${figure.drawn.length} traces`;
    lines.push(
      `${what}: ${strokes.length} strokes, ${after} paintings, ${panels_}, “${figure.legend.root.textContent}”`,
    );
    const tipped = `${!tip.hidden} ${!dot.hidden} “${tip.textContent}” ${JSON.stringify(tip.style)}`;
    lines.push(`  ${figure.words.shown.length} words; ${figure.canvas.width} × ${figure.canvas.height}; tip ${tipped}`);
  };
  drawn();
  figure.markRow(() => null);
  figure.paintOnly(Infinity);
  told("nothing");
  const drawing = /** @type {Loose} */ (structuredClone(DRAWINGS["panels over each other"]));
  drawing.data[0].meta = { row_of: "weights", head: 2 };
  drawing.data[0].hovertemplate = "%{y}";
  drawing.data[1].name = "b";
  Object.assign(figure.area, { clientWidth: 0, clientHeight: 0 });
  figure.draw(drawing, undefined);
  told("no room");
  Object.assign(figure.area, { clientWidth: 39, clientHeight: 400 });
  const resized = watched.at(-1);
  resized?.then();
  told("too narrow");
  Object.assign(figure.area, { clientWidth: 400, clientHeight: 40 });
  resized?.then();
  told("flat");
  Object.assign(figure.area, { clientWidth: 400, clientHeight: 300, box: { left: 10, top: 20 } });
  resized?.then();
  told("large");
  figure.draw(drawing, { layout: { xaxis: { gridcolor: "#1", linecolor: "#2" } } });
  lines.push(
    drawn()
      .filter((one) => one.startsWith("strokeStyle"))
      .join(", "),
  );
  figure.replaced = "own";
  figure.draw(drawing, undefined);
  told("a shape that the page draws");
  lines.push(JSON.stringify(figure.shown.data[0].y));
  figure.markRow((/** @type {Loose} */ meta) => (lines.push(JSON.stringify(meta)), { y: [4, 4, 4, 4] }));
  told(`moved ${JSON.stringify([figure.shown.data[0].x, figure.shown.data[0].y])}`);
  const point = (/** @type {string} */ kind, clientX = 0, clientY = 0) =>
    figure.area.dispatchEvent(Object.assign(new Event(kind), { clientX, clientY }));
  const [{ across, up }] = figure.panels;
  Object.assign(figure.area.children[3], { offsetHeight: 30 });
  for (const [x, y] of [
    [0, 4],
    [8, 4],
    [4, 4],
  ]) {
    point("pointermove", 10 + across.pixel(x), 20 + up.pixel(y));
    told(`at ${x}, ${y}`);
  }
  point("pointerleave");
  told("left");
  point("pointerdown", 10 + across.pixel(8), 20 + up.pixel(4));
  told("a press");
  point("pointercancel");
  told("broken off");
  figure.markRow(() => ({}));
  figure.markRow(() => null);
  told(`back ${JSON.stringify(figure.shown.data[0].y)}`);
  point("pointermove", 10 + across.pixel(8), 20 + up.pixel(4));
  figure.paintOnly(1);
  told("one panel");
  figure.paintOnly(1);
  told("the same");
  figure.paintOnly(2);
  told("both");
  figure.legend.root.children[0].click();
  told("a kind is hidden");
  const first = /** @type {Loose} */ (new ChartFigure(/** @type {Loose} */ (document.createElement("div"))));
  Object.assign(first.area, { clientWidth: 400, clientHeight: 300 });
  first.paintOnly(1);
  first.draw(drawing, undefined);
  lines.push(`one panel from the start: “${first.legend.root.textContent}”`);
  figure.clear();
  lines.push(`cleared: ${figure.shown} ${figure.drawn.length}`);
  held(context, lines);
});

test("figures are drawn, emptied, marked as busy and as standing, by their names", async (context) => {
  /** @type {string[]} */
  const lines = [];
  const templates = /** @type {Loose} */ ({ light: { layout: {} }, dark: { layout: {} } });
  const figures = /** @type {Loose} */ (
    new Figures({ figures: ["curve", "maps", "own"], cells: ["maps"], charts: ["curve"], templates })
  );
  figures.rules.redraw = () => lines.push("draws its own");
  const roots = ["curve", "maps", "own"].map((name) => [`figure-${name}`, { element: document.createElement("div") }]);
  figures.build(Object.fromEntries(roots), keyed, (/** @type {unknown[]} */ ...all) => lines.push(`saves ${all}`));
  const told = async (/** @type {string} */ what) => {
    await settled();
    const seen = [...figures.all.values()].map(
      ({ root, block }) =>
        `${root.className} ${JSON.stringify(root.dataset)} ${root.getAttribute("aria-busy")} “${block.summary.textContent}”`,
    );
    lines.push(`${what}: ${seen.join("; ")}; drawn ${[...figures.drawn.keys()]}`);
  };
  for (const name of ["absent", "maps", "own"]) assert.throws(() => figures.chart(name), new RegExp(name));
  for (const ask of ["of", "clear"]) assert.throws(() => figures[ask]("absent"), /absent/);
  assert.throws(() => figures.drawn.of("curve"), /curve/);
  lines.push(`${figures.chart("curve") === figures.of("curve").living}`);
  const { root, block } = figures.of("curve");
  Object.assign(root.dataset, { error: "before" });
  const { painted } = await figures.draw("curve", DRAWINGS["one panel"], "h1", "n=1");
  await painted;
  block.say("a curve");
  block.tabulate({ caption: "c", columns: [{ label: "x", values: [1] }] });
  await told("drawn");
  figures.busy(true);
  await told("busy");
  figures.busy(false);
  root.classList.add("is-stale");
  for (const one of figures.all.values()) one.root.dataset.error = "gone";
  figures.stand("n=2");
  await told("standing");
  figures.redrawAll();
  root.classList.add("is-stale");
  root.dataset.error = "gone";
  figures.clear("own");
  figures.clear("curve");
  await told(`cleared, ${block.shown} ${block.behind.hidden} ${figures.of("curve").living.shown}`);
  root.classList.add("is-covered");
  figures.rules.covers = (/** @type {string} */ name) => name === "maps";
  lines.push(`covered: ${["curve", "maps", "own"].map((name) => figures.isCovered(name))}`);
  for (const [numbers_, instead] of [
    ["1 of 2", []],
    ["1 of 2", []],
    ["", ["Nothing."]],
    ["", []],
  ]) {
    block.note(numbers_, instead);
    lines.push(`“${block.brief.textContent}” ${block.root.className} ${block.root.textContent.includes("Nothing.")}`);
  }
  root.querySelectorAll(".saves button")[1].onclick();
  held(context, lines);
});

const LABEL = { title: "T", description: "D", origin: /** @type {Loose} */ ({ link: "?n=5", seed: "1" }) };

test("a picture says where it comes from: in chunks of a PNG, in an SVG, and in lines below either that fit", async (context) => {
  /** @type {string[]} */
  const lines = [];
  for (const text of ["a: 1; b: 22; c: 333", "abcdefghij; k: 1", "", "one", "; ; ", "a: 1;b"]) {
    for (const most of [1, 4, 6, 9, 99]) {
      lines.push(`${text} in ${most}: ${JSON.stringify(broken(text, ({ length }) => length <= most))}`);
    }
  }
  const chunk = textChunk("Title", "é");
  lines.push(
    `${chunk}`,
    `${new DataView(chunk.buffer).getUint32(0)} of ${chunk.length}, ${crc(chunk.slice(4, -4)) === new DataView(chunk.buffer).getUint32(chunk.length - 4)}`,
  );
  const png = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 2, 73, 72, 68, 82, 9, 9, 1, 1, 1, 1, 77, 78);
  const named = withTexts(png, { A: "b" });
  lines.push(`${new Uint8Array(await named.arrayBuffer())} ${named.type}`);
  drawn();
  for (const width of [200, 2000]) {
    Object.assign(globalThis, { createImageBitmap: async () => ({ width, height: 100 }) });
    const { createElement } = document;
    document.createElement = (name) =>
      Object.assign(createElement(name), {
        toBlob: (/** @type {(made: Blob | null) => void} */ then, /** @type {string} */ type) => (
          lines.push(type),
          then(width < 1000 ? new Blob([png]) : null)
        ),
      });
    const made = await labelledPng(new Blob([png]), { ...LABEL, lined: true }).then((one) => one.size, String);
    document.createElement = createElement;
    lines.push(`${width} wide: ${made}`, ...drawn());
  }
  lines.push(`without a line: ${(await labelledPng(new Blob([png]), { ...LABEL, lined: false })).size}`);
  for (const [lined, dark, width] of /** @type {[boolean, boolean, string | null][]} */ ([
    [false, false, "300"],
    [true, false, "300"],
    [true, true, "80"],
    [true, false, null],
  ])) {
    document.body.classList.toggle("dark", dark);
    const root = /** @type {Loose} */ (document.createElement("svg"));
    if (width) root.setAttribute("width", width);
    root.setAttribute("height", "50");
    Object.assign(globalThis, {
      DOMParser: class {
        parseFromString(/** @type {string} */ svg, /** @type {string} */ type) {
          lines.push(`${svg} as ${type}`);
          return {
            documentElement: root,
            createElementNS: (/** @type {string} */ _, /** @type {string} */ tag) => document.createElement(tag),
          };
        }
      },
      XMLSerializer: class {
        serializeToString = (/** @type {Loose} */ one) => one.documentElement.markup;
      },
    });
    const made = labelledSvg("<svg/>", { ...LABEL, lined });
    lines.push(`${lined} ${dark} ${width} ${made.type}: ${await made.text()}`);
  }
  document.body.classList.toggle("dark", false);
  held(context, lines);
});
