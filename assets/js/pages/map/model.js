/** The browser's part of the map: overviews of all heads, strips, recent tiles. No elements, no requests. */

import { Cells } from "./cells.js";
import { Recent } from "./recent.js";
import { covering, extent, levelOf, nameOf, overviewLevel, overviewSuffices, toLevel } from "./tiles.js";
import { zoomed } from "./view.js";

/** Number of tiles kept, each at most 1/8 MB. */
const MOST_TILES = 384;

/** @typedef {Float32Array & {shape: [number, number]}} Matrix rows × columns */
/** @typedef {{mean: Matrix, maximum?: Matrix | null}} TileWeights single cells have no maximum */
/**
 * A statistic of each query, from the server's list, with its formula and section.
 * @typedef {{name: string, unit: string, label: string, asked: [string, string]}} Strip
 */

/**
 * The look of the Python figure: titles and colours.
 * @typedef {object} Look
 * @property {{title: {text: string}}} xaxis
 * @property {{title: {text: string}}} yaxis
 * @property {import("../../../types/plotly.js").ColourAxis} coloraxis
 * @property {Strip[]} strips
 * @property {string} average name of an averaged cell
 * @property {string} maximum
 */

/**
 * A rectangle of weights: the ranges [first, end) of its queries and keys.
 * @typedef {{rows: [number, number], columns: [number, number]}} Block
 * @typedef {Block & {average: number, maximum: number}} Weights a block with its known weights
 */

export class Model {
  /** The page's name for the computation. */
  subject = "";

  /**
   * @param {Omit<import("../../../types/wire.js").MapHeader, "part" | "values">} header
   * @param {{tokens?: string[] | null, look: Look, ceiling: ArrayLike<number>}} values of the same part
   */
  constructor(header, { tokens, look, ceiling }) {
    this.id = header.id;
    this.heads = header.heads;
    this.tokens = tokens ?? null;
    this.look = look;
    this.ceiling = ceiling;
    this.shape = { rows: header.n_q, columns: header.n_k };
    this.bins = { rows: header.bins_q, columns: header.bins_k };
    /** First position of each bin, and the end of the last. */
    this.edges = { rows: header.row_edges, columns: header.column_edges };
    const cells = this.bins.rows * this.bins.columns;
    // All bins are equally wide; the last may exceed the sequence.
    const everything = {
      left: 0,
      top: 0,
      across: header.bins_k * header.column_edges[1],
      down: header.bins_q * header.row_edges[1],
    };
    this.overviews = Array.from(
      { length: this.heads },
      () =>
        new Cells(
          { mean: new Float32Array(cells).fill(NaN), maximum: new Float32Array(cells).fill(NaN) },
          this.bins.rows,
          this.bins.columns,
          everything,
        ),
    );
    const strip = () => Array.from({ length: this.heads }, () => new Float32Array(header.n_q).fill(NaN));
    /** @type {Record<string, Float32Array[]>} by name, head by head */
    this.strips = Object.fromEntries(look.strips.map(({ name }) => [name, strip()]));
    this.rowsThere = 0;
    this.ready = false;
    /** What it says if it does not show all tokens. @type {import("../../../types/wire.js").Sentence[]} */
    this.cut = header.cut;
    /** Once the pass has ended. @type {import("../../../types/wire.js").Sink[]} */
    this.sinks = [];
    /** @type {Recent<Cells>} */
    this.tiles = new Recent(MOST_TILES);
  }

  /** Take some rows of bins of all heads. @param {import("../../../types/wire.js").Overview} part */
  takeOverview({ first, last, mean, maximum }) {
    const length = (last - first) * this.bins.columns;
    this.overviews.forEach((overview, head) => {
      overview.weights.average.set(mean.subarray(head * length, (head + 1) * length), first * this.bins.columns);
      overview.weights.maximum.set(maximum.subarray(head * length, (head + 1) * length), first * this.bins.columns);
      overview.grown();
    });
    this.rowsThere = Math.max(this.rowsThere, last);
  }

  /** Take some queries of all heads. @param {import("../../../types/wire.js").Strips} part */
  takeStrips({ first, last, ...values }) {
    const length = last - first;
    const rows = /** @type {Record<string, Float32Array>} */ (values);
    for (const [name, strips] of Object.entries(this.strips)) {
      strips.forEach((strip, head) => strip.set(rows[name].subarray(head * length, (head + 1) * length), first));
    }
  }

