/** The numbers of lessons: read in tables, proposed for axes, judged as truths, laid out on sheets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "./properties.mjs";
import { columnFaults, lackedOn, lacking } from "../../assets/js/lesson/columns.js";
import { axes, acrossOf, placesOf } from "../../assets/js/lesson/curve.js";
import { bands } from "../../assets/js/lesson/flow.js";
import { HIGH, LEAST, sheets } from "../../assets/js/lesson/pages.js";
import { firstSeries, proposed } from "../../assets/js/lesson/proposed.js";
import { column, curve, quantity, within } from "../../assets/js/lesson/quantity.js";
import {
  answeredIn,
  answering,
  before,
  figuresOf,
  found,
  foundAside,
  measured,
  places,
  predicted,
} from "../../assets/js/lesson/truth.js";
import { keyed } from "./stand_in.mjs";

/** @param {...unknown[]} columns @returns {Loose} */
const table = (...columns) => ({ caption: "", columns: columns.map((values) => ({ label: "", values })) });
const MIXED = table(["a", "b", "a", "b", "c"], [1, "2", 4, "", 7.5], [10, NaN, 30, 40, "x"]);

test("a column is the numbers of its lines", () => {
  for (const [at, lines, numbers] of /** @type {[number, object, number[]][]} */ ([
    [2, {}, [1, 2, 4, NaN, 7.5]],
    [3, {}, [10, NaN, 30, 40, NaN]],
    [1, {}, [NaN, NaN, NaN, NaN, NaN]],
    [4, {}, []],
    [2, { lines: [2, 3] }, [2, 4]],
    [2, { lines: [0, 1] }, [1]],
    [2, { lines: [5, 99] }, [7.5]],
    [2, { lines: [6, 99] }, []],
    [2, { where: { column: 1, is: "a" } }, [1, 4]],
    [2, { where: { column: 1, nth: 1 } }, [1, 4]],
    [2, { where: { column: 1, nth: 3 } }, [7.5]],
    [2, { where: { column: 1, nth: 4 } }, []],
    [2, { where: { column: 2, is: 4 } }, [4]],
    [2, { where: { column: 9, is: 4 } }, []],
    [2, { where: { column: 1, is: "b" }, lines: [3, 5] }, [NaN]],
  ])) {
    assert.deepEqual(column(MIXED, at, lines), numbers, JSON.stringify([at, lines]));
  }
  assert.deepEqual(column(table([true, null, undefined, " ", " 5 "]), 1, {}), [NaN, NaN, NaN, NaN, 5]);
});

test("a quantity takes its column in one of seven ways, without what is no number", () => {
  const take = (/** @type {Loose} */ take, more = {}) => quantity(MIXED, { figure: "", column: 2, take, ...more });
  assert.equal(quantity(MIXED, { figure: "", column: 2 }), 14.5 / 4);
  assert.deepEqual(
    ["mean", "sum", "smallest", "largest", "first", "last", "line_of_largest"].map((one) => take(one)),
    [14.5 / 4, 14.5, 1, 7.5, 1, 7.5, 5],
  );
  assert.equal(take("line_of_largest", { lines: [2, 4] }), 2);
  assert.equal(take("sum", { where: { column: 1, is: "a" } }), 5);
  assert.ok(Number.isNaN(quantity(null, { figure: "", column: 1 })));
  assert.ok(Number.isNaN(quantity(MIXED, { figure: "", column: 1 })));
});

test("a range has its beginning, and its end belongs to the next", () => {
  assert.deepEqual(
    [1, 2, 1.999, 0.999].map((value) => within(value, { from: 1, below: 2 })),
    [true, false, true, false],
  );
  assert.ok(within(-1e300, { below: 0 }));
  assert.ok(within(1e300, { from: 0 }));
  assert.ok(!within(NaN, {}));
});

test("a curve is straight between its points, flat beyond them, and on a logarithm where it says so", () => {
  const line = table([4, 1, 2, "x", 3], [40, 10, 20, 99, "y"]);
  const drawn = { figure: "", x: 1, y: 2, points: [0, 1, 1.5, 3, 4, 9], low: 0, high: 1 };
  assert.deepEqual(curve(line, drawn), [10, 10, 15, 30, 40, 40]);
  const logs = curve(table([1, 100], [0, 2]), { ...drawn, points: [1, 10, 100, 1000], log_x: true });
  logs.forEach((one, i) => assert.ok(Math.abs(one - [0, 1, 2, 2][i]) < 1e-12));
  assert.deepEqual(curve(table([2, 2], [5, 6]), { ...drawn, points: [1, 2, 3] }), [5, 5, 6]);
  assert.deepEqual(curve(null, { ...drawn, points: [1, 2] }), [NaN, NaN]);
  assert.deepEqual(curve(table(["x"], [1]), { ...drawn, points: [1] }), [NaN]);
  assert.deepEqual(curve(line, { ...drawn, lines: [1, 2], points: [2.5] }), [25]);
});

