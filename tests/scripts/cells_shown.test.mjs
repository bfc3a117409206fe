/** Where panels, their names and the columns of sinks stand in rooms of every shape, and what a figure of them does under the pointer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange } from "../../assets/js/figures/cells/arrangement.js";
import { largest, lowest } from "../../assets/js/figures/cells/grid.js";
import { cut, isNamed, lengthOf, longest, named, plainText, shortened } from "../../assets/js/figures/cells/labels.js";
import { Marks } from "../../assets/js/figures/cells/marks.js";
import { point } from "../../assets/js/figures/cells/pointing.js";
import { apart, depth, leads, stand, ways, wide } from "../../assets/js/figures/cells/standing.js";
import { isSink, Strips } from "../../assets/js/figures/cells/strips.js";
import { Titles } from "../../assets/js/figures/cells/titles.js";
import { Windows } from "../../assets/js/figures/cells/windows.js";
import { CellsFigure } from "../../assets/js/figures/cells_figure.js";
import { drawn, standInDrawing, watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { press } from "./page_stand_in.mjs";
import { standIn, StandIn, Time } from "./stand_in.mjs";
import { outline, telling } from "./whole_page.mjs";

const { document, window } = standIn();
standInDrawing(document);
const time = new Time();
/** What waits for the next frame. @type {Map<number, () => void>} */
const frames = new Map();
let asked = 0;
Object.assign(window, { devicePixelRatio: 1 });
Object.assign(document, { getSelection: () => null });
Object.assign(StandIn.prototype, { setPointerCapture() {} });
Object.assign(globalThis, {
  /** An element is of a kind by its name. */
  HTMLSpanElement: { [Symbol.hasInstance]: (/** @type {Loose} */ one) => one.localName === "span" },
  requestAnimationFrame: (/** @type {() => void} */ then) => {
    frames.set((asked += 1), then);
    return asked;
  },
  cancelAnimationFrame: (/** @type {number} */ frame) => void frames.delete(frame),
});

const ROOMS = /** @type {[number, number][]} */ ([
  [700, 500],
  [1600, 200],
  [200, 1600],
  [330, 218],
  [30, 20],
]);

test("the grid of any number of panels: chosen, in groups, kept, with and without holes", (context) => {
  const wishes = /** @type {[number, number, number][]} */ ([
    [0, 1, 0],
    [3, 1, 0],
    [0, 3, 0],
    [0, 1, 2],
    [0, 1, 3],
    [0, 2, 3],
    [0, 2, 4],
    [3, 2, 2],
  ]);
  const lines = [1, 3, 4, 5, 8].flatMap((count) =>
    wishes.map((wish) => {
      const grids = ROOMS.flatMap(([width, height]) =>
        [1, 0.5, 2.2].map((shape) => {
          const grid = largest(count, { width, height }, { x: 10, y: 4, above: 18 }, shape, ...wish);
          return `${grid.columns}×${grid.lines} ${grid.width}×${grid.height}`;
        }),
      );
      return `${count} panels, ${wish}: ${grids.join(", ")}`;
    }),
  );
  held(context, lines);
});

test("of two grids with cells alike the one with fewer places is taken, and the fuller one if cells lose little", () => {
  const none = { x: 0, y: 0, above: 0 };
  const grid = (/** @type {number} */ count, /** @type {number} */ width, /** @type {number} */ height) => {
    const { columns, lines, width: each } = largest(count, { width, height }, none, 1);
    return [columns, lines, each];
  };
  assert.deepEqual(grid(4, 400, 200), [2, 2, 100], "four columns have cells of 100, too");
  assert.deepEqual(grid(3, 100, 200), [1, 3, 66], "two columns of 100/2 are narrower");
  assert.deepEqual(grid(5, 300, 200), [3, 2, 100], "a hole costs a twentieth");
  assert.deepEqual(grid(4, 306, 200), [2, 2, 100], "three columns have cells of 100, too, and two holes");
  assert.deepEqual(grid(6, 400, 204), [3, 2, 102], "four columns have cells of 100, and two holes");
});

