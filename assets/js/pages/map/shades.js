/** Weights as pixels on the map's colour scale. The scale follows the visible weights: an average over 64 × 64 weights and a
 * single weight differ by powers of ten. Pure. */

/** Powers of ten on a logarithmic scale, as in visualiser/drawing/colour.py. */
const DECADES = 4;

/** Return the smallest of 1, 1.5, 2, 3, 5, 7 × 10^k that is at least `value` (> 0). @param {number} value */
export function nice(value) {
  const power = Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 5, 7, 10].find((factor) => value <= factor * 10 ** power * (1 + 1e-6)) ?? 10;
  return Number(`${step}e${power}`);
}

/** Return the ends of the scale if the greatest visible weight is `top`. @param {number} top @param {string} colour @returns {[number, number]} */
export function limits(top, colour) {
  const end = top > 0 ? nice(top) : 1;
  return colour === "log" ? [Math.log10(end) - DECADES, Math.log10(end)] : [0, end];
}

/**
 * Colour weights: 1 + round(254 (w − low) / (high − low)) indexes the table, NaN stays transparent.
 * @param {ArrayLike<number>} weights @param {[number, number]} ends @param {string} colour @param {Uint32Array} table of 256 @param {Uint32Array} pixels output
 */
export function shade(weights, [low, high], colour, table, pixels) {
  const factor = 254 / (high - low);
  const base = 1.5 - low * factor;
  const log = colour === "log";
  for (let i = 0; i < weights.length; i += 1) {
    const weight = weights[i];
    if (Number.isNaN(weight)) {
      pixels[i] = 0;
      continue;
    }
    const code = (log ? Math.log10(weight) : weight) * factor + base;
    pixels[i] = table[code >= 255 ? 255 : code >= 1 ? code | 0 : 1];
  }
}
