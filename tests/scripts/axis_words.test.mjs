/** Titles and ticks of axes that share a line: none is written over another, and none that stands nowhere else is missing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { panels } from "../../assets/js/figures/chart/frame.js";
import { labels } from "../../assets/js/figures/chart/labels.js";
import { width } from "../../assets/js/figures/chart/width.js";

/** @typedef {import("../../assets/js/figures/chart/words.js").Word} Word */

const HEADS = { title: { text: "head" }, range: [0.4, 8.6], tickmode: "linear", tick0: 1, dtick: 1 };
const TITLES = { left: ["entropy H (nats)", "H (nats)", "H"], right: ["effective keys eᴴ", "keys eᴴ"] };

/** The entropies of eight heads, with the keys in effect at their right, and another statistic beside them. */
const ENTROPY = {
  data: [],
  layout: {
    meta: { short: { yaxis: TITLES.left.slice(1), yaxis2: TITLES.right.slice(1) } },
    xaxis: { ...HEADS, domain: [0, 0.42], anchor: "y" },
    yaxis: { domain: [0, 1], anchor: "x", range: [0, 3.7], nticks: 7, title: { text: TITLES.left[0] } },
    yaxis2: {
      title: { text: TITLES.right[0] },
      overlaying: "y",
      side: "right",
      anchor: "x",
      range: [0, 3.7],
      tickmode: "array",
      tickvals: [0, 1, 2, 3, 4, 5].map((power) => power * Math.LN2),
      ticktext: ["1", "2", "4", "8", "16", "32"],
    },
    xaxis2: { ...HEADS, domain: [0.58, 1], anchor: "y3" },
    yaxis3: { domain: [0, 1], anchor: "x2", range: [0, 1.08], nticks: 6, title: { text: "1 − Σp" } },
    annotations: [{ text: "sink weight", xref: "x2 domain", yref: "y3 domain" }],
  },
};

/** The weights of one row, the sink behind the last of its keys. */
const ROW = {
  data: [],
  layout: {
    xaxis: {
      title: { text: "key" },
      range: [-0.5, 33.3],
      tickmode: "array",
      tickvals: [32.5, 0, 10, 20],
      ticktext: ["sink", "0", "10", "20"],
    },
    yaxis: { range: [0, 0.7], nticks: 5, title: { text: "weight" } },
  },
};

/** @param {object} drawing @param {number} wide @param {number} high @param {number} em */
function written(drawing, wide, high, em) {
  const read = /** @type {import("../../assets/types/plotly.js").Drawing} */ (drawing);
  return labels(read, panels(read.layout, read.data, { width: wide, height: high }, em), em);
}

/** Return where a word begins and ends. @param {Word} word @param {number} em */
function ends({ text, x, align }, em) {
  const length = width(text) * em;
  const left = x - { start: 0, middle: length / 2, end: length }[align];
  return [left, left + length];
}

test("the titles of a left and a right axis are apart, and both are there", () => {
  for (const em of [12, 18, 26]) {
    for (let wide = 14 * em; wide <= 70 * em; wide += em / 2) {
      const words = written(ENTROPY, wide, 14 * em, em);
      const left = words.find(({ kind, text }) => kind === "title" && TITLES.left.includes(text));
      const right = words.find(({ kind, text }) => kind === "title" && TITLES.right.includes(text));
      if (!left || !right) throw new Error(`${wide} wide`);
      assert.ok(ends(right, em)[0] - ends(left, em)[1] >= 0.5 * em, `${left.text} ${right.text}, ${wide / em} em wide`);
    }
  }
});

test("the ticks at the right of a panel are apart from those at the left of the next", () => {
  for (const em of [12, 26]) {
    const words = written(ENTROPY, 26 * em, 15 * em, em).filter(({ kind }) => kind === "tick");
    const right = words.filter(({ align, text }) => align === "start" && text === "16");
    const next = words.filter(({ align, x }) => align === "end" && x > right[0].x);
    assert.ok(next.length > 1);
    const gap = Math.min(...next.map((word) => ends(word, em)[0])) - ends(right[0], em)[1];
    assert.ok(gap >= 0.8 * em, `${gap} pixels`);
  }
});

test("in a tall figure every head has its tick, and the title of the axis a line of its own", () => {
  const words = written(ENTROPY, 80 * 12, 30 * 12, 12);
  assert.deepEqual(
    words.filter(({ kind, align }) => kind === "tick" && align === "middle").map(({ text }) => text),
    [..."1234567812345678"],
  );
  assert.equal(words.filter(({ text }) => text === "head").length, 2);
});

test("a bar that has a name among numbers keeps it at every height", () => {
  for (const high of [70, 120, 160, 190, 260]) {
    const words = written(ROW, 200, high, 12).map(({ text }) => text);
    assert.ok(words.includes("sink") && words.includes("key"), `${high} high: ${words}`);
  }
});

/** The terms of a score, each with its components, and what the others together are. @param {string[]} names */
const terms = (names) => ({
  data: [{ type: "bar", x: names.map((_name, i) => i), y: names.map(() => 1) }],
  layout: {
    xaxis: {
      title: { text: "q와 k의 성분" },
      range: [-0.6, names.length - 0.4],
      tickmode: "array",
      tickvals: names.map((_name, i) => i),
      ticktext: names,
    },
    yaxis: { range: [0, 6], nticks: 5, title: { text: "part of the score" } },
  },
});

test("short names stand under every bar, and the last makes no way for the name of the axis", () => {
  const names = ["2", "11", "13", "1", "4", "12", "5", "15", "+8"];
  for (const [wide, high] of [
    [270, 130],
    [300, 150],
    [260, 190],
  ]) {
    const words = written(terms(names), wide, high, 12);
    const ticks = words.filter(({ kind, align }) => kind === "tick" && align === "middle");
    assert.deepEqual(
      ticks.map(({ text }) => text),
      names,
      `${wide} × ${high}`,
    );
    ticks.slice(1).forEach((word, i) => assert.ok(ends(word, 12)[0] > ends(ticks[i], 12)[1], `${wide}: ${word.text}`));
  }
});

test("names that are longer than their bars are left out by turns and never meet", () => {
  const names = ["4+12", "3+11", "1+9", "8+16", "7+15", "2+10", "6+14", "5+13"];
  const words = written(terms(names), 270, 150, 12).filter(({ kind, align }) => kind === "tick" && align === "middle");
  assert.ok(words.length > 2 && words.length < names.length);
  words.slice(1).forEach((word, i) => assert.ok(ends(word, 12)[0] > ends(words[i], 12)[1], word.text));
});
