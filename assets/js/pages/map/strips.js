/**
 * The server's row statistics along the queries, pixel by pixel with the map's query axis: beside the map, or below it on
 * a narrow screen. Each pixel shows the range of its values, and their mean as a line.
 */

import { number } from "../../figures/axes.js";
import { brushOf, element } from "../../dom/dom.js";
import { asked } from "../../reasons/reasons.js";
import { extremes, greatest } from "./extremes.js";
import { nice } from "./shades.js";

/** The least depth of a strip beside the map, in heights of its type: room for the ends of its axis. */
const LEAST = 3.65;
/** Pixels: the largest depth of a strip beside the map, the gap between two, and the depth of one below the map. */
const [MOST, GAP] = [240, 8];
const BELOW = 44;
const DECADES = 4;

/**
 * Return the ends of a strip's axis: nats end at their ceiling, others at their rounded maximum.
 * @param {string} unit @param {number} most @param {number} ceiling @param {string} colour @returns {[number, number]}
 */
export function ends(unit, most, ceiling, colour) {
  if (unit === "nats") return [0, ceiling > 0 ? ceiling : 1];
  const top = most > 0 ? nice(most) : 1;
  if (colour !== "log") return [0, top];
  return unit === "keys" ? [0, Math.max(1, Math.log10(top))] : [Math.log10(top) - DECADES, Math.log10(top)];
}

export class Strips {
  #reactions;

  /** True if the strips are beside the map. */
  beside = false;
  /** True while a question is open that they would answer. */
  covered = false;
  /** Pixels of the map's query axis, and device pixels in one. */
  #side = 0;
  #scale = 1;
  /** @type {import("./view.js").View | null} */
  #view = null;
  /** The present strips, and with the pixels of their canvases, as text. */
  #listed = "";
  size = "";

  /** @param {HTMLElement} stage @param {{hover: (row: number | null) => void, click: (row: number) => void}} reactions */
  constructor(stage, reactions) {
    this.root = element("div", { className: "map-strips", tabIndex: 0 });
    this.stage = stage;
    stage.append(this.root);
    this.#reactions = reactions;
    this.strips = this.#made([]);
  }

  /** Make the strips that a map lists, if they changed. @param {import("./model.js").Strip[]} listed */
  list(listed) {
    const wanted = JSON.stringify(listed);
    if (this.#listed === wanted) return;
    this.#listed = wanted;
    this.strips = this.#made(listed);
  }

  /** @param {import("./model.js").Strip[]} listed */
  #made(listed) {
    const reactions = this.#reactions;
    this.root.replaceChildren();
    /** @type {HTMLElement[]} */
    const group = [];
    return listed.map(({ name, unit, label, asked: [formula, section] }) => {
      const canvas = element("canvas");
      const line = element("div", { className: "strip-mark", hidden: true });
      const [low, high] = [element("span"), element("span")];
      const ends = () => `${low.textContent} … ${high.textContent}`;
      const caption = asked([label], () => [label, formula, ends(), section], group);
      const title = element("div", { className: "strip-title" }, caption);
      const box = element("div", { className: "strip-cells" }, canvas, line);
      this.root.append(
        element(
          "div",
          { className: "strip" },
          title,
          box,
          // the greater end first: without room for both ends (assets/css/map.css) it is the one that stays
          element("div", { className: "strip-axis", aria: { hidden: "true" } }, high, low),
        ),
      );
      box.addEventListener("pointermove", (event) => reactions.hover(this.#row(event)));
      box.addEventListener("pointerleave", () => reactions.hover(null));
      box.addEventListener("click", (event) => {
        const row = this.#row(event);
        if (row !== null) reactions.click(row);
      });
      return { name, unit, canvas, line, low, high, box };
    });
  }

  /** The least width of a strip beside the map. */
  get #thin() {
    return Math.ceil(LEAST * parseFloat(getComputedStyle(this.root).fontSize));
  }

  /** The number of strips in sight. */
  get #count() {
    return Math.max(1, this.strips.filter(({ box }) => box.checkVisibility()).length);
  }

  /** The least width of all strips beside the map. */
  get least() {
    return this.#count * (this.#thin + GAP) - GAP;
  }

