/** The ends of the axes of a teacher's own curve: what may stand there, and the points between them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import * as fc from "./properties.mjs";
import { axes } from "../../assets/js/lesson/curve.js";
import { LARGEST, endsOf, given, points, typedNumber } from "../../assets/js/room/ends.js";

test("a typed number is read, and anything else is kept as a text", () => {
  const typed = ["", "  ", " 12 ", "-2.5", "−2.5", "+.5", "1e6", "1E−3", "5."].map(typedNumber);
  assert.deepEqual(typed, [undefined, undefined, 12, -2.5, -2.5, 0.5, 1e6, 0.001, 5]);
  const others = ["0,5", "1 000", "0x10", "Infinity", "NaN", "e", "1e", ".", "many"];
  assert.deepEqual(others.map(typedNumber), others);
});

test("what is wrong with two ends is named", () => {
  for (const [from, to, key] of /** @type {[number | string | undefined, number | string | undefined, string?][]} */ ([
    [undefined, undefined],
    [0, 100],
    [-LARGEST, LARGEST],
    [1990, 1991],
    [0, undefined, "one"],
    [undefined, 0, "one"],
    ["many", undefined, "number"],
    [0, "0,5", "number"],
    [1, 1, "order"],
    [2, 1, "order"],
    [0, 1.1 * LARGEST, "large"],
    [-Infinity, undefined, "large"],
    [NaN, 1, "large"],
    [1, 1 + 1e-10, "close"],
    [0, 1e-20, "close"],
  ])) {
    const { ends, fault } = endsOf(from, to);
    assert.equal(fault?.key, key, `${from} ${to}`);
    if (!key) assert.deepEqual(ends, from === undefined ? null : [from, to]);
  }
});

test("points stand where their values are round", () => {
  const values = (/** @type {number} */ from, /** @type {number} */ to) => points([from, to], null).axes?.x;
  assert.deepEqual(values(1, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(values(0, 100), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(values(1, 16), [1, 4, 7, 10, 13, 16]);
  assert.deepEqual(values(0, 512), [0, 64, 128, 192, 256, 320, 384, 448, 512]);
  assert.deepEqual(values(0, 9), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(values(0, 4), [0, 1, 2, 3, 4]);
  assert.deepEqual(values(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(values(1990, 2020), [1990, 1995, 2000, 2005, 2010, 2015, 2020]);
});

test("a question has the numbers of the axes that have ends, and its drawing says which have none", () => {
  assert.deepEqual(points(null, null), { x: [0, 0.143, 0.286, 0.429, 0.571, 0.714, 0.857, 1] });
  assert.deepEqual(points(null, [0, 9]).axes, { low: 0, high: 9, log_y: false });
  assert.deepEqual(points([0, 8], null).axes, { x: [0, 1, 2, 3, 4, 5, 6, 7, 8], log_x: false });
  for (const [across, up] of /** @type {[[number, number] | null, [number, number] | null][]} */ ([
    [null, null],
    [null, [0, 9]],
    [[1, 16], null],
    [
      [1, 16],
      [0, 9],
    ],
  ])) {
    const asked = points(across, up);
    const drawn = axes({ kind: "curve", text: "", id: "q", phase: "open", round: 1, ...asked }, null);
    assert.deepEqual([drawn.low, drawn.high], up ?? [0, 1]);
    assert.deepEqual(drawn.x, asked.axes?.x ?? asked.x);
    assert.deepEqual(drawn, { ...drawn, bare_x: !across, bare_y: !up, log_x: false, log_y: false });
  }
});

test("all ends that are taken make points that rise, as a room wants them, and come back", () => {
  const end = fc.oneof(fc.double({ min: -LARGEST, max: LARGEST }), fc.integer({ min: -1e4, max: 1e4 }));
  fc.assert(
    fc.property(end, end, (from, to) => {
      const { ends } = endsOf(from, to);
      if (!ends) return;
      const { x, axes: told } = points(ends, ends);
      assert.equal(told?.x?.length, x.length);
      for (const values of [x, told?.x ?? []]) assert.ok(values.every((one, i) => i === 0 || one > values[i - 1]));
      assert.deepEqual(given(told), { across: ends, up: ends });
    }),
  );
});

test("the schema of the file has the same largest end", () => {
  const path = fileURLToPath(new URL("../../assets/lessons/questions.schema.json", import.meta.url).href);
  const { end } = JSON.parse(readFileSync(path, "utf8")).$defs;
  assert.deepEqual([end.minimum, end.maximum], [-LARGEST, LARGEST]);
});
