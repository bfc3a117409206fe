/** What panels and axes draw, number by number: cells and their marks, ticks of every kind of axis. */

import { test } from "node:test";
import { labelled, rounded, tickLabels, ticks } from "../../assets/js/figures/axes.js";
import { codeOf, markPixels, sign } from "../../assets/js/figures/cells/format_marks.js";
import { paintShape, paintTrace } from "../../assets/js/figures/chart/marks.js";
import { prefixed, Scale } from "../../assets/js/figures/chart/scale.js";
import { ChartFigure } from "../../assets/js/figures/chart_figure.js";
import { Panel } from "../../assets/js/figures/panel.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { standIn } from "./stand_in.mjs";

const { document, window } = standIn();
standInDrawing(document);
Object.assign(window, { devicePixelRatio: 2 });
test("round ticks of many ranges", (context) => {
  const lines = [];
  for (const low of [0, -1, 0.07, -2e-7, 999]) {
    for (const length of [0, 1e-9, 0.3, 1, 7, 20, 49, 100, 12345]) {
      const found = [2, 5, 9].map((wanted) => ticks(low, low + length, wanted).join(" "));
      lines.push(`${low} … ${low + length}: ${found.join(" | ")}`);
    }
  }
  held(context, lines);
});

test("positions that are labelled, and numbers with the digits they need", (context) => {
  const ranges = /** @type {[number, number][]} */ ([
    [-0.5, 9.5],
    [9.5, -0.5],
    [3.4, 47.6],
    [-0.5, 511.5],
    [6, 6],
    [8, 2000.5],
  ]);
  const lines = ranges.flatMap((range) =>
    [1, 2, 4, 12, 40].map((most) => `${range} ${most}: ${labelled(range, 1000, most).join(" ")}`),
  );
  const values = [
    [0, 0.05, 0.1],
    [1, 1.001],
    [0.12345, 0.1235],
    [1e5, 1e6],
    [-3, 0],
    [1e-7, 2e-7],
    [123456, 123457.5],
    [20, 40],
    [1000, 1001],
    [0.9995, 0.99955],
  ];
  lines.push(...values.map((some) => `${some}: ${tickLabels(some).join(" ")}`));
  lines.push(
    ...[0.00012345, 0.000012345, 99999.6, 999999.5, 1e6, -1234.5, 0].map(
      (one) => `${one}: ${[2, 3, 5].map((digits) => rounded(one, digits))}`,
    ),
  );
  held(context, lines);
});

test("every kind of axis has its ticks, their places and their texts", (context) => {
  /** @type {Loose[]} */
  const axes = [
    ...[
      [0, 1],
      [1, 0],
      [-1, 1],
      [3, 3],
      [0, 31],
      [0.2, 0.24],
      [0, 1e-8],
      [-1e-13, 1],
    ].map((range) => ({ range })),
    ...[
      [0, 31],
      [0, 3],
      [2.2, 2.8],
    ].map((range) => ({ range, tickformat: "d" })),
    ...[1, 2, 20].map((nticks) => ({ range: [0, 10], nticks })),
    ...[
      [0, 10],
      [-0.5, 9.5],
      [0.3, 0.9],
      [10, 0],
    ].map((range) => ({ range, tickmode: "linear", dtick: 2, tick0: 1 })),
    ...[
      [-4, 1],
      [0, 0.5],
      [0.2, 0.9],
      [1, -4],
      [-9, 9],
      [2, 4],
    ].map((range) => ({ range, type: "log" })),
    { range: [-6, 6], type: "log", dtick: 2 },
    { range: [-5, -2], type: "log", exponentformat: "SI", ticksuffix: "s" },
    { range: [0, 1], labelalias: { 0: "none", 1: "all" } },
    { range: [0, 10], tickmode: "array", tickvals: [-5, 0, 1, 2, 4, 8, 10, 11], ticktext: ["x", "a", "b"] },
    {},
  ];
  const lines = axes.flatMap((layout) =>
    [
      [0, 300, 20],
      [200, 0, 45],
    ].map(([from, to, room]) => {
      const found = new Scale(layout, from, to).ticks(room);
      return `${JSON.stringify(layout)} ${from}–${to}/${room}: ${found.map(({ value, at, text }) => `${value}@${at}“${text}”`).join(" ")}`;
    }),
  );
  const scale = new Scale({ range: [2, 4] }, 10, 110);
  lines.push(`${[scale.pixel(3), scale.pixel(NaN), scale.pixel(null), scale.value(35)]}`);
  lines.push([0, -1, 1e-13, 0.00123, 0.999, 1, 999, 1000, 5e6, 2e12, 3e15].map(prefixed).join(" "));
  held(context, lines);
});

