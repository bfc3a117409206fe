/** Logarithmic axes of controls: places, values, steps of the keyboard. Pure. */

/**
 * @typedef {object} Scale
 * @property {number} low @property {number} high the ends, both above 0
 * @property {boolean} whole true if values are whole numbers
 */

const FINE = 2 ** 0.25;

/** Return the nearest possible value: inside the ends, whole or at three significant digits. @param {Scale} scale @param {number} value */
export function fitting({ low, high, whole }, value) {
  const inside = Math.min(high, Math.max(low, value));
  return whole ? Math.round(inside) : Number(inside.toPrecision(3));
}

/** Return the place of a value: 0 at `low`, 1 at `high`. @param {Scale} scale @param {number} value */
export const place = ({ low, high }, value) => Math.log(value / low) / Math.log(high / low);

/** Return the value at a place. @param {Scale} scale @param {number} at */
export const valueAt = (scale, at) => fitting(scale, scale.low * (scale.high / scale.low) ** at);

/** Return the next value: about a fifth further, always another one. @param {Scale} scale @param {number} value @param {1 | -1} way @param {number} [ratio] */
export function step(scale, value, way, ratio = FINE) {
  const next = value * ratio ** way;
  return fitting(
    scale,
    scale.whole ? (way > 0 ? Math.max(value + 1, Math.round(next)) : Math.min(value - 1, Math.round(next))) : next,
  );
}

/**
 * Return the value after a key, or null if a slider does not use it.
 * @param {Scale} scale @param {number} value @param {string} key
 */
export function keyed(scale, value, key) {
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return step(scale, value, 1);
    case "ArrowLeft":
    case "ArrowDown":
      return step(scale, value, -1);
    case "PageUp":
      return step(scale, value, 1, 2);
    case "PageDown":
      return step(scale, value, -1, 2);
    case "Home":
      return scale.low;
    case "End":
      return scale.high;
    default:
      return null;
  }
}
