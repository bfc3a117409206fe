/** The columns of a sink beside the panels that have one: the sink comes after the keys, in a column apart. */

import { Panel } from "../panel.js";

/**
 * @typedef {import("../../../types/plotly.js").Trace} Trace
 * @typedef {import("../panel.js").Box} Box
 * @typedef {{panel: Panel, trace: Trace, number: number}} Strip
 */

/** True of the column of a sink. @param {Trace} trace */
export const isSink = ({ meta }) => meta?.kind === "sink";

export class Strips {
  /** The columns by the index of their panel, each with its number: it follows that of the last key. @type {Map<number, Strip>} */
  #all = new Map();

  /** The columns as marks of rows and cells meet them. @returns {import("./marks.js").Marked[]} */
  get marked() {
    return Array.from(this.#all.values(), ({ panel, number }) => ({
      markRow: (which, row) => panel.markRow(which, row),
      markCell: (row, column) => panel.markCell(row, column === null ? null : column - number),
    }));
  }

  /** Return the column beside a panel. @param {number} i */
  of(i) {
    return this.#all.get(i)?.panel;
  }

  /** Return the trace of the column beside a panel. @param {number} i */
  traceOf(i) {
    return this.#all.get(i)?.trace;
  }

  /**
   * Make the columns anew.
   * @param {Trace[]} traces of all columns @param {HTMLElement} under holds the cells @param {HTMLElement} over holds the marks
   */
  build(traces, under, over) {
    this.clear();
    for (const trace of traces) {
      const panel = new Panel(under);
      panel.view.classList.add("is-sink");
      panel.addMarks(over);
      this.#all.set(trace.meta?.panel ?? 0, { panel, trace, number: 0 });
    }
  }

  /**
   * Colour the columns.
   * @param {Trace[]} traces @param {(trace: Trace) => Uint32Array} coloursOf @param {(i: number) => number} keysOf the number of keys of a panel
   */
  paint(traces, coloursOf, keysOf) {
    for (const trace of traces) {
      const i = trace.meta?.panel ?? 0;
      const strip = this.#all.get(i);
      if (!strip) continue;
      strip.trace = trace;
      strip.number = keysOf(i);
      strip.panel.colour(trace.z, coloursOf(trace));
    }
  }

  /** Put the column of a panel to its place; null: not on screen. @param {number} i @param {Box | null} box */
  place(i, box) {
    const strip = this.of(i);
    strip?.shown(box !== null);
    if (box) strip?.place(box);
  }

  clear() {
    for (const { panel } of this.#all.values()) panel.remove();
    this.#all.clear();
  }
}
