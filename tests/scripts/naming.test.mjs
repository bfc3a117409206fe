/** Names of the marks of the figure "Factor", for every width of a head. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { panels } from "../../assets/js/figures/chart/frame.js";
import { labels } from "../../assets/js/figures/chart/labels.js";
import { meet, sides } from "../../assets/js/figures/chart/naming.js";

const NAMES = ["1/d<sub>k</sub>", "1/√d<sub>k</sub>", "1"];
/** Width and height of the figure's area, and height of its text: of a screen, a talk, a phone, and beside a verdict. */
const ROOMS = /** @type {const} */ ([
  [1000, 330, 12],
  [560, 330, 12],
  [1230, 380, 18],
  [1850, 620, 26],
  [360, 420, 12],
  [820, 200, 12],
  [300, 150, 12],
  [1465, 530, 24],
  [260, 200, 12],
  [250, 155, 12],
  [250, 130, 12],
  [310, 170, 12],
]);
/** The farthest that a name stands from its mark, in heights of the text. */
const BY = 1.6;

/**
 * The figure's layout, with a curve that falls where the scores' spread reaches some size.
 * @param {number} d_k @param {number} reach
 * @returns {import("../../assets/types/plotly.js").Drawing}
 */
function factor(d_k, reach) {
  const across = {
    type: "log",
    range: [Math.log10(2 ** -12), Math.log10(16)],
    dtick: 1,
    title: { text: "factor on the scores" },
  };
  const x = [1 / d_k, 1 / Math.sqrt(d_k), 1];
  const y = x.map((one) => 3.47 / (1 + (one * Math.sqrt(d_k)) / reach) ** 2);
  const drawing = {
    data: [
      {
        mode: "markers+text",
        x,
        y,
        text: NAMES,
        textposition: ["bottom left", "bottom left", "top right"],
        xaxis: "x",
        yaxis: "y",
      },
      {
        mode: "markers+text",
        x: [x[1]],
        y: [0.45],
        text: [NAMES[1]],
        textposition: ["top left"],
        xaxis: "x2",
        yaxis: "y2",
      },
    ],
    layout: {
      xaxis: { ...across, domain: [0, 0.45], anchor: "y" },
      xaxis2: { ...across, domain: [0.55, 1], anchor: "y2" },
      yaxis: { domain: [0, 1], anchor: "x", range: [0, 1.12 * 3.47], nticks: 7, title: { text: "H (nats)" } },
      yaxis2: { domain: [0, 1], anchor: "x2", range: [0, 1.05], nticks: 6 },
      annotations: [
        { text: "entropy H (nats)", xref: "x domain", yref: "y domain" },
        { text: "weights and their Jacobian", xref: "x2 domain", yref: "y2 domain" },
      ],
    },
  };
  return /** @type {import("../../assets/types/plotly.js").Drawing} */ (/** @type {unknown} */ (drawing)); // what a label needs
}

/**
 * Return true if a name stands as near to another mark as to its own, or far from all; marks that lie together share their room.
 * @param {import("../../assets/types/plotly.js").Drawing} drawing @param {import("../../assets/js/figures/chart/frame.js").Panel[]} places
 * @param {import("../../assets/js/figures/chart/words.js").Word} note @param {number} em
 */
function misread(drawing, places, note, em) {
  const panel = places.find(
    ({ box }) => box.left <= note.x && note.x <= box.right && box.top <= note.y && note.y <= box.bottom,
  );
  const trace = drawing.data.find(({ xaxis }) => xaxis === panel?.x);
  if (!panel || !trace) throw new Error(note.text);
  const room = sides(note, em);
  const marks = Array.from(trace.x ?? [], (x, i) => [
    panel.across.pixel(Number(x)),
    panel.up.pixel(Number(trace.y?.[i])),
  ]);
  const away = marks.map(([across, up]) =>
    Math.hypot(Math.max(room.left - across, across - room.right, 0), Math.max(room.top - up, up - room.bottom, 0)),
  );
  const at = Array.from(trace.text ?? []).indexOf(note.text);
  const own = away[at];
  return (
    own > BY * em ||
    marks.some((mark, i) => {
      const together = Math.hypot(mark[0] - marks[at][0], mark[1] - marks[at][1]) < 1.5 * em;
      return i !== at && away[i] < own + (together ? -0.25 : 0.25) * em - 1e-3;
    })
  );
}

test("no name lies over another, a tick or a heading, none is read as another mark's, and none is missing, for any d_k", () => {
  for (const [width, height, em] of ROOMS) {
    for (let d_k = 1; d_k <= 1024; d_k += d_k < 64 ? 1 : 7) {
      for (const reach of [0.3, 2, 20]) {
        const drawing = factor(d_k, reach);
        const places = panels(drawing.layout, drawing.data, { width, height }, em);
        const words = labels(drawing, places, em);
        const numbered = words.filter(({ kind, align }) => kind === "tick" && align === "middle");
        assert.ok(
          height < 300 || numbered.length >= 4 * places.length,
          `${numbered.length} ticks in ${width} × ${height}`,
        );
        const notes = words.filter(({ kind }) => kind === "note");
        const at = `d_k ${d_k} in ${width} × ${height}`;
        // a small figure has no room for every name; nor have marks that lie together: a name is its mark's or is missing
        assert.ok(notes.length >= (height < 200 || width < 300 ? 2 : 3), at);
        const roomy = height >= 200 && width >= 300 && d_k >= 4;
        if (roomy) assert.deepEqual(notes.map(({ text }) => text).sort(), [...NAMES, NAMES[1]].sort(), at);
        for (const note of notes) assert.ok(!misread(drawing, places, note, em), `${at}: ${note.text} is another's`);
        for (const note of notes) {
          for (const other of words) {
            const over = other !== note && meet(sides(note, em), sides(other, em));
            assert.ok(!over, `${at}: ${note.text} over ${other.text}`);
          }
        }
      }
    }
  }
});
