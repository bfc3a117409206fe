/**
 * The picture of a vision model, large: its patches in the colours of what the framed one gives them, or of what gives
 * weight to it. A patch that is pointed at is framed for the moment, a pressed one stays; arrow keys move the frame.
 * Class tokens and registers are buttons below.
 */

import { brushOf, element } from "../../dom/dom.js";
import { number } from "../../figures/axes.js";
import { table } from "../../figures/palette.js";
import { dimmed, gridFrame, lay } from "./picture_paint.js";
import { largest, PictureRows } from "./picture_rows.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {import("./picture_paint.js").Frame} Frame
 * @typedef {object} Given
 * @property {(row: number) => void} lock
 * @property {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
 * @property {import("../../figures/palette.js").ColourScale} scale
 */

/** @type {Record<string, [number, number]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const DARKEST = 72;
const KEY = "#d55e00";

export class PictureView {
  #given;
  #colours;
  #canvas = element("canvas", { className: "picture-canvas", aria: { hidden: "true" } });
  #said = element("p", { className: "picture-said", role: "status", id: "picture-said" });
  #special = element("div", { className: "picture-special" });
  #ways;
  #below;
  #stage;
  /** @type {Model | null} */
  #model = null;
  /** @type {PictureRows | null} */
  #rows = null;
  /** @type {HTMLCanvasElement | null} */
  #under = null;
  #byOthers = false;
  /** The query that is framed while it is pointed at. @type {number | null} */
  #pointed = null;
  /** The query that the keys have reached, before the server answers. @type {number | null} */
  #moved = null;

  /** @param {HTMLElement} root the stage of the figure @param {Given} given */
  constructor(root, given) {
    this.#given = given;
    this.#colours = table(given.scale);
    this.#stage = element(
      "div",
      {
        className: "picture-stage",
        tabIndex: 0,
        role: "group",
        ariaLabel: given.text("model.picture"),
        aria: { describedby: "picture-said" },
      },
      this.#canvas,
    );
    this.#ways = [false, true].map((byOthers) =>
      element(
        "button",
        { type: "button", onclick: () => this.#turn(byOthers) },
        given.text(byOthers ? "model.read_by" : "model.reads_what"),
      ),
    );
    root.replaceChildren(this.#stage);
    this.#below = element(
      "div",
      { className: "below-picture" },
      element("div", { className: "picture-ways", role: "group", ariaLabel: given.text("model.way") }, ...this.#ways),
      this.#special,
    );
    root.after(this.#below, this.#said);
    this.#stage.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.#point(this.#patchAt(event));
    });
    this.#stage.addEventListener("pointerleave", () => this.#point(null));
    this.#stage.addEventListener("click", (event) => {
      const at = this.#patchAt(event);
      if (at !== null) given.lock(at);
    });
    this.#stage.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#paint()).observe(this.#stage);
    this.#turn(false);
  }

  /** Return a copy of the picture as it is painted, without the room beside it. */
  copy() {
    const { picture } = this.#frames();
    const fine = window.devicePixelRatio || 1;
    const [left, top, width, height] = [picture.left, picture.top, picture.width, picture.height].map((at) =>
      Math.round(at * fine),
    );
    const canvas = element("canvas", { className: "picture-on-paper", width, height });
    brushOf(canvas).drawImage(this.#canvas, -left, -top);
    return canvas;
  }

  /** The line below the picture. */
  get below() {
    return this.#below;
  }

  /** @param {Model} model @param {HTMLImageElement} image */
  show(model, image) {
    this.#model = model;
    this.#rows = new PictureRows(model);
    this.#under = dimmed(image);
    this.#pointed = this.#moved = null;
    const { grid } = this;
    this.#special.replaceChildren(
      ...this.#line.tokens.slice(0, grid.first).map((token, row) =>
        element(
          "button",
          {
            type: "button",
            className: "token",
            data: { row },
            onclick: () => this.#given.lock(row),
            onpointerenter: (/** @type {PointerEvent} */ event) => {
              if (event.pointerType === "mouse") this.#point(row);
            },
            onpointerleave: () => this.#point(null),
          },
          token,
        ),
      ),
    );
    this.#paint();
  }

  get #line() {
    const { lines, between } = /** @type {Model} */ (this.#model);
    return lines[between[0]];
  }

  get grid() {
    return this.#line.grids[0];
  }

  /** The query that is framed now. */
  get #query() {
    return this.#pointed ?? this.#moved ?? this.#model?.row ?? 0;
  }

  /** @param {boolean} byOthers */
  #turn(byOthers) {
    this.#byOthers = byOthers;
    this.#ways.forEach((way, at) => way.setAttribute("aria-pressed", String((at === 1) === byOthers)));
    this.#paint();
  }

  /** @param {number | null} row */
  #point(row) {
    if (row === this.#pointed) return;
    this.#pointed = row;
    this.#paint();
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (!this.#model) return;
    const { rows, columns, first } = this.grid;
    const patch = this.#query - first;
    if (event.key in MOVES) {
      const [down, across] = MOVES[event.key];
      const row = patch < 0 ? rows >> 1 : Math.min(rows - 1, Math.max(0, Math.floor(patch / columns) + down));
      const column = patch < 0 ? columns >> 1 : Math.min(columns - 1, Math.max(0, (patch % columns) + across));
      this.#moved = first + row * columns + column;
      this.#pointed = null;
      this.#paint();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#given.lock(this.#query);
    } else if (event.key === "Home" && first) {
      this.#moved = 0;
      this.#paint();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Return the frames of the whole picture and of the grid on the stage, in its pixels. */
  #frames() {
    const { width, height } = this.#stage.getBoundingClientRect();
    const { box } = this.grid;
    const under = /** @type {HTMLCanvasElement} */ (this.#under);
    const [left, top, right, bottom] = [
      Math.min(0, box[0]),
      Math.min(0, box[1]),
      Math.max(1, box[2]),
      Math.max(1, box[3]),
    ];
    const share = Math.min(width / (under.width * (right - left)), height / (under.height * (bottom - top)));
    const whole = { width: share * under.width, height: share * under.height };
    /** @type {Frame} */
    const picture = {
      ...whole,
      left: (width - whole.width * (right - left)) / 2 - left * whole.width,
      top: (height - whole.height * (bottom - top)) / 2 - top * whole.height,
    };
    return { picture, grid: gridFrame(this.grid, picture), width, height };
  }

  /** Return the position of the patch under a pointer; null beside the grid. @param {MouseEvent} event */
  #patchAt(event) {
    if (!this.#model || !this.#under) return null;
    const stage = this.#stage.getBoundingClientRect();
    const { grid: frame } = this.#frames();
    const { rows, columns, first } = this.grid;
    const column = Math.floor(((event.clientX - stage.left - frame.left) / frame.width) * columns);
    const row = Math.floor(((event.clientY - stage.top - frame.top) / frame.height) * rows);
    return row >= 0 && row < rows && column >= 0 && column < columns ? first + row * columns + column : null;
  }

  #paint() {
    if (!this.#model || !this.#rows || !this.#under) return;
    const { picture, grid: frame, width, height } = this.#frames();
    if (!(width > 0 && height > 0)) return;
    const fine = window.devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: Math.round(width * fine), height: Math.round(height * fine) });
    const brush = brushOf(this.#canvas);
    brush.setTransform(fine, 0, 0, fine, 0, 0);
    brush.drawImage(this.#under, picture.left, picture.top, picture.width, picture.height);
    this.#veil(brush, picture, frame);
    const { first, rows, columns } = this.grid;
    const query = this.#query;
    const line = this.#byOthers ? this.#rows.column(query) : this.#rows.row(query);
    const most = line.slice(first).reduce((best, value) => (value > best ? value : best), 1e-12);
    lay(brush, frame, this.#colours, (place) => line[first + place] / most, { rows, columns });
    const best = largest(line.slice(first));
    if (best >= 0) this.#outline(brush, frame, best, KEY);
    if (query >= first) this.#outline(brush, frame, query - first, "#ffffff");
    this.#tell(query, line);
  }

  /** Darken what the model does not see. @param {CanvasRenderingContext2D} brush @param {Frame} whole @param {Frame} seen */
  #veil(brush, whole, seen) {
    brush.save();
    brush.beginPath();
    brush.rect(whole.left, whole.top, whole.width, whole.height);
    brush.rect(seen.left, seen.top, seen.width, seen.height);
    brush.fillStyle = "rgba(0, 0, 0, .72)";
    brush.fill("evenodd");
    brush.restore();
  }

  /** @param {CanvasRenderingContext2D} brush @param {Frame} frame @param {number} patch @param {string} colour */
  #outline(brush, frame, patch, colour) {
    const { rows, columns } = this.grid;
    const [wide, high] = [frame.width / columns, frame.height / rows];
    const left = frame.left + (patch % columns) * wide;
    const top = frame.top + Math.floor(patch / columns) * high;
    for (const [thick, ink] of /** @type {[number, string][]} */ ([
      [5, "#000000"],
      [2.5, colour],
    ])) {
      brush.lineWidth = thick;
      brush.strokeStyle = ink;
      brush.strokeRect(left, top, wide, high);
    }
  }

  /** Say what is painted, and shade the class token and the registers. @param {number} query @param {Float32Array} line */
  #tell(query, line) {
    const { tokens } = this.#line;
    [...this.#special.children].forEach((token, at) => {
      const weight = line[at];
      token.classList.toggle("is-query", at === query);
      token.setAttribute("aria-pressed", String(at === query));
      const there = Number.isFinite(weight);
      /** @type {HTMLElement} */ (token).style.setProperty("--share", there ? `${DARKEST * Math.sqrt(weight)}%` : "0%");
      token.textContent = there ? `${tokens[at]} ${number(weight)}` : tokens[at];
    });
    const best = largest(line);
    const named = { query: tokens[query], key: tokens[best] ?? "", weight: number(line[best]) };
    const said = [this.#given.text(this.#byOthers ? "model.patch_read_by" : "model.patch_reads", named)];
    const [side, shift] = this.#model?.window ?? [0, 0];
    if (side) said.push(this.#given.text(shift ? "model.in_shifted_window" : "model.in_window", { side, shift }));
    this.#said.textContent = said.join(" · ");
  }
}
