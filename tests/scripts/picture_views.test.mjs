/** Where the patches of pictures among a text lie on a canvas, and which patch is under a point. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, framesOf, patchAt, positionsOf, viewsOf } from "../../assets/js/pages/model/picture_views.js";

const picture = (/** @type {number} */ width, /** @type {number} */ height) =>
  /** @type {HTMLCanvasElement} */ (/** @type {unknown} */ ({ width, height }));
const grid = (/** @type {Partial<import("../../assets/types/wire.js").PatchGrid>} */ more) => ({
  picture: 0,
  first: 4,
  rows: 2,
  columns: 3,
  stride: 3,
  box: /** @type {[number, number, number, number]} */ ([0, 0, 1, 1]),
  ...more,
});

test("positions follow the stride of a grid's rows", () => {
  assert.deepEqual(positionsOf(grid({ stride: 4 })), [4, 5, 6, 8, 9, 10]);
});

test("tiles share a view, and the whole picture is another", () => {
  const views = viewsOf(
    [
      grid({ box: [0, 0, 0.5, 1] }),
      grid({ first: 20, box: [0.5, 0, 1, 1] }),
      grid({ first: 40 }),
      grid({ first: 60, picture: 1 }),
    ],
    [picture(30, 20), picture(10, 10)],
  );
  assert.deepEqual(
    views.map(({ grids }) => grids.map(({ first }) => first)),
    [[0, 6], [12], [18]],
  );
});

test("every point of a picture belongs to the patch that lies there, and none beside it", () => {
  const views = viewsOf(
    [grid({ box: [0, 0, 0.5, 1] }), grid({ first: 20, box: [0.5, 0, 1, 1] }), grid({ first: 60, picture: 1 })],
    [picture(60, 20), picture(20, 20)],
  );
  const frames = framesOf(views, { left: 0, top: 0, width: 400, height: 400 });
  for (const [at, { grids }] of views.entries()) {
    for (const { positions, frame, grid: one } of grids) {
      const { left, top, width, height } = frame(frames[at]);
      positions.forEach((position, place) => {
        const x = left + ((place % one.columns) + 0.5) * (width / one.columns);
        const y = top + (Math.floor(place / one.columns) + 0.5) * (height / one.rows);
        assert.equal(patchAt(views, frames, x, y), position);
      });
    }
  }
  assert.equal(patchAt(views, frames, -1, -1), null);
});

test("pictures stand in as many lines as make them largest, and inside", () => {
  const views = viewsOf(
    [0, 1, 2, 3].map((number) => grid({ picture: number, first: 10 * number })),
    [0, 1, 2, 3].map(() => picture(10, 10)),
  );
  const square = framesOf(views, { left: 5, top: 7, width: 300, height: 300 });
  assert.equal(new Set(square.map(({ top }) => top)).size, 2);
  const wide = framesOf(views, { left: 5, top: 7, width: 900, height: 100 });
  assert.equal(new Set(wide.map(({ top }) => top)).size, 1);
  for (const { left, top, width, height } of square) {
    assert.ok(left >= 5 && top >= 7 && left + width <= 305.001 && top + height <= 307.001);
    assert.ok(width > 130 && Math.abs(width - height) < 1e-9);
  }
});

test("the widest line of pictures decides how high they are", () => {
  const wide = [40, 10, 10].map((width) => picture(width, 10));
  const views = viewsOf(
    wide.map((_, number) => grid({ picture: number, first: 10 * number })),
    wide,
  );
  const frames = framesOf(views, { left: 0, top: 0, width: 100, height: 100 });
  assert.deepEqual(
    frames.map(({ left, width, height }) => [left, width, height]),
    [
      [0, 100, 25],
      [37.5, 25, 25],
      [37.5, 25, 25],
    ],
  );
});

test("the next patch lies across the edge of a tile and of a picture, and the last edge holds", () => {
  const views = viewsOf(
    [grid({ box: [0, 0, 0.5, 1] }), grid({ first: 20, box: [0.5, 0, 1, 1] }), grid({ first: 60, picture: 1 })],
    [picture(60, 20), picture(20, 20)],
  );
  const frames = framesOf(views, { left: 0, top: 0, width: 800, height: 200 });
  const walk = (/** @type {number | null} */ from, /** @type {[number, number][]} */ ...steps) =>
    steps.reduce((at, [down, across]) => beside(views, frames, at, down, across), from);
  const right = /** @type {[number, number]} */ ([0, 1]);
  assert.equal(walk(null, right), 4);
  assert.equal(walk(0, right), 4, "a token is no patch");
  assert.deepEqual(
    [1, 2, 3, 5, 6, 8, 9].map((count) => walk(4, ...Array(count).fill(right))),
    [5, 6, 20, 22, 60, 62, 62],
  );
  assert.equal(walk(4, [1, 0], [1, 0]), 7);
  assert.equal(walk(60, [0, -1], [1, 0]), 25);
  assert.equal(walk(25, [-1, 0], [-1, 0]), 22);
});
