/** Labels from Python's figures as plain text. Pure. */

const SIGNS = /** @type {Record<string, string>} */ ({ amp: "&", lt: "<", gt: ">", "#36": "$" });

/** Return the text that plotly would show for a label whose markup is escaped. @param {string} label */
export const plainText = (label) =>
  label.replace(/&(amp|lt|gt|#36);/g, (_whole, /** @type {string} */ name) => SIGNS[name]);

/** Return a position with its token, if it has one: 3 “cat”. @param {number} position @param {string[]} tokens */
export function named(position, tokens) {
  const token = tokens.at(position);
  return token === undefined ? String(position) : `${position} “${token}”`;
}

/** Return a panel's title without its words: 3 for "head 3", B − A · 3 for "B − A · head 3". @param {string} title */
export const shortened = (title) =>
  title
    .replace(/\p{L}{2,}/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/^[\s·]+|[\s·]+$/gu, "");
