/** The labels of a heat map's rows and columns: positions or, if Python names them, names. Pure. */

import { labelled } from "../axes.js";
import { opened, shown } from "../../words/token.js";
import { LONGEST } from "./standing.js";

/**
 * @typedef {import("../../../types/plotly.js").AxisLayout} AxisLayout
 * @typedef {import("../chart/words.js").Word} Word
 */

const SIGNS = /** @type {Record<string, string>} */ ({ amp: "&", lt: "<", gt: ">", "#36": "$" });

/** Return the text that plotly would show for a label whose markup is escaped. @param {string} label */
export const plainText = (label) =>
  label.replace(/&(amp|lt|gt|#36);/g, (_whole, /** @type {string} */ name) => SIGNS[name]);

/** Return a position with its token, if it has one: 3 “cat”. @param {number} position @param {string[]} tokens */
export function named(position, tokens) {
  const token = tokens.at(position);
  return token === undefined ? String(position) : `${position} “${shown(token)}”`;
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

/** Widths of letters, in those of a mean Latin one: Korean, Chinese and Japanese; others are narrow, wide or large. */
const WIDTHS = /** @type {[RegExp, number][]} */ ([
  [/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uff00-\uffef]/u, 1.7],
  [/[iljtfrI.,:;'|!()[\]]/u, 0.62],
  [/[mwMW@%—…]/u, 1.55],
  [/\p{Lu}/u, 1.2],
]);

/** @param {string} letter */
const widthOf = (letter) => WIDTHS.find(([kind]) => kind.test(letter))?.[1] ?? 1;

/** Return the length of a label in Latin letters, as far as it is shown. @param {string} name @param {number} [letters] */
export const lengthOf = (name, letters = LONGEST) =>
  [...opened(cut(plainText(name), letters))[0]].reduce((sum, letter) => sum + widthOf(letter), 0);

/** Return the letters that a reader sees: one of several signs, as a flag, is one. @param {string} text */
const lettersOf = (text) => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** Shorten a text to some letters, the last of them "…". @param {string} text @param {number} most */
export function cut(text, most) {
  if (text.length <= most) return text;
  const [name, around] = opened(text);
  const letters = lettersOf(name);
  return letters.length <= most ? text : around(`${letters.slice(0, most - 1).join("")}…`);
}

/**
 * Return the length in letters of an axis' longest label.
 * @param {AxisLayout | undefined} axis @param {number} count of positions @param {number} [letters] the most of a label
 */
export function longest(axis, count, letters = LONGEST) {
  const lengths = Object.values(namesOf(axis)).map((name = "") => lengthOf(name, letters));
  return Math.max(String(count - 1).length, ...lengths);
}

/**
 * Return the labels left of a panel.
 * @param {AxisLayout | undefined} axis @param {number} count of rows
 * @param {import("../panel.js").Box} box @param {number} em height of the text in pixels
 * @param {Names} [names] for names that all have a place
 * @returns {Word[]}
 */
export function rowLabels(axis, count, box, em, names) {
  return placed(axis, box.y, count, box.height, em * 1.15, names).map(({ text, at, line, ...rest }) => ({
    text,
    x: box.left - em * 0.35 - line,
    y: box.top + at,
    align: "end",
    kind: "tick",
    plain: true,
    ...rest,
    ...(line && names?.led ? { lead: line } : {}),
  }));
}

/**
 * Return the labels below a panel.
 * @param {AxisLayout | undefined} axis @param {number} count of columns
 * @param {import("../panel.js").Box} box @param {number} em @param {boolean} upright true if names do not fit level
 * @param {Names} [names] for names that all have a place
 * @returns {Word[]}
 */
export function columnLabels(axis, count, box, em, upright, names) {
  const stands = upright && isNamed(axis);
  const room = isNamed(axis) ? em * 1.15 : em * 2.4;
  const all = stands ? names : undefined;
  return placed(axis, box.x, count, box.width, room, all).map(({ text, at, line, ...rest }) => ({
    text,
    x: box.left + at,
    y: box.top + box.height + em * (stands ? 0.3 : 0.85) + line,
    align: stands ? "start" : "middle",
    kind: stands ? "upright" : "tick",
    plain: true,
    ...rest,
    ...(line && all?.led ? { lead: line } : {}),
  }));
}

/**
 * Names that all have a place: how they stand, the distance of two lines in pixels, the tokens that they
 * shorten, and if lines lead to those farther away.
 * @typedef {import("./standing.js").Standing & {apart: number, tokens: string[], led: boolean}} Names
 */

/**
 * Return the labels that fit, with their distances from the axis' beginning and of their line from the first one.
 * @param {AxisLayout | undefined} axis @param {[number, number]} range visible @param {number} count
 * @param {number} pixels length of the axis @param {number} room pixels that a label needs
 * @param {Names} [all] names that all have a place
 */
function placed(axis, range, count, pixels, room, all) {
  const names = namesOf(axis);
  const low = Math.min(...range);
  const each = pixels / Math.abs(range[1] - range[0]);
  const named = isNamed(axis);
  const most = named && all ? count : Math.max(2, Math.floor(pixels / room));
  return labelled(range, count, most).map((position) => {
    const label = plainText(names[position] ?? String(position));
    const text = named && all ? cut(label, all.letters) : label;
    const token = named ? all?.tokens.at(position) : undefined;
    const whole = token === undefined ? undefined : shown(token);
    return {
      text,
      at: (position - low) * each,
      line: named && all ? (position % all.lines) * all.apart : 0,
      ...(whole !== undefined && opened(text)[0].endsWith("…") && text !== whole ? { name: whole } : {}),
    };
  });
}
