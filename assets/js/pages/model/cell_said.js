/** The sentence under the head's map: what a query gives a key, by the weights or by what the map shows instead. */

import { number } from "../../figures/axes.js";
import { asking, named } from "./tokens.js";

/**
 * Return it for the cell that is pointed at, else for the locked one, else how to choose one.
 * @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
 * @param {import("../../../types/wire.js").Model} model @param {number | null} row @param {number} [key]
 */
export function cellSaid(text, model, row, key) {
  const { lines, between, shape, weights, mapped, shows, locked, row: chosen, key: read } = model;
  const opens = ["mean", "rollout"].includes(shows) && mapped ? mapped : weights; // where some head may read
  const [queries, keys] = between.map((at) => lines[at]);
  const words = (/** @type {number} */ query, /** @type {number} */ of, /** @type {boolean} */ isLocked) => {
    const at = query * shape[1] + of;
    const cell = { query: asking(queries, query), key: named(keys, of) };
    if (!Number.isFinite(opens[at])) return text("model.cell_forbidden", cell);
    const value = (mapped ?? weights)[at];
    const said = text(`cell.${Number.isFinite(value) ? shows : "empty"}`, { ...cell, weight: number(value) });
    return isLocked ? text("model.locked", { said }) : said;
  };
  if (locked && read >= 0 && row === null) return words(chosen, read, true); // −1: a question asks for it
  return row === null || key === undefined ? text("model.press") : words(row, key, false);
}
