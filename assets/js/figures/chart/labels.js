/** The words of a chart: ticks, titles, headings, and the texts of traces and shapes. Pure. */

import { TIGHT, panelOf } from "./frame.js";
import { meet, names, sides } from "./naming.js";
import { width } from "./width.js";

/**
 * @typedef {import("./frame.js").Panel} Panel
 * @typedef {import("./words.js").Word} Word
 * @typedef {import("./naming.js").Sides} Sides
 * @typedef {import("../../../types/plotly.js").Drawing} Drawing
 *
 * A word with others for where it has no room, the shortest last.
 * @typedef {Word & {short?: string[]}} Named
 */

/** Height of a word with an exponent, in heights of the text. */
const LINE = 1.25;
/** From a point to its text, the room around letters in their line, and by what words move off markers, as heights of the text. */
const [AWAY, AIR, STEP] = [0.45, 0.3, 0.25];
/** How many steps a word may move. */
const FAR = 14;

/** Return all words. @param {Drawing} drawing @param {Panel[]} panels @param {number} em height of the text in pixels @returns {Word[]} */
export function labels(drawing, panels, em) {
  return [
    ...unmixed(
      panels.flatMap((panel) => upright(panel, em)),
      em,
    ),
    ...panels.flatMap((panel) => (panel.beside ? [] : across(panel, em))),
    ...panels.flatMap((panel) => names(marks(drawing.data, panel, panels), panel.box, em)),
    ...clear(
      apart(
        drawing.data.flatMap((trace) => texts(trace, panelOf(panels, trace.xaxis, trace.yaxis), em)),
        em,
      ),
      drawing.data.flatMap((trace) => dots(trace, panelOf(panels, trace.xaxis, trace.yaxis))),
      em,
    ),
    ...(drawing.layout.shapes ?? []).flatMap((shape) =>
      named(shape, panelOf(panels, shape.xref.split(" ")[0], shape.yref.split(" ")[0]), em),
    ),
  ];
}

/**
 * Shorten the titles of a left and a right axis that would meet by turns, the left one first. A left one without a short
 * form is left out, since the figure's own title names it.
 * @param {Named[]} words @param {number} em @returns {Word[]}
 */
function unmixed(words, em) {
  const titles = words.filter(({ kind }) => kind === "title");
  /** @type {Map<Named, string>} */
  const written = new Map();
  const shown = (/** @type {Named} */ word) => written.get(word) ?? word.text;
  for (const right of titles.filter(({ align }) => align === "end")) {
    const left = titles.find(({ align, x, y }) => align === "start" && y === right.y && x < right.x);
    if (!left) continue;
    const meets = () => left.x + (width(shown(left)) + 1) * em > right.x - width(shown(right)) * em;
    const [lefts, rights] = [left.short ?? [""], right.short ?? []];
    for (let turn = 0; turn < Math.max(lefts.length, rights.length); turn += 1) {
      if (meets() && turn < lefts.length) written.set(left, lefts[turn]);
      if (meets() && turn < rights.length) written.set(right, rights[turn]);
    }
  }
  return words.map((word) => ({ ...word, text: shown(word) })).filter(({ text }) => text !== "");
}

/** Return heading, title and ticks of a vertical axis. @param {Panel} panel @param {number} em @returns {Named[]} */
function upright({ up, box, outer, beside, heading, tall, ticks, short }, em) {
  /** @type {Named[]} */
  const words = [];
  const named = up.layout.title?.text ?? "";
  const title = heading.includes(named) ? "" : named;
  const y = box.top - em * 1.15;
  const [left, room] = [outer.left + em * 0.4, outer.right - outer.left - em];
  const two = tall && TIGHT * width(heading) * em > room;
  if (heading) {
    words.push({
      text: heading,
      x: left,
      y: two ? y - em * 0.55 : y,
      align: "start",
      kind: two ? "tall" : "heading",
      most: room,
    });
  }
  const fits = beside || (heading !== "" && (width(heading) + width(title) + 1) * em < room);
  if (title && fits) {
    words.push({ text: title, x: beside ? outer.right - em * 0.2 : box.right, y, align: "end", kind: "title", short });
  } else if (title && !heading) {
    words.push({ text: title, x: left, y, align: "start", kind: "title", most: room, short });
  }
  if (up.layout.showticklabels === false) return words;
  for (const { at, text } of ticks.up) {
    words.push({
      text,
      x: beside ? box.right + 6 : box.left - 6,
      y: at,
      align: beside ? "start" : "end",
      kind: "tick",
      plain: isOfWords(up.layout),
    });
  }
  return words;
}

