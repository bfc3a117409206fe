/**
 * The large map: cells as pixels of a canvas, axes, marks. Not a plotly graph: a plotly layout costs 10–30 ms, all the
 * time of a zoom step. figures/plots/map.py defines the figure for downloads and the titles; axis.js places the labels.
 * See docs/decisions/map.md.
 */

import { density } from "../../figures/density.js";
import { brushOf, element } from "../../dom/dom.js";
import { axisLabels } from "./axis.js";
import { placedSinks } from "./sinks.js";

/** Least side of the map in pixels. */
const LEAST = 120;

/** Extent of a mark along one axis, in pixels. @typedef {{from: number, size: number} | null} Along null: hidden */

export class Chart {
  #marks;
  #over;
  #rows;
  #columns;
  #down;
  #across;
  #above;
  #root;
  #stage;

  /** Pixels of the map across, and device pixels in one. */
  side = 0;
  scale = 1;
  /** Height of the labels' type in pixels. */
  type = 12;

  /** @param {HTMLElement} stage */
  constructor(stage) {
    this.canvas = element("canvas", { className: "cells" });
    this.#marks = {
      row: mark("row-mark is-locked"),
      preview: mark("row-mark"),
      cell: mark("cell-mark"),
      centre: mark("centre-mark"),
    };
    this.#over = element("div", { className: "map-over" }, ...Object.values(this.#marks));
    this.cells = element("div", { className: "map-cells" }, this.canvas, this.#over);
    const part = (/** @type {string} */ className) => element("div", { className, aria: { hidden: "true" } });
    this.#rows = part("map-rows");
    this.#columns = part("map-columns");
    this.#down = part("map-down");
    this.#across = part("map-across");
    this.#above = part("map-sinks");
    this.#root = element(
      "div",
      { className: "map-chart" },
      this.#above,
      this.#down,
      this.#rows,
      this.cells,
      this.#columns,
      this.#across,
    );
    stage.append(this.#root);
    this.#stage = stage;
  }

