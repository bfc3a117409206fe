/** How the tokens of a line are written and called. */

/** White space of a token as its reader sees it. @type {Record<string, string>} */
const VISIBLE = { "\n": "⏎", "\t": "⇥" };

/** Return a token as it is written in a strip. @param {string} token */
export const visible = (token) => token.replace(/[\n\t]/g, (sign) => VISIBLE[sign]) || "␀";

/**
 * Return what a position is called in a sentence; a moment of a sound is its own name.
 * @param {import("../../../types/wire.js").Line} line @param {number} at
 */
export const named = (line, at) => (line.seconds ? (line.tokens[at] ?? "") : `${at} “${line.tokens[at] ?? ""}”`);

/** Return true if the chosen layer attends from one line to another. @param {import("../../../types/wire.js").Model} model */
export const isJoined = ({ between }) => between[0] !== between[1];
