/** Names that somebody may have meant. Pure. */

/** Names that are listed in full; of more than these, the nearest FEW. */
const [ALL, FEW] = [12, 3];

/** Return names as a list: all of them, or those nearest to what was written. @param {string} written @param {string[]} names */
export function likely(written, names) {
  const known = names.filter(Boolean);
  if (known.length <= ALL) return known.join(", ");
  const near = known.map((name) => /** @type {const} */ ([distance(written, name), name])).sort(([a], [b]) => a - b);
  return [...near.slice(0, FEW).map(([, name]) => name), "…"].join(", ");
}

/** Return how many letters have to change, come or go. @param {string} from @param {string} to */
function distance(from, to) {
  let before = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from.slice(0, 40)].entries()) {
    const row = [i + 1];
    for (let j = 1; j <= to.length; j += 1) {
      row.push(Math.min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (to[j - 1] === letter ? 0 : 1)));
    }
    before = row;
  }
  return before[to.length];
}
