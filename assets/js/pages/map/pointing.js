/** The cell pointed at: under the pointer, or at the window's centre for the keyboard. */

import { number } from "../../figures/axes.js";
import { hearGestures } from "./gestures.js";
import { wish } from "./keys.js";
import { Tip } from "./tip.js";
import { place } from "./token.js";
import { cellUnder, isWhole, panned, pinched, whole, zoomed } from "./view.js";

const MIDDLE = { x: 0.5, y: 0.5 };
/** Milliseconds after which the pointer counts as resting. */
const REST = 150;

/**
 * The map under the pointer.
 * @typedef {object} Viewed
 * @property {import("./host.js").Page & Pick<import("./host.js").Mapped, "covers">} page
 * @property {import("./model.js").Model | null} model
 * @property {import("./chart.js").Chart} chart
 * @property {import("./selection.js").Selection} selection
 * @property {number} head
 * @property {{pooling: "average" | "maximum"}} looks
 * @property {import("./view.js").View} view
 * @property {(view: import("./view.js").View) => void} move
 * @property {() => void} mark places every mark
 * @property {() => void} release clears the choice and closes the row
 * @property {() => void} foresee fetches ahead for the pointer's new place
 */

export class Pointing {
  /** @param {Viewed} viewer @param {HTMLElement} stage */
  constructor(viewer, stage) {
    this.viewer = viewer;
    /** @type {number | null} the marked query */
    this.row = null;
    this.resting = 0;
    this.walking = false;
    /** @type {import("./view.js").Point | null} the pointer's place */
    this.pointed = null;
    this.tip = new Tip(stage);
    hearGestures(viewer.chart.cells, {
      filled: () => !viewer.model || isWhole(viewer.view, viewer.model.shape),
      zoom: (factor, at) => this.zoom(factor, at),
      pan: (x, y) => this.#pan(x, y),
      pinch: (before, now) => {
        if (viewer.model) viewer.move(pinched(viewer.view, before, now, viewer.model.shape));
      },
      hover: (at) => this.#hover(at),
      click: (at) => {
        if (viewer.model) void viewer.selection.click(cellUnder(viewer.view, at, viewer.model.shape));
      },
    });
    Object.assign(stage, { tabIndex: 0 });
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label", viewer.page.text("map.keys"));
    stage.addEventListener("keydown", (event) => this.#key(event));
    stage.addEventListener("blur", () => this.#hover(null));
  }

  /** The centre of the next zoom step. */
  get at() {
    return this.pointed ?? MIDDLE;
  }

  /** Move the window; the pointer stays on its cell. @param {number} x @param {number} y */
  #pan(x, y) {
    const { viewer } = this;
    if (!viewer.model) return;
    if (this.pointed) this.pointed = { x: this.pointed.x - x, y: this.pointed.y - y };
    viewer.move(panned(viewer.view, x, y, viewer.model.shape));
  }

  /** @param {number} factor below 1 zooms in @param {{x: number, y: number}} at */
  zoom(factor, at = MIDDLE) {
    const { viewer } = this;
    if (viewer.model) viewer.move(zoomed(viewer.view, factor, at, viewer.model.shape));
  }

  /** Mark a query in map and strips; null removes the mark. @param {number | null} row */
  preview(row) {
    if (row === this.row) return;
    this.row = row;
    this.viewer.mark();
  }

  /** Update tip and marks: the cell there has changed, or finer weights have come. */
  refresh() {
    const at = this.walking ? MIDDLE : this.pointed;
    if (at) this.#tell(at, false);
  }

  /** Point at a cell of this head, as the teacher of a class does; null: at none. @param {import("../../page/presence.js").Cell | null} cell */
  show(cell) {
    const { view, head } = this.viewer;
    const { row = -1, column = -1 } = cell?.figure === "map" && cell.head === head ? cell : {};
    const at = { x: (column + 0.5 - view.left) / view.across, y: (row + 0.5 - view.top) / view.down };
    const seen = row >= 0 && column >= 0 && at.x >= 0 && at.x <= 1 && at.y >= 0 && at.y <= 1;
    this.#hover(seen ? at : null);
  }

  /** @param {import("./view.js").Point | null} at null: off the map */
  #hover(at) {
    this.walking = false;
    this.pointed = at;
    clearTimeout(this.resting);
    if (at) this.resting = setTimeout(() => this.viewer.foresee(), REST);
    const { model, page, head, view } = this.viewer;
    page.presence.pointed(at && model && { figure: "map", head, ...cellUnder(view, at, model.shape) });
    if (at && model) {
      this.#tell(at, false);
      return;
    }
    this.tip.hide();
    this.preview(null);
    this.viewer.mark();
  }

  /** Describe the finest block known there; `aloud`: to screen readers. @param {import("./view.js").Point} at @param {boolean} aloud */
  #tell(at, aloud) {
    const { model, view, head, chart, page } = this.viewer;
    if (!model) return;
    const cell = cellUnder(view, at, model.shape);
    const block = model.block(head, view, cell);
    this.preview(block && block.rows[1] - block.rows[0] === 1 ? cell.row : null);
    if (!block) {
      this.tip.hide();
      return;
    }
    const { value, sentence } = this.#words(block, model.tokens);
    const { offsetLeft, offsetTop } = chart.cells;
    this.tip.show(value, sentence, { x: offsetLeft + at.x * chart.side, y: offsetTop + at.y * chart.side });
    if (aloud) page.message.speak(`${sentence}: ${value}`);
  }

  /** Return a block's weight and its queries and keys, as text. @param {import("./model.js").Weights} block @param {string[] | null} tokens */
  #words({ rows, columns, ...weights }, tokens) {
    const { page, head, looks } = this.viewer;
    const weight = weights[looks.pooling];
    const value = page.covers ? "?" : Number.isNaN(weight) ? page.text("live.masked") : number(weight);
    const single = rows[1] - rows[0] === 1 && columns[1] - columns[0] === 1;
    if (single) {
      return {
        value,
        sentence: page.text("live.cell", { head, query: place(rows[0], tokens), key: place(columns[0], tokens) }),
      };
    }
    const range = (/** @type {[number, number]} */ [first, end]) =>
      end - first === 1 ? String(first) : `${first}–${end - 1}`;
    return {
      value,
      sentence: page.text(`map.block_${looks.pooling}`, { head, queries: range(rows), keys: range(columns) }),
    };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { viewer } = this;
    if (!viewer.model || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const wished = wish(event.key, event.shiftKey, viewer.view);
    if (!wished) return;
    event.preventDefault();
    if (wished.release) {
      viewer.release();
      return;
    }
    const { shape } = viewer.model;
    this.walking = true;
    this.pointed = null;
    if (wished.pan) {
      viewer.move(panned(viewer.view, wished.pan.x, wished.pan.y, shape));
    } else if (wished.zoom) {
      this.zoom(wished.zoom);
    } else if (wished.whole) {
      viewer.move(whole(shape));
    } else if (wished.end) {
      const far = wished.end === "first" ? -1 : 1;
      viewer.move(panned(viewer.view, far * shape.columns, far * shape.rows, shape));
    } else if (wished.open) {
      void viewer.selection.openAt(cellUnder(viewer.view, MIDDLE, shape));
    }
    this.#tell(MIDDLE, true);
  }
}
