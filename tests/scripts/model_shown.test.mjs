/** What the Model page draws, number by number: a sound, joined lines, pictures under weights, links to other pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { JoinedLines } from "../../assets/js/pages/model/joined_lines.js";
import { goesOn, openIn } from "../../assets/js/pages/model/open_in.js";
import { PatchReads } from "../../assets/js/pages/model/patch_reads.js";
import { dimmed, gridFrame, lay } from "../../assets/js/pages/model/picture_paint.js";
import { largest, PictureRows } from "../../assets/js/pages/model/picture_rows.js";
import { PictureView } from "../../assets/js/pages/model/picture_view.js";
import { SoundLine } from "../../assets/js/pages/model/sound_line.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { keyed, standIn, StandIn } from "./stand_in.mjs";

const { document, window } = standIn();
standInDrawing(document);
Object.assign(window, { devicePixelRatio: 2 });
Object.assign(globalThis, { Node: StandIn, devicePixelRatio: 2 });

const SCALE = /** @type {Loose} */ ([
  [0, "#ffffff"],
  [1, "#2563eb"],
]);

/** @param {string[]} tokens @param {Loose} [more] @returns {Loose} */
const line = (tokens, more = {}) => ({ name: "text", tokens, seconds: 0, written: 0, cut: false, grids: [], ...more });

/** A model whose two queries read three keys. @param {Loose} [more] @returns {Loose} */
const model = (more = {}) => ({
  lines: [line(["le", "chat", "dort"]), line(["the", "cat"], { name: "target", end: "</s>" })],
  ...{ between: [1, 0], shape: [2, 3], weights: Float32Array.of(0.75, 0.25, 0, 0.05, 0.5, NaN) },
  ...{ locked: false, row: 1, key: 2, written: false, covered: [], heard: null, pictures: [], windows: null },
  ...{ layer: 2, head: 3, layers: 2, opens: true, runs: true, takes: ["text"], whole: 0, room: 0, longer: false },
  ...more,
});

/** @param {Loose} root */
const written = (root) => root.markup.replaceAll("><", ">\n<");

/** Let an element hear an event. @param {Loose} on @param {string} kind @param {Loose} [more] @returns {Loose} */
function hear(on, kind, more = {}) {
  const event = Object.assign(new Event(kind, { cancelable: true }), { pointerType: "mouse", ...more });
  on.dispatchEvent(event);
  return event;
}

test("a sound is a band with a label where there is room, and a slider of its moments", (context) => {
  /** @type {string[]} */
  const heard = [];
  const sound = /** @type {Loose} */ (
    new SoundLine(
      "a sound",
      (key) => void heard.push(`at ${key}`),
      (key) => void heard.push(`locks ${key}`),
    )
  );
  const { root } = sound;
  const lines = [];
  const moments = Array.from({ length: 20 }, (_, i) => `moment ${i}`);
  for (const [seconds, width] of [
    [0.02, 0],
    [0.02, 400],
    [0.02, 800],
    [0.5, 200],
    [0.5, 1000],
    [9, 90],
  ]) {
    Object.assign(root, { offsetWidth: width, offsetLeft: 7 });
    sound.build(line(moments, { seconds }), 0.5);
    const ticks = root
      .querySelectorAll("span")
      .map((/** @type {Loose} */ one) => `${one.textContent}@${one.style.left}`);
    lines.push(`${seconds} s on ${width}: ${ticks.join(" ")}`, String(sound.middles.slice(0, 2)));
  }
  lines.push(written(root));
  root.box = { left: 100, width: 200 };
  hear(root, "focus");
  hear(root, "pointermove", { clientX: 205 });
  hear(root, "click", { clientX: 119 });
  lines.push(`${root.getAttribute("aria-valuenow")} ${root.getAttribute("aria-valuetext")}`);
  for (const key of ["ArrowRight", "ArrowLeft", "PageUp", "PageUp", "PageDown", "Enter", "PageDown", "PageDown", "a"]) {
    lines.push(`${key} ${hear(root, "keydown", { key }).defaultPrevented}: ${heard.splice(0)}`);
  }
  hear(root, "keydown", { key: "PageUp" });
  hear(root, "pointermove", { clientX: 999 });
  sound.build(line(moments.slice(0, 5), { seconds: 0.5 }), 1);
  hear(root, "focus");
  lines.push(`of five: ${heard}`);
  drawn();
  root.style["--accent"] = "blue";
  sound.shade((/** @type {number} */ key) => [0.25, 1, 4, NaN, -1][key]);
  lines.push(drawn().join("; "));
  sound.shade(null);
  lines.push(drawn().join("; "));
  held(context, lines);
});