/** A window of whole panels. @param {number} rows @param {number} columns @returns {Loose} */
const whole = (rows, columns) => ({ x: [-0.5, columns - 0.5], y: [rows - 0.5, -0.5] });

const TITLES = { title: { text: "key" } };
/** An axis with the names of tokens. @param {string[]} tokens @returns {Loose} */
const aliased = (tokens) => ({ ...TITLES, labelalias: Object.fromEntries(tokens.map((one, i) => [i, cut(one, 10)])) });
const FEW = ["le", "chat", "noir", "est", "assis", "sur"];
const LONG = Array.from({ length: 24 }, (_, i) => "wonderfully-so".slice(0, 2 + (i % 13)));

/** Panels of one kind. @param {number} count @param {Loose} [more] @returns {Loose[]} */
const panels = (
  count,
  { rows = 6, columns = 6, window = whole(rows, columns), x = TITLES, y = TITLES, sink = null } = {},
) => Array.from({ length: count }, () => ({ rows, columns, window, x, y, sink }));

/** An arrangement as lines. @param {Loose} found */
const arranged = ({ boxes, strips, width, across, words }) => [
  `  ${across} in a line, ${width} wide: ${boxes.map((/** @type {Loose} */ one) => `${one.left},${one.top} ${one.width}×${one.height}`).join("; ")}`,
  `  apart: ${strips.map((/** @type {Loose} */ one) => one && `${one.left},${one.top} ${one.width}×${one.height} ${one.x} ${one.y}`).join("; ")}`,
  `  ${words.map((/** @type {Loose} */ { text, x, y, align, kind, ...more }) => `${text}@${x},${y} ${align} ${kind} ${JSON.stringify(more)}`).join("; ")}`,
];

test("panels stand with their names in the largest grid, and columns apart beside them", (context) => {
  const room = { width: 640, height: 400, em: 13, above: 20 };
  const lines = { columns: 0, group: 1, kept: 0 };
  const named = { x: aliased(FEW), y: aliased(FEW) };
  const long = { rows: 24, columns: 24, x: aliased(LONG), y: aliased(LONG) };
  const ticks = { title: { text: "a" }, tickvals: [0, 5], ticktext: ["first", "last"] };
  /** @type {[string, Loose[], Loose, Loose, string[]][]} */
  const cases = [
    ["one", panels(1), room, lines, []],
    ["three", panels(3), room, lines, []],
    ["three in a line", panels(3), room, { ...lines, columns: 3 }, []],
    ["three that stay together", panels(6), room, { ...lines, group: 3 }, []],
    ["two lines kept", panels(4), { ...room, width: 700 }, { ...lines, kept: 1 }, []],
    ["named", panels(2, named), room, lines, FEW],
    ["named, of two kinds", [...panels(1, named), ...panels(1, { rows: 3, columns: 12 })], room, lines, FEW],
    ["named rows alone", panels(2, { y: named.y }), room, lines, FEW],
    ["named keys alone", panels(2, { x: named.x }), room, lines, FEW],
    ["long names", panels(1, long), room, lines, LONG],
    ["long names, four panels", panels(4, long), room, lines, LONG],
    ["long names in a large room", panels(1, long), { ...room, width: 1400, height: 900 }, lines, LONG],
    ["long names in a small room", panels(1, long), { ...room, width: 300, height: 240 }, lines, LONG],
    ["long names, narrow", panels(1, long), { ...room, width: 360, height: 700 }, lines, LONG],
    ["ticks with texts", panels(1, { x: ticks, y: ticks }), room, lines, []],
    ["zoomed", panels(2, { ...long, window: { x: [3.5, 9.5], y: [12.5, 4.5] } }), room, lines, LONG],
    ["wide", panels(2, { rows: 2, columns: 40 }), room, lines, []],
    ["high", panels(2, { rows: 40, columns: 2 }), room, lines, []],
    ["a sink", panels(3, { sink: "sink" }), room, lines, []],
    ["a sink with names", panels(3, { ...named, sink: "a long name of a sink" }), room, lines, FEW],
    ["a sink beside narrow keys", panels(4, { ...long, sink: "∅" }), room, lines, LONG],
    ["a sink beside many keys", panels(2, { rows: 200, columns: 200, sink: "sink" }), room, lines, []],
    ["a sink beside two keys", panels(1, { rows: 2, columns: 2, sink: "" }), room, lines, []],
    ["a sink of one of two", [...panels(1), ...panels(1, { sink: "sink" })], room, lines, []],
    ...[12, 26, 30, 33].map((columns) => {
      const sinks = panels(2, { rows: 6, columns, sink: columns === 12 ? "s" : "a sink" });
      return /** @type {[string, Loose[], Loose, Loose, string[]]} */ ([
        `a sink after ${columns} keys`,
        sinks,
        room,
        lines,
        [],
      ]);
    }),
    ["long names of one of two", [...panels(1, long), ...panels(1, { rows: 24, columns: 24 })], room, lines, LONG],
    ["long names of keys alone", panels(2, { ...long, y: TITLES }), room, lines, LONG],
    ["long names of rows alone", panels(2, { ...long, x: TITLES }), room, lines, LONG],
    ["without titles", panels(2, { x: {}, y: {} }), room, lines, []],
    ["without axes", panels(2, { x: undefined, y: undefined }), room, lines, []],
    ["the last without", [...panels(1), ...panels(1, { x: { title: {} }, y: {} })], room, lines, []],
    ["far too small", panels(3, named), { ...room, width: 60, height: 50 }, lines, FEW],
  ];
  const all = cases.flatMap(([what, ...given]) => {
    const seen = given[0].map(({ x, y, ...rest }) => ({ ...rest, ...(x && { x }), ...(y && { y }) }));
    return [what, ...arranged(arrange(/** @type {Loose} */ (seen), given[1], given[2], given[3]))];
  });
  held(context, all);
});