/** Return true for an axis of tokens: they are somebody's words and no symbols. @param {{labelalias?: unknown}} layout */
const isOfWords = ({ labelalias }) => labelalias !== undefined;

/** Return ticks and title of a horizontal axis. @param {Panel} panel @param {number} em @returns {Word[]} */
function across({ across: { layout }, box, title, below, ticks }, em) {
  const y = box.bottom + em * 0.95;
  const until = title && !below ? box.right - (width(title) + 0.8) * em : Infinity;
  /** @type {Word[]} */
  const words = [];
  if (layout.showticklabels !== false) {
    for (const { at, text } of ticks.across) {
      const plain = isOfWords(layout);
      if (at + (width(text) / 2) * em < until) words.push({ text, x: at, y, align: "middle", kind: "tick", plain });
    }
  }
  if (title) words.push({ text: title, x: box.right, y: below ? y + em * 1.15 : y, align: "end", kind: "title" });
  return words;
}

/** True if a trace names its marks. @param {import("../../../types/plotly.js").Trace} trace */
const isNamed = (trace) => trace.mode === "markers+text";

/** Return the named marks of a panel. @param {import("../../../types/plotly.js").Trace[]} traces @param {Panel} panel @param {Panel[]} panels */
function marks(traces, panel, panels) {
  const here = traces.filter((trace) => isNamed(trace) && panelOf(panels, trace.xaxis, trace.yaxis) === panel);
  return here.flatMap(({ x = [], y = [], text = [], textposition = "top right", textfont }) =>
    Array.from(text, (word, i) => ({
      text: word,
      x: panel.across.pixel(x[i]),
      y: panel.up.pixel(y[i]),
      side: typeof textposition === "string" ? textposition : textposition[i],
      colour: textfont?.color,
    })).filter(({ text: said, x: left, y: top }) => said && !Number.isNaN(left) && !Number.isNaN(top)),
  );
}

/**
 * Return the texts beside a trace's points; of two that would overlap, the first.
 * @param {import("../../../types/plotly.js").Trace} trace @param {Panel | undefined} panel @param {number} em @returns {Word[]}
 */
function texts(trace, panel, em) {
  const { mode = "", x = [], y = [], text = [], textposition = "middle center", textfont } = trace;
  if (!panel || !mode.includes("text") || isNamed(trace)) return [];
  const away = AWAY * em;
  /** @type {Word[]} */
  const words = [];
  Array.from(text).forEach((piece, i) => {
    const [left, top] = [panel.across.pixel(x[i]), panel.up.pixel(y[i])];
    if (!piece || Number.isNaN(left) || Number.isNaN(top)) return;
    const [upright, side] = (typeof textposition === "string" ? textposition : textposition[i]).split(" ");
    const shift = { left: -away, right: away }[side] ?? 0;
    const lift = { top: -em * 0.75, bottom: em * 0.75 }[upright] ?? 0;
    const align = /** @type {const} */ ({ left: "end", right: "start" })[side] ?? "middle";
    /** @type {Word} */
    const word = { text: piece.trim(), x: left + shift, y: top + lift, align, kind: "note", colour: textfont?.color };
    if (!words.some((other) => overlap(other, word, em))) words.push(word);
  });
  return words;
}

/**
 * Move words that would touch up and down, as little as gives each a line of its own.
 * @param {Word[]} words @param {number} em @returns {Word[]}
 */
