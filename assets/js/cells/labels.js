/** The labels of a heat map's rows and columns: positions or, if Python names them, names. Pure. */

import { labelled } from "../axes.js";

/**
 * @typedef {import("../../types/plotly.js").AxisLayout} AxisLayout
 * @typedef {import("../chart/words.js").Word} Word
 */

const SIGNS = /** @type {Record<string, string>} */ ({ amp: "&", lt: "<", gt: ">", "#36": "$" });

/** A longer name is cut in the room that it is given. */
const LONGEST = 10;

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

/** Return the names of positions. @param {AxisLayout | undefined} axis @returns {Partial<Record<string, string>>} */
const namesOf = (axis) =>
  axis?.labelalias ?? Object.fromEntries(Array.from(axis?.tickvals ?? [], (at, i) => [at, axis?.ticktext?.[i] ?? ""]));

/** Return true if an axis names its positions. @param {AxisLayout | undefined} axis */
export const isNamed = (axis) => Object.keys(namesOf(axis)).length > 0;

/** The width of a Korean, Chinese or Japanese letter, in Latin ones. */
const BROAD = 1.7;

/** Return the length of a label in Latin letters, as far as it is shown. @param {string} name */
const lengthOf = (name) =>
  [...plainText(name)]
    .slice(0, LONGEST)
    .reduce(
      (sum, letter) => sum + (/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uff00-\uffef]/u.test(letter) ? BROAD : 1),
      0,
    );

/** Return the length in letters of an axis' longest label. @param {AxisLayout | undefined} axis @param {number} count of positions */
export function longest(axis, count) {
  const lengths = Object.values(namesOf(axis)).map((name = "") => lengthOf(name));
  return Math.max(String(count - 1).length, ...lengths);
}

/**
 * Return the labels left of a panel.
 * @param {AxisLayout | undefined} axis @param {number} count of rows
 * @param {import("../panel.js").Box} box @param {number} em height of the text in pixels @returns {Word[]}
 */
export function rowLabels(axis, count, box, em) {
  return placed(axis, box.y, count, box.height, em * 1.15).map(({ text, at }) => ({
    text,
    x: box.left - em * 0.35,
    y: box.top + at,
    align: "end",
    kind: "tick",
    plain: true,
  }));
}

/**
 * Return the labels below a panel.
 * @param {AxisLayout | undefined} axis @param {number} count of columns
 * @param {import("../panel.js").Box} box @param {number} em @param {boolean} upright true if names do not fit level
 * @returns {Word[]}
 */
export function columnLabels(axis, count, box, em, upright) {
  const stands = upright && isNamed(axis);
  const room = isNamed(axis) ? em * 1.15 : em * 2.4;
  return placed(axis, box.x, count, box.width, room).map(({ text, at }) => ({
    text,
    x: box.left + at,
    y: box.top + box.height + em * (stands ? 0.3 : 0.85),
    align: stands ? "start" : "middle",
    kind: stands ? "upright" : "tick",
    plain: true,
  }));
}

/**
 * Return the labels that fit, with their distances from the axis' beginning.
 * @param {AxisLayout | undefined} axis @param {[number, number]} range visible @param {number} count
 * @param {number} pixels length of the axis @param {number} room pixels that a label needs
 */
function placed(axis, range, count, pixels, room) {
  const names = namesOf(axis);
  const low = Math.min(...range);
  const each = pixels / Math.abs(range[1] - range[0]);
  return labelled(range, count, Math.max(2, Math.floor(pixels / room))).map((position) => ({
    text: plainText(names[position] ?? String(position)),
    at: (position - low) * each,
  }));
}