test("a panel paints its visible cells, their marks, and the marks of a row and a cell", (context) => {
  const layer = /** @type {Loose} */ (document.createElement("div"));
  const panel = /** @type {Loose} */ (new Panel(layer));
  panel.addMarks(layer);
  const shaped = (/** @type {number[]} */ values, /** @type {number[]} */ shape) =>
    Object.assign(Uint8Array.from(values), { shape });
  const colours = Uint32Array.from({ length: 256 }, (_, i) => i);
  const scale = /** @type {Loose} */ ([
    [0, "#000000"],
    [0.25, "#000000"],
    [0.25, "#ff0000"],
    [0.5, "#ff0000"],
    [0.5, "#00ff00"],
    [1, "#00ff00"],
  ]);
  const lines = [`${markPixels(scale)}`, `${[1, 64, 128, 192, 255].map((byte) => codeOf(byte, 2))}`];
  drawn();
  panel.markRow("locked", 1);
  panel.markCell(1, 1);
  lines.push(
    `without a place ${layer.children.map((/** @type {Loose} */ one) => Boolean(one.hidden))} ${panel.rowAt(1)}`,
  );
  panel.colour(shaped([1, 2, 3, 4, 5, 6], [2, 3]), colours);
  lines.push(...drawn());
  const marks = { codes: shaped([1, 128, 255, 1, 255, 128], [2, 3]), scale };
  panel.colour(shaped([1, 2, 3, 4, 5, 6], [2, 3]), colours, marks);
  lines.push(...drawn(), `${panel.marks}`);
  const box = { left: 10, top: 20, width: 60, height: 40, x: [-0.5, 2.5], y: [1.5, -0.5] };
  Object.assign(panel.view.getContext("2d"), { canvas: null });
  panel.marks = null;
  for (const more of [{}, { x: [0.5, 2.5], y: [1.5, 0.5] }, { x: [2.5, 0.5], y: [-0.5, 1.5] }]) {
    panel.place({ ...box, ...more });
    lines.push(panel.view.markup, ...drawn());
    for (const [row, column] of [
      [0, 0],
      [1, 2],
      [2, 1],
      [1, 3],
      [-1, 1],
      [1, -1],
      [null, 1],
      [1, null],
    ]) {
      panel.markRow("preview", row);
      panel.markCell(row, column);
      const [, locked, preview, cell] = layer.children;
      const said = [preview, cell].map((one) => (one.hidden ? "hidden" : JSON.stringify(one.style)));
      lines.push(
        `${row}, ${column}: ${said} ${locked.hidden} ${JSON.stringify(row === null ? null : panel.rowAt(row))}`,
      );
      [preview.style, cell.style] = [{}, {}];
    }
  }
  panel.shown(false);
  lines.push(`hidden ${layer.children.map((/** @type {Loose} */ one) => Boolean(one.hidden))} ${panel.box}`);
  panel.shown(true);
  lines.push(`shown ${panel.view.hidden}`);
  panel.remove();
  lines.push(`removed ${layer.children.length}`);
  held(context, lines);
});

