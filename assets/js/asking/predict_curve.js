/** A curve drawn by hand: one point per x, moved by the pointer; for the keyboard each is a slider. */

import { tickLabels } from "../figures/axes.js";
import { element } from "../dom/dom.js";
import { hearDrag } from "../dom/drag.js";
import { shape } from "../dom/svg.js";
import { symbolsIn } from "../words/svg_symbols.js";

const WIDTH = 420;
const HEIGHT = 210;
const STEPS = 20;
/**
 * Around the plot, in heights of the words: above and below it, what the name of the vertical axis takes, gaps beside its numbers
 * and right of the plot at least; then baselines, of the numbers and the name below the plot, and of the name beside it.
 */
const ROOM = { top: 0.6, bottom: 2.7, name: 1.45, gap: 0.35, right: 0.7, numbers: 1.25, title: 0.3, side: 1.05 };
/** How far below its place the baseline of a number beside the plot stands, from the lowest to the highest: all stay in the drawing. */
const LOWERED = [0, 0.33, 0.66];
/** The height of the words before they are seen, and the largest that leaves a plot. */
const [EM, LARGEST] = [13, 34];

/** Estimate the width of a text in its height. @param {string} text */
const wide = (text) => [...text].reduce((sum, sign) => sum + (sign === "." ? 0.28 : sign < "ᄀ" ? 0.56 : 1), 0);

/**
 * Return the places of the labels that have room beside each other: the first, the last, and as many as possible between. Pure.
 * @param {number[]} middles rising @param {number[]} widths @param {number} gap
 */
export function spaced(middles, widths, gap) {
  const last = middles.length - 1;
  const clear = (/** @type {number} */ i, /** @type {number} */ j) =>
    middles[j] - middles[i] > (widths[i] + widths[j]) / 2 + gap;
  return middles.reduce((/** @type {number[]} */ kept, _, i) => {
    if (i === last) while (kept.length > 1 && !clear(kept[kept.length - 1], i)) kept.pop();
    return i === 0 || i === last || clear(kept[kept.length - 1], i) ? [...kept, i] : kept;
  }, []);
}

/**
 * Convert between values and places on an axis of length 1. Pure.
 * @param {number} low @param {number} high @param {boolean} log
 */
export function axis(low, high, log) {
  const [from, to] = log ? [Math.log(low), Math.log(high)] : [low, high];
  return {
    place: (/** @type {number} */ value) =>
      ((log ? Math.log(Math.max(value, 1e-300)) : value) - from) / (to - from || 1),
    value: (/** @type {number} */ place) => (log ? Math.exp(from + place * (to - from)) : from + place * (to - from)),
  };
}

/** A point of a drawing: the number of its x, and its place on the vertical axis. @typedef {{at: number, place: number}} Point */

/** Return the points of a line with a place for each x. @param {number[]} places @returns {Point[]} */
export const along = (places) => places.map((place, at) => ({ at, place }));

export class CurveDrawing {
  #curve;
  #text;
  #drew;
  #names;
  /** The words at the ends of an axis without numbers. */
  #ends;
  #heights;
  #em;
  #words;
  #frame;
  #legend;

  /** Lines and areas, and their points. @type {Map<SVGElement, Point[]>} */
  #laid = new Map();
  #left = 0;
  #right = 0;
  #top = 0;
  #bottom = 0;

