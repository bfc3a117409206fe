/** Colours: from a scale to pixels, and from weights to the scale. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { colourTicks } from "../../assets/js/figures/colour_ticks.js";
import { colourAt, gradient, table } from "../../assets/js/figures/palette.js";
import { limits, nice, shade } from "../../assets/js/pages/map/shades.js";

/** @type {[number, string][]} */
const SCALE = [
  [0, "#000000"],
  [0.25, "#102030"],
  [1, "#ff8040"],
];

test("colours are mixed between the stops", () => {
  assert.deepEqual(colourAt(SCALE, 0.25), [16, 32, 48]);
  assert.deepEqual(colourAt(SCALE, 0.125), [8, 16, 24]);
  assert.deepEqual(colourAt(SCALE, 1), [255, 128, 64]);
});

test("code 0 is transparent, 1 and 255 are the scale's ends", () => {
  const pixels = table(SCALE);
  assert.equal(pixels[0], 0);
  assert.equal(pixels[1], 0xff000000);
  assert.equal(pixels[255], 0xff4080ff, "alpha, blue, green, red");
});

test("every code has the colour of its place", () => {
  const pixels = table(SCALE);
  for (let code = 1; code < 256; code += 1) {
    const place = (code - 1) / 254;
    const mixed = [16, 32, 48].map((middle, i) => {
      const end = [255, 128, 64][i];
      return place <= 0.25 ? (middle * place) / 0.25 : middle + ((end - middle) * (place - 0.25)) / 0.75;
    });
    mixed.forEach((level, i) => assert.ok(Math.abs(((pixels[code] >> (8 * i)) & 255) - level) <= 0.5 + 1e-9));
    assert.equal(pixels[code] >>> 24, 255);
  }
});

test("a bar has the numbers that its figure names, its open ends among them, else round ones", () => {
  const named = { tickvals: new Float32Array([-3, 0, 3]), ticktext: ["<−3", "0", ">3"] };
  assert.deepEqual(colourTicks({ cmin: -3, cmax: 3, colorbar: named }, 5), [
    { text: "<−3", place: 0 },
    { text: "0", place: 0.5 },
    { text: ">3", place: 1 },
  ]);
  const round = colourTicks({ cmin: 0, cmax: 0.7 }, 5).map(({ text }) => text);
  assert.deepEqual(round, ["0", "0.2", "0.4", "0.6"]);
});

test("a bar runs through the stops", () => {
  assert.equal(gradient(SCALE, "to right"), "linear-gradient(to right, #000000 0%, #102030 25%, #ff8040 100%)");
});

test("the map's scale ends at the next round number", () => {
  assert.deepEqual([0.011, 0.02, 0.31, 0.72, 1].map(nice), [0.015, 0.02, 0.5, 1, 1]);
  assert.deepEqual(limits(0.31, "linear"), [0, 0.5]);
  assert.deepEqual(limits(0.09, "log"), [-5, -1]);
  assert.deepEqual(limits(0, "linear"), [0, 1]);
});

test("weights take the colour of their place, masked ones none", () => {
  const codes = Uint32Array.from({ length: 256 }, (_, code) => code);
  const pixels = new Uint32Array(5);
  shade([0, 0.25, 0.5, 9, NaN], [0, 0.5], "linear", codes, pixels);
  assert.deepEqual([...pixels], [1, 128, 255, 255, 0]);
  shade([0.1, 0.01, 0.001, 0, NaN], [-3, -1], "log", codes, pixels);
  assert.deepEqual([...pixels], [255, 128, 1, 1, 0]);
});
