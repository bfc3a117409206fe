/** A rectangle of the map from the server, overview or tile: averages, maxima, and a coloured canvas of either. */

import { brushOf } from "../../dom/dom.js";
import { shade } from "./shades.js";

/** @typedef {"average" | "maximum"} Pooling of the weights of a block */

export class Cells {
  /** @type {Partial<Record<Pooling, number>>} */
  #greatest = {};
  /** @type {Map<Pooling, {canvas: HTMLCanvasElement, image: ImageData, pixels: Uint32Array, key: string}>} */
  #drawn = new Map();

  /**
   * @param {{mean: Float32Array, maximum?: Float32Array | null}} weights rows × columns each; single cells have no maximum
   * @param {number} rows @param {number} columns
   * @param {{left: number, top: number, across: number, down: number}} extent in tokens
   */
  constructor({ mean, maximum }, rows, columns, extent) {
    /** @type {Record<Pooling, Float32Array>} */
    this.weights = { average: mean, maximum: maximum ?? mean };
    this.rows = rows;
    this.columns = columns;
    this.extent = extent;
  }

  /** Return the weights of one cell. @param {number} i its row @param {number} j its column */
  at(i, j) {
    const at = i * this.columns + j;
    return { average: this.weights.average[at], maximum: this.weights.maximum[at] };
  }

  /** Return its greatest weight. @param {Pooling} pooling */
  top(pooling) {
    return (this.#greatest[pooling] ??= this.weights[pooling].reduce(
      (most, weight) => (weight > most ? weight : most),
      0,
    ));
  }

  /** Forget derived values: more rows have come. */
  grown() {
    this.#greatest = {};
    this.#drawn.clear();
  }

  /**
   * @param {Pooling} pooling @param {[number, number]} ends of the colour scale @param {string} colour @param {Uint32Array} table
   * @returns {HTMLCanvasElement} one pixel a cell
   */
  canvas(pooling, ends, colour, table) {
    const key = `${ends} ${colour}`;
    let held = this.#drawn.get(pooling);
    if (held?.key === key) return held.canvas;
    if (!held) {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [this.columns, this.rows];
      const image = new ImageData(this.columns, this.rows);
      held = { canvas, image, pixels: new Uint32Array(image.data.buffer), key: "" };
      this.#drawn.set(pooling, held);
    }
    held.key = key;
    shade(this.weights[pooling], ends, colour, table, held.pixels);
    brushOf(held.canvas).putImageData(held.image, 0, 0);
    return held.canvas;
  }
}
