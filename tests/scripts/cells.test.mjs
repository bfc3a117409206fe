/** The grid of panels whose cells are largest, and the words around panels. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { largest, lowest } from "../../assets/js/figures/cells/grid.js";
import { columnLabels, cut, longest, plainText, rowLabels, shortened } from "../../assets/js/figures/cells/labels.js";
import { LONGEST, ONE_LINE, apart, depth, leads, stand, ways } from "../../assets/js/figures/cells/standing.js";

const GAP = { x: 10, y: 4, above: 18 };

/** Return the rooms that a grid takes. @param {import("../../assets/js/figures/cells/grid.js").Grid} grid @param {typeof GAP} gap */
const taken = ({ columns, lines, width, height }, gap) => ({
  width: columns * width + (columns - 1) * gap.x,
  height: lines * (height + gap.above) + (lines - 1) * gap.y,
});

test("as many columns as make the panels largest, in rooms of any shape", () => {
  const room = (/** @type {number} */ width, /** @type {number} */ height) => ({
    width,
    height,
  });
  assert.deepEqual(largest(8, room(700, 500), GAP, 1), {
    columns: 4,
    lines: 2,
    width: 167,
    height: 167,
  });
  assert.deepEqual(largest(8, room(1600, 200), GAP, 1), {
    columns: 8,
    lines: 1,
    width: 182,
    height: 182,
  });
  assert.deepEqual(largest(8, room(200, 1600), GAP, 1), {
    columns: 1,
    lines: 8,
    width: 178,
    height: 178,
  });
  assert.deepEqual(largest(1, room(700, 500), GAP, 1), {
    columns: 1,
    lines: 1,
    width: 482,
    height: 482,
  });
});

test("no other number of columns would make them larger, or nearly as large without holes, and none reaches out of the room", () => {
  for (let count = 1; count <= 16; count += 1) {
    for (const [width, height] of [
      [330, 260],
      [646, 511],
      [1900, 900],
      [370, 288],
      [90, 1700],
    ]) {
      for (const shape of [1, 0.5, 2.2]) {
        const grid = largest(count, { width, height }, GAP, shape);
        assert.ok(grid.columns * grid.lines >= count, "a place for each");
        const { width: across, height: down } = taken(grid, GAP);
        assert.ok(across <= width && down <= height + 1, JSON.stringify({ count, width, height, shape, grid }));
        for (let columns = 1; columns <= count; columns += 1) {
          const lines = Math.ceil(count / columns);
          const [full, fills] = [columns * lines, grid.columns * grid.lines].map((places) => places === count);
          const wider = (full && !fills ? 0.95 : fills && !full ? 1 / 0.95 : 1) * grid.width + 1;
          const fits =
            columns * wider + (columns - 1) * GAP.x <= width &&
            lines * (wider / shape + GAP.above) + (lines - 1) * GAP.y <= height;
          assert.ok(!fits, `${columns} columns would do better than ${JSON.stringify(grid)}`);
        }
      }
    }
  }
});

test("of two grids alike, the one without holes", () => {
  const { columns, lines } = largest(4, { width: 330, height: 218 }, { x: 10, y: 4, above: 0 }, 1);
  assert.deepEqual([columns, lines], [2, 2], "not three columns with two holes");
});

test("a visitor's number of columns is taken, up to the number of panels", () => {
  const room = { width: 700, height: 500 };
  assert.deepEqual(largest(8, room, GAP, 1, 3), {
    columns: 3,
    lines: 3,
    width: 146,
    height: 146,
  });
  assert.equal(largest(2, room, GAP, 1, 6).columns, 2);
  assert.equal(largest(8, room, GAP, 1, 0).columns, 4);
});

test("a room too small for anything still has a grid", () => {
  const grid = largest(16, { width: 30, height: 20 }, GAP, 1);
  assert.equal(grid.columns * grid.lines >= 16, true);
  assert.equal(grid.width, 0);
});

