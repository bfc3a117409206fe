/** Tables by name that are told apart by name alone: what a table does not know is an error and never another's entry. Pure. */

/**
 * The entry of a name.
 * @template T
 * @param {Record<string, T>} table @param {string} name
 * @returns {T}
 */
export function entry(table, name) {
  if (!Object.hasOwn(table, name)) throw new RangeError(`${name}: ${Object.keys(table).join(", ")}`);
  return table[name];
}

/** @typedef {Record<string, Record<string, string[]>>} Uses by control and choice, the other controls that it reads */

/**
 * The controls that mean nothing for these choices.
 * @param {Uses} uses @param {Record<string, any>} values
 * @returns {string[]}
 */
export function unused(uses, values) {
  /** @type {Set<string>} */
  const all = new Set();
  /** @type {Set<string>} */
  const read = new Set();
  for (const [control, choices] of Object.entries(uses)) {
    for (const name of Object.values(choices).flat()) all.add(name);
    for (const name of entry(choices, values[control])) read.add(name);
  }
  return [...all].filter((name) => !read.has(name));
}
