/** The visible cells of zoomed panels. Panels of one shape show the same. */

/**
 * The visible cells, as plotly writes ranges: the vertical one begins at the lower end.
 * @typedef {{x: [number, number], y: [number, number]}} Window
 *
 * A panel by its shape.
 * @typedef {{rows: number, columns: number}} Shape
 */

/** The fewest cells across and down that the keyboard zooms to. */
const FEWEST = 4;

export class Windows {
  /** The windows by the panels' shape. @type {Map<string, Window>} */
  #zoomed = new Map();
  #first;
  #changed;

  /** @param {() => Shape | undefined} first returns the first panel on screen @param {() => void} changed called for each other window */
  constructor(first, changed) {
    this.#first = first;
    this.#changed = changed;
  }

  /** The number of shapes that are zoomed. */
  get size() {
    return this.#zoomed.size;
  }

  /** Return the visible cells of a panel. @param {Shape} panel @returns {Window} */
  of({ rows, columns }) {
    return this.#zoomed.get(`${rows}×${columns}`) ?? { x: [-0.5, columns - 0.5], y: [rows - 0.5, -0.5] };
  }

  /** Show a window in all panels of one shape. @param {Shape} panel @param {Window} window */
  look({ rows, columns }, window) {
    const whole = Math.abs(window.x[1] - window.x[0]) >= columns && Math.abs(window.y[1] - window.y[0]) >= rows;
    if (whole) this.#zoomed.delete(`${rows}×${columns}`);
    else this.#zoomed.set(`${rows}×${columns}`, window);
    this.#changed();
  }

  /**
   * Zoom by a factor around a cell, for the keyboard; 0 shows everything.
   * @param {number} factor @param {number} row @param {number} column
   */
  zoom(factor, row, column) {
    const panel = this.#first();
    if (!panel) return;
    const { x, y } = this.of(panel);
    /** @param {[number, number]} range @param {number} centre @param {number} count @returns {[number, number]} */
    const closer = (range, centre, count) => {
      const size = factor ? Math.min(count, Math.max(FEWEST, Math.abs(range[1] - range[0]) * factor)) : count;
      const low = Math.min(Math.max(centre - size / 2, -0.5), count - 0.5 - size);
      return [low, low + size];
    };
    const [low, high] = closer(y, row, panel.rows);
    this.look(panel, { x: closer(x, column, panel.columns), y: [high, low] });
  }
}
