/** The pictures of a text side by side, and where the patches of each lie. Tiles and the whole once more are two views. */

import { gridFrame } from "./picture_paint.js";

/**
 * @typedef {import("../../../types/wire.js").PatchGrid} PatchGrid
 * @typedef {import("./picture_paint.js").Frame} Frame
 * @typedef {object} Placed
 * @property {PatchGrid} grid
 * @property {number} first number of its first patch among those of all grids
 * @property {number[]} positions of its patches in the line
 * @property {(whole: Frame) => Frame} frame where it lies, from where the picture lies
 * @typedef {{under: HTMLCanvasElement, grids: Placed[]}} View
 */

/** Pixels between two pictures, as a share of the height. */
const GAP = 0.06;
/** How far the next patch may lie, in halves of a patch: beyond the space between two pictures. */
const FURTHEST = 16;

/** Return what is drawn of each picture. @param {PatchGrid[]} grids @param {HTMLCanvasElement[]} under @returns {View[]} */
export function viewsOf(grids, under) {
  /** @type {Map<string, View>} */
  const views = new Map();
  let first = 0;
  for (const grid of grids) {
    const whole = grid.box.every((side, at) => side === [0, 0, 1, 1][at]);
    const name = `${grid.picture} ${whole ? "whole" : "tiles"}`;
    const view = views.get(name) ?? { under: under[grid.picture], grids: [] };
    views.set(name, view);
    view.grids.push({ grid, first, positions: positionsOf(grid), frame: (frame) => gridFrame(grid, frame) });
    first += grid.rows * grid.columns;
  }
  return [...views.values()];
}

/** Return the positions of a grid's patches, row by row. @param {PatchGrid} grid */
export function positionsOf({ first, rows, columns, stride }) {
  return [...Array(rows * columns).keys()].map(
    (place) => first + Math.floor(place / columns) * stride + (place % columns),
  );
}

/** Return how wide and how high the views are side by side. @param {View[]} views @returns {[number, number]} */
export function shapeOf(views) {
  const wide = views.reduce((sum, { under }) => sum + under.width / under.height, 0);
  return [wide + GAP * Math.max(0, views.length - 1), 1];
}

/**
 * Return where each view lies: in as many lines as make them largest, in the middle.
 * @param {View[]} views @param {Frame} whole @returns {Frame[]}
 */
export function framesOf(views, whole) {
  const lines = views.map((_, at) => linesOf(views, Math.ceil(views.length / (at + 1))));
  const heights = lines.map((some) => {
    const widest = Math.max(...some.map((line) => shapeOf(line)[0]));
    return Math.min(whole.width / widest, whole.height / (some.length + GAP * (some.length - 1)));
  });
  const best = heights.indexOf(Math.max(...heights));
  const height = heights[best];
  return (lines[best] ?? []).flatMap((line, number) => {
    const high = height * (lines[best].length + GAP * (lines[best].length - 1));
    const top = whole.top + (whole.height - high) / 2 + number * height * (1 + GAP);
    let left = whole.left + (whole.width - shapeOf(line)[0] * height) / 2;
    return line.map(({ under }) => {
      const width = (height * under.width) / under.height;
      const frame = { left, top, width, height };
      left += width + GAP * height;
      return frame;
    });
  });
}

/** Return the views in lines of at most so many. @param {View[]} views @param {number} across */
function linesOf(views, across) {
  const lines = [];
  for (let at = 0; at < views.length; at += across) lines.push(views.slice(at, at + across));
  return lines;
}

/**
 * Return the position of the patch under a point; null beside them.
 * @param {View[]} views @param {Frame[]} frames @param {number} x @param {number} y
 */
export function patchAt(views, frames, x, y) {
  for (const [at, { grids }] of views.entries()) {
    for (const { grid, positions, frame } of grids) {
      const { left, top, width, height } = frame(frames[at]);
      const [column, row] = [
        Math.floor(((x - left) / width) * grid.columns),
        Math.floor(((y - top) / height) * grid.rows),
      ];
      if (column >= 0 && column < grid.columns && row >= 0 && row < grid.rows) {
        return positions[row * grid.columns + column];
      }
    }
  }
  return null;
}

/**
 * Return the position of the next patch in a direction, across the edge of a tile or a picture if another lies there; the
 * same at the last edge, and the first patch of all from a position that is none.
 * @param {View[]} views @param {Frame[]} frames @param {number | null} position
 * @param {number} down @param {number} across −1, 0 or 1
 */
export function beside(views, frames, position, down, across) {
  for (const [at, { grids }] of views.entries()) {
    for (const { grid, positions, frame } of grids) {
      const place = position === null ? -1 : positions.indexOf(position);
      if (place < 0) continue;
      const { left, top, width, height } = frame(frames[at]);
      const [wide, high] = [width / grid.columns, height / grid.rows];
      const x = left + ((place % grid.columns) + 0.5) * wide;
      const y = top + (Math.floor(place / grid.columns) + 0.5) * high;
      for (let step = 1; step <= FURTHEST; step += 1) {
        const found = patchAt(views, frames, x + (across * step * wide) / 2, y + (down * step * high) / 2);
        if (found !== null && found !== position) return found;
      }
      return position;
    }
  }
  return views[0]?.grids[0]?.positions[0] ?? null;
}
