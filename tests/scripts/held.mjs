/**
 * Texts that a change has to change too, beside the test in FILE.snapshot:
 * `node --test --test-update-snapshots tests/scripts/FILE`, then read the difference.
 */

/** A number with more digits than a drawing needs. */
const LONG = /\d+\.\d{4,}(?:e-\d+)?/g;

/** Hold what a script shows, line by line. @param {Loose} context of the test @param {string[]} lines */
export function held(context, lines) {
  const short = lines.join("\n").replaceAll(LONG, (long) => String(Number(Number(long).toFixed(3))));
  context.assert.snapshot(short, { serializers: [(/** @type {string} */ text) => text] });
}
