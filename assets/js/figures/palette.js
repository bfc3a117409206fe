/** Colour tables: from a plotly colour scale to one packed pixel per byte code. */

/** @typedef {import("../../types/plotly.js").ColourScale} ColourScale */

/** Return red, green and blue, 0 … 255. @param {string} hex `#rrggbb` */
export const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/**
 * Return the colour at `position` (0 … 1) of a scale, linear between its stops as in plotly.
 * @param {ColourScale} scale
 * @param {number} position
 */
export function colourAt(scale, position) {
  let next = scale.findIndex(([stop]) => stop >= position);
  if (next < 0) next = scale.length - 1;
  const [high, after] = scale[next];
  const [low, before] = scale[Math.max(0, next - 1)];
  const mix = high > low ? Math.min(1, Math.max(0, (position - low) / (high - low))) : 1;
  const [a, b] = [channels(before), channels(after)];
  return a.map((value, i) => Math.round(value + (b[i] - value) * mix));
}

/**
 * Return 256 packed RGBA pixels (little-endian). Code 0 is transparent: masked cells show the hatching behind. Codes
 * 1 … 255 run along the scale.
 * @param {ColourScale} scale
 */
export function table(scale) {
  const pixels = new Uint32Array(256);
  for (let code = 1; code < 256; code += 1) {
    const [r, g, b] = colourAt(scale, (code - 1) / 254);
    pixels[code] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  }
  return pixels;
}

/** @param {ColourScale} scale @param {string} direction */
export const gradient = (scale, direction) =>
  `linear-gradient(${direction}, ${scale.map(([stop, colour]) => `${colour} ${100 * stop}%`).join(", ")})`;
