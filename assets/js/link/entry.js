/** Tables by name; an unknown name is an error, never another entry. Pure. */

/**
 * Return the entry of a name.
 * @template T
 * @param {Record<string, T>} table @param {string} name
 * @returns {T}
 */
export function entry(table, name) {
  if (!Object.hasOwn(table, name)) throw new RangeError(`${name}: ${Object.keys(table).join(", ")}`);
  return table[name];
}

/** @typedef {Record<string, Record<string, string[]>>} Uses the other controls that each choice of a control reads */

/**
 * Return the controls without effect under these choices: those that one of them could read and does not.
 * One without effect, such as the scaling of a trained model, leaves none of those behind it without.
 * @param {Uses} uses @param {Record<string, unknown>} values
 * @returns {string[]}
 */
export function unused(uses, values) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const [control, choices] of Object.entries(uses)) {
    if (found.has(control)) continue;
    const read = entry(choices, String(values[control]));
    for (const name of Object.values(choices).flat()) if (!read.includes(name)) found.add(name);
  }
  return [...found];
}
