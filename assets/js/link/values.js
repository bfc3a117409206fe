/** The controls' values as one object, the tie of d_k to d_model / h, and their link. Pure. */

import { SHAPING } from "./look.js";

/**
 * @typedef {import("../words/message_format.js").Value} Value of a control
 *
 * The values of all controls by name. Every page has the named ones; each page lists its others.
 * @typedef {Record<string, Value> & {lang: string, source?: string, pin?: string, row?: number | null, head?: number, predict?: boolean, question?: string,
 *   n?: number, d_k?: number, d_model?: number, h?: number, scale?: number, scaling?: string, mask?: string, mechanism?: string,
 *   text?: string, colour?: string, pooling?: "average" | "maximum",
 *   present?: number, hide?: string, focus?: string, left?: number, top?: number, across?: number}} Values
 */

/**
 * Apply the tie of section 3.2.2, as in AttentionConfig: setting d_k by hand unties it (unless it equals d_model / h); otherwise it follows.
 * @param {Values} values
 * @param {string} changed the moved control
 * @returns {Values}
 */
export function tied(values, changed) {
  const follows = Math.max(1, Math.floor(Number(values.d_model) / Number(values.h)));
  if (changed === "d_k") return { ...values, tie: Number(values.d_k) === follows };
  return values.tie ? { ...values, d_k: follows } : values;
}

/**
 * Return a query string of all values; the server answers with the canonical one, which omits defaults.
 * @param {Record<string, Value>} values
 */
export function query(values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
}

/**
 * Return the values that a link means: it leaves out defaults, and d_k if that follows from d_model / h.
 * @param {string} link @param {Record<string, Value>} defaults of every parameter of the page
 * @returns {Values}
 */
export function read(link, defaults) {
  const values = /** @type {Values} */ ({ ...defaults });
  const written = new URLSearchParams(link);
  for (const [name, text] of written) if (name in defaults) values[name] = typed(text, defaults[name]);
  if (!defaults.tie) return values;
  return written.has("d_k") ? tied(values, "d_k") : tied(values, "tie");
}

/** @param {string} text @param {Value} like a value of the same parameter @returns {Value} */
function typed(text, like) {
  if (typeof like === "boolean") return ["true", "1"].includes(text);
  return typeof like === "string" || text === "" || Number.isNaN(Number(text)) ? text : Number(text);
}

/** Parameters that change no number, and those that follow from others. */
const NOT_COMPARED = [
  "pin",
  "lang",
  "page",
  "stage",
  "head",
  "row",
  "colour",
  "colour_range",
  "columns",
  "tie",
  "predict",
  "question",
  ...SHAPING,
];

/**
 * Return the parameters in which two links differ, with both values.
 * @param {string} a @param {string} b
 * @param {Record<string, Value>} defaults of every parameter: a link leaves them out
 * @returns {[name: string, a: string, b: string][]}
 */
export function differing(a, b, defaults) {
  const [first, second] = [a, b].map((link) => {
    const values = /** @type {Values} */ ({ ...defaults, ...Object.fromEntries(new URLSearchParams(link)) });
    // a link names d_k only if it does not follow from d_model / h
    const untied = /(^|[?&])(d_k=|tie=false)/.test(link);
    return untied || !defaults.tie ? values : tied({ ...values, tie: true }, "tie");
  });
  return Object.keys({ ...first, ...second })
    .filter((name) => !NOT_COMPARED.includes(name) && String(first[name]) !== String(second[name]))
    .map((name) => [name, String(first[name]), String(second[name])]);
}