/** Joined lines of a model on a stage, each token 40 pixels wide. @param {Loose} shown */
function joined(shown) {
  /** @type {string[]} */
  const heard = [];
  const made = /** @type {Loose} */ (
    new JoinedLines(keyed, {
      point: (row) => void heard.push(`point ${row}`),
      lock: (row, key) => void heard.push(`lock ${row} ${key}`),
    })
  );
  const { root } = made;
  root.hidden = false;
  const links = root.querySelector("svg");
  Object.defineProperty(links, "parentElement", { value: links.parent, enumerable: false });
  links.clientHeight = 60;
  const show = (/** @type {Loose} */ next) => {
    made.show(next);
    root.querySelectorAll(".token").forEach((/** @type {Loose} */ one, /** @type {number} */ i) => {
      Object.assign(one, { offsetLeft: 50 * i, offsetWidth: 40 });
    });
    made.show(next);
  };
  show(shown);
  const tokens = root.querySelectorAll(".token");
  const told = () => {
    const paths = links.children.map((/** @type {Loose} */ one) =>
      Object.values({ ...one.dataset, ...one.attributes }).join(" "),
    );
    const marks = root
      .querySelectorAll(".token")
      .map(
        (/** @type {Loose} */ one) =>
          `${one.textContent}:${one.className}:${one.getAttribute("aria-pressed")}:${one.style["--share"]}:${one.title}`,
      );
    return [...paths, marks.join(" "), root.querySelector(".joined-said").textContent, heard.splice(0).join(", ")];
  };
  return { made, root, show, tokens, told };
}

test("joined lines show what is read enough, of one query or one key alone, and say what is read most", (context) => {
  const { made, root, show, tokens, told } = joined(model());
  const lines = [written(root), ...told()];
  for (const at of [0, 2, 3, 4]) {
    hear(tokens[at], "focus");
    lines.push(`token ${at}`, ...told());
  }
  tokens[1].click();
  tokens[3].click();
  made.preview(0);
  lines.push("previewed", ...told());
  made.preview(null);
  const inner = root.querySelector(".joined-inner");
  hear(tokens[4], "focus");
  hear(inner, "focusout", { relatedTarget: tokens[3] });
  lines.push("inside", ...told());
  hear(inner, "focusout", { relatedTarget: null });
  lines.push("outside", ...told());
  hear(inner, "pointerleave");
  lines.push("left", ...told());
  show(model({ locked: true }));
  lines.push("locked", ...told());
  show(model({ written: true }));
  lines.push("written by the model", ...told());
  show(model({ covered: ["head-map"], locked: true }));
  lines.push("covered", ...told());
  show(model({ weights: new Float32Array(6), locked: true, row: 0 }));
  lines.push("nothing is read", ...told());
  const cut = model({
    lines: [line(["le", "chat", "א"], { cut: true }), line(["א", "ב"], { name: "target", cut: true })],
  });
  show(cut);
  lines.push("cut, from right to left", written(root));
  held(context, lines);
});

test("a source that is a sound has a band in place of tokens", (context) => {
  const heard = { name: "a", seconds: 3, stretch: 4 };
  const sound = line(["0 s", "1 s", "2 s"], { seconds: 1 });
  const { root, show, told } = joined(model({ heard, lines: [sound, line(["the", "cat"], { name: "target" })] }));
  Object.assign(root.querySelector(".sound-line"), { offsetLeft: 0, offsetWidth: 300 });
  Object.assign(root.querySelector(".joined-scroller"), { clientWidth: 280 });
  Object.assign(root.querySelector(".joined-inner"), { offsetWidth: 400 });
  drawn();
  show(model({ heard, locked: true, lines: [sound, line(["the", "cat"], { name: "target" })] }));
  held(context, [written(root), ...told(), drawn().join("; ")]);
});

const GRID = { picture: 0, first: 1, rows: 2, columns: 2, stride: 2, box: [0.1, 0, 0.9, 1] };

/** A vision model: a class token and four patches. @param {Loose} [more] */
const vision = (more = {}) =>
  model({
    lines: [line(["[CLS]", "p1", "p2", "p3", "p4"], { grids: [GRID] })],
    ...{ between: [0, 0], shape: [5, 5], weights: Float32Array.from({ length: 25 }, (_, i) => ((i * 7) % 25) / 25) },
    ...more,
  });

