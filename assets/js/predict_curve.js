/** A curve drawn by hand: one point per x, moved by the pointer; for the keyboard each is a slider. */

import { number } from "./axes.js";
import { element } from "./dom.js";
import { shape } from "./svg.js";
import { symbolsIn } from "./svg_symbols.js";

const WIDTH = 420;
const HEIGHT = 210;
const ROOM = { left: 52, right: 14, top: 12, bottom: 40 };
const STEPS = 20;

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

/** Write whole numbers in full: 1024, not 1020. @param {number} value */
const whole = (value) => (Number.isInteger(value) ? String(value) : number(value));

export class CurveDrawing {
  /**
   * @param {import("../types/wire.js").Curve & {bare?: boolean}} curve `bare`: its axes have no numbers
   * @param {(key: string, fields?: import("./controls.js").Fields) => string} text
   * @param {(values: number[]) => void} drew
   */
  constructor(curve, text, drew) {
    this.curve = curve;
    this.text = text;
    this.drew = drew;
    this.locked = false;
    this.across = axis(curve.x[0], curve.x[curve.x.length - 1], curve.log_x);
    this.up = axis(curve.low, curve.high, curve.log_y);
    this.places = curve.x.map(() => 0.5);
    this.real = shape("polyline", { class: "predict-real" });
    this.line = shape("polyline", { class: "predict-drawn" });
    this.points = curve.x.map((x, i) => this.#point(x, i));
    this.svg = shape(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        class: "predict-curve",
        role: "group",
        "aria-label": text("predict.curve.label"),
      },
      ...this.#frame(),
      this.real,
      this.line,
      ...this.points,
    );
    const named = ["drawn", "real"].map((name) =>
      element("span", { className: name }, text(`predict.${`curve.${name}`}`)),
    );
    this.legend = element("p", { className: "predict-legend", hidden: true }, ...named);
    this.root = element(
      "div",
      {},
      this.svg,
      this.legend,
      element("p", { className: "said" }, text("predict.curve.help")),
    );
    this.svg.addEventListener("pointerdown", (event) => this.#drag(event));
    this.svg.addEventListener("pointermove", (event) => this.#drag(event));
    this.#place();
  }

  get values() {
    return this.places.map((place) => this.up.value(place));
  }

  /** Show the true curve. @param {number[]} values */
  reveal(values) {
    const points = values
      .map((value, i) => [this.curve.x[i], this.up.place(value)])
      .filter(([, place]) => Number.isFinite(place));
    this.legend.hidden = false;
    this.real.setAttribute(
      "points",
      points.map(([x, place]) => `${this.#x(x)},${this.#y(Math.min(1, Math.max(0, place)))}`).join(" "),
    );
  }

  /** Draw a curve for the visitor. @param {number[]} places on the vertical axis */
  put(places) {
    this.places = [...places];
    this.#place();
  }

  /** Return a line in the drawing, as SVG writes points. @param {number[]} places on the vertical axis, one for each x */
  traced(places) {
    return places.map((place, i) => `${this.#x(this.curve.x[i])},${this.#y(place)}`);
  }

  /** @param {number} value */
  #x(value) {
    return ROOM.left + this.across.place(value) * (WIDTH - ROOM.left - ROOM.right);
  }

  /** @param {number} place */
  #y(place) {
    return HEIGHT - ROOM.bottom - place * (HEIGHT - ROOM.top - ROOM.bottom);
  }

  #frame() {
    const { curve } = this;
    /** @param {string} content @param {Record<string, unknown>} attributes */
    const label = (content, attributes) => shape("text", attributes, ...symbolsIn(content));
    const bottom = HEIGHT - ROOM.bottom;
    return [
      shape("rect", {
        x: ROOM.left,
        y: ROOM.top,
        width: WIDTH - ROOM.left - ROOM.right,
        height: bottom - ROOM.top,
        class: "predict-frame",
      }),
      ...(curve.bare ? [] : this.#ticks(label)),
      label(curve.x_label, { x: (ROOM.left + WIDTH - ROOM.right) / 2, y: HEIGHT - 4, "text-anchor": "middle" }),
      label(curve.y_label, {
        x: 12,
        y: (ROOM.top + bottom) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 12 ${(ROOM.top + bottom) / 2})`,
      }),
    ];
  }

  /** @param {(content: string, attributes: Record<string, unknown>) => SVGElement} label */
  #ticks(label) {
    return [
      ...this.curve.x.map((x) =>
        label(whole(x), { x: this.#x(x), y: HEIGHT - ROOM.bottom + 19, "text-anchor": "middle" }),
      ),
      ...[0, 0.5, 1].map((place) =>
        label(number(this.up.value(place)), { x: ROOM.left - 6, y: this.#y(place) + 4, "text-anchor": "end" }),
      ),
    ];
  }

  /** @param {number} x @param {number} i */
  #point(x, i) {
    const { curve } = this;
    const point = shape("circle", {
      r: 7,
      class: "predict-point",
      tabindex: 0,
      role: "slider",
      "aria-valuemin": curve.low,
      "aria-valuemax": curve.high,
      "aria-orientation": "vertical",
      "aria-label": this.text("predict.curve.point", { y: curve.y_label, x: `${curve.x_label} ${whole(x)}` }),
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
    if (event.type === "pointermove" && !event.buttons) return;
    event.preventDefault();
    if (event.type === "pointerdown") this.svg.setPointerCapture(event.pointerId);
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    const distances = this.curve.x.map((value) => Math.abs(this.#x(value) - x));
    this.#set(
      distances.indexOf(Math.min(...distances)),
      (HEIGHT - ROOM.bottom - y) / (HEIGHT - ROOM.top - ROOM.bottom),
    );
  }

  /** @param {number} i @param {number} place */
  #set(i, place) {
    if (this.locked) return;
    this.places[i] = Math.min(1, Math.max(0, place));
    this.#place();
    this.drew(this.values);
  }

  #place() {
    this.line.setAttribute("points", this.curve.x.map((x, i) => `${this.#x(x)},${this.#y(this.places[i])}`).join(" "));
    this.points.forEach((point, i) => {
      point.setAttribute("cx", String(this.#x(this.curve.x[i])));
      point.setAttribute("cy", String(this.#y(this.places[i])));
      const value = this.up.value(this.places[i]);
      point.setAttribute("aria-valuenow", String(value));
      point.setAttribute("aria-valuetext", number(value));
    });
  }
}