  /** @param {boolean} beside false: below the map @param {number} side of the map in pixels @param {number} scale device pixels in one */
  fit(beside, side, scale) {
    this.beside = beside;
    this.#side = side;
    this.#scale = scale;
    this.root.classList.toggle("is-beside", beside);
    this.root.style.setProperty("--side", `${side}px`);
    const each = Math.floor((this.stage.clientWidth + GAP) / this.#count) - GAP;
    const across = beside ? Math.min(MOST, Math.max(this.#thin, each)) : BELOW;
    this.root.style.setProperty("--deep", `${across}px`);
    const [along, deep] = [Math.round(side * scale), Math.round(across * scale)];
    const [width, height] = beside ? [deep, along] : [along, deep];
    const size = `${this.#listed} ${width} ${height}`;
    if (size === this.size) return;
    this.size = size;
    for (const { canvas } of this.strips) [canvas.width, canvas.height] = [width, height]; // which clears it
  }

  /**
   * @param {import("./model.js").Model} model @param {number} head from 1 @param {import("./view.js").View} view @param {string} colour
   */
  paint(model, head, view, colour) {
    this.#view = view;
    const { statistics } = model;
    const ceiling = greatest(statistics.ceiling, 0, statistics.ceiling.length);
    for (const { name, unit, canvas, low, high } of this.strips) {
      if (this.covered) {
        brushOf(canvas).clearRect(0, 0, canvas.width, canvas.height);
        low.textContent = high.textContent = "";
        continue;
      }
      const values = statistics.of(name, head);
      const [from, to] = ends(unit, unit === "nats" ? 0 : greatest(values, 0, values.length), ceiling, colour);
      const log = colour === "log" && unit !== "nats";
      low.textContent = number(log ? 10 ** from : from);
      high.textContent = number(log ? 10 ** to : to);
      this.#draw(canvas, values, view, (value) => ((log ? Math.log10(value) : value) - from) / (to - from));
    }
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Float32Array} values
   * @param {import("./view.js").View} view
   * @param {(value: number) => number} share fraction of the strip's depth for a value
   */
  #draw(canvas, values, view, share) {
    const brush = brushOf(canvas);
    const [along, deep] = this.beside ? [canvas.height, canvas.width] : [canvas.width, canvas.height];
    const thick = Math.max(1, this.#scale);
    brush.clearRect(0, 0, canvas.width, canvas.height);
    brush.fillStyle = getComputedStyle(canvas).color;
    const { low, high, mean } = extremes(values, view.top, view.down, along);
    const at = (/** @type {number} */ value) => Math.min(1, Math.max(0, share(value))) * (deep - thick);
    /** @param {number} pixel @param {number} from @param {number} length */
    const bar = (pixel, from, length) =>
      this.beside ? brush.fillRect(from, pixel, length, 1) : brush.fillRect(pixel, deep - from - length, 1, length);
    /** @param {number} alpha @param {(pixel: number) => void} draw */
    const all = (alpha, draw) => {
      brush.globalAlpha = alpha;
      for (let pixel = 0; pixel < along; pixel += 1) if (Number.isFinite(low[pixel])) draw(pixel);
    };
    all(0.22, (pixel) => bar(pixel, 0, at(low[pixel])));
    all(0.6, (pixel) => bar(pixel, at(low[pixel]), at(high[pixel]) - at(low[pixel]) + thick));
    brush.fillStyle = getComputedStyle(this.root).color;
    all(1, (pixel) => bar(pixel, at(mean[pixel]), thick));
  }

  /** @param {number | null} row */
  mark(row) {
    const view = this.#view;
    const shown = view && row !== null;
    const size = shown ? Math.max(1.5, this.#side / view.down) : 0;
    const from = shown ? ((row - view.top) / view.down) * this.#side : 0;
    for (const { line } of this.strips) {
      line.hidden = !size || from < -size || from > this.#side;
      const [at, length, start, whole] = this.beside
        ? ["top", "height", "left", "width"]
        : ["left", "width", "top", "height"];
      Object.assign(line.style, { [at]: `${from}px`, [length]: `${size}px`, [start]: "0", [whole]: "100%" });
    }
  }

  /** @param {MouseEvent} event */
  #row(event) {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const part = this.beside ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
    return this.#view ? Math.floor(this.#view.top + Math.min(0.999999, Math.max(0, part)) * this.#view.down) : null;
  }
}
