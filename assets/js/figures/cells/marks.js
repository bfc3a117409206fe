/** The marks over the panels of a figure: a row that is locked, one under the pointer, and a cell. */

/**
 * @typedef {"locked" | "preview"} Which
 * @typedef {Pick<import("../panel.js").Panel, "markRow" | "markCell">} Marked
 */

export class Marks {
  /** @type {Record<Which, number | null>} */
  rows = { locked: null, preview: null };
  #panels;

  /** @param {() => Marked[]} panels */
  constructor(panels) {
    this.#panels = panels;
  }

  /** Mark a row in every panel; null: none. @param {Which} which @param {number | null} row */
  row(which, row) {
    this.rows[which] = row;
    for (const panel of this.#panels()) panel.markRow(which, row);
  }

  /** Mark a cell in every panel; null: none. @param {number | null} row @param {number | null} column */
  cell(row, column) {
    for (const panel of this.#panels()) panel.markCell(row, column);
  }

  /** Put the marks of rows to where the panels are. */
  follow() {
    for (const which of /** @type {const} */ (["locked", "preview"])) this.row(which, this.rows[which]);
  }
}