  /**
   * @param {import("../../types/wire.js").Curve & {bare_x?: boolean, bare_y?: boolean}} curve `bare`: the axis has no numbers
   * @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
   * @param {(values: number[]) => void} drew
   */
  constructor(curve, text, drew) {
    this.#curve = curve;
    this.#text = text;
    this.#drew = drew;
    this.locked = false;
    this.across = axis(curve.x[0], curve.x[curve.x.length - 1], curve.log_x);
    this.up = axis(curve.low, curve.high, curve.log_y);
    this.#names = curve.bare_x ? curve.x.map((x) => this.#between(x)) : tickLabels(curve.x);
    this.#ends = ["low", "high"].map((end) => text(`predict.curve.${end}`));
    this.#heights = curve.bare_y ? this.#ends : tickLabels([0, 0.5, 1].map((place) => this.up.value(place)));
    this.places = curve.x.map(() => 0.5);
    this.#em = EM;
    this.#words = shape("g", {});
    this.#frame = shape("rect", { class: "predict-frame" });
    this.real = shape("polyline", { class: "predict-real" });
    this.line = shape("polyline", { class: "predict-drawn" });
    this.points = curve.x.map((_, i) => this.#point(i));
    this.svg = shape(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        class: "predict-curve",
        role: "group",
        "aria-label": text("predict.curve.label"),
      },
      this.#frame,
      this.#words,
      this.real,
      this.line,
      ...this.points,
    );
    const named = ["drawn", "real"].map((name) =>
      element("span", { className: name }, text(`predict.${`curve.${name}`}`)),
    );
    this.#legend = element("p", { className: "predict-legend", hidden: true }, ...named);
    this.root = element(
      "div",
      {},
      this.svg,
      this.#legend,
      element("p", { className: "said" }, text("predict.curve.help")),
    );
    const drag = (/** @type {PointerEvent} */ event) => this.#drag(event);
    hearDrag(this.svg, { begin: drag, move: drag });
    this.#layOut();
    new ResizeObserver(() => this.#measure()).observe(this.svg);
  }

  /** Lay the drawing out anew if its words have another size. */
  #measure() {
    const word = this.#words.lastElementChild ?? this.svg; // a page may give words another size than their drawing
    const em = Math.min(LARGEST, parseFloat(getComputedStyle(word).fontSize)) || EM;
    if (em === this.#em) return;
    this.#em = em;
    this.#layOut();
  }

  get #values() {
    return this.places.map((place) => this.up.value(place));
  }

  /** Show the true curve. @param {number[]} values */
  reveal(values) {
    this.#legend.hidden = false;
    const points = values.map((value, i) => ({ at: i, place: Math.min(1, Math.max(0, this.up.place(value))) }));
    this.lay(
      this.real,
      points.filter(({ place }) => Number.isFinite(place)),
    );
  }

  /** Draw a curve for the visitor. @param {number[]} places on the vertical axis */
  put(places) {
    this.places = [...places];
    this.#place();
  }

  /**
   * Lay a line or an area through points of the drawing; it keeps to them whatever room the words take.
   * @param {SVGElement} element @param {Point[]} points
   */
  lay(element, points) {
    this.#laid.set(element, points);
    const written = points.map(({ at, place }) => `${this.#x(this.#curve.x[at])},${this.#y(place)}`);
    element.setAttribute("points", written.join(" "));
  }

