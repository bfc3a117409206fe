/**
 * What a token of a text gives to the patches of its pictures, large and layer by layer: each layer is a small picture
 * that leads to it. A patch that is pointed at says which tokens read it; a pressed one becomes the locked key.
 */

import { brushOf, element } from "../../dom/dom.js";
import { number } from "../../figures/axes.js";
import { table } from "../../figures/palette.js";
import { dimmed, lay } from "./picture_paint.js";
import { beside, framesOf, patchAt, shapeOf, viewsOf } from "./picture_views.js";
import { shown } from "../../words/token.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {import("./picture_views.js").View} View
 * @typedef {object} Given
 * @property {(row: number, key: number) => void} lock
 * @property {(layer: number) => void} layer
 * @property {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
 * @property {import("../../figures/palette.js").ColourScale} scale
 */

/** Pixels of the longer side of a layer's picture. */
const SMALL = 132;
/** Tokens that are named as readers of a patch. */
const READERS = 3;
const KEY = "#d55e00";
/** Rows down and columns across. @type {Record<string, [number, number]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class PatchReads {
  #given;
  #colours;
  #canvas = element("canvas", { className: "patch-reads-canvas", aria: { hidden: "true" } });
  #said = element("p", { className: "patch-said", role: "status", id: "patch-said" });
  #strip;
  #ways;
  #stage;
  /** @type {{button: HTMLButtonElement, canvas: HTMLCanvasElement, share: HTMLElement}[]} */
  #layers = [];
  /** @type {Model | null} */
  #model = null;
  /** @type {View[]} */
  #views = [];
  /** The pictures in dim grey. @type {HTMLCanvasElement[]} */
  #under = [];
  #mean = false;
  /** The patch that is pointed at, as a position. @type {number | null} */
  #pointed = null;

  /** @param {HTMLElement} root the stage of the figure @param {Given} given */
  constructor(root, given) {
    this.#given = given;
    this.#colours = table(given.scale);
    this.#stage = element(
      "div",
      {
        className: "patch-reads-stage",
        tabIndex: 0,
        role: "group",
        ariaLabel: given.text("model.patches"),
        aria: { describedby: "patch-said" },
      },
      this.#canvas,
    );
    this.#strip = element("div", { className: "patch-layers", role: "group", ariaLabel: given.text("model.by_layer") });
    this.#ways = [false, true].map((mean) =>
      element(
        "button",
        { type: "button", onclick: () => this.#turn(mean) },
        given.text(mean ? "model.mean_of_heads" : "model.one"),
      ),
    );
    root.replaceChildren(this.#stage);
    this.below = element(
      "div",
      { className: "below-picture" },
      element("div", { className: "picture-ways", role: "group", ariaLabel: given.text("model.of") }, ...this.#ways),
      this.#said,
    );
    root.after(this.below, this.#strip);
    this.#stage.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.#point(this.#at(event));
    });
    this.#stage.addEventListener("pointerleave", () => this.#point(null));
    this.#stage.addEventListener("click", (event) => {
      const at = this.#at(event);
      if (at !== null && this.#model) given.lock(this.#model.row, at);
    });
    this.#stage.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#paint()).observe(this.#stage);
    this.#turn(false);
  }

  /** @param {Model} model @param {HTMLImageElement[]} images those of the pictures, in their order */
  show(model, images) {
    this.#model = model;
    this.#under = images.map(dimmed);
    this.#views = viewsOf(this.#line.grids, this.#under);
    this.#pointed = null;
    if (this.#layers.length !== model.layers) this.#build(model.layers);
    this.#ways[0].textContent = this.#given.text("model.one", { head: `${model.layer}.${model.head}` });
    this.#paint();
    this.#paintLayers();
  }

  get #line() {
    const { lines, between } = /** @type {Model} */ (this.#model);
    return lines[between[1]];
  }

  /** @param {number} count */
  #build(count) {
    this.#layers = [...Array(count).keys()].map((at) => {
      const canvas = element("canvas", { aria: { hidden: "true" } });
      const share = element("span", {});
      const button = element(
        "button",
        { type: "button", data: { layer: at + 1 }, onclick: () => this.#given.layer(at + 1) },
        canvas,
        share,
      );
      return { button, canvas, share };
    });
    this.#strip.replaceChildren(...this.#layers.map(({ button }) => button));
  }

  /** @param {boolean} mean */
  #turn(mean) {
    this.#mean = mean;
    this.#ways.forEach((way, at) => way.setAttribute("aria-pressed", String((at === 1) === mean)));
    this.#paint();
    this.#paintLayers();
  }

  /** @param {number | null} at */
  #point(at) {
    if (at === this.#pointed) return;
    this.#pointed = at;
    this.#paint();
  }

  /** @param {MouseEvent} event @returns {number | null} */
  #at(event) {
    if (!this.#model) return null;
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    return patchAt(this.#views, framesOf(this.#views, { left: 0, top: 0, width, height }), x, y);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (!this.#model) return;
    if (event.key in MOVES) {
      const [down, across] = MOVES[event.key];
      const { width, height } = this.#canvas.getBoundingClientRect();
      const frames = framesOf(this.#views, { left: 0, top: 0, width, height });
      this.#point(beside(this.#views, frames, this.#marked, down, across));
    } else if ((event.key === "Enter" || event.key === " ") && this.#marked !== null) {
      this.#given.lock(this.#model.row, this.#marked);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The patch, or the token, that is framed now: the one that is pointed at, else the locked key. */
  get #marked() {
    return this.#pointed ?? (this.#model && this.#model.key >= 0 ? this.#model.key : null);
  }

  /** Return the weights of the query on every patch, in the order of the grids, in one layer. @param {number} layer */
  #weights(layer) {
    const { readMean, readHead } = /** @type {Model} */ (this.#model);
    const of = this.#mean ? readMean : readHead;
    const count = this.#line.grids.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
    return of.subarray((layer - 1) * count, layer * count);
  }

  #paint() {
    const model = this.#model;
    if (!model) return;
    const { width, height } = this.#stage.getBoundingClientRect();
    const fine = devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: Math.round(width * fine), height: Math.round(height * fine) });
    const brush = brushOf(this.#canvas);
    brush.scale(fine, fine);
    const weights = this.#weights(model.layer);
    const frames = framesOf(this.#views, { left: 0, top: 0, width, height });
    this.#lay(brush, frames, weights);
    const marked = this.#marked;
    this.#views.forEach((view, at) => {
      for (const one of view.grids) {
        const place = marked === null ? -1 : one.positions.indexOf(marked);
        if (place >= 0) outline(brush, one.frame(frames[at]), place, one.grid);
      }
    });
    this.#tell(marked);
  }

  #paintLayers() {
    const model = this.#model;
    if (!model) return;
    this.#layers.forEach(({ button, canvas, share }, at) => {
      const weights = this.#weights(at + 1);
      const [wide, high] = shapeOf(this.#views);
      const scale = SMALL / Math.max(wide, high);
      Object.assign(canvas, { width: Math.round(wide * scale), height: Math.round(high * scale) });
      const whole = { left: 0, top: 0, width: canvas.width, height: canvas.height };
      this.#lay(brushOf(canvas), framesOf(this.#views, whole), weights);
      const sum = weights.reduce((all, one) => all + (Number.isFinite(one) ? one : 0), 0);
      share.textContent = `${at + 1} · ${sum.toFixed(2)}`;
      button.title = this.#given.text("model.layer_share", { layer: at + 1, share: number(sum) });
      button.setAttribute("aria-label", button.title);
      button.setAttribute("aria-pressed", String(at + 1 === model.layer));
    });
  }

  /** @param {CanvasRenderingContext2D} brush @param {import("./picture_paint.js").Frame[]} frames @param {Float32Array} weights */
  #lay(brush, frames, weights) {
    const most = weights.reduce((best, one) => (one > best ? one : best), 0) || 1;
    this.#views.forEach((view, at) => {
      const frame = frames[at];
      brush.drawImage(view.under, frame.left, frame.top, frame.width, frame.height);
      for (const one of view.grids) {
        lay(brush, one.frame(frame), this.#colours, (place) => weights[one.first + place] / most, one.grid);
      }
    });
  }

  /** Say what the query gives a patch, and which tokens of the text read it most. @param {number | null} patch */
  #tell(patch) {
    const model = this.#model;
    if (!model) return;
    const { text } = this.#given;
    if (patch === null || !this.#named(patch)) {
      this.#said.textContent = text("model.point_patch");
      return;
    }
    const { weights, shape } = model;
    const [queries, keys] = shape;
    const { tokens } = this.#line;
    const readers = [...Array(queries).keys()]
      .filter((row) => !this.#named(row) && weights[row * keys + patch] > 0)
      .sort((one, other) => weights[other * keys + patch] - weights[one * keys + patch])
      .slice(0, READERS)
      .map((row) => `“${shown(tokens[row])}” ${number(weights[row * keys + patch])}`);
    this.#said.textContent = text("model.patch_readers", {
      patch: String(this.#named(patch)),
      query: shown(tokens[model.row]),
      weight: number(weights[model.row * keys + patch] || 0),
      readers: readers.join(", ") || "–",
    });
  }

  /** Return what a patch is called, with its picture if there are several; null for a token. @param {number} position */
  #named(position) {
    const found = this.#views.flatMap(({ grids }) => grids).find(({ positions }) => positions.includes(position));
    if (!found) return null;
    const token = this.#line.tokens[position];
    return this.#under.length > 1
      ? this.#given.text("model.patch_of", { patch: token, picture: found.grid.picture + 1 })
      : token;
  }
}

/**
 * @param {CanvasRenderingContext2D} brush @param {import("./picture_paint.js").Frame} frame of the grid
 * @param {number} patch @param {{rows: number, columns: number}} grid
 */
function outline(brush, frame, patch, { rows, columns }) {
  const [wide, high] = [frame.width / columns, frame.height / rows];
  const left = frame.left + (patch % columns) * wide;
  const top = frame.top + Math.floor(patch / columns) * high;
  for (const [thick, ink] of /** @type {[number, string][]} */ ([
    [5, "#000000"],
    [2.5, KEY],
  ])) {
    brush.lineWidth = thick;
    brush.strokeStyle = ink;
    brush.strokeRect(left, top, wide, high);
  }
}