test("a cross lies on what is no number, a dot on what lost digits; small cells share their crosses", (context) => {
  const codes = Uint8Array.of(0, 1, 2, 3, 4, 0, 2, 3, 1, 1, 0, 0, 1, 2, 1, 2);
  const canvas = { width: 80, height: 40 };
  const lines = [];
  for (const [width, height] of [
    [80, 40],
    [8, 8],
    [3, 6],
  ]) {
    const brush = /** @type {Loose} */ (/** @type {Loose} */ (document.createElement("canvas")).getContext("2d"));
    const seen = new Proxy(brush, { get: (on, name) => (name === "canvas" ? { ...canvas, width, height } : on[name]) });
    for (const [start, size] of [
      [0, 4],
      [1, 2],
      [-1, 3],
      [2.5, 4],
    ]) {
      drawn();
      sign(seen, codes, 4, { across: { start, size }, down: { start: 0, size: 4 } }, 2);
      sign(seen, codes, 4, { across: { start: 0, size: 4 }, down: { start, size } }, 1);
      lines.push(`${width}×${height} from ${start}, ${size}`, ...drawn());
    }
  }
  held(context, lines);
});

/** A panel of 100 × 50 pixels at (10, 20). @param {Loose} [across] @param {Loose} [up] @returns {Loose} */
const panelOf = (across = { range: [0, 10] }, up = { range: [0, 5] }) => ({
  across: new Scale(across, 10, 110),
  up: new Scale(up, 70, 20),
  box: { left: 10, top: 20, right: 110, bottom: 70 },
});

test("shapes lie in their panel, by values or by its parts", (context) => {
  const axes = { xref: "x", yref: "y" };
  /** @type {Loose[]} */
  const shapes = [
    { ...axes, type: "line", x0: 1, x1: 9, y0: 1, y1: 4, line: { color: "red", width: 1, dash: "dash" } },
    { xref: "x domain", yref: "y domain", type: "line", x0: 0.25, x1: 0.75, y0: 0, y1: 1, line: { dash: "dot" } },
    { ...axes, type: "rect", x0: 8, x1: 2, y0: 1, y1: 3, fillcolor: "grey", line: { width: 0 } },
    { ...axes, yref: "y domain", type: "rect", x0: 2, x1: 8, line: { dash: "dashdot", color: "blue", width: 3 } },
  ];
  const brush = /** @type {Loose} */ (document.createElement("canvas")).getContext("2d");
  drawn();
  held(
    context,
    shapes.flatMap((shape) => {
      paintShape(brush, panelOf(), shape, 1.5);
      return [JSON.stringify(shape), drawn().join("; ")];
    }),
  );
});

test("traces are bars, boxes, lines, filled lines, steps and every kind of marker", (context) => {
  const three = { x: [1, 4, 9], y: [1, 3, 2] };
  const symbols = [
    "circle",
    "circle-open",
    "diamond",
    "square",
    "line-ns",
    "x",
    "cross",
    "triangle-up",
    "triangle-down",
    "square-open",
  ];
  /** @type {Loose[]} */
  const traces = [
    { type: "bar", ...three, opacity: 0.5, marker: { color: "red", opacity: 0.5 } },
    { type: "bar", ...three, width: 2 },
    { type: "bar", x: [5], y: [-1], cliponaxis: false },
    ...[{}, { width: 2, fillcolor: "grey", line: { color: "blue", width: 1 } }, { line: { width: 0 } }].map((more) => ({
      ...{ type: "box", x: [2, 8], lowerfence: [0, 1], q1: [1, 2], median: [2, 3], q3: [3, 3.5], upperfence: [4, 5] },
      ...more,
    })),
    { ...three },
    {
      ...three,
      x: [1, NaN, 9],
      mode: "lines+markers",
      marker: { color: ["a", "b"], size: 10, line: { width: 2, color: "c" } },
    },
    { x: [1, 2, 3, 4, 5], y: [1, 2, NaN, 3, 4], line: { shape: "hvh", width: 1, dash: "unknown" } },
    { ...three, fill: "tozeroy", fillcolor: "grey" },
    { ...three, fill: "toself", fillcolor: "grey", line: { width: 0 } },
    { x: [], y: [], fill: "tozeroy", fillcolor: "grey" },
    { mode: "lines+markers" },
    ...symbols.map((symbol) => ({ x: [5], y: [2], mode: "markers", marker: { symbol, color: "red" } })),
  ];
  const brush = /** @type {Loose} */ (document.createElement("canvas")).getContext("2d");
  drawn();
  held(
    context,
    traces.flatMap((trace) => {
      paintTrace(brush, panelOf(), trace, 2.25);
      return [JSON.stringify(trace), drawn().join("; ")];
    }),
  );
});