test("what a query gives each position, and what each gives one, with windows and without", (context) => {
  const plain = new PictureRows(vision());
  const windows = Int32Array.of(1, 2, 3, 4, 0, -1);
  const shifted = new PictureRows(
    vision({ shape: [2, 2], windows, weights: Float32Array.from({ length: 12 }, (_, i) => i / 12) }),
  );
  const short = (/** @type {Float32Array} */ line) => [...line].map((one) => one.toFixed(3)).join(" ");
  const lines = [0, 1, 2, 3, 4].flatMap((at) =>
    [plain, shifted].flatMap((rows) => [
      `row ${at}: ${short(rows.row(at))}`,
      `column ${at}: ${short(rows.column(at))}`,
    ]),
  );
  held(context, lines);
  assert.deepEqual(
    [[0, 2, 1], [NaN, 0, NaN], [NaN], [3, 3]].map((one) => largest(Float32Array.from(one))),
    [1, 1, -1, 0],
  );
});

test("weights lie over a dim picture, the thicker the larger, and darkest where nothing is read", (context) => {
  const canvas = /** @type {Loose} */ (document.createElement("canvas"));
  const brush = canvas.getContext("2d");
  drawn();
  const colours = Uint32Array.from({ length: 256 }, (_, i) => i);
  const shares = [0, 0.25, 1, 4, NaN, -1];
  lay(brush, { left: 1, top: 2, width: 30, height: 20 }, colours, (place) => shares[place], { rows: 2, columns: 3 });
  const lines = drawn();
  dimmed(/** @type {Loose} */ ({ naturalWidth: 1, naturalHeight: 1 }));
  lines.push(...drawn());
  lines.push(
    JSON.stringify(
      gridFrame(/** @type {Loose} */ ({ box: [0.1, 0.2, 0.9, 0.8] }), { left: 10, top: 20, width: 100, height: 50 }),
    ),
  );
  held(context, lines);
});

test("the picture shows what the framed patch gives, or gets; pointer and keys move the frame", (context) => {
  /** @type {string[]} */
  const heard = [];
  const root = /** @type {Loose} */ (document.createElement("div"));
  const home = /** @type {Loose} */ (document.createElement("div"));
  home.append(root);
  root.after = (/** @type {Loose[]} */ ...more) => home.append(...more);
  const given = { lock: (/** @type {number} */ row) => void heard.push(`lock ${row}`), text: keyed, scale: SCALE };
  const view = /** @type {Loose} */ (new PictureView(root, given));
  const stage = root.querySelector(".picture-stage");
  stage.box = { left: 10, top: 20, width: 200, height: 120 };
  drawn();
  view.show(vision(), /** @type {Loose} */ ({ naturalWidth: 100, naturalHeight: 50 }));
  const lines = [written(home), ...drawn()];
  const told = (/** @type {string} */ what) => {
    const tokens = home
      .querySelectorAll(".token")
      .map((/** @type {Loose} */ one) => `${one.textContent} ${one.className} ${one.style["--share"]}`);
    const strokes = drawn().filter((line) => /^strokeRect|^putImage/.test(line));
    lines.push(
      what,
      home.querySelector(".picture-said").textContent,
      String(tokens),
      strokes.join("; "),
      heard.splice(0).join(", "),
    );
  };
  for (const [x, y] of [
    [60, 40],
    [150, 40],
    [60, 110],
    [150, 110],
    [20, 40],
    [60, 200],
  ]) {
    hear(stage, "pointermove", { clientX: x, clientY: y });
    hear(stage, "click", { clientX: x, clientY: y });
    told(`at ${x}, ${y}`);
  }
  hear(stage, "pointermove", { clientX: 60, clientY: 40, pointerType: "touch" });
  told("a finger");
  hear(stage, "pointermove", { clientX: 150, clientY: 110 });
  hear(stage, "pointerleave");
  told("left");
  for (const key of [
    "ArrowDown",
    "ArrowDown",
    "ArrowRight",
    "ArrowRight",
    "ArrowUp",
    "ArrowLeft",
    "Enter",
    "Home",
    "ArrowUp",
    "x",
    " ",
  ]) {
    const { defaultPrevented } = hear(stage, "keydown", { key });
    told(`${key} ${defaultPrevented}`);
  }
  const [reads, by] = home.querySelectorAll(".picture-ways button");
  by.click();
  told(`by others ${[reads, by].map((one) => one.getAttribute("aria-pressed"))}`);
  home.querySelector(".token").click();
  home.querySelector(".token").onpointerenter({ pointerType: "mouse" });
  told("the class token");
  view.show(vision({ window: [7, 0] }), /** @type {Loose} */ ({ naturalWidth: 50, naturalHeight: 100 }));
  told("in windows");
  view.show(vision({ window: [7, 3] }), /** @type {Loose} */ ({ naturalWidth: 50, naturalHeight: 100 }));
  told("in shifted ones");
  const copy = view.copy();
  lines.push(`${copy.width}×${copy.height}`, ...drawn());
  held(context, lines);
});

