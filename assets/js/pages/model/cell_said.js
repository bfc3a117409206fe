/** The sentence under the head's map: what a query gives a key. */

import { number } from "../../figures/axes.js";
import { asking, named } from "./tokens.js";

/**
 * Return it for the cell that is pointed at, else for the locked one, else how to choose one.
 * @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
 * @param {import("../../../types/wire.js").Model} model @param {number | null} row @param {number} [key]
 */
export function cellSaid(text, { lines, between, shape, weights, locked, row: chosen, key: read }, row, key) {
  const [queries, keys] = between.map((at) => lines[at]);
  const said = (/** @type {number} */ query, /** @type {number} */ of, /** @type {string} */ name) => {
    const weight = weights[query * shape[1] + of];
    const cell = { query: asking(queries, query), key: named(keys, of) };
    return Number.isFinite(weight)
      ? text(name, { ...cell, weight: number(weight) })
      : text("model.cell_forbidden", cell);
  };
  if (locked && read >= 0 && row === null) return said(chosen, read, "model.locked"); // −1: a question asks for it
  return row === null || key === undefined ? text("model.press") : said(row, key, "model.cell");
}
