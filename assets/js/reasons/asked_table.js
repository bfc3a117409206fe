/** The numbers of a figure's table that can be asked where they come from: heads and cells, one Tab stop together. */

import { answersIn } from "./reasons.js";

/**
 * Returns the arithmetic of the numbers of one line, column by column; empty where there is none.
 * @typedef {(line: number) => Promise<string[]>} Arithmetic
 */

/** @param {HTMLTableElement} table @param {import("../files/csv.js").Column[]} columns @param {Arithmetic} arithmetic */
export function askedTable(table, columns, arithmetic) {
  /** @type {Map<number, Promise<string[]>>} */
  const known = new Map();
  /** @param {number} line @returns {Promise<string[]>} */
  const lineOf = (line) => {
    const there = known.get(line) ?? arithmetic(line);
    known.set(line, there);
    return there.catch(() => {
      known.delete(line); // a later look may find the server again
      return [];
    });
  };
  answersIn(table, {
    reasoned: (cell) => {
      const [formula, section] = columns[place(cell)[1]].asked ?? ["", ""];
      return [cell.textContent, formula, "", section];
    },
    later: (cell) => {
      const [row, column] = place(cell);
      return row ? lineOf(row - 1).then((made) => made[column]) : null;
    },
    beside: (cell, key) => beside(table, cell, key),
  });
}

/** Make the table one Tab stop, and keep the keyboard in its cell. @param {HTMLTableElement} table @param {[number, number] | null} focused */
export function reach(table, focused) {
  const kept = focused && table.rows.item(focused[0])?.cells.item(focused[1]);
  const there = kept?.classList.contains("asked") ? kept : table.querySelector(".asked");
  if (!(there instanceof HTMLElement)) return;
  there.tabIndex = 0;
  if (focused) there.focus({ preventScroll: true });
}

/** Return the cell of the table that has the keyboard: its row, the heads being row 0, and its column. @param {HTMLTableElement} table */
export function focusedIn(table) {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && table.contains(activeElement) ? place(activeElement) : null;
}

/** @param {HTMLElement} cell @returns {[number, number]} */
function place(cell) {
  const found = /** @type {HTMLTableCellElement} */ (cell);
  return [/** @type {HTMLTableRowElement} */ (found.parentElement).rowIndex, found.cellIndex];
}

/** @param {HTMLTableElement} table @param {HTMLElement} cell @param {string} key @returns {HTMLElement | null} */
function beside(table, cell, key) {
  const [row, column] = place(cell);
  if (key === "ArrowUp" || key === "ArrowDown") {
    const line = table.rows.item(row + (key === "ArrowUp" ? -1 : 1));
    return line ? line.cells[column] : null;
  }
  const there = [...table.rows[row].cells].filter((one) => one.classList.contains("asked"));
  const from = there.findIndex((one) => one === cell);
  const at = { Home: 0, End: there.length - 1 }[key] ?? from + (key === "ArrowLeft" ? -1 : 1);
  return there.at(Math.max(0, Math.min(at, there.length - 1))) ?? null;
}
