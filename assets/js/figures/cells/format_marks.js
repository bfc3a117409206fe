/** The marks on cells that a number format made ∞, NaN or 0, or robbed of digits: a colour, and a sign over it. */

import { channels } from "../palette.js";

/**
 * Codes of cells, rows × columns, as bytes on a colour axis from 0 to the number of marks.
 * @typedef {{codes: Uint8Array & {shape: number[]}, scale: import("../../../types/plotly.js").ColourScale}} Marks
 */

/** Pixels of the screen: a smaller cell has no sign of its own, and crosses of this distance lie over all of them. */
const LEAST = 4;

/** Return one packed pixel a code, 0 clear, from a stepped scale: stops come in pairs. @param {import("../../../types/plotly.js").ColourScale} scale */
export function markPixels(scale) {
  const colours = scale.filter((_stop, i) => i % 2 === 0).map(([, colour]) => colour);
  return Uint32Array.from(colours, (colour, code) => {
    if (!code) return 0;
    const [r, g, b] = channels(colour);
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

/** Return the code of a byte. @param {number} byte @param {number} count of codes without 0 */
export const codeOf = (byte, count) => Math.round(((byte - 1) * count) / 254);

/**
 * Draw the signs over the marked cells: a cross on ∞ and NaN, a dot on 0 and on fewer digits.
 * @param {CanvasRenderingContext2D} brush of the view
 * @param {Uint8Array} codes rows × columns @param {number} columns
 * @param {{across: {start: number, size: number}, down: {start: number, size: number}}} seen the visible cells
 * @param {number} scale device pixels per pixel
 */
export function sign(brush, codes, columns, { across, down }, scale) {
  const { width, height } = brush.canvas;
  const [w, h] = [width / across.size, height / down.size];
  const every = Math.max(1, Math.ceil((LEAST * scale) / Math.min(w, h)));
  const [crosses, dots] = [new Path2D(), new Path2D()];
  const [right, bottom] = [across.start + across.size, down.start + down.size];
  for (let row = Math.max(0, Math.floor(down.start)); row < Math.min(codes.length / columns, bottom); row += 1) {
    for (let column = Math.max(0, Math.floor(across.start)); column < Math.min(columns, right); column += 1) {
      const code = codes[row * columns + column];
      if (!code) continue;
      const [left, top] = [(column - across.start) * w, (row - down.start) * h];
      if (code > 2) {
        if (every === 1) circle(dots, left + w / 2, top + h / 2, Math.max(0.7, Math.min(w, h) / 7));
      } else if (every === 1 || (row + column) % every === 0) {
        crosses.moveTo(left + 0.15 * w, top + 0.15 * h);
        crosses.lineTo(left + 0.85 * w, top + 0.85 * h);
        if (every > 1) continue;
        crosses.moveTo(left + 0.85 * w, top + 0.15 * h);
        crosses.lineTo(left + 0.15 * w, top + 0.85 * h);
      }
    }
  }
  brush.strokeStyle = "#1a0010";
  brush.lineWidth = Math.max(scale, Math.min(w, h) / 12);
  brush.stroke(crosses);
  brush.fillStyle = "#00222c";
  brush.fill(dots);
}

/** @param {Path2D} path @param {number} x @param {number} y @param {number} radius */
function circle(path, x, y, radius) {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}