test("names are as long as their letters are wide, cut by what a reader sees, and titles lose their words", (context) => {
  const names = [
    "",
    "chat",
    "ill",
    "mmm",
    "WW",
    "Ab",
    "가나",
    "ＡＢ",
    "a&lt;b",
    "wonderfully-so",
    "🇰🇷🇰🇷",
    "‹a b›",
    "“x y z w v u t”",
  ];
  const lines = names.map(
    (name) =>
      `${name}: ${[lengthOf(name), lengthOf(name, 3), lengthOf(name, 1)].join(" ")} ${[cut(name, 10), cut(name, 4), cut(name, 1)].join("|")}`,
  );
  lines.push(`${[-1, 0, 1, 2].map((at) => named(at, ["a b", "c"]))}`, plainText("&amp;&lt;&gt;&#36;&quot;"));
  lines.push(`${["head 3", "B − A · head 12", "a · b", "· x1 ·", "two words"].map(shortened).join("|")}|`);
  const axes = /** @type {Loose[]} */ ([
    undefined,
    {},
    { labelalias: {} },
    { labelalias: { 0: "mmm" } },
    { tickvals: [0, 1], ticktext: ["ab"] },
    { tickvals: [], ticktext: [] },
  ]);
  lines.push(
    ...axes.map((axis) => `${JSON.stringify(axis)}: ${isNamed(axis)} ${longest(axis, 10)} ${longest(axis, 101)}`),
  );
  held(context, lines);
});

test("names take more lines, and fewer letters, the narrower cells are", (context) => {
  const lines = [1, 4, 4.4, 5, 6, 7.2, 10, 11, 11.9, 12, 14, 14.4, 30].map((cell) => {
    const said = [1, 2, 3].map((count) => {
      const way = { lines: count, letters: 10 };
      return `${stand(way, cell, 12) ? "stands" : "-"}${leads(way, cell, 12) ? " led" : ""}`;
    });
    return `${cell}: ${said.join(", ")}; ${ways(cell, 12)
      .map((way) => `${way.lines} of ${way.letters}`)
      .join(", ")}`;
  });
  lines.push(`${[wide(10, 12), apart(10, 12), depth(1, 10, 12), depth(3, 10, 12)]}`);
  held(context, lines);
});

