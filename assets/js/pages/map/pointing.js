/** The cell pointed at: under the pointer, or at the window's centre for the keyboard. */

import { number } from "../../figures/axes.js";
import { hearGestures } from "./gestures.js";
import { wish } from "./keys.js";
import { Tip } from "./tip.js";
import { aloud, knownAt, place } from "../../words/token.js";
import { cellUnder, isWhole, panned, pinched, whole, zoomed } from "./view.js";

const MIDDLE = { x: 0.5, y: 0.5 };
/** Milliseconds after which the pointer counts as resting. */
const REST = 150;

/**
 * @typedef {{row: number, column: number}} Cell
 *
 * What the visitor wishes who points.
 * @typedef {object} Wishes
 * @property {(view: import("./view.js").View) => void} move
 * @property {() => void} mark places every mark
 * @property {(cell: Cell) => void} click
 * @property {(cell: Cell) => void} open opens a cell's row
 * @property {() => void} release clears the choice and closes the row
 * @property {() => void} rest hears that the pointer rests
 */

export class Pointing {
  /** The marked query. @type {number | null} */
  row = null;
  /** True while the keyboard points, at the window's centre. */
  walking = false;
  #page;
  #asking;
  #sight;
  #chart;
  #wishes;
  #tip;
  /** The timer of the pointer's rest. */
  #resting = 0;
  /** The pointer's place. @type {import("./view.js").Point | null} */
  #pointed = null;

