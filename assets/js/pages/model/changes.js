/** The changes of the running model as the link has them: a list of items, each with a kind, a value and a place. Pure. */

/**
 * @typedef {{layer: number, head: number}} Place from 1; 0: all
 * @typedef {{kind: string, value: string} & Place} Item
 * @typedef {{slot: string, low: number | null, high: number | null, first: number | null, keys: boolean, open: boolean}} Kind of the
 *   server's: what does the same in one place has one slot
 * @typedef {Record<string, Kind>} Kinds
 */

/** Steps of the factor's slider to either side of 1, the trained factor. */
export const STEPS = 60;
/** The largest factor; 0 is the first step. */
const MOST = 16;

/** Return the items of a link that the server knows. @param {Kinds} kinds @param {string} text @returns {Item[]} */
export function read(kinds, text) {
  return text
    .split(",")
    .filter(Boolean)
    .map((written) => {
      const [what, place = ""] = written.split("@");
      const [kind, value = ""] = what.split(":");
      const [layer, head] = place.split(".").map(Number);
      return { kind, value, layer: layer || 0, head: head || 0 };
    })
    .filter(({ kind }) => kind in kinds);
}

/** Return items as the link has them. @param {Item[]} items */
export const write = (items) => items.map(written).join(",");

/** @param {Item} item */
export const written = ({ kind, value, layer, head }) =>
  `${kind}${value && `:${value}`}${layer ? `@${layer}` : ""}${head ? `.${head}` : ""}`;

/** Return true if two items do the same in one place, so that the last one counts. @param {Kinds} kinds @param {Item} one @param {Item} other */
function isSame(kinds, one, other) {
  const [first, second] = [one, other].map(({ kind }) => kinds[kind].slot);
  const also = !kinds[one.kind].keys || one.value === other.value;
  return first === second && also && one.layer === other.layer && one.head === other.head;
}

/** Return what does something in a place; undefined if nothing does. @param {Kinds} kinds @param {Item[]} items @param {string} slot @param {Place} place */
export const found = (kinds, items, slot, { layer, head }) =>
  items.find((one) => kinds[one.kind].slot === slot && one.layer === layer && one.head === head);

/** Return the items with one more, which takes the place of what did the same there. @param {Kinds} kinds @param {Item[]} items @param {Item} item */
export function put(kinds, items, item) {
  const at = items.findIndex((one) => isSame(kinds, item, one));
  return at < 0 ? [...items, item] : items.map((one, number) => (number === at ? item : one));
}

/** Return the items without what does something in a place. @param {Kinds} kinds @param {Item[]} items @param {string} slot @param {Place} place */
export function without(kinds, items, slot, { layer, head }) {
  return items.filter((one) => kinds[one.kind].slot !== slot || one.layer !== layer || one.head !== head);
}

/** Return the factor at a step of the slider, 0 … 2 · STEPS: a hundredth is the least difference. @param {number} step */
export function factorAt(step) {
  return step <= 0 ? 0 : Number((MOST ** (step / STEPS - 1)).toPrecision(3));
}

/** Return the step of a factor. @param {number} factor */
export const stepOf = (factor) =>
  factor <= 0 ? 0 : Math.max(1, Math.min(2 * STEPS, Math.round(STEPS * (1 + Math.log(factor) / Math.log(MOST)))));