test("a window of panels of one shape moves with the keyboard's zoom, inside the map and never below four cells", () => {
  let panel = /** @type {Loose} */ ({ rows: 10, columns: 20 });
  let changes = 0;
  const windows = new Windows(
    () => panel,
    () => void (changes += 1),
  );
  const at = (/** @type {number[]} */ ...given) => {
    windows.zoom(.../** @type {[number, number, number]} */ (given));
    const { x, y } = windows.of(panel);
    return [...x, ...y, windows.size, changes];
  };
  assert.deepEqual(windows.of(panel), { x: [-0.5, 19.5], y: [9.5, -0.5] });
  assert.deepEqual(at(0.5, 0, 0), [-0.5, 9.5, 4.5, -0.5, 1, 1], "at the first cell");
  assert.deepEqual(at(0.5, 9, 19), [14.5, 19.5, 9.5, 5.5, 1, 2], "at the last one");
  assert.deepEqual(at(0.5, 5, 10), [8, 12, 7, 3, 1, 3], "no fewer than four");
  assert.deepEqual(at(2, 5, 10), [6, 14, 9, 1, 1, 4], "out again, around the cell");
  assert.deepEqual(at(2, 5, 10), [2, 18, 9.5, -0.5, 1, 5], "whole down, and not across");
  assert.deepEqual(at(2, 5, 10), [-0.5, 19.5, 9.5, -0.5, 0, 6], "everything is no window");
  assert.deepEqual(at(0.25, 5, 10), [7.5, 12.5, 7, 3, 1, 7]);
  assert.deepEqual(windows.of({ rows: 10, columns: 21 }), { x: [-0.5, 20.5], y: [9.5, -0.5] }, "of another shape");
  assert.deepEqual(at(0, 0, 0), [-0.5, 19.5, 9.5, -0.5, 0, 8]);
  windows.look(panel, { x: [-0.5, 19.5], y: [4.5, -0.5] });
  assert.deepEqual([windows.size, changes], [1, 9], "of all keys, but not of all queries");
  panel = undefined;
  windows.zoom(0.5, 0, 0);
  assert.equal(changes, 9, "nothing is on screen");
});

test("marks of rows stay where panels go, on all of them", () => {
  /** @type {unknown[]} */
  const heard = [];
  const one = (/** @type {number} */ name) => ({
    markRow: (/** @type {unknown[]} */ ...given) => void heard.push([name, ...given]),
    markCell: (/** @type {unknown[]} */ ...given) => void heard.push([name, "cell", ...given]),
  });
  const all = [one(1), one(2)];
  const marks = new Marks(() => all);
  const said = () => heard.splice(0);
  marks.row("locked", 3);
  assert.deepEqual(said(), [
    [1, "locked", 3],
    [2, "locked", 3],
  ]);
  marks.cell(2, null);
  assert.deepEqual(said(), [
    [1, "cell", 2, null],
    [2, "cell", 2, null],
  ]);
  all.splice(1);
  marks.follow();
  assert.deepEqual(said(), [
    [1, "locked", 3],
    [1, "preview", null],
  ]);
  marks.row("preview", 0);
  assert.deepEqual(marks.rows, { locked: 3, preview: 0 });
});

/** Codes of a heat map. @param {number} rows @param {number} columns @returns {Loose} */
const codes = (rows, columns) => Object.assign(new Uint8Array(rows * columns).fill(1), { shape: [rows, columns] });
const SCALE = [
  [0, "#000000"],
  [1, "#ffffff"],
];