  /** @param {number} value */
  #x(value) {
    return this.#left + this.across.place(value) * (this.#right - this.#left);
  }

  /** @param {number} place */
  #y(place) {
    return this.#bottom - place * (this.#bottom - this.#top);
  }

  /** Give the words their room, and the plot the rest. */
  #layOut() {
    const curve = this.#curve;
    const em = this.#em;
    this.#left = em * (ROOM.name + ROOM.gap + Math.max(...this.#heights.map(wide)));
    this.#right = WIDTH - em * Math.max(ROOM.right, curve.bare_x ? 0 : wide(this.#names[curve.x.length - 1]) / 2);
    [this.#top, this.#bottom] = [em * ROOM.top, HEIGHT - em * ROOM.bottom];
    const left = this.#left;
    const right = this.#right;
    const top = this.#top;
    const bottom = this.#bottom;
    const box = { x: left, y: top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(box)) this.#frame.setAttribute(name, String(value));
    /** @param {string} content @param {Record<string, unknown>} attributes */
    const label = (content, attributes) => shape("text", attributes, ...symbolsIn(content));
    const [side, middle] = [em * ROOM.side, (top + bottom) / 2];
    this.#words.replaceChildren(
      ...this.#ticks(label),
      label(curve.x_label, { x: (left + right) / 2, y: HEIGHT - em * ROOM.title, "text-anchor": "middle" }),
      label(curve.y_label, { x: side, y: middle, "text-anchor": "middle", transform: `rotate(-90 ${side} ${middle})` }),
    );
    for (const [element, points] of this.#laid) this.lay(element, points);
    this.#place();
  }

  /** @param {(content: string, attributes: Record<string, unknown>) => SVGElement} label */
  #ticks(label) {
    const left = this.#left;
    const right = this.#right;
    const em = this.#em;
    const y = this.#bottom + em * ROOM.numbers;
    const middles = this.#curve.x.map((x) => this.#x(x));
    const [low, high] = this.#ends;
    const widths = this.#names.map((name) => em * wide(name));
    const across = this.#curve.bare_x
      ? [label(low, { x: left, y, "text-anchor": "start" }), label(high, { x: right, y, "text-anchor": "end" })]
      : spaced(middles, widths, em / 4).map((i) =>
          label(this.#names[i], { x: middles[i], y, "text-anchor": "middle" }),
        );
    const last = this.#heights.length - 1;
    const up = this.#heights.map((height, i) => {
      const lowered = em * LOWERED[Math.round((2 * i) / last)];
      return label(height, { x: left - em * ROOM.gap, y: this.#y(i / last) + lowered, "text-anchor": "end" });
    });
    return [...across, ...up];
  }

  /** Say where a place on an axis without numbers is. @param {number} place */
  #between(place) {
    return this.#text("predict.curve.between", { share: Math.round(100 * place) });
  }

  /** Say where a point is on the vertical axis. @param {number} place */
  #height(place) {
    const { low, high, bare_y } = this.#curve;
    return bare_y ? this.#between(place) : tickLabels([this.up.value(place)], (high - low) / STEPS)[0];
  }

  /** @param {number} i */
  #point(i) {
    const curve = this.#curve;
    const point = shape("circle", {
      r: 7,
      class: "predict-point",
      tabindex: 0,
      role: "slider",
      "aria-valuemin": curve.low,
      "aria-valuemax": curve.high,
      "aria-orientation": "vertical",
      "aria-label": this.#text("predict.curve.point", { y: curve.y_label, x: `${curve.x_label} ${this.#names[i]}` }),
    });
    /** @type {Record<string, number>} */
    const moves = {
      ArrowUp: 1 / STEPS,
      ArrowRight: 1 / STEPS,
      ArrowDown: -1 / STEPS,
      ArrowLeft: -1 / STEPS,
      PageUp: 5 / STEPS,
      PageDown: -5 / STEPS,
      Home: -1,
      End: 1,
    };
    point.addEventListener("keydown", (event) => {
      if (!(event.key in moves)) return;
      event.preventDefault();
      this.#set(i, this.places[i] + moves[event.key]);
    });
    return point;
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    event.preventDefault();
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    const distances = this.#curve.x.map((value) => Math.abs(this.#x(value) - x));
    this.#set(distances.indexOf(Math.min(...distances)), (this.#bottom - y) / (this.#bottom - this.#top));
  }

  /** @param {number} i @param {number} place */
  #set(i, place) {
    if (this.locked) return;
    this.places[i] = Math.min(1, Math.max(0, place));
    this.#place();
    this.#drew(this.#values);
  }

  #place() {
    this.lay(this.line, along(this.places));
    this.points.forEach((point, i) => {
      point.setAttribute("cx", String(this.#x(this.#curve.x[i])));
      point.setAttribute("cy", String(this.#y(this.places[i])));
      const value = this.up.value(this.places[i]);
      point.setAttribute("aria-valuenow", String(value));
      point.setAttribute("aria-valuetext", this.#height(this.places[i]));
    });
  }
}