  /**
   * @param {import("./host.js").Page} page @param {Pick<import("./parts.js").MapParts, "sight" | "asking">} map
   * @param {import("./chart.js").Chart} chart @param {HTMLElement} stage @param {Wishes} wishes
   */
  constructor(page, { sight, asking }, chart, stage, wishes) {
    this.#page = page;
    this.#asking = asking;
    this.#sight = sight;
    this.#chart = chart;
    this.#wishes = wishes;
    this.#tip = new Tip(stage);
    hearGestures(chart.cells, {
      filled: () => !sight.model || isWhole(sight.view, sight.model.shape),
      zoom: (factor, at) => this.zoom(factor, at),
      pan: (x, y) => this.#pan(x, y),
      pinch: (before, now) => {
        if (sight.model) wishes.move(pinched(sight.view, before, now, sight.model.shape));
      },
      hover: (at) => this.#hover(at),
      click: (at) => {
        if (sight.model) wishes.click(cellUnder(sight.view, at, sight.model.shape));
      },
    });
    Object.assign(stage, { tabIndex: 0 });
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label", page.text("map.keys"));
    stage.addEventListener("keydown", (event) => this.#key(event));
    stage.addEventListener("blur", () => this.#hover(null));
  }

  /** The centre of the next zoom step. */
  get at() {
    return this.#pointed ?? MIDDLE;
  }

  /** Move the window; the pointer stays on its cell. @param {number} x @param {number} y */
  #pan(x, y) {
    const { model, view } = this.#sight;
    if (!model) return;
    if (this.#pointed) this.#pointed = { x: this.#pointed.x - x, y: this.#pointed.y - y };
    this.#wishes.move(panned(view, x, y, model.shape));
  }

  /** @param {number} factor below 1 zooms in @param {{x: number, y: number}} at */
  zoom(factor, at = MIDDLE) {
    const { model, view } = this.#sight;
    if (model) this.#wishes.move(zoomed(view, factor, at, model.shape));
  }

  /** Mark a query in map and strips; null removes the mark. @param {number | null} row */
  preview(row) {
    if (row === this.row) return;
    this.row = row;
    this.#wishes.mark();
  }

  /** Update tip and marks: the cell there has changed, or finer weights have come. */
  refresh() {
    const at = this.walking ? MIDDLE : this.#pointed;
    if (at) this.#tell(at, false);
  }

  /** Point at a cell of this head, as the teacher of a class does; null: at none. @param {import("../../page/presence.js").Cell | null} cell */
  show(cell) {
    const { view, head } = this.#sight;
    const { row = -1, column = -1 } = cell?.figure === "map" && cell.head === head ? cell : {};
    const at = { x: (column + 0.5 - view.left) / view.across, y: (row + 0.5 - view.top) / view.down };
    const seen = row >= 0 && column >= 0 && at.x >= 0 && at.x <= 1 && at.y >= 0 && at.y <= 1;
    this.#hover(seen ? at : null);
  }

  /** @param {import("./view.js").Point | null} at null: off the map */
  #hover(at) {
    this.walking = false;
    this.#pointed = at;
    clearTimeout(this.#resting);
    if (at) this.#resting = setTimeout(() => this.#wishes.rest(), REST);
    const { model, head, view } = this.#sight;
    this.#page.presence.pointed(at && model && { figure: "map", head, ...cellUnder(view, at, model.shape) });
    if (at && model) {
      this.#tell(at, false);
      return;
    }
    this.#tip.hide();
    this.preview(null);
    this.#wishes.mark();
  }

  /** Describe the finest block known there; `spoken`: to screen readers. @param {import("./view.js").Point} at @param {boolean} spoken */
  #tell(at, spoken) {
    const { model, view, head } = this.#sight;
    if (!model) return;
    const cell = cellUnder(view, at, model.shape);
    const block = model.weights.block(head, view, cell);
    this.preview(block && block.rows[1] - block.rows[0] === 1 ? cell.row : null);
    if (!block) {
      this.#tip.hide();
      return;
    }
    const { value, sentence, positions } = this.#words(block, model.tokens);
    const { offsetLeft, offsetTop } = this.#chart.cells;
    const { side } = this.#chart;
    const lines = knownAt(model.vocabulary, positions);
    this.#tip.show(value, sentence, { x: offsetLeft + at.x * side, y: offsetTop + at.y * side }, lines);
    if (spoken) this.#page.message.speak(aloud(`${sentence}: ${value}`, model.vocabulary, positions));
  }

  /** Return a block's weight and its queries and keys, as text. @param {import("./overview.js").Known} block @param {string[] | null} tokens */
  #words({ rows, columns, ...weights }, tokens) {
    const page = this.#page;
    const { head, looks } = this.#sight;
    const weight = weights[looks.pooling];
    const value = this.#asking.waits ? "?" : Number.isNaN(weight) ? page.text("live.masked") : number(weight);
    const single = rows[1] - rows[0] === 1 && columns[1] - columns[0] === 1;
    if (single) {
      return {
        value,
        sentence: page.text("live.cell", { head, query: place(rows[0], tokens), key: place(columns[0], tokens) }),
        positions: [rows[0], columns[0]],
      };
    }
    const range = (/** @type {[number, number]} */ [first, end]) =>
      end - first === 1 ? String(first) : `${first}–${end - 1}`;
    return {
      value,
      sentence: page.text(`map.block_${looks.pooling}`, { head, queries: range(rows), keys: range(columns) }),
      positions: [],
    };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { model, view } = this.#sight;
    const wishes = this.#wishes;
    if (!model || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const wished = wish(event.key, event.shiftKey, view);
    if (!wished) return;
    event.preventDefault();
    if (wished.release) {
      wishes.release();
      return;
    }
    const { shape } = model;
    this.walking = true;
    this.#pointed = null;
    if (wished.pan) {
      wishes.move(panned(view, wished.pan.x, wished.pan.y, shape));
    } else if (wished.zoom) {
      this.zoom(wished.zoom);
    } else if (wished.whole) {
      wishes.move(whole(shape));
    } else if (wished.end) {
      const far = wished.end === "first" ? -1 : 1;
      wishes.move(panned(view, far * shape.columns, far * shape.rows, shape));
    } else if (wished.open) {
      wishes.open(cellUnder(view, MIDDLE, shape));
    }
    this.#tell(MIDDLE, true);
  }
}