test("the panels with nothing below them carry the keys' names", () => {
  const grid = { columns: 3, lines: 3, width: 1, height: 1 };
  const below = [0, 1, 2, 3, 4, 5, 6, 7].filter((panel) => lowest(grid, panel, 8));
  assert.deepEqual(below, [5, 6, 7]);
});

test("a narrow panel's title keeps its numbers and signs", () => {
  assert.equal(shortened("head 16"), "16");
  assert.equal(shortened("헤드 16"), "16");
  assert.equal(shortened("B − A · head 3"), "B − A · 3");
  assert.equal(shortened("head 3 · weight"), "3");
});

test("escaped markup is text again, once", () => {
  assert.equal(plainText("&lt;b&gt; &amp;lt; &#36;x&#36;"), "<b> &lt; $x$");
});

test("names take turns on the fewest lines on which they do not touch", () => {
  for (const em of [11, 12, 13, 18, 25.92]) {
    for (let cell = 1; cell < 2 * em; cell += 0.5) {
      const found = ways(cell, em);
      const lines = [...new Set(found.map((way) => way.lines))];
      const wanted = [2, 3].filter((count) => cell < em && count * cell >= em);
      assert.deepEqual(lines, wanted, JSON.stringify({ em, cell }));
      assert.ok(found.every((way) => stand(way, cell, em)));
      assert.equal(stand(ONE_LINE, cell, em), cell >= em);
    }
  }
});

test("every name has its own place, shortened ones say their whole text, and no two touch", () => {
  const em = 12;
  for (let count = 2; count <= 40; count += 1) {
    const tokens = Array.from({ length: count }, (_, i) => "wonderful".repeat(1 + (i % 2)).slice(0, 3 + (i % 15)));
    const axis = { labelalias: Object.fromEntries(tokens.map((token, i) => [i, cut(token, LONGEST)])) };
    for (const height of [100, 140, 200, 460]) {
      for (const way of [ONE_LINE, ...ways(height / count, em)]) {
        if (!stand(way, height / count, em)) continue;
        const room = longest(axis, count, way.letters);
        const names = { ...way, apart: apart(room, em), tokens, led: leads(way, height / count, em) };
        const range = /** @type {[number, number]} */ ([-0.5, count - 0.5]);
        const box = {
          left: 300,
          top: 0,
          width: height,
          height,
          x: range,
          y: /** @type {[number, number]} */ ([range[1], -0.5]),
        };
        const rows = rowLabels(axis, count, box, em, names);
        const columns = columnLabels(axis, count, box, em, true, names);
        assert.equal(rows.length, count);
        assert.equal(columns.length, count);
        rows.forEach((row, i) => {
          const whole = row.name ?? row.text;
          assert.equal(whole, tokens[i]);
          assert.equal(columns[i].name ?? columns[i].text, tokens[i]);
          assert.ok([...row.text].length <= way.letters, row.text);
          assert.ok(box.left - row.x <= em + depth(way.lines, room, em));
          assert.ok(columns[i].y - height <= em + depth(way.lines, room, em));
        });
        for (const [at, line] of /** @type {const} */ ([
          ["y", "x"],
          ["x", "y"],
        ])) {
          const words = at === "y" ? rows : columns;
          for (let i = 0; i < count; i += 1) {
            for (let j = 0; j < i; j += 1) {
              if (Math.abs(words[i][line] - words[j][line]) > 1) continue;
              assert.ok(Math.abs(words[i][at] - words[j][at]) >= em, `${words[i].text} and ${words[j].text} touch`);
            }
          }
        }
      }
    }
  }
});

test("a text is shortened by the letters that a reader sees", () => {
  assert.equal(cut("because", 7), "because");
  assert.equal(cut("because", 5), "beca…");
  assert.equal(cut("🇰🇷🇰🇷🇰🇷", 3), "🇰🇷🇰🇷🇰🇷");
  assert.equal(cut("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3), "👩‍👩‍👧‍👦👩‍👩‍👧‍👦…");
});
