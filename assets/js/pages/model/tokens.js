/** How the tokens of a line are written and called. */

/** White space of a token as its reader sees it. @type {Record<string, string>} */
const VISIBLE = { "\n": "⏎", "\t": "⇥", " ": "␣" };

/** Return a token as it is written in a strip, where a blank before a word is room. @param {string} token */
export const visible = (token) => (token.trim() ? written(token, /[\n\t]/g) : shown(token));

/** Return a token as it is called: each white space in it is seen. @param {string} token */
export const shown = (token) => written(token, /[\n\t ]/g) || "␀";

/** @param {string} token @param {RegExp} signs */
const written = (token, signs) => token.replace(signs, (sign) => VISIBLE[sign]);

/**
 * Return what the model knows a token by: its form in the vocabulary and its number, and of the unknown one the text that
 * it stands for; nothing where that is not known.
 * @param {import("../../../types/wire.js").Line} line @param {number} at
 */
export function known({ forms, ids, stands }, at) {
  if (!forms.length) return "";
  return [forms[at], ids[at] < 0 ? "" : `#${ids[at]}`, stands[at] ? `“${stands[at]}”` : ""].filter(Boolean).join(" · ");
}

/**
 * Return what a position is called in a sentence; a moment of a sound is its own name.
 * @param {import("../../../types/wire.js").Line} line @param {number} at
 */
export const named = (line, at) => (line.seconds ? (line.tokens[at] ?? "") : `${at} “${shown(line.tokens[at] ?? "")}”`);

/** Return true if the chosen layer attends from one line to another. @param {import("../../../types/wire.js").Model} model */
export const isJoined = ({ between }) => between[0] !== between[1];