export function apart(words, em) {
  /** Words that share their room, and their places in it. */
  let stacks = words.map((word) => ({ wished: [word], placed: [word] }));
  const touch = (/** @type {Word[]} */ some, /** @type {Word[]} */ others) =>
    some.some((one) => others.some((other) => overlap(one, other, em, LINE)));
  for (;;) {
    const one = stacks.find((stack) => stacks.some((other) => other !== stack && touch(stack.placed, other.placed)));
    if (!one) return stacks.flatMap(({ placed }) => placed);
    const near = stacks.filter((other) => other === one || touch(one.placed, other.placed));
    const wished = near.flatMap((stack) => stack.wished);
    stacks = [...stacks.filter((stack) => !near.includes(stack)), { wished, placed: stacked(wished, em) }];
  }
}

/** Return the places of a trace's markers. @param {import("../../../types/plotly.js").Trace} trace @param {Panel | undefined} panel @returns {Sides[]} */
function dots({ mode = "", x = [], y = [], marker = {} }, panel) {
  if (!panel || !mode.includes("markers")) return [];
  const reach = (marker.size ?? 6) / 2;
  return Array.from(x, (at, i) => ({ x: panel.across.pixel(at), y: panel.up.pixel(y[i]) }))
    .filter(({ x: across, y: up }) => !Number.isNaN(across) && !Number.isNaN(up))
    .map(({ x: across, y: up }) => ({
      left: across - reach,
      right: across + reach,
      top: up - reach,
      bottom: up + reach,
    }));
}

/**
 * Move words off the markers, up or down by as little as frees them of every marker and every other word. One that finds
 * no such place within some lines stays.
 * @param {Word[]} words @param {Sides[]} dots @param {number} em @returns {Word[]}
 */
export function clear(words, dots, em) {
  const ways = Array.from({ length: FAR }, (_, i) => [-(i + 1), i + 1]).flat();
  const placed = [...words];
  words.forEach((word, i) => {
    const free = (/** @type {Word} */ one) => {
      const { left, right, top, bottom } = sides(one, em);
      // the room of a line is more than its letters
      const tight = { left: left + AIR * em, right: right - AIR * em, top: top + AIR * em, bottom: bottom - AIR * em };
      return (
        !dots.some((dot) => meet(dot, tight)) && !placed.some((other, j) => j !== i && overlap(one, other, em, LINE))
      );
    };
    if (free(word)) return;
    const moved = ways.map((way) => ({ ...word, y: word.y + way * STEP * em })).find(free);
    if (moved) placed[i] = moved;
  });
  return placed;
}

/** Return words in lines around the middle of their wished places. @param {Word[]} words @param {number} em @returns {Word[]} */
function stacked(words, em) {
  const ordered = [...words].sort((a, b) => a.y - b.y);
  const middle = ordered.reduce((sum, { y }) => sum + y, 0) / ordered.length;
  return ordered.map((word, i) => ({ ...word, y: middle + (i - (ordered.length - 1) / 2) * LINE * em }));
}

/**
 * Return true if one word would be written over another.
 * @param {Word} one @param {Word} other @param {number} em @param {number} [lines] the least distance between two lines
 */
function overlap(one, other, em, lines = 1) {
  const [a, b] = [one, other].map(({ text, x, align }) => {
    const length = width(text) * em;
    return x - { start: 0, middle: length / 2, end: length }[align];
  });
  return (
    Math.abs(one.y - other.y) < lines * em - 1e-6 && a < b + width(other.text) * em && b < a + width(one.text) * em
  );
}

/**
 * Return the label of a line across a panel.
 * @param {import("../../../types/plotly.js").Shape} shape @param {Panel | undefined} panel @param {number} em @returns {Word[]}
 */
function named({ label, y0 }, panel, em) {
  if (!label?.text || !panel || y0 === undefined) return [];
  const at = panel.up.pixel(y0);
  if (!(at >= panel.box.top && at <= panel.box.bottom)) return [];
  const y = label.yanchor === "top" ? at + em * 0.7 : at - em * 0.7;
  return [
    { text: label.text, x: panel.box.left + em * 0.3, y, align: "start", kind: "note", colour: label.font?.color },
  ];
}
