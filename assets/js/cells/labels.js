/** Labels from Python's figures as plain text. Pure. */

const SIGNS = /** @type {Record<string, string>} */ ({ amp: "&", lt: "<", gt: ">", "#36": "$" });

/** Return the text that plotly would show for a label whose markup is escaped. @param {string} label */
export const plainText = (label) =>
  label.replace(/&(amp|lt|gt|#36);/g, (_whole, /** @type {string} */ name) => SIGNS[name]);
