/** One heat map panel: its cells are pixels of a canvas. */

import { span } from "./axes.js";
import { codeOf, markPixels, sign } from "./cells/format_marks.js";
import { density } from "./density.js";
import { brushOf, element } from "../dom/dom.js";

/**
 * A panel's place in pixels and the visible ranges of its axes; the vertical one begins at the lower end.
 * @typedef {{left: number, top: number, width: number, height: number, x: [number, number], y: [number, number]}} Box
 */

export class Panel {
  /** The marks of rows. @type {Record<"locked" | "preview", HTMLElement>} */
  #lines;
  #cell;
  #source;

  /** @param {HTMLElement} layer @param {string} [className] */
  constructor(layer, className = "cells") {
    this.view = element("canvas", { className });
    this.#lines = { locked: mark("row-mark is-locked"), preview: mark("row-mark") };
    this.#cell = mark("cell-mark");
    layer.append(this.view);
    this.#source = document.createElement("canvas");
    this.rows = 0;
    this.columns = 0;
    this.image = new ImageData(1, 1);
    this.pixels = new Uint32Array(this.image.data.buffer);
    /** Codes of the cells that a number format marks. @type {Uint8Array | null} */
    this.marks = null;
    /** @type {Box | null} null before the panel has a place */
    this.box = null;
  }

  /** @param {HTMLElement} layer the element over the graph */
  addMarks(layer) {
    layer.append(...Object.values(this.#lines), this.#cell);
  }

  /**
   * Colour the cells.
   * @param {Uint8Array & {shape: number[]}} codes rows × columns
   * @param {Uint32Array} colours
   * @param {import("./cells/format_marks.js").Marks | null} [marks] of a number format
   */
  colour(codes, colours, marks = null) {
    const [rows, columns] = codes.shape;
    if (rows !== this.rows || columns !== this.columns) {
      [this.rows, this.columns] = [rows, columns];
      [this.#source.width, this.#source.height] = [columns, rows];
      this.image = new ImageData(columns, rows);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const { pixels } = this;
    for (let i = 0; i < codes.length; i += 1) pixels[i] = colours[codes[i]];
    this.marks = marks && this.#marked(marks);
    brushOf(this.#source).putImageData(this.image, 0, 0);
  }

  /** Colour the marked cells, and return the codes. @param {import("./cells/format_marks.js").Marks} marks */
  #marked({ codes, scale }) {
    const colours = markPixels(scale);
    const found = new Uint8Array(codes.length);
    for (let i = 0; i < codes.length; i += 1) {
      found[i] = codeOf(codes[i], colours.length - 1);
      if (found[i]) this.pixels[i] = colours[found[i]];
    }
    return found;
  }

  /** Paint the visible cells at a place. @param {Box} box */
  place(box) {
    this.box = box;
    const { view } = this;
    const scale = density();
    const [width, height] = [Math.round(box.width * scale), Math.round(box.height * scale)];
    if (view.width !== width || view.height !== height) {
      view.width = width;
      view.height = height;
    }
    Object.assign(view.style, {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
    });
    const [across, down] = [span(box.x[0], box.x[1]), span(box.y[0], box.y[1])];
    const brush = brushOf(view);
    brush.imageSmoothingEnabled = false;
    brush.clearRect(0, 0, width, height);
    brush.drawImage(this.#source, across.start, down.start, across.size, down.size, 0, 0, width, height);
    if (this.marks && width && height) sign(brush, this.marks, this.columns, { across, down }, scale);
  }

  /** Move a row mark; null hides it. @param {"locked" | "preview"} which @param {number | null} row */
  markRow(which, row) {
    const { box } = this;
    const at = box && row !== null ? rowIn(box, row) : null;
    put(this.#lines[which], box && at && { left: box.left, width: box.width, ...at });
  }

  /** Move the mark of one cell; null hides it. @param {number | null} row @param {number | null} column */
  markCell(row, column) {
    const { box } = this;
    const at = box && row !== null && column !== null ? rowIn(box, row) : null;
    if (!box || !at || column === null) {
      put(this.#cell, null);
      return;
    }
    const across = Math.abs(box.x[1] - box.x[0]);
    const width = box.width / across;
    const left = box.left + ((column - 0.5 - Math.min(...box.x)) / across) * box.width;
    const outside = left < box.left - width / 2 || left > box.left + box.width - width / 2;
    put(this.#cell, outside ? null : { left, width, ...at });
  }

  /** Return a row's extent in pixels; null outside the visible window. @param {number} row */
  rowAt(row) {
    return this.box && rowIn(this.box, row);
  }

  /** Hide a panel that is not on screen. @param {boolean} on */
  shown(on) {
    this.view.hidden = !on;
    if (on) return;
    this.box = null;
    for (const one of [...Object.values(this.#lines), this.#cell]) one.hidden = true;
  }

  remove() {
    for (const one of [this.view, ...Object.values(this.#lines), this.#cell]) one.remove();
  }
}

/** @param {string} className */
const mark = (className) => element("div", { className, hidden: true });

/** Move a mark; null hides it. @param {HTMLElement} mark @param {{left: number, top: number, width: number, height: number} | null} at */
function put(mark, at) {
  mark.hidden = at === null;
  if (!at) return;
  const style = Object.entries(at).map(([side, pixels]) => [side, `${pixels}px`]);
  Object.assign(mark.style, Object.fromEntries(style));
}

/**
 * Return the extent of a panel's row in pixels; null outside the visible window.
 * @param {Pick<Box, "top" | "height" | "y">} box
 * @param {number} row
 */
export function rowIn(box, row) {
  const down = Math.abs(box.y[1] - box.y[0]);
  const height = box.height / down;
  const top = box.top + ((row - 0.5 - Math.min(...box.y)) / down) * box.height;
  return top + height < box.top + 0.5 || top > box.top + box.height - 0.5 ? null : { top, height };
}