/** A figure of two heads, each with the column of its sink, and one more panel of another shape. @param {Loose} [more] of its layout @returns {Loose} */
const drawing = (more = {}) => {
  const map = { type: "heatmap", coloraxis: "coloraxis" };
  return {
    data: [
      { ...map, z: codes(6, 8), meta: { head: 1, panel: 0, of: "a" }, xaxis: "x", yaxis: "y" },
      { ...map, z: codes(6, 8), meta: { head: 2, panel: 1, of: "b" }, xaxis: "x", yaxis: "y" },
      { ...map, z: codes(3, 3), meta: { panel: 2 }, xaxis: "x2", yaxis: "y2" },
      ...[0, 1].map((panel) => ({ ...map, z: codes(6, 1), meta: { kind: "sink", panel }, xaxis: "x3", yaxis: "y" })),
    ],
    layout: {
      ...{ xaxis: { title: { text: "key" } }, yaxis: { title: { text: "query" } }, xaxis2: {}, yaxis2: {} },
      xaxis3: { tickvals: [0], ticktext: ["sink"] },
      coloraxis: { cmin: 0, cmax: 1, colorscale: SCALE, colorbar: { title: { text: "weight" } } },
      annotations: [
        { name: "title", text: "head 1" },
        { name: "title", text: "head 2 · everything that has a long name" },
      ],
      ...more,
    },
  };
};

/** A figure on a page, with what it tells. @param {string[]} heard @param {Loose} [more] reactions */
function figureOf(heard, more = {}) {
  const said =
    (/** @type {string} */ name) =>
    (/** @type {unknown[]} */ ...given) =>
      void heard.push(`${name} ${given.map((one) => JSON.stringify(one)).join(" ")}`);
  const stage = /** @type {Loose} */ (document.createElement("div"));
  Object.assign(stage, { clientWidth: 640, clientHeight: 300, box: { left: 100, top: 50, width: 640, height: 300 } });
  Object.defineProperties(
    stage,
    Object.fromEntries(["clientWidth", "clientHeight", "box"].map((name) => [name, { enumerable: false }])),
  );
  stage.setPointerCapture = () => void heard.push("captured");
  const bars = document.createElement("div");
  const reactions = {
    ...{ onCell: said("cell"), onClick: said("click"), onTitle: said("title"), titleHint: () => "hint" },
    ...{ onMoved: said("moved"), ...more },
  };
  const figure = /** @type {Loose} */ (
    new CellsFigure(stage, /** @type {Loose} */ (bars), /** @type {Loose} */ (reactions))
  );
  const look = () => [
    `in a line ${figure.across}, seen ${figure.seen}, zoomed ${figure.windows.size}`,
    ...outline(stage),
  ];
  const { lines, tell } = telling(look, heard);
  /** @param {string} what */
  const told = async (what) => {
    await time.pass(0);
    for (const then of frames.values()) then();
    frames.clear();
    heard.push(...drawn().filter((line) => line.startsWith("drawImage")));
    tell(what);
  };
  /** @param {string} kind @param {number} x of the figure @param {number} y @param {Loose} [given] */
  const hear = async (kind, x, y, given = {}) => {
    const { on = stage, ...event } = given;
    const before = {
      clientX: 100 + x,
      clientY: 50 + y,
      pointerId: 1,
      button: 0,
      buttons: kind === "pointermove" ? 0 : 1,
    };
    press(on, kind, { ...before, ...event });
    await told(`${kind} ${x},${y} ${Object.keys(event).length ? JSON.stringify(event) : ""}`.trim());
  };
  return { figure, stage, bars, lines, told, hear };
}

