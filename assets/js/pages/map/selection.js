/**
 * The chosen cell: the largest weight under the pixel. A second click there, or the button, opens its row.
 */

import { number } from "../../figures/axes.js";
import { element } from "../../dom/dom.js";
import { place } from "../../words/token.js";
import { covering } from "./tiles.js";

/**
 * @typedef {import("./overview.js").Block} Block
 * @typedef {{row: number, column: number}} Cell
 * @typedef {Cell & {weight: number, largest: boolean}} Heaviest `largest`: of all weights under the pointer
 */

/** Largest number of tiles of single cells fetched for one click. */
const MOST = 9;

export class Selection {
  /** @type {Heaviest | null} */
  chosen = null;
  /** The block marked on the map. @type {Block | null} */
  marked = null;
  /** The search for the heaviest cell; resolves to true if its result is still wanted. */
  choosing = Promise.resolve(false);
  status = element("p", { role: "status" });
  #page;
  #map;
  #mark;
  #button;
  /** The cell under the pointer when the block was marked. @type {Cell | null} */
  #pointed = null;
  /** True if the server could not tell, and a map that comes may. */
  #waiting = false;

  /**
   * @param {{text: import("./host.js").Text}} page @param {import("./parts.js").MapParts} map
   * @param {() => void} mark places every mark
   */
  constructor(page, map, mark) {
    this.#page = page;
    this.#map = map;
    this.#mark = mark;
    this.#button = element("button", {
      type: "button",
      className: "tool",
      id: "open-row",
      hidden: true,
      onclick: () => this.#open(),
    });
    this.root = element("div", { className: "map-chosen" }, this.status, this.#button);
    this.clear();
  }

  clear() {
    this.chosen = this.marked = this.#pointed = null;
    this.#waiting = false;
    this.#button.hidden = true;
    this.status.textContent = this.#page.text("map.nothing_chosen");
    this.#mark();
  }

  /** @param {Cell} cell under the pointer */
  async click(cell) {
    const block = this.#block(cell);
    if (!block) return;
    const again =
      this.marked &&
      String(this.marked.rows) === String(block.rows) &&
      String(this.marked.columns) === String(block.columns);
    if (!again) void this.#choose(block, cell);
    else if (await this.choosing) this.#open();
  }

  /** Choose a cell by its position. @param {Cell} cell */
  chooseCell(cell) {
    return this.#choose({ rows: [cell.row, cell.row + 1], columns: [cell.column, cell.column + 1] }, cell);
  }

  /** Choose the same cell in another head or on another map, if it has it; a block that is being searched stays one. */
  again() {
    const { marked } = this;
    const chosen = this.chosen;
    const pointed = this.#pointed;
    const { rows = 0, columns = 0 } = this.#map.sight.model?.shape ?? {};
    const cell = chosen ?? pointed;
    if (!cell || !marked || cell.row >= rows || cell.column >= columns) this.clear();
    else if (chosen || marked.rows[1] > rows || marked.columns[1] > columns) void this.chooseCell(cell);
    else void this.#choose(marked, cell);
  }

  /** Wait no longer: no map comes. */
  giveUp() {
    if (this.#waiting) this.clear();
  }

  /** Open the row of the cell under the keyboard's mark. @param {Cell} cell */
  async openAt(cell) {
    const block = this.#block(cell);
    if (block && (await this.#choose(block, cell))) this.#open();
  }

  #open() {
    if (this.chosen) this.#map.link.see({ row: this.chosen.row });
  }

  /** Refine the mark: finer tiles may have come. */
  refresh() {
    if (this.chosen) this.#tell();
  }

  /** Return the finest block known around a cell. @param {Cell} cell */
  #block(cell) {
    const { model, head, view } = this.#map.sight;
    return model?.weights.block(head, view, cell);
  }

  /** @param {Block} block @param {Cell} cell @returns {Promise<boolean>} true if it is still wanted */
  #choose(block, cell) {
    this.marked = { rows: block.rows, columns: block.columns };
    this.#pointed = cell;
    this.chosen = null;
    this.#waiting = false;
    this.#button.hidden = true;
    this.#mark();
    const { marked } = this;
    const wanted = () => marked === this.marked;
    if (this.#map.questions.waits) this.status.textContent = this.#page.text("map.chosen_soon");
    this.choosing = this.#heaviest(block, cell, wanted).then((found) => {
      if (!wanted()) return false;
      if (!found) {
        this.#waiting = this.#map.computation.isComputing;
        if (this.#waiting) this.status.textContent = this.#page.text("map.chosen_soon");
        else this.clear(); // another click may succeed
        return false;
      }
      this.chosen = found;
      this.#tell();
      return true;
    });
    return this.choosing;
  }

  /**
   * Return the largest weight of a block; if the block is too large, the cell under the pointer.
   * @param {Block} block @param {Cell} cell @param {() => boolean} wanted
   */
  async #heaviest({ rows, columns }, cell, wanted) {
    const { sight, questions } = this.#map;
    const { model, head } = sight;
    let window = { top: rows[0], left: columns[0], down: rows[1] - rows[0], across: columns[1] - columns[0] };
    const fits = covering(window, 0).length <= MOST;
    if (!fits) window = { top: cell.row, left: cell.column, down: 1, across: 1 };
    const tiles = await questions.singles(head, covering(window, 0), wanted);
    if (!tiles) return null;
    const best = model === sight.model ? heaviestIn(tiles, window) : null;
    return best && { ...best, largest: fits && !Number.isNaN(best.weight) };
  }

  /** Describe the chosen cell. */
  #tell() {
    const { sight, asking } = this.#map;
    const { model, head } = sight;
    const page = this.#page;
    if (!this.chosen || !this.marked || !model) return;
    const { row, column, weight, largest } = this.chosen;
    const value = asking.waits ? "?" : Number.isNaN(weight) ? page.text("live.masked") : number(weight);
    const block = this.marked.rows[1] - this.marked.rows[0] > 1 || this.marked.columns[1] - this.marked.columns[0] > 1;
    const cell = page.text("live.cell", { head, query: place(row, model.tokens), key: place(column, model.tokens) });
    this.status.textContent = page.text(block && largest ? "map.chosen_in_block" : "map.chosen", { cell, value });
    this.#button.textContent = page.text("map.open_row", { row });
    this.#button.hidden = false;
  }
}

/**
 * Return the heaviest cell of a window; NaN (masked) loses against every other weight.
 * @param {Pick<import("./cells.js").Cells, "rows" | "columns" | "extent" | "weights">[]} tiles single cells that cover the window
 * @param {import("./view.js").View} window
 * @returns {(Cell & {weight: number}) | null}
 */
export function heaviestIn(tiles, window) {
  /** @type {(Cell & {weight: number}) | null} */
  let best = null;
  for (const { extent, rows, columns, weights } of tiles) {
    const { left, top } = extent;
    const [firstRow, endRow] = overlap(window.top, window.down, top, rows);
    const [firstColumn, endColumn] = overlap(window.left, window.across, left, columns);
    for (let row = firstRow; row < endRow; row += 1) {
      for (let column = firstColumn; column < endColumn; column += 1) {
        const weight = weights.average[(row - top) * columns + column - left];
        if (!best || weight > best.weight || Number.isNaN(best.weight)) best = { row, column, weight };
      }
    }
  }
  return best;
}

/** Return first and end of the overlap of two ranges. @param {number} start @param {number} length @param {number} from @param {number} count */
const overlap = (start, length, from, count) => [Math.max(start, from), Math.min(start + length, from + count)];
