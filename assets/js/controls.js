/** The controls' values as one object, the tie of d_k to d_model / h, and their link. Pure. */

/**
 * @typedef {string | number | boolean | null | undefined} Value of a control
 * @typedef {Record<string, Value>} Fields of a sentence
 *
 * The values of all controls by name. Every page has the named ones; each page lists its others.
 * @typedef {Record<string, Value> & {lang: string, source?: string, pin?: string, row?: number | null, head?: number, predict?: boolean,
 *   n?: number, d_k?: number, d_model?: number, h?: number, scale?: number, scaling?: string, mask?: string, mechanism?: string,
 *   text?: string, colour?: string, pooling?: "average" | "maximum",
 *   left?: number, top?: number, across?: number}} Values
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
 * Return the pairs of each link that the other lacks; pin and language do not count.
 * @param {string} a @param {string} b
 */
export function differing(a, b) {
  const [first, second] = [a, b].map((link) =>
    [...new URLSearchParams(link)].filter(([name]) => !["pin", "lang"].includes(name)),
  );
  /** @param {[string, string][]} of @param {[string, string][]} other */
  const without = (of, other) => of.filter(([name, value]) => !other.some(([n, v]) => n === name && v === value));
  return { a: without(first, second), b: without(second, first) };
}