test("a figure previews cells, locks rows, zooms by a drag and shows everything by a double click", async (context) => {
  /** @type {string[]} */
  const heard = [];
  const { figure, stage, lines, told, hear } = figureOf(heard);
  figure.draw(drawing(), "one", []);
  await told("drawn");
  const [{ box }, { box: other }] = figure.panels;
  const strip = figure.strips.of(0).box;
  const middle = [box.left + box.width / 2, box.top + box.height / 2];
  await hear("pointermove", middle[0], middle[1]);
  await hear("pointermove", box.left, box.top);
  await hear("pointermove", box.left - 1, box.top);
  await hear("pointermove", box.left + box.width - 1, box.top + box.height - 1);
  await hear("pointermove", strip.left + 1, strip.top + strip.height - 1);
  await hear("pointermove", other.left + 1, other.top + other.height / 2);
  const third = figure.panels[2].box;
  await hear("pointermove", third.left + 1, third.top + 1);
  await hear("pointermove", middle[0], middle[1], { buttons: 1 });
  press(stage, "pointermove", { clientX: 100 + middle[0], clientY: 50 + middle[1], buttons: 0 });
  await hear("pointerleave", 0, 0);
  await hear("pointerdown", middle[0], middle[1]);
  await hear("pointermove", middle[0] + 2, middle[1] + 3, { buttons: 1 });
  await hear("pointerup", middle[0] + 2, middle[1] + 3);
  await hear("pointerdown", 1, 1);
  await hear("pointerup", 1, 1);
  await hear("pointerdown", middle[0], middle[1], { button: 2 });
  await hear("pointerup", middle[0], middle[1], { button: 2 });
  const [from, to] = [
    [box.left + box.width * 0.3, box.top + box.height * 0.2],
    [box.left + box.width * 0.7, box.top + box.height * 0.8],
  ];
  await hear("pointerdown", from[0], from[1]);
  await hear("pointermove", to[0], to[1], { buttons: 1 });
  await hear("pointercancel", to[0], to[1]);
  await hear("pointerdown", from[0], from[1], { pointerType: "touch" });
  await hear("pointermove", to[0], to[1], { buttons: 1, pointerType: "touch" });
  await hear("pointerup", to[0], to[1], { pointerType: "touch" });
  await hear("pointerdown", from[0], from[1]);
  await hear("pointermove", from[0] + 5, to[1], { buttons: 1 });
  await hear("pointerup", from[0] + 5, to[1]);
  await hear("pointerdown", from[0], from[1]);
  await hear("pointermove", to[0], from[1] + 5, { buttons: 1 });
  await hear("pointerup", to[0], from[1] + 5);
  await hear("pointerdown", to[0], to[1]);
  await hear("pointermove", from[0], from[1], { buttons: 1 });
  await hear("pointerup", from[0], from[1]);
  await hear("pointerdown", middle[0], middle[1]);
  await hear("pointerup", middle[0], middle[1]);
  await time.pass(299);
  await told("299 ms");
  await time.pass(1);
  await told("300 ms");
  await hear("pointerdown", middle[0], middle[1]);
  await hear("pointerup", middle[0], middle[1]);
  await hear("dblclick", middle[0], middle[1]);
  await time.pass(1000);
  await told("the click was half of it");
  await hear("pointerdown", strip.left + 2, strip.top + 20);
  await hear("pointermove", box.left - 50, box.top + 100, { buttons: 1 });
  await hear("pointerup", box.left - 50, box.top + 100);
  await hear("dblclick", 0, 0);
  await hear("pointerdown", middle[0], middle[1]);
  await hear("pointermove", 900, 900, { buttons: 1 });
  await hear("pointerup", 900, 900);
  await hear("dblclick", 0, 0);
  const [wide, high] = [box.width / 8, box.height / 6];
  for (const into of [0.5, 1.5]) {
    await hear("pointerdown", box.left + wide, box.top + high);
    await hear("pointerup", box.left + 3 * wide + into, box.top + 2 * high + into);
    await hear("dblclick", 0, 0);
  }
  await hear("pointerdown", 1, 1);
  await hear("pointermove", to[0], to[1], { buttons: 1 });
  await hear("pointerup", to[0], to[1]);
  const [title] = figure.titles.headings;
  await hear("pointerdown", middle[0], box.top - 5, { on: title });
  await hear("pointerup", middle[0], box.top - 5, { on: title });
  press(title);
  await told("its title");
  held(context, lines);
});

