/** Where panels stand, with the columns of a sink beside them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange } from "../../assets/js/figures/cells/arrangement.js";

const ROOMS = [
  { width: 640, height: 520, em: 13, above: 20 },
  { width: 370, height: 230, em: 11.5, above: 17 },
  { width: 1100, height: 640, em: 26, above: 40 },
];

/** @param {number} count @param {number} keys @param {string | null} sink @param {string[]} tokens */
function seen(count, keys, sink, tokens = []) {
  /** @type {import("../../assets/js/figures/cells/windows.js").Window} */
  const window = { x: [-0.5, keys - 0.5], y: [keys - 0.5, -0.5] };
  const named = tokens.length
    ? { labelalias: Object.fromEntries(tokens.map((token, i) => [String(i), token])), title: { text: "key" } }
    : { title: { text: "key" } };
  return Array.from({ length: count }, () => ({ rows: keys, columns: keys, window, x: named, y: named, sink }));
}

const LINES = { columns: 0, group: 1, kept: 0 };

test("a panel's column stands after a gap with its rows, before the next panel and inside the room", () => {
  for (const room of ROOMS) {
    for (const count of [1, 2, 5, 8, 16]) {
      for (const keys of [2, 7, 32, 200]) {
        for (const columns of [0, 1, 2]) {
          const { boxes, strips } = arrange(seen(count, keys, "sink"), room, { ...LINES, columns }, []);
          const where = JSON.stringify({ room, count, keys, columns });
          strips.forEach((strip, i) => {
            if (strip === null) throw new Error(where);
            const box = boxes[i];
            assert.deepEqual([strip.top, strip.height, strip.y], [box.top, box.height, box.y], where);
            assert.ok(strip.left >= box.left + box.width + 0.2 * room.em, where);
            assert.ok(strip.left + strip.width <= room.width, where);
            const next = boxes.at(i + 1);
            if (next?.top === box.top) assert.ok(next.left - strip.left - strip.width >= room.em, where);
          });
        }
      }
    }
  }
});

test("the column is as wide as a key where keys are wide enough to be seen, and no wider than needed", () => {
  const [room] = ROOMS;
  const widthOf = (/** @type {number} */ count, /** @type {number} */ keys) => {
    const { boxes, strips } = arrange(seen(count, keys, "sink"), room, LINES, []);
    return { strip: strips[0]?.width ?? 0, cell: boxes[0].width / keys };
  };
  assert.ok(widthOf(8, 128).strip >= 0.6 * room.em - 0.5);
  assert.ok(widthOf(1, 2).strip <= 2.5 * room.em + 0.5);
  const { strip, cell } = widthOf(1, 24);
  assert.ok(Math.abs(strip - cell) <= 1.5, JSON.stringify({ strip, cell }));
});

test("the sink has its name under the lowest panels, and names of keys make way", () => {
  const [room] = ROOMS;
  const count = (/** @type {string | null} */ sink, /** @type {string[]} */ tokens = []) =>
    arrange(seen(8, 32, sink, tokens), room, { ...LINES, columns: 4 }, tokens).words;
  const names = count("sink").filter(({ text }) => text === "sink");
  assert.equal(names.length, 4);
  for (const name of names) {
    const beside = count("sink").filter((word) => word.y === name.y && word !== name && word.text !== "sink");
    assert.ok(beside.every(({ x }) => Math.abs(x - name.x) > 1.3 * room.em));
  }
  const tokens = Array.from({ length: 32 }, (_, i) => `t${i}`);
  const upright = count("sink", tokens).filter(({ text }) => text === "sink");
  assert.deepEqual(new Set(upright.map(({ kind }) => kind)), new Set(["upright"]));
});

test("panels without a sink stand as if there were none anywhere", () => {
  for (const room of ROOMS) {
    const { strips, boxes, words } = arrange(seen(8, 32, null), room, LINES, []);
    assert.deepEqual(new Set(strips), new Set([null]));
    assert.ok(words.every(({ text }) => text !== "sink"));
    const wider = arrange(seen(8, 32, "sink"), room, LINES, []).boxes;
    assert.ok(boxes[0].width >= wider[0].width);
  }
});

test("where one side of a comparison has a sink, the other's panels keep the same size", () => {
  const both = [...seen(1, 32, null), ...seen(1, 32, "sink"), ...seen(1, 32, null)];
  const { boxes, strips } = arrange(both, ROOMS[0], { ...LINES, group: 3 }, []);
  assert.equal(new Set(boxes.map(({ width }) => width)).size, 1);
  assert.deepEqual(
    strips.map((strip) => strip !== null),
    [false, true, false],
  );
});