test("axes are proposed around what a page shows", () => {
  const draws = (/** @type {unknown[]} */ x, /** @type {unknown[]} */ y) => proposed(table(x, y), { x: 1, y: 2 });
  assert.equal(proposed(null, { x: 1, y: 2 }), null);
  assert.equal(draws([1, 1], [2, 3]), null);
  assert.equal(draws([1, 2], ["a", "b"]), null);
  assert.deepEqual(draws([2, 1], [0.3, 0.7]), { points: [1, 2], low: 0, high: 0.8 });
  assert.deepEqual(draws([1, 2, 3, 4, 5], [3, 4, 7, 9, 10]), { points: [1, 2, 3, 4, 5], low: 0, high: 10 });
  assert.deepEqual(draws([0, 1, 2, 3, 4, 5, 6, 7, 8], [-3, -2, 0, 0, 0, 0, 0, 0, -1]), {
    points: [0, 2, 4, 6, 8],
    low: -3,
    high: 0,
  });
  assert.deepEqual(draws([1, 51], [0, 0]), { points: [1, 51], low: 0, high: 1, log_x: true });
  assert.deepEqual(draws([1, 2], [0, 5e-324]), { points: [1, 2], low: 0, high: 1 });
  assert.deepEqual(draws([1, 2], [-5e-324, 0]), { points: [1, 2], low: 0, high: 1 });
  assert.deepEqual(draws([1, 50], [0, 0]), { points: [1, 50], low: 0, high: 1 });
  assert.deepEqual(draws([-1, 51], [1, -1]), { points: [-1, 51], low: -1, high: 1 });
  assert.deepEqual(
    draws([1, 2, 4, 8, 16, 32, 64, 128, 256], [1, 0, 0, 0, 0, 0, 0, 0, 99])?.points,
    [1, 4, 16, 64, 256],
  );
  assert.deepEqual(draws([0.1234567, 1, 2, 3, 4, 5.98765], [1, 1, 1, 1, 1, 1])?.points, [0.123, 2, 3, 4, 5.99]);
  assert.equal(draws([1, 2], [0, 99])?.high, 100);
  assert.equal(draws([1, 2], [0, 101])?.high, 150);
  assert.equal(draws([1, 2], [0, 8.1])?.high, 10);
  assert.equal(draws([1, 2], [0, 9.9])?.high, 10);
  assert.deepEqual(
    [draws([1, 2], [-45, 45])].map((one) => [one?.low, one?.high]),
    [[-50, 50]],
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 999 }), fc.double({ min: -1e6, max: 1e6, noNaN: true })), {
        minLength: 2,
      }),
      (pairs) => {
        const axis = draws(
          pairs.map(([x]) => x),
          pairs.map(([, y]) => y),
        );
        if (!axis) return;
        const ys = pairs.map(([, y]) => y);
        assert.ok(axis.points.length >= 2 && axis.points.length <= 5);
        assert.ok(axis.points.every((one, i) => i === 0 || one > axis.points[i - 1]));
        const slack = 1e-5 * (axis.high - axis.low);
        assert.ok(axis.low <= Math.min(0, ...ys) + slack && axis.high >= Math.max(0, ...ys) - slack);
        assert.ok(axis.high > axis.low);
        const spread = Math.max(0, ...ys) - Math.min(0, ...ys);
        assert.ok(spread < 1e-290 || axis.high - axis.low <= 3 * spread + slack);
        assert.equal(axis.low === 0, Math.min(...ys) >= -1e-300);
      },
    ),
  );
});

test("of several series in a table the first is chosen by the column that tells them apart", () => {
  assert.equal(firstSeries(null, 1), undefined);
  assert.equal(firstSeries(table([1, 2, 3], [4, 5, 6]), 1), undefined);
  assert.deepEqual(firstSeries(table([1, 2, 1, 2], [5, 6, 7, 8], ["a", "a", "b", "b"]), 1), { column: 3, nth: 1 });
  assert.deepEqual(firstSeries(table(["a", "a", "b", "b"], [1, 2, 1, 2]), 2), { column: 1, nth: 1 });
  assert.equal(firstSeries(table([1, 1], ["a", "b"]), 1), undefined);
});

