/** What of a map is seen, as its link says it, and what the visitor brings for one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { State } from "../../assets/js/link/state.js";
import { Brought } from "../../assets/js/pages/map/brought.js";
import { Model } from "../../assets/js/pages/map/model.js";
import { Sight } from "../../assets/js/pages/map/sight.js";
import { sinkName } from "../../assets/js/pages/map/sinks.js";
import { ViewLink } from "../../assets/js/pages/map/view_link.js";

/** @typedef {import("../../assets/js/link/values.js").Values} Values */

/** @type {Values} in the order of a link */
const DEFAULTS = {
  n: 100,
  source: "gaussian",
  text: "",
  mask: "none",
  head: 1,
  row: null,
  colour: "log",
  pooling: "average",
  left: 0,
  top: 0,
  across: 0,
  page: "map",
  lang: "en",
};

/** Return the link of a page that the server has answered, with what it says. @param {boolean} [allowed] false: another leads the page */
function viewed(allowed = true) {
  const state = new State("map", DEFAULTS);
  [state.canonical, state.canonicalValues] = ["n=50&page=map", { ...state.values, n: 50 }];
  state.values = { ...state.values, n: 50 };
  /** @type {unknown[]} */
  const heard = [];
  const page = {
    settings: { defaults: DEFAULTS },
    state,
    leader: { allows: (/** @type {string} */ wish) => wish === "move" && allowed },
    presence: { arrive: (/** @type {string} */ link) => heard.push(link) },
  };
  return { state, heard, link: new ViewLink(page, (change) => heard.push(change)) };
}

test("another view is in the link, in the address and in the values, and those who follow hear it last", () => {
  const { state, heard, link } = viewed();
  link.see({ head: 2, left: 12.5 });
  assert.equal(state.canonical, "n=50&head=2&left=12.5&page=map");
  assert.deepEqual(heard, ["n=50&head=2&left=12.5&page=map", { head: 2, left: 12.5 }]);
  const values = [state.values, state.agreed].map(({ head, left, n }) => [head, left, n]);
  assert.deepEqual(values, [
    [2, 12.5, 50],
    [2, 12.5, 50],
  ]);
  assert.equal(link.of({ left: 0, across: 20 }), "n=50&head=2&across=20&page=map", "of another window");
  assert.equal(state.canonical, "n=50&head=2&left=12.5&page=map", "which is not seen yet");
});

test("a page that another leads keeps its view", () => {
  const { state, heard, link } = viewed(false);
  link.see({ head: 2 });
  assert.deepEqual([state.canonical, state.values.head, heard], ["n=50&page=map", 1, []]);
});

test("a link of the same map is seen at once; one of another map, or without any, is not", () => {
  const { state, heard, link } = viewed();
  assert.equal(link.adopt({ ...DEFAULTS, n: 51, head: 2 }), false, "another map");
  assert.deepEqual(heard, []);
  assert.equal(link.adopt({ ...DEFAULTS, n: 50, head: 3, row: 7 }), true);
  assert.equal(state.canonical, "n=50&head=3&row=7&page=map");
  state.canonical = null;
  assert.equal(link.adopt({ ...DEFAULTS, n: 50, head: 4 }), false, "before the first answer");
});

test("an answer keeps the view that the visitor has chosen meanwhile", () => {
  const { state, link } = viewed();
  const answer = () =>
    /** @type {import("../../assets/types/wire.js").State} */ (
      /** @type {unknown} */ ({
        query: "n=50&mask=causal&page=map",
        controls: { ...state.values, mask: "causal", head: 1 },
      })
    );
  link.see({ head: 3 });
  const late = answer();
  link.keep(late);
  assert.deepEqual(
    [late.query, late.controls.head, late.controls.mask],
    ["n=50&mask=causal&head=3&page=map", 3, "causal"],
  );
  state.canonical = null;
  const first = answer();
  link.keep(first);
  assert.deepEqual(first, answer(), "the first answer says what is seen");
});

test("another sequence is seen whole, in the same head and looks", () => {
  const { link } = viewed();
  link.see({ head: 2, colour: "linear", row: 3, left: 5, top: 6, across: 7 });
  assert.deepEqual(link.whole, { ...DEFAULTS, n: 50, head: 2, colour: "linear" });
});