test("a figure's panels follow its room, its sides and its marks, and titles are short in narrow ones", async (context) => {
  /** @type {string[]} */
  const heard = [];
  const { figure, stage, bars, lines, told, hear } = figureOf(heard);
  figure.draw(drawing(), "one", []);
  figure.marks.row("locked", 2);
  figure.marks.cell(1, 8);
  await told("drawn, and marked at a sink");
  figure.marks.cell(1, 0);
  figure.marks.row("preview", 0);
  await told("marked at a key");
  figure.marks.cell(null, null);
  for (const [width, height] of [
    [900, 300],
    [200, 900],
    [39, 300],
    [300, 39],
  ]) {
    Object.assign(stage, { clientWidth: width, clientHeight: height });
    for (const { then, places } of watched) if (places.includes(stage)) then();
    await told(`${width}×${height}`);
  }
  Object.assign(stage, { clientWidth: 640, clientHeight: 300 });
  for (const side of ["a", "b", "difference", null, null]) {
    figure.show(side);
    await told(`side ${side}`);
  }
  const later = drawing({ annotations: [{ text: "▨ masked" }] });
  later.data[3].z = codes(6, 1).fill(9);
  figure.draw(later, "one", []);
  await told("other numbers");
  figure.draw(later, "two", []);
  await told(`another structure, ${bars.markup}`);
  const { data, layout } = drawing();
  figure.draw({ data: data.slice(0, 3), layout }, "three", []);
  await told(`without sinks ${figure.strips.of(0)} ${figure.strips.traceOf(0)}`);
  figure.draw(drawing(), "four", []);
  figure.clear();
  await told("cleared");
  await hear("pointermove", 100, 100);
  await hear("dblclick", 100, 100);
  held(context, lines);
});

test("a figure that reacts to nothing has plain titles, named where they are short", async (context) => {
  /** @type {string[]} */
  const heard = [];
  const nothing = {
    onCell: undefined,
    onClick: undefined,
    onTitle: undefined,
    titleHint: undefined,
    onMoved: undefined,
  };
  const { figure, stage, lines, told, hear } = figureOf(heard, nothing);
  figure.draw(drawing(), "one", []);
  await told("drawn");
  const { box } = figure.panels[0];
  await hear("pointermove", box.left + 5, box.top + 5);
  await hear("pointerleave", 0, 0);
  await hear("pointerdown", box.left + 5, box.top + 5);
  await hear("pointerup", box.left + 5, box.top + 5);
  Object.assign(stage, { clientWidth: 1900, clientHeight: 900 });
  figure.show("a");
  await told("wider");
  held(context, lines);
  assert.equal(heard.length, 0);
});

test("a figure signs the cells that a number format marks, each panel its own", (context) => {
  const { figure } = figureOf([]);
  const { data, layout } = drawing();
  const marks = (
    /** @type {number} */ panel,
    /** @type {number} */ rows,
    /** @type {number} */ columns,
    /** @type {number[]} */ some,
  ) => ({
    ...{ type: "heatmap", coloraxis: "coloraxis2", meta: { kind: "marks", panel } },
    z: Object.assign(
      Uint8Array.from({ length: rows * columns }, (_, i) => some[i] ?? 1),
      { shape: [rows, columns] },
    ),
  });
  const steps = ["#000000", "#ff0000", "#ffff00", "#00ff00", "#0000ff"].flatMap((one, i) => [
    [i / 5, one],
    [(i + 1) / 5, one],
  ]);
  drawn();
  const all = [...data, marks(1, 6, 8, [64, 1, 255]), marks(2, 3, 3, [1, 128, 192])];
  figure.draw({ data: all, layout: { ...layout, coloraxis2: { colorscale: steps } } }, "one", []);
  assert.equal(figure.panels.length, 3);
  held(
    context,
    drawn().map((line) => (line.length > 300 ? `${line.slice(0, 300)} …` : line)),
  );
});