test("patches that a text reads, layer by layer, and who reads one", (context) => {
  /** @type {string[]} */
  const heard = [];
  const root = /** @type {Loose} */ (document.createElement("div"));
  const home = /** @type {Loose} */ (document.createElement("div"));
  home.append(root);
  root.after = (/** @type {Loose[]} */ ...more) => home.append(...more);
  const reads = /** @type {Loose} */ (
    new PatchReads(root, {
      lock: (row, key) => void heard.push(`lock ${row} ${key}`),
      layer: (layer) => void heard.push(`layer ${layer}`),
      ...{ text: keyed, scale: SCALE },
    })
  );
  const stage = root.querySelector(".patch-reads-stage");
  stage.box = { left: 0, top: 0, width: 100, height: 50 };
  stage.children[0].box = { left: 10, top: 20, width: 100, height: 50 };
  const shown = vision({
    ...{ layer: 1, row: 0, key: -1 },
    readHead: Float32Array.from({ length: 8 }, (_, i) => i / 8),
    readMean: Float32Array.from({ length: 8 }, (_, i) => (i === 5 ? NaN : 1 - i / 8)),
  });
  const image = /** @type {Loose} */ ({ naturalWidth: 100, naturalHeight: 50 });
  drawn();
  reads.show(shown, [image]);
  const lines = [written(home), ...drawn()];
  const told = (/** @type {string} */ what) => {
    const layers = home
      .querySelectorAll("[data-layer]")
      .map((/** @type {Loose} */ one) => `${one.title} ${one.getAttribute("aria-pressed")} ${one.textContent}`);
    lines.push(
      what,
      home.querySelector(".patch-said").textContent,
      String(layers),
      drawn().join("; "),
      String(heard.splice(0)),
    );
  };
  for (const [clientX, clientY] of [
    [30, 30],
    [90, 60],
    [12, 30],
  ]) {
    hear(stage, "pointermove", { clientX, clientY });
    hear(stage, "click", { clientX, clientY });
    told(`at ${clientX}, ${clientY}`);
  }
  hear(stage, "pointermove", { clientX: 90, clientY: 30, pointerType: "touch" });
  hear(stage, "keydown", { key: "Enter" });
  told("a finger");
  reads.show(
    { ...shown, key: 4, layer: 2, weights: Float32Array.from({ length: 25 }, (_, i) => (i === 4 ? NaN : i / 25)) },
    [image],
  );
  for (const key of ["ArrowLeft", "ArrowUp", "ArrowUp", "Enter", "ArrowRight", "ArrowDown", " ", "q"]) {
    const { defaultPrevented } = hear(stage, "keydown", { key });
    told(`${key} ${defaultPrevented}`);
  }
  hear(stage, "pointerleave");
  const [one, mean] = home.querySelectorAll(".picture-ways button");
  mean.click();
  told(`mean ${[one, mean].map((way) => `${way.textContent} ${way.getAttribute("aria-pressed")}`)}`);
  home.querySelectorAll("[data-layer]")[0].click();
  told("pressed");
  held(context, lines);
});

test("links to the head name what the other pages take", (context) => {
  const page = /** @type {Loose} */ ({
    text: keyed,
    state: { agreed: { model: "m", pictures: "a,b", text: "x y", target: null }, chosenLanguage: null },
  });
  const korean = { ...page, state: { agreed: { ...page.state.agreed, target: "z" }, chosenLanguage: "ko" } };
  const links = (/** @type {Loose} */ on, /** @type {Loose} */ more) =>
    openIn(on, model(more))
      .map((one) => /** @type {Loose} */ (one).markup)
      .join("\n");
  const long = { lines: [line(["a", "b"], { cut: true })], between: [0, 0], whole: 9 };
  const after = (/** @type {Loose} */ more) =>
    goesOn(page, model(more))
      .map((one) => (typeof one === "string" ? one : /** @type {Loose} */ (one).markup))
      .join("|");
  held(context, [
    links(page, {}),
    links(page, { pictures: ["p"], takes: [], runs: false, locked: true }),
    links(korean, { heard: { name: "s" } }),
    `none: ${links(page, { opens: false })}`,
    ...[{}, long, { ...long, whole: 0 }, { ...long, room: 512 }, { ...long, longer: true }].map(after),
    after({ ...long, lines: [line(["a"], { cut: true, seconds: 1 })] }),
    after({ ...long, lines: [line(["a"]), line(["b"], { cut: true })], between: [1, 0] }),
  ]);
});