const QUESTION = {
  text: { en: "?" },
  answers: [
    { text: {}, below: 1 },
    { text: {}, from: 1, below: 3 },
    { text: {}, from: 3 },
  ],
};
/** @param {Record<string, unknown>} tables @returns {Loose} */
const page = (tables) => ({
  text: keyed,
  figures: {
    all: new Map(Object.entries(tables).map(([name, shown]) => [name, { block: { shown } }])),
    of: (/** @type {string} */ name) => ({ block: { shown: tables[name] } }),
  },
});

test("a truth is measured on the page, beside another, or beside what was before", () => {
  const shown = page({ a: table([6, 2]), b: table([2]) });
  const of = { figure: "a", column: 1, take: /** @type {const} */ ("first") };
  const over = { figure: "b", column: 1 };
  assert.equal(measured(shown, of), 6);
  assert.deepEqual(found(shown, { ...QUESTION, truth: { of } }, null), { right: [2], value: 6 });
  assert.deepEqual(found(shown, { ...QUESTION, truth: { of, over } }, null), { right: [2], value: 3 });
  assert.deepEqual(found(shown, { ...QUESTION, truth: { of, before: true } }, 12), { right: [0], value: 0.5 });
  assert.deepEqual(found(shown, { ...QUESTION, truth: { of, before: true } }, null), { right: [], value: NaN });
  assert.equal(before(shown, { truth: { of, before: true } }), 6);
  assert.equal(before(shown, { truth: { of } }), null);
  assert.equal(before(shown, {}), null);
  assert.deepEqual(found(shown, { answers: [{ text: {} }, { text: {}, right: true }] }, null), { right: [1] });
  assert.deepEqual(found(shown, {}, null), { right: [] });
  const drawn = { figure: "a", x: 1, y: 1, points: [3], low: 0, high: 1 };
  assert.deepEqual(found(shown, { curve: drawn }, null), { heights: [3] });
  assert.throws(() => found(shown, { curve: { ...drawn, y: 2 } }, null), /^Error: lesson.file.column a 2 1\.$/);
  assert.deepEqual(figuresOf({ truth: { of, over }, curve: drawn }), ["a", "b", "a"]);
  assert.deepEqual(figuresOf({}), []);
  assert.equal(answeredIn({ question: { truth: { of } }, focus: "c" }), "a");
  assert.equal(answeredIn({ question: { curve: { ...drawn, figure: "b" } }, focus: "c" }), "b");
  assert.equal(answeredIn({ focus: "c" }), "c");
  assert.deepEqual(places({ ...drawn, low: 2, high: 4 }, [1, 2, 3, 4, 5]), [0, 0, 0.5, 1, 1]);
});

test("a column is lacked by the name of its place, if the table is there", () => {
  const of = { figure: "a", column: 3, where: { column: 4, is: 1 } };
  const question = {
    truth: { of, over: { ...of, column: 5, where: { column: 6, is: 1 } } },
    curve: { figure: "a", x: 7, y: 8, points: [], low: 0, high: 1, where: { column: 9, is: 1 } },
  };
  const at = (/** @type {number | null} */ columns) =>
    [...columnFaults(question, () => columns)].map(({ path }) => path);
  assert.deepEqual(
    at(2),
    [
      "truth/of/column",
      "truth/of/where/column",
      "truth/over/column",
      "truth/over/where/column",
      "curve/x",
      "curve/y",
      "curve/where/column",
    ].map((one) => `question/${one}`),
  );
  assert.equal(at(5).length, 4);
  assert.deepEqual(at(9), []);
  assert.deepEqual(at(null), []);
  const shown = page({ a: table([1], [2], [3], [4]) });
  assert.equal([...lackedOn(shown, question)].length, 5);
  assert.equal(lacking(shown, question)[0], "lesson.file.column a 5 4.");
  assert.deepEqual([...lackedOn(page({}), question)], []);
});

