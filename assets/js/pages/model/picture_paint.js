/** A picture in dim grey with weights in colours over its patches. */

import { brushOf, element } from "../../dom/dom.js";

/**
 * @typedef {import("../../../types/wire.js").PatchGrid} PatchGrid
 * @typedef {{left: number, top: number, width: number, height: number}} Frame where the whole picture lies on a canvas
 */

/** How bright the picture is under the weights, and how much of a patch its colour covers at the least and at the most. */
const DIM = 0.5;
const THINNEST = 60;
const THICKEST = 225;

/** Return a picture in dim grey, at its own size. @param {HTMLImageElement} image */
export function dimmed(image) {
  const canvas = element("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  const brush = brushOf(canvas);
  brush.drawImage(image, 0, 0);
  const pixels = brush.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = pixels;
  for (let at = 0; at < data.length; at += 4) {
    const grey = DIM * (0.3 * data[at] + 0.59 * data[at + 1] + 0.11 * data[at + 2]);
    data[at] = data[at + 1] = data[at + 2] = grey;
  }
  brush.putImageData(pixels, 0, 0);
  return canvas;
}

/** Return where the grid lies on a canvas. @param {PatchGrid} grid @param {Frame} frame @returns {Frame} */
export function gridFrame({ box }, { left, top, width, height }) {
  const [from, above, to, below] = box;
  return {
    left: left + from * width,
    top: top + above * height,
    width: (to - from) * width,
    height: (below - above) * height,
  };
}

/**
 * Lay weights over the patches: each in the colour of its share of the largest, the thicker the larger it is.
 * @param {CanvasRenderingContext2D} brush @param {Frame} frame that of the grid
 * @param {Uint32Array} colours of `table` @param {(place: number) => number} share of the patches, row by row; NaN: not read
 * @param {{rows: number, columns: number}} grid
 */
export function lay(brush, frame, colours, share, { rows, columns }) {
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let place = 0; place < pixels.length; place += 1) {
    const of = share(place);
    if (Number.isNaN(of)) {
      pixels[place] = 0x80000000; // darker still
    } else {
      const seen = Math.sqrt(Math.max(0, Math.min(1, of)));
      const thick = Math.round(THINNEST + (THICKEST - THINNEST) * seen);
      pixels[place] = ((colours[1 + Math.round(254 * Math.max(0, Math.min(1, of)))] & 0xffffff) | (thick << 24)) >>> 0;
    }
  }
  const small = element("canvas", { width: columns, height: rows });
  brushOf(small).putImageData(image, 0, 0);
  brush.imageSmoothingEnabled = false;
  brush.drawImage(small, frame.left, frame.top, frame.width, frame.height);
  brush.imageSmoothingEnabled = true;
}
