/** How the positions of a line are called. */

import { shown } from "../../words/token.js";

/**
 * Return what a position is called in a sentence; a moment of a sound is its own name.
 * @param {import("../../../types/wire.js").Line} line @param {number} at
 */
export const named = (line, at) => (line.seconds ? (line.tokens[at] ?? "") : `${at} “${shown(line.tokens[at] ?? "")}”`);

/**
 * Return what a query is called: of a target also the token that its row leads to.
 * @param {import("../../../types/wire.js").Line} line @param {number} at
 */
export function asking(line, at) {
  const after = line.name === "target" ? (line.tokens[at + 1] ?? line.end) : "";
  return after ? `${named(line, at)} → “${shown(after)}”` : named(line, at);
}

/** Return true if the chosen layer attends from one line to another. @param {import("../../../types/wire.js").Model} model */
export const isJoined = ({ between }) => between[0] !== between[1];