  /** @param {number} head from 1 @param {import("./tiles.js").Address} address @param {TileWeights} weights */
  takeTile(head, address, { mean, maximum }) {
    const [rows, columns] = mean.shape;
    const cells = new Cells({ mean, maximum }, rows, columns, extent(address, rows, columns));
    this.tiles.set(nameOf(head, address), cells);
    return cells;
  }

  /** @param {number} head from 1 @param {import("./tiles.js").Address} address */
  tile(head, address) {
    return this.tiles.get(nameOf(head, address));
  }

  /** Return the sinks of a head. @param {number} head from 1 @returns {import("./sinks.js").Sink[]} */
  sinksOf(head) {
    return this.sinks.flatMap(({ key, shares }) =>
      shares.filter(([at]) => at === head).map(([, share]) => ({ key, share })),
    );
  }

  /** Number of queries in the overview so far. */
  get queriesThere() {
    return this.edges.rows[this.rowsThere];
  }

  /** Return the tiles that show a window exactly, nearest to its centre first; none if the overview does. @param {import("./view.js").View} view */
  needed(view) {
    return overviewSuffices(view, this.shape, this.bins) ? [] : covering(view, levelOf(view));
  }

  /**
   * Return the tiles that zooming in at `at` will show, of the next finer level. The point under the pointer stays fixed.
   * @param {import("./view.js").View} view @param {{x: number, y: number}} at fractions of the window
   */
  ahead(view, at) {
    const level = Math.min(levelOf(view), overviewLevel(this.shape, this.bins)) - 1;
    return level < 0 ? [] : covering(zoomed(view, toLevel(view, level), at, this.shape), level);
  }

  /**
   * Return the layers to paint a window with, coarse to fine; `exact`: true if they show it exactly.
   * @param {number} head from 1 @param {import("./view.js").View} view @returns {{layers: Cells[], exact: boolean, finest: Cells[]}}
   */
  layers(head, view) {
    const overview = this.overviews[head - 1];
    const needed = this.needed(view);
    if (!needed.length) return { layers: [overview], exact: this.ready, finest: [overview] };
    const finest = needed.map((address) => this.tile(head, address)).filter((cells) => cells !== undefined);
    const exact = finest.length === needed.length;
    if (exact) return { layers: finest, exact, finest };
    const coarser = [];
    for (let level = overviewLevel(this.shape, this.bins); level > needed[0].level; level -= 1) {
      for (const address of covering(view, level)) {
        const cells = this.tiles.has(nameOf(head, address)) && this.tile(head, address);
        if (cells) coarser.push(cells);
      }
    }
    return { layers: [overview, ...coarser, ...finest], exact, finest: finest.length ? finest : [overview] };
  }

  /**
   * Return the finest block known around a cell: its queries and keys, average and maximum.
   * @param {number} head from 1 @param {import("./view.js").View} view @param {{row: number, column: number}} cell
   * @returns {Weights | null}
   */
  block(head, view, { row, column }) {
    const { layers } = this.layers(head, view);
    const overview = this.overviews[head - 1];
    const holding = layers
      .filter(
        ({ extent: { left, top, across, down } }) =>
          row >= top && row < top + down && column >= left && column < left + across,
      )
      .at(-1);
    if (!holding) return null;
    if (holding === overview) {
      const [i, j] = [binOf(this.edges.rows, row), binOf(this.edges.columns, column)];
      if (i >= this.rowsThere) return null;
      return found(
        holding,
        i,
        j,
        [this.edges.rows[i], this.edges.rows[i + 1]],
        [this.edges.columns[j], this.edges.columns[j + 1]],
      );
    }
    const { left, top, across } = holding.extent;
    const size = across / holding.columns;
    const [i, j] = [Math.floor((row - top) / size), Math.floor((column - left) / size)];
    /** @param {number} start @param {number} at @param {number} count @returns {[number, number]} */
    const ends = (start, at, count) => [start + at * size, Math.min(start + (at + 1) * size, count)];
    return found(holding, i, j, ends(top, i, this.shape.rows), ends(left, j, this.shape.columns));
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

/** @param {Cells} cells @param {number} i @param {number} j @param {[number, number]} rows @param {[number, number]} columns */
function found(cells, i, j, rows, columns) {
  const at = i * cells.columns + j;
  return { rows, columns, average: cells.weights.average[at], maximum: cells.weights.maximum[at] };
}
