/** The overviews of all heads, in bins of queries and keys; they come row by row while the run goes on. No elements. */

import { Cells } from "./cells.js";
import { overviewLevel, overviewSuffices } from "./tiles.js";

/** @typedef {Omit<import("../../../types/wire.js").MapHeader, "part" | "values">} Header */

/**
 * A rectangle of weights: the ranges [first, end) of its queries and keys.
 * @typedef {{rows: [number, number], columns: [number, number]}} Block
 * @typedef {Block & {average: number, maximum: number}} Known a block with its known weights
 */

export class Overview {
  /** Rows of bins that have come. */
  rowsThere = 0;
  /** First position of each bin, and the end of the last. */
  #edges;
  #shape;

  /** @param {Header} header @param {import("./view.js").Shape} shape of the map */
  constructor(header, shape) {
    this.#shape = shape;
    this.bins = { rows: header.bins_q, columns: header.bins_k };
    this.#edges = { rows: header.row_edges, columns: header.column_edges };
    const { rows, columns } = this.bins;
    // All bins are equally wide; the last may exceed the sequence.
    const everything = {
      left: 0,
      top: 0,
      across: columns * header.column_edges[1],
      down: rows * header.row_edges[1],
    };
    const empty = () => new Float32Array(rows * columns).fill(NaN);
    /** The cells of each head. */
    this.cells = Array.from(
      { length: header.heads },
      () => new Cells({ mean: empty(), maximum: empty() }, rows, columns, everything),
    );
  }

  /** Number of queries so far. */
  get queriesThere() {
    return this.#edges.rows[this.rowsThere];
  }

  /** The level of its squares. */
  get level() {
    return overviewLevel(this.#shape, this.bins);
  }

  /** Return true if it shows a window as finely as tiles would. @param {import("./view.js").View} view */
  suffices(view) {
    return overviewSuffices(view, this.#shape, this.bins);
  }

  /** Take some rows of bins of all heads. @param {import("../../../types/wire.js").Overview} part */
  take({ first, last, mean, maximum }) {
    const { columns } = this.bins;
    const length = (last - first) * columns;
    this.cells.forEach((cells, head) => {
      cells.weights.average.set(mean.subarray(head * length, (head + 1) * length), first * columns);
      cells.weights.maximum.set(maximum.subarray(head * length, (head + 1) * length), first * columns);
      cells.grown();
    });
    this.rowsThere = Math.max(this.rowsThere, last);
  }

  /**
   * Return the bin around a cell; null if it has not come.
   * @param {number} head from 1 @param {{row: number, column: number}} cell @returns {Known | null}
   */
  block(head, { row, column }) {
    const { rows, columns } = this.#edges;
    const [i, j] = [binOf(rows, row), binOf(columns, column)];
    if (i >= this.rowsThere) return null;
    return {
      rows: [rows[i], rows[i + 1]],
      columns: [columns[j], columns[j + 1]],
      ...this.cells[head - 1].at(i, j),
    };
  }
}

/** Return the bin that holds a position. @param {number[]} edges @param {number} position */
export function binOf(edges, position) {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
