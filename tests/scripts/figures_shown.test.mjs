/** What panels and axes draw, number by number: cells and their marks, ticks of every kind of axis. */

import { test } from "node:test";
import { labelled, rounded, tickLabels, ticks } from "../../assets/js/figures/axes.js";
import { codeOf, markPixels, sign } from "../../assets/js/figures/cells/format_marks.js";
import { prefixed, Scale } from "../../assets/js/figures/chart/scale.js";
import { Panel } from "../../assets/js/figures/panel.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { standIn } from "./stand_in.mjs";

const { document, window } = standIn();
standInDrawing(document);
Object.assign(window, { devicePixelRatio: 2 });
/** A path that is written as its steps. */
class Path {
  /** @type {string[]} */
  #steps = [];

  constructor() {
    for (const name of ["moveTo", "lineTo", "arc"]) {
      Object.defineProperty(this, name, {
        value: (/** @type {number[]} */ ...given) =>
          this.#steps.push(`${name} ${given.map((one) => Number(one.toFixed(3)))}`),
      });
    }
  }

  toString() {
    return this.#steps.join(" ");
  }
}
Object.assign(globalThis, { Path2D: Path });

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
