/** Tables as CSV (RFC 4180), each under a line with its caption. Pure. */

/** Write a cell; an apostrophe protects text that a spreadsheet would read as a formula. @param {Cell} value */
function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const written = String(value);
  const text = /^[=+\-@\t\r＝＋－＠]/.test(written) ? `'${written}` : written;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @typedef {import("../link/values.js").Value} Cell */
/**
 * @typedef {object} Column
 * @property {string} label
 * @property {ArrayLike<Cell>} values
 * @property {boolean} [typed] by a visitor
 * @property {[string, string]} [asked] the formula and the section of its numbers
 * @property {string[]} [made] the arithmetic of each, or one text for all, if the server need not be asked
 *
 * @typedef {{caption: string, columns: Column[]}} Table
 */

/** @param {Table[]} tables */
export function csv(tables) {
  const lines = tables.flatMap(({ caption, columns }) => {
    const length = Math.max(0, ...columns.map(({ values }) => values.length));
    const rows = Array.from({ length }, (_, i) => columns.map(({ values }) => cell(values[i])).join(","));
    return [cell(caption), columns.map(({ label }) => cell(label)).join(","), ...rows, ""];
  });
  return `${lines.join("\r\n")}\r\n`;
}
