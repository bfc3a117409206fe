/** One heat map panel: its cells as pixels of a canvas that lies under plotly's axes. */

import { span } from "./axes.js";

export class Panel {
  /**
   * @param {HTMLElement} layer the element behind the plotly graph
   * @param {string} x @param {string} y names of the panel's axes in plotly's full layout
   */
  constructor(layer, x, y) {
    this.axes = { x, y };
    this.view = document.createElement("canvas");
    this.view.className = "cells";
    this.locked = mark("row-mark is-locked");
    this.preview = mark("row-mark");
    this.cell = mark("cell-mark");
    layer.append(this.view);
    this.source = document.createElement("canvas");
    this.rows = 0;
    this.columns = 0;
  }

  /** @param {HTMLElement} layer the element over the graph */
  addMarks(layer) {
    layer.append(this.locked, this.preview, this.cell);
  }

  /**
   * Colours the cells.
   * @param {Uint8Array & {shape: number[]}} codes rows × columns
   * @param {Uint32Array} colours
   */
  colour(codes, colours) {
    const [rows, columns] = codes.shape;
    if (rows !== this.rows || columns !== this.columns) {
      [this.rows, this.columns] = [rows, columns];
      [this.source.width, this.source.height] = [columns, rows];
      this.image = new ImageData(columns, rows);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const { pixels } = this;
    for (let i = 0; i < codes.length; i += 1) pixels[i] = colours[codes[i]];
    this.source.getContext("2d").putImageData(this.image, 0, 0);
  }

  /**
   * Puts the visible window of the cells under the axes.
   * @param {any} layout plotly's full layout
   */
  place(layout) {
    const [x, y] = [layout[this.axes.x], layout[this.axes.y]];
    if (!x?._length || !y?._length) return;
    this.box = { left: x._offset, top: y._offset, width: x._length, height: y._length, x: x.range, y: y.range };
    const { box, view } = this;
    const scale = window.devicePixelRatio || 1;
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
    const brush = view.getContext("2d");
    brush.imageSmoothingEnabled = false;
    brush.clearRect(0, 0, width, height);
    brush.drawImage(this.source, across.start, down.start, across.size, down.size, 0, 0, width, height);
  }

  /** Moves a row mark; null hides it. @param {"locked" | "preview"} which @param {number | null} row */
  markRow(which, row) {
    const element = this[which];
    const at = this.box && row !== null ? this.rowAt(row) : null;
    element.hidden = at === null;
    if (at) {
      Object.assign(element.style, {
        left: `${this.box.left}px`,
        top: `${at.top}px`,
        width: `${this.box.width}px`,
        height: `${at.height}px`,
      });
    }
  }

  /** Moves the mark of one cell; null hides it. @param {number | null} row @param {number | null} column */
  markCell(row, column) {
    const at = this.box && row !== null && column !== null ? this.rowAt(row) : null;
    const { box, cell } = this;
    const width = at ? box.width / Math.abs(box.x[1] - box.x[0]) : 0;
    const left = at ? box.left + ((column - 0.5 - Math.min(...box.x)) / Math.abs(box.x[1] - box.x[0])) * box.width : 0;
    cell.hidden = !at || left < box.left - width / 2 || left > box.left + box.width - width / 2;
    if (!cell.hidden) {
      Object.assign(cell.style, {
        left: `${left}px`,
        top: `${at.top}px`,
        width: `${width}px`,
        height: `${at.height}px`,
      });
    }
  }

  /** Where a row lies in pixels; null outside the visible window. @param {number} row */
  rowAt(row) {
    const { box } = this;
    const down = Math.abs(box.y[1] - box.y[0]);
    const height = box.height / down;
    const top = box.top + ((row - 0.5 - Math.min(...box.y)) / down) * box.height;
    return top + height < box.top + 0.5 || top > box.top + box.height - 0.5 ? null : { top, height };
  }

  remove() {
    for (const element of [this.view, this.locked, this.preview, this.cell]) element.remove();
  }
}

/** @param {string} name */
function mark(name) {
  const element = document.createElement("div");
  element.className = name;
  element.hidden = true;
  return element;
}