/** Return a part as the server sends it. @param {object} header */
function part(header) {
  const text = new TextEncoder().encode(JSON.stringify({ bytes: 0, ...header }));
  return new Uint8Array([...new Uint8Array(new Uint32Array([text.length]).buffer), ...text]);
}
/** @param {object[]} headers @param {Record<string, unknown>} more of the page @returns {Loose} */
function served(headers, { predict = null, judging = {}, ...more } = {}) {
  /** @type {unknown[]} */
  const asked = [];
  const body = () => new Blob(headers.map(part)).stream();
  return {
    asked,
    updates: {
      route: "page/explore",
      rules: { more: () => ({ more: 1 }), enclosed: () => "file" },
      body: (/** @type {string} */ link, /** @type {object} */ fields) => ({ link, ...fields }),
    },
    text: keyed,
    presence: { rules: { predict: () => predict, judging: () => judging } },
    state: { present: "n=2" },
    settings: { page: "train" },
    server: { ask: async (/** @type {unknown[]} */ ...all) => (asked.push(all), { body: body() }) },
    ...more,
  };
}
const TABLE = { structure: { caption: "", columns: [{ label: "", values: [4, 8] }] }, values: [] };
const TRUTH = { ...QUESTION, truth: { of: { figure: "a", column: 1 } } };

test("the server is asked for a truth that this page does not show", async () => {
  const asks = served([{ part: "cells" }, { part: "panels", tables: { a: TABLE } }]);
  assert.deepEqual(await foundAside(asks, "n=5", TRUTH, null), { right: [2], value: 6 });
  assert.deepEqual(asks.asked, [["page/explore", { link: "n=5", known: [], more: 1 }, "file"]]);
  await assert.rejects(foundAside(served([{ part: "panels", tables: { b: TABLE } }]), "", TRUTH, null), /lesson.slow/);
  await assert.rejects(foundAside(served([{ part: "panels" }]), "", TRUTH, null), /lesson.slow/);
  await assert.rejects(foundAside(served([{ part: "error", message: "full" }]), "", TRUTH, null), /full/);
});

test("the server judges the page's own question with any answer", async () => {
  const shown = { name: "falls", choices: [["up"], ["down"], ["flat"]] };
  const judged = [{ part: "figures" }, { part: "verdict", real: ["flat", "down"] }, { part: "figures" }];
  const asks = served(judged, { predict: { shown } });
  assert.deepEqual(await predicted(asks), { right: [2, 1] });
  assert.deepEqual(asks.asked, [
    ["page/train", { link: "n=2", reveal: true, known: [], prediction: { name: "falls", answer: "up" } }, "file"],
  ]);
  const curved = { name: "ratio", choices: null, curve: { x: [1, 2], low: -1 } };
  const map = served([{ part: "verdict", real: { structure: { y: [3, 4] }, values: [] } }], {
    predict: { shown: curved },
    settings: { page: "map" },
    judging: { id: "m" },
  });
  assert.deepEqual(await predicted(map), { heights: [3, 4] });
  assert.deepEqual(map.asked[0].slice(0, 2), [
    "page/map/reveal",
    { link: "n=2", id: "m", known: [], prediction: { name: "ratio", answer: [-1, -1] } },
  ]);
  const routes = ["explore", "why", "anatomy", "cost"].map(async (name) => {
    const one = served(judged, { predict: { shown }, settings: { page: name } });
    await predicted(one);
    return [one.asked[0][0], one.asked[0][1].reveal];
  });
  assert.deepEqual(await Promise.all(routes), [
    ["page/explore/reveal", undefined],
    ["page/why/curves", undefined],
    ["page/anatomy", true],
    ["page/cost", true],
  ]);
  await assert.rejects(predicted(served(judged)), /lesson.no_question/);
  await assert.rejects(predicted(served([{ part: "figures" }], { predict: { shown } })), /lesson.no_question/);
  await assert.rejects(predicted(served([{ part: "error", message: "full" }], { predict: { shown } })), /full/);
});

test("a question is answered once the page shows its state and the figures that it reads", async () => {
  const root = { dataset: { painted: "n=3" } };
  const block = { shown: table([1]) };
  const shows = (/** @type {object} */ more) => ({
    state: { canonical: "", present: "n=3" },
    answers: { telling: { root: { dataset: {} } } },
    text: keyed,
    figures: { of: () => ({ root, block }) },
    ...more,
  });
  await answering(/** @type {Loose} */ (shows({})), "n=3", TRUTH);
  await answering(/** @type {Loose} */ (shows({})), "n=9", { ...TRUTH, reveal: "page=explore&n=3&lang=ko" });
  const failed = { root: { dataset: { error: "not drawn" } }, block };
  await assert.rejects(
    answering(/** @type {Loose} */ (shows({ figures: { of: () => failed } })), "n=3", TRUTH),
    /not drawn/,
  );
});