/** Return a map of 40 queries and keys and two heads. */
function model() {
  const title = { title: { text: "" } };
  const colours = { cmin: 0, cmax: 1, colorscale: /** @type {[number, string][]} */ ([]) };
  const look = { xaxis: title, yaxis: title, coloraxis: colours, strips: [], average: "", maximum: "" };
  const edges = { row_edges: [0, 40], column_edges: [0, 40] };
  const header = { id: "m", heads: 2, n_q: 40, n_k: 40, bins_q: 1, bins_k: 1, ...edges, cut: [] };
  return new Model(header, { look, ceiling: [] });
}

/** Return what is seen of a page without a map, its state, and the windows that were written to the link. */
function seen() {
  const state = new State("map", DEFAULTS);
  /** @type {unknown[]} */
  const written = [];
  const sight = new Sight(state, (window) => {
    written.push(window);
    Object.assign(state.values, window);
  });
  return { state, written, sight };
}

test("a window that rests is written in hundredths and shown as it is written", () => {
  const { written, sight } = seen();
  sight.open(model());
  assert.deepEqual(sight.view, { left: 0, top: 0, across: 40, down: 40 });
  sight.move({ left: 1.234, top: 2, across: 10, down: 10 });
  assert.deepEqual([sight.view.left, written], [1.234, []], "it moves at once, the link later");
  sight.settle();
  sight.settle();
  assert.deepEqual(written, [{ left: 1.23, top: 2, across: 10 }], "once");
  assert.equal(sight.view.left, 1.23);
});

test("a window that moves is newer than the link, and is written before another map is shown", () => {
  const { state, written, sight } = seen();
  sight.open(model());
  sight.move({ left: 5, top: 5, across: 10, down: 10 });
  state.values.left = 30;
  sight.follow();
  assert.equal(sight.view.left, 5);
  sight.open(model());
  assert.deepEqual(written, [{ left: 5, top: 5, across: 10 }]);
  state.values.left = 20;
  sight.follow();
  assert.equal(sight.view.left, 20, "a window at rest follows");
});

test("a head that the map does not have is the nearest that it has", () => {
  const { state, sight } = seen();
  state.values.head = 7;
  assert.equal(sight.head, 1, "without a map");
  sight.open(model());
  assert.equal(sight.head, 2);
  state.values.head = 0;
  assert.equal(sight.head, 1);
});

test("what counts of a mask is what the server has read", () => {
  const { state, sight } = seen();
  state.values.mask = "causal";
  assert.equal(sight.masked, true);
  state.canonicalValues = { ...state.values, mask: "none" };
  assert.equal(sight.masked, false);
});

test("a file and a long text travel beside the link as long as it names them, and are told apart from those before", () => {
  const state = new State("map", DEFAULTS);
  /** @type {unknown[]} */
  const moves = [];
  const brought = new Brought(state, (change, tellControls) => {
    moves.push([change, tellControls, brought.version]);
    Object.assign(state.values, change);
  });
  const [file, long] = [Uint8Array.of(1), Uint8Array.of(2)];
  brought.useFile(file);
  assert.equal(brought.enclosed, file);
  brought.useText("", long);
  assert.equal(brought.enclosed, file, "the link still names the file");
  state.values.source = "text";
  assert.equal(brought.enclosed, long);
  brought.useText("short", null);
  assert.equal(brought.enclosed, null);
  state.values.source = "gaussian";
  assert.equal(brought.enclosed, null);
  assert.deepEqual(moves, [
    [{ source: "upload" }, true, 1],
    [{ text: "" }, false, 2],
    [{ text: "short" }, false, 3],
  ]);
});

test("what another page handed over is the long text of a link that names a text", () => {
  const state = new State("map", DEFAULTS);
  const brought = new Brought(state, () => {});
  state.upload = Uint8Array.of(3);
  brought.inherit();
  state.values.source = "text";
  assert.deepEqual(brought.enclosed, state.upload);
});

test("a sink is named by its key and its share in percent", () => {
  const name = sinkName((key, { key: at, share }) => `${key} ${at} ${share}`);
  assert.equal(name({ key: 4, share: 0.25 }), "figure.map.sink 4 25");
});