  /** The pixels of the stage beside and below the cells, for heads, labels and titles. */
  get around() {
    const [stage, cells] = [this.#stage.getBoundingClientRect(), this.cells.getBoundingClientRect()];
    const { width, bottom } = this.#root.getBoundingClientRect();
    const left = cells.left - stage.left;
    const right = this.#root.getBoundingClientRect().left + width - cells.right;
    return { left, right, width: left + right, height: cells.top - stage.top + bottom - cells.bottom };
  }

  /** @param {import("./model.js").Look} look of the Python figure */
  name({ xaxis, yaxis }) {
    this.#across.textContent = xaxis.title.text;
    this.#down.textContent = yaxis.title.text;
  }

  /** Make the map as large a square as fits; return true if it changed. @param {number} width @param {number} height pixels for the cells */
  fit(width, height) {
    const side = Math.floor(Math.max(LEAST, Math.min(width, height)));
    const scale = density();
    this.type = parseFloat(getComputedStyle(this.#root).fontSize);
    if (side === this.side && scale === this.scale) return false;
    this.side = side;
    this.scale = scale;
    this.canvas.width = this.canvas.height = Math.round(side * scale);
    this.#stage.style.setProperty("--side", `${side}px`);
    return true;
  }

  /**
   * @param {import("./view.js").View} view @param {import("./cells.js").Cells[]} layers coarse to fine
   * @param {(cells: import("./cells.js").Cells) => HTMLCanvasElement} coloured @param {number} there number of computed queries
   */
  paint(view, layers, coloured, there) {
    const brush = brushOf(this.canvas);
    const { width } = this.canvas;
    const [sx, sy] = [width / view.across, width / view.down];
    brush.imageSmoothingEnabled = false;
    brush.clearRect(0, 0, width, width);
    for (const cells of layers) {
      const { left, top, across, down } = cells.extent;
      const [wide, high] = [across / cells.columns, down / cells.rows];
      // Only the visible cells: a whole magnified tile would be 40,000 pixels wide.
      const [c, r] = [
        Math.max(0, Math.floor((view.left - left) / wide)),
        Math.max(0, Math.floor((view.top - top) / high)),
      ];
      const columns = Math.min(cells.columns, Math.ceil((view.left + view.across - left) / wide)) - c;
      const rows = Math.min(cells.rows, Math.ceil((view.top + view.down - top) / high)) - r;
      if (columns <= 0 || rows <= 0) continue;
      // Whole pixels: no seam between tiles.
      const x = (/** @type {number} */ column) => Math.round((left + column * wide - view.left) * sx);
      const y = (/** @type {number} */ row) => Math.round((top + row * high - view.top) * sy);
      /** @type {[number, number, number, number]} */
      const area = [x(c), y(r), x(c + columns) - x(c), y(r + rows) - y(r)];
      brush.clearRect(...area); // no coarser average behind masked cells
      brush.drawImage(coloured(cells), c, r, columns, rows, ...area);
    }
    const end = Math.max(0, Math.round((there - view.top) * sy));
    if (end < width) {
      const style = getComputedStyle(this.#root);
      brush.fillStyle = style.getPropertyValue("--background-fill-secondary") || "#888";
      brush.fillRect(0, end, width, width - end);
      brush.fillStyle = style.getPropertyValue("--accent") || "#1d4ed8";
      brush.fillRect(0, end, width, 2 * this.scale); // so far the computation has come
    }
  }

  /** @param {import("./view.js").View} view @param {import("./view.js").Shape} shape @param {string[] | null} tokens */
  label(view, shape, tokens) {
    this.#root.classList.toggle("has-tokens", tokens !== null);
    write(this.#rows, axisLabels(view.top, view.down, this.side, shape.rows, tokens, true, this.type), "top");
    write(
      this.#columns,
      axisLabels(view.left, view.across, this.side, shape.columns, tokens, false, this.type),
      "left",
    );
  }

  /**
   * Mark the sinks of the head above the map.
   * @param {import("./view.js").View} view @param {import("./sinks.js").Sink[]} sinks @param {(sink: import("./sinks.js").Sink) => string} name
   */
  markSinks(view, sinks, name) {
    const brush = brushOf(this.canvas);
    const before = brush.font;
    brush.font = getComputedStyle(this.#above).font;
    const marks = placedSinks(sinks, view, this.side, this.type, (sink) => brush.measureText(name(sink)).width);
    brush.font = before;
    this.#above.replaceChildren(
      ...marks.flatMap((sink) => {
        const mark = element("i", { className: sink.left ? "sink-mark is-left" : "sink-mark", title: name(sink) });
        mark.style.left = `${sink.at}px`;
        if (sink.from === null) return [mark];
        const label = element("span", { className: "sink-name" }, name(sink));
        label.style.left = `${sink.from}px`;
        return [mark, label];
      }),
    );
  }

  /**
   * Move the marks; null hides one.
   * @param {import("./view.js").View} view
   * @param {{row: number | null, preview: number | null, cell: import("./overview.js").Block | null, centre: boolean}} at
   */
  mark(view, { row, preview, cell, centre }) {
    const down = (/** @type {number} */ first, /** @type {number} */ end) => ({
      from: ((first - view.top) / view.down) * this.side,
      size: ((end - first) / view.down) * this.side,
    });
    const across = (/** @type {number} */ first, /** @type {number} */ end) => ({
      from: ((first - view.left) / view.across) * this.side,
      size: ((end - first) / view.across) * this.side,
    });
    const everything = { from: 0, size: this.side };
    /** @param {HTMLElement} mark @param {number | null} at */
    const line = (mark, at) => this.#place(mark, everything, at === null ? null : down(at, at + 1));
    line(this.#marks.row, row);
    line(this.#marks.preview, preview);
    this.#place(this.#marks.cell, cell && across(...cell.columns), cell && down(...cell.rows));
    this.#marks.centre.hidden = !centre;
  }

  /** @param {HTMLElement} mark @param {Along} across @param {Along} down */
  #place(mark, across, down) {
    const seen =
      across &&
      down &&
      down.from + down.size > -1 &&
      down.from < this.side + 1 &&
      across.from + across.size > -1 &&
      across.from < this.side + 1;
    mark.hidden = !seen;
    if (seen) {
      Object.assign(mark.style, {
        left: `${across.from}px`,
        width: `${across.size}px`,
        top: `${down.from}px`,
        height: `${down.size}px`,
      });
    }
  }
}

/**
 * Write labels as text, never as markup; reuse the elements.
 * @param {HTMLElement} root @param {import("./axis.js").Label[]} labels @param {"top" | "left"} side
 */
function write(root, labels, side) {
  while (root.children.length > labels.length) root.lastChild?.remove();
  while (root.children.length < labels.length) root.append(document.createElement("span"));
  labels.forEach(({ at, text, upright }, i) => {
    const label = /** @type {HTMLElement} */ (root.children[i]);
    if (label.textContent !== text) label.textContent = text;
    label.classList.toggle("is-upright", upright);
    label.style[side] = `${at}px`;
  });
}

/** @param {string} name */
const mark = (name) => element("div", { className: name, hidden: true });