test("curves of a class have places on their axes", () => {
  const own = { x: [1, 10, 100], low: 1, high: 100, log_x: true, log_y: true, x_label: "", y_label: "" };
  assert.deepEqual(
    acrossOf(own).map((one) => Number(one.toFixed(9))),
    [0, 0.5, 1],
  );
  assert.deepEqual(
    placesOf([0.1, 1, 10, 100, 1000], own).map((one) => Number(one.toFixed(9))),
    [0, 0, 0.5, 1, 1],
  );
  const asked = /** @type {Loose} */ ({ x: [0, 0.5, 1], x_label: "a", y_label: "b" });
  assert.equal(axes(asked, own), own);
  assert.deepEqual(axes({ ...asked, x: [0, 1] }, own), {
    x: [0, 1],
    low: 0,
    high: 1,
    log_x: false,
    log_y: false,
    x_label: "a",
    y_label: "b",
    bare_x: true,
    bare_y: true,
  });
  assert.deepEqual(axes({ ...asked, axes: { x: [2, 3, 4], low: 5, high: 6, log_y: true } }, null), {
    x: [2, 3, 4],
    low: 5,
    high: 6,
    log_x: false,
    log_y: true,
    x_label: "a",
    y_label: "b",
    bare_x: false,
    bare_y: false,
  });
  assert.deepEqual(axes(/** @type {Loose} */ ({}), null).x, []);
});

test("who moved is as thick as many moved, in the order of both ends", () => {
  const flow = { right_right: 2, right_wrong: 1, wrong_right: 3, wrong_wrong: 4 };
  assert.deepEqual(bands(flow, 108), [
    { move: "right_right", from: 0, to: 0, thick: 20 },
    { move: "right_wrong", from: 20, to: 58, thick: 10 },
    { move: "wrong_right", from: 38, to: 20, thick: 30 },
    { move: "wrong_wrong", from: 68, to: 68, thick: 40 },
  ]);
});

test("pages of a handout hold all blocks in their order, and none is empty that need not be", () => {
  const block = (/** @type {number} */ height, more = {}) => ({ height, flexible: 0, rooms: 0, turns: false, ...more });
  const cut = (/** @type {Loose[]} */ ...blocks) => sheets(blocks).map(({ first, end }) => [first, end]);
  assert.deepEqual(cut(), []);
  assert.deepEqual(cut(block(HIGH)), [[0, 1]]);
  assert.deepEqual(cut(block(500), block(445)), [[0, 2]]);
  assert.deepEqual(cut(block(600), block(346)), [
    [0, 1],
    [1, 2],
  ]);
  assert.deepEqual(cut(block(300), block(300, { turns: true }), block(300)), [
    [0, 1],
    [1, 3],
  ]);
  assert.deepEqual(cut(block(400), block(400), block(400), block(400)), [
    [0, 2],
    [2, 4],
  ]);
  assert.deepEqual(cut(block(600), block(600), block(200)), [
    [0, 1],
    [1, 3],
  ]);
  const fuller = cut(block(560), block(300), block(85), block(500));
  assert.deepEqual(fuller.at(0), [0, 3], "the fuller page is better");
  const large = cut(block(898, { flexible: 700 }), block(160), block(400));
  assert.deepEqual(large.at(0), [0, 1], "pictures stay large if the page is full without");
  const zoomed = sheets([block(600, { flexible: 500 }), block(400)]);
  assert.deepEqual(
    zoomed.map(({ end, zoom }) => [end, zoom]),
    [[2, 1 - 55 / 500]],
  );
  assert.deepEqual(sheets([block(600, { flexible: 200 }), block(400)]).length, 2, `smaller than ${LEAST}`);
  assert.deepEqual(
    sheets([block(2000)]).map(({ zoom }) => zoom),
    [LEAST],
  );
  const [grown] = sheets([block(400, { rooms: 2 })]);
  assert.ok(Math.abs(grown.gain - (0.66 * HIGH - 400)) < 1e-9);
  assert.equal(sheets([block(400)])[0].gain, 0);
  assert.equal(sheets([block(700, { rooms: 1 })])[0].gain, 0);
  const blocks = fc.array(
    fc.record({
      height: fc.integer({ min: 20, max: 900 }),
      flexible: fc.constant(0),
      rooms: fc.nat(1),
      turns: fc.boolean(),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(blocks, (all) => {
      const found = sheets(all);
      assert.deepEqual(
        found.flatMap(({ first, end }) => all.slice(first, end)),
        all,
      );
      for (const { first, end, zoom } of found) {
        const height = all.slice(first, end).reduce((sum, one) => sum + one.height, 0);
        assert.ok(zoom === 1 && height <= HIGH);
        assert.ok(all.slice(first + 1, end).every(({ turns }) => !turns));
      }
    }),
  );
});
