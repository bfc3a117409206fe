/** The keyboard on the heat maps: arrows walk, Enter locks, Escape releases, plus and minus zoom. Pure. */

/**
 * @typedef {{row: number, column: number}} Place
 * @param {string} key of the keyboard event
 * @param {Place} at
 * @param {{rows: number, columns: number}} shape
 * @returns {{at?: Place, lock?: boolean, release?: boolean, zoom?: number} | null} the action of the key; null if it has none
 */
export function walk(key, { row, column }, { rows, columns }) {
  /** @param {number} r @param {number} c */
  const to = (r, c) => ({
    at: { row: Math.min(rows - 1, Math.max(0, r)), column: Math.min(columns - 1, Math.max(0, c)) },
  });
  switch (key) {
    case "ArrowDown":
      return to(row + 1, column);
    case "ArrowUp":
      return to(row - 1, column);
    case "ArrowRight":
      return to(row, column + 1);
    case "ArrowLeft":
      return to(row, column - 1);
    case "PageDown":
      return to(row + 10, column);
    case "PageUp":
      return to(row - 10, column);
    case "Home":
      return to(0, column);
    case "End":
      return to(rows - 1, column);
    case "Enter":
    case " ":
      return { lock: true };
    case "Escape":
      return { release: true };
    case "+":
    case "=":
      return { zoom: 0.5 };
    case "-":
      return { zoom: 2 };
    case "0":
      return { zoom: 0 };
    default:
      return null;
  }
}