test("titles are buttons of those that have a head, and none has a name that is not there", () => {
  const layer = /** @type {Loose} */ (document.createElement("div"));
  const titles = new Titles(layer, { onTitle: () => {} });
  const meta = /** @type {Loose} */ ({ head: 1 });
  const traces = /** @type {Loose[]} */ ([{ meta }, {}, { meta }]);
  titles.show(["", ""], traces);
  assert.equal(titles.any, false);
  titles.show(["", "head 1 of many words"], traces);
  assert.equal(titles.any, true);
  const names = layer.children.map((/** @type {Loose} */ one) => [one.localName, one.title]);
  assert.deepEqual(names, [
    ["button", ""],
    ["span", undefined],
    ["button", ""],
  ]);
  const one = /** @type {Loose} */ (titles.headings[1]);
  const place = (/** @type {number} */ room, /** @type {Loose} */ box = { left: 1, top: 2 }) => {
    titles.place(1, box, room, "12px serif");
    return [one.textContent, one.getAttribute("aria-label"), one.role, Boolean(one.hidden), one.style.maxWidth];
  };
  const full = "head 1 of many words"; // 20 letters of 8 pixels, and 9 around them
  assert.deepEqual(place(170), [full, null, null, false, "170px"]);
  assert.deepEqual(place(169), ["1", full, "img", false, "169px"]);
  assert.deepEqual(place(50, null), ["1", full, "img", true, "169px"]);
  titles.clear();
  assert.equal(layer.children.length, 0);
  assert.equal(titles.headings.length, 0);
});

test("the columns of sinks are those of their kind, each beside its panel, with the key after the last one", () => {
  assert.deepEqual(
    [{ meta: { kind: "sink" } }, { meta: { kind: "marks" } }, { meta: {} }, {}].map((one) =>
      isSink(/** @type {Loose} */ (one)),
    ),
    [true, false, false, false],
  );
  const [under, over] = [document.createElement("div"), document.createElement("div")];
  const strips = new Strips();
  const sink = (/** @type {Loose} */ more) =>
    /** @type {Loose} */ ({ z: codes(4, 1), meta: { kind: "sink", ...more } });
  strips.build([sink({ panel: 2 }), sink({})], /** @type {Loose} */ (under), /** @type {Loose} */ (over));
  assert.deepEqual([0, 1, 2].map((i) => Boolean(strips.of(i))), [true, false, true]); // prettier-ignore
  assert.equal(under.children[0].className, "cells is-sink");
  assert.equal(over.children.length, 6, "two marks of rows and one of a cell for each");
  const colours = Uint32Array.from({ length: 256 }, (_, i) => i);
  const newer = [sink({ panel: 2 }), sink({ panel: 1 })];
  strips.paint(newer, () => colours, (i) => 10 * i); // prettier-ignore
  assert.equal(strips.traceOf(2), newer[0]);
  assert.equal(strips.traceOf(1), undefined);
  strips.place(2, { left: 5, top: 6, width: 10, height: 40, x: [-0.5, 0.5], y: [3.5, -0.5] });
  strips.place(1, null);
  const cell = over.children[2];
  const marked = () => [Boolean(/** @type {Loose} */ (cell).hidden), /** @type {Loose} */ (cell.style).left];
  for (const one of strips.marked) one.markCell(1, 20);
  assert.deepEqual(marked(), [false, "5px"], "the key after the last of twenty");
  for (const one of strips.marked) one.markCell(1, 19);
  assert.equal(marked()[0], true);
  for (const one of strips.marked) one.markCell(1, null);
  assert.equal(marked()[0], true);
  for (const one of strips.marked) one.markRow("locked", 3);
  assert.equal(/** @type {Loose} */ (over.children[0].style).top, "36px");
  strips.place(2, null);
  assert.equal(strips.of(2)?.box, null);
  strips.clear();
  assert.deepEqual([under.children.length, over.children.length, strips.of(2)], [0, 0, undefined]);
});

test("the pointer's rectangle lies over a figure, hidden until a drag", () => {
  const [stage, layer] = [document.createElement("div"), document.createElement("div")];
  const figure = { panels: [], seen: [], traces: [], windows: new Windows(() => undefined, () => {}), strips: new Strips() }; // prettier-ignore
  point(figure, /** @type {Loose} */ (stage), /** @type {Loose} */ (layer), {});
  assert.deepEqual([layer.markup], ['<div><div class="zoom-mark" hidden="true"></div></div>']);
});

test("no panel lies below those of the last line, and those above its holes", () => {
  const grid = { columns: 3, lines: 2, width: 1, height: 1 };
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((panel) => lowest(grid, panel, 5)),
    [false, false, true, true, true],
  );
});