/** A figure of two panels with curves, as Python defines it. @returns {Loose} */
const curves = () => ({
  data: [
    {
      name: "one",
      x: [0, 1, 2],
      y: [0, 0.5, 1],
      line: { color: "red", width: 2 },
      hovertemplate: "d_k = %{x}<br>loss %{y:.3s}<extra>one</extra>",
    },
    {
      name: "two",
      x: [0, 1, 2],
      y: [1, 0.25, 0.5],
      mode: "lines+markers",
      marker: { symbol: "square" },
      line: { color: "blue", dash: "dot" },
    },
    {
      name: "bars",
      type: "bar",
      x: [0, 1, 2],
      y: [3, 2, 1],
      xaxis: "x2",
      yaxis: "y2",
      marker: { color: "grey" },
      hovertemplate: "%{x}: %{y}<extra></extra>",
    },
    { name: "hidden", x: [0], y: [0], showlegend: false, xaxis: "x2", yaxis: "y2", mode: "markers" },
  ],
  layout: {
    xaxis: { domain: [0, 0.45], range: [0, 2], title: { text: "d_k" }, anchor: "y" },
    yaxis: { domain: [0, 1], range: [0, 1], title: { text: "loss" }, anchor: "x" },
    xaxis2: { domain: [0.55, 1], range: [-0.5, 2.5], title: { text: "head" }, anchor: "y2" },
    yaxis2: { domain: [0, 1], range: [0, 3], anchor: "x2" },
    shapes: [
      { type: "line", xref: "x", yref: "y domain", x0: 1, x1: 1, y0: 0, y1: 1, line: { width: 1 }, name: "now" },
    ],
    annotations: [{ text: "title", xref: "x domain", yref: "y domain", x: 0.5, y: 1, showarrow: false }],
  },
});

test("a figure of two panels has its axes, its words, its legend, and tells the point under the pointer", (context) => {
  const stage = /** @type {Loose} */ (document.createElement("div"));
  const figure = /** @type {Loose} */ (new ChartFigure(stage));
  Object.assign(figure.area, { clientWidth: 600, clientHeight: 300, offsetWidth: 600, offsetHeight: 300 });
  figure.area.children.at(-1).offsetHeight = 40;
  figure.area.box = { left: 0, top: 0, width: 600, height: 300 };
  drawn();
  figure.draw(curves(), { layout: { xaxis: { gridcolor: "lightgrey", linecolor: "black" } } });
  const lines = [stage.markup.replaceAll("><", ">\n<"), drawn().join("\n")];
  for (const [clientX, clientY] of [
    [60, 60],
    [150, 150],
    [250, 30],
    [400, 200],
    [550, 280],
    [300, 150],
    [1, 1],
  ]) {
    figure.area.dispatchEvent(Object.assign(new Event("pointermove"), { clientX, clientY, pointerType: "mouse" }));
    const [, , dot, tip] = figure.area.children;
    const said = tip.children.map((/** @type {Loose} */ one) => one.textContent).join(" | ");
    lines.push(
      `${clientX}, ${clientY}: ${dot.hidden} ${JSON.stringify(dot.style)} ${tip.hidden} “${said}” ${JSON.stringify(tip.style)}`,
    );
  }
  figure.area.dispatchEvent(new Event("pointerleave"));
  lines.push(String(figure.area.children.map((/** @type {Loose} */ one) => Boolean(one.hidden))));
  held(context, lines);
});
