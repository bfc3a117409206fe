/** The weights that are known of a map, coarse to fine: the overviews of all heads, and recent tiles. No requests. */

import { Cells } from "./cells.js";
import { Recent } from "./recent.js";
import { covering, extent, levelOf, nameOf, toLevel } from "./tiles.js";
import { zoomed } from "./view.js";

/** Number of tiles kept, each at most 1/8 MB. */
const MOST_TILES = 384;

/** @typedef {Float32Array & {shape: [number, number]}} Matrix rows × columns */
/** @typedef {{mean: Matrix, maximum?: Matrix | null}} TileWeights single cells have no maximum */

export class KnownWeights {
  /** @type {Recent<Cells>} */
  #tiles = new Recent(MOST_TILES);
  #shape;

  /** @param {import("./overview.js").Overview} overview @param {import("./view.js").Shape} shape of the map */
  constructor(overview, shape) {
    this.overview = overview;
    this.#shape = shape;
  }

  /** @param {number} head from 1 @param {import("./tiles.js").Address} address @param {TileWeights} weights */
  take(head, address, { mean, maximum }) {
    const [rows, columns] = mean.shape;
    const cells = new Cells({ mean, maximum }, rows, columns, extent(address, rows, columns));
    this.#tiles.set(nameOf(head, address), cells);
  }

  /** @param {number} head from 1 @param {import("./tiles.js").Address} address */
  tile(head, address) {
    return this.#tiles.get(nameOf(head, address));
  }

  /** Return the tiles that show a window exactly, nearest to its centre first; none if the overview does. @param {import("./view.js").View} view */
  needed(view) {
    return this.overview.suffices(view) ? [] : covering(view, levelOf(view));
  }

  /**
   * Return the tiles that zooming in at `at` will show, of the next finer level. The point under the pointer stays fixed.
   * @param {import("./view.js").View} view @param {{x: number, y: number}} at fractions of the window
   */
  ahead(view, at) {
    const level = Math.min(levelOf(view), this.overview.level) - 1;
    return level < 0 ? [] : covering(zoomed(view, toLevel(view, level), at, this.#shape), level);
  }

  /**
   * Return the layers to paint a window with, coarse to fine; `exact`: true if no finer ones belong to it.
   * @param {number} head from 1 @param {import("./view.js").View} view @returns {{layers: Cells[], exact: boolean, finest: Cells[]}}
   */
  layers(head, view) {
    const overview = this.overview.cells[head - 1];
    const needed = this.needed(view);
    if (!needed.length) return { layers: [overview], exact: true, finest: [overview] };
    const finest = needed.map((address) => this.tile(head, address)).filter((cells) => cells !== undefined);
    const exact = finest.length === needed.length;
    if (exact) return { layers: finest, exact, finest };
    const coarser = [];
    for (let level = this.overview.level; level > needed[0].level; level -= 1) {
      for (const address of covering(view, level)) {
        const cells = this.#tiles.has(nameOf(head, address)) && this.tile(head, address);
        if (cells) coarser.push(cells);
      }
    }
    return { layers: [overview, ...coarser, ...finest], exact, finest: finest.length ? finest : [overview] };
  }

  /**
   * Return the finest block known around a cell: its queries and keys, average and maximum.
   * @param {number} head from 1 @param {import("./view.js").View} view @param {{row: number, column: number}} cell
   * @returns {import("./overview.js").Known | null}
   */
  block(head, view, cell) {
    const { row, column } = cell;
    const holding = this.layers(head, view)
      .layers.filter(
        ({ extent: { left, top, across, down } }) =>
          row >= top && row < top + down && column >= left && column < left + across,
      )
      .at(-1);
    if (!holding) return null;
    if (holding === this.overview.cells[head - 1]) return this.overview.block(head, cell);
    const { left, top, across } = holding.extent;
    const size = across / holding.columns;
    const [i, j] = [Math.floor((row - top) / size), Math.floor((column - left) / size)];
    /** @param {number} start @param {number} at @param {number} count @returns {[number, number]} */
    const ends = (start, at, count) => [start + at * size, Math.min(start + (at + 1) * size, count)];
    const { rows, columns } = this.#shape;
    return { rows: ends(top, i, rows), columns: ends(left, j, columns), ...holding.at(i, j) };
  }
}
