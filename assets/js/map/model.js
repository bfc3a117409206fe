/** The map as far as the browser has it: the overviews of all heads, the strips, the tiles used last. No elements, no requests. */

import { Cells } from "./cells.js";
import { Recent } from "./recent.js";
import { covering, extent, levelOf, nameOf, overviewLevel, overviewSuffices, toLevel } from "./tiles.js";
import { zoomed } from "./view.js";

/** Tiles kept: at most an eighth of a megabyte each. */
const MOST_TILES = 384;

/** @typedef {Float32Array & {shape: [number, number]}} Matrix rows × columns */
/** @typedef {{mean: Matrix, maximum?: Matrix | null}} TileWeights of single cells there is nothing to pool */
/** @typedef {{name: string, unit: string, label: string}} Strip a statistic of every query, as the server lists it */

/**
 * What the Python figure looks like: its titles and colours.
 * @typedef {object} Look
 * @property {{title: {text: string}}} xaxis
 * @property {{title: {text: string}}} yaxis
 * @property {import("../../types/plotly.js").ColourAxis} coloraxis
 * @property {Strip[]} strips
 * @property {string} average what a pooled cell stands for
 * @property {string} maximum
 */

/**
 * A rectangle of weights: first and end of its queries and of its keys.
 * @typedef {{rows: [number, number], columns: [number, number]}} Block
 * @typedef {Block & {average: number, maximum: number}} Weights the block and what is known of its weights
 */

export class Model {
  /** What was computed, as the page names it. */
  subject = "";

  /**
   * @param {Record<string, any>} header of the part "map"
   * @param {{tokens?: string[] | null, look: Look, ceiling: ArrayLike<number>}} values of the same
   */
  constructor(header, { tokens, look, ceiling }) {
    /** @type {string} the server's name for it */
    this.id = header.id;
    /** @type {number} */
    this.heads = header.heads;
    this.tokens = tokens ?? null;
    this.look = look;
    this.ceiling = ceiling;
    this.shape = { rows: header.n_q, columns: header.n_k };
    this.bins = { rows: header.bins_q, columns: header.bins_k };
    /** @type {{rows: number[], columns: number[]}} first positions of the bins, and the end of the last */
    this.edges = { rows: header.row_edges, columns: header.column_edges };
    const cells = this.bins.rows * this.bins.columns;
    // All bins are equally wide; the last may hang over the sequence's end.
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
    /** @type {Recent<Cells>} */
    this.tiles = new Recent(MOST_TILES);
  }

  /** Some rows of bins of all heads. @param {{first: number, last: number, mean: Float32Array, maximum: Float32Array}} part */
  takeOverview({ first, last, mean, maximum }) {
    const length = (last - first) * this.bins.columns;
    this.overviews.forEach((overview, head) => {
      overview.weights.average.set(mean.subarray(head * length, (head + 1) * length), first * this.bins.columns);
      overview.weights.maximum.set(maximum.subarray(head * length, (head + 1) * length), first * this.bins.columns);
      overview.grown();
    });
    this.rowsThere = Math.max(this.rowsThere, last);
  }

  /** Some queries of all heads. @param {{first: number, last: number} & Record<string, any>} part */
  takeStrips({ first, last, ...values }) {
    const length = last - first;
    for (const [name, strips] of Object.entries(this.strips)) {
      strips.forEach((strip, head) => strip.set(values[name].subarray(head * length, (head + 1) * length), first));
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

  /** How many queries of the overview have come. */
  get queriesThere() {
    return this.edges.rows[this.rowsThere];
  }

  /** The tiles that show a window exactly, nearest to its centre first; none where the overview does. @param {import("./view.js").View} view */
  needed(view) {
    return overviewSuffices(view, this.shape, this.bins) ? [] : covering(view, levelOf(view));
  }

  /**
   * The tiles of the next finer level, as far as one sees them when one zooms in here. What is under the pointer stays under it, so they are known.
   * @param {import("./view.js").View} view @param {{x: number, y: number}} at fractions of the window
   */
  ahead(view, at) {
    const level = Math.min(levelOf(view), overviewLevel(this.shape, this.bins)) - 1;
    return level < 0 ? [] : covering(zoomed(view, toLevel(view, level), at, this.shape), level);
  }

  /**
   * What there is to paint a window with, coarse to fine, and whether the last of it is all that the window asks for.
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
   * The finest thing known of a cell: which queries and keys it stands for, their average and their maximum.
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

/** The bin that holds a position. @param {number[]} edges @param {number} position */
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
