/** A page as its parts together: a move, its rules, gradio's buttons, the way to a link; and what a drag is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "./properties.mjs";
import { Time, standIn } from "./stand_in.mjs";

const { location } = standIn("?n=5");
const { Drag } = await import("../../assets/js/page/drag.js");
const { LivePage } = await import("../../assets/js/page/live_page.js");

const DEFAULTS = { n: 4, seed: 0, source: "gaussian", lang: "en", present: 0, hide: "", focus: "" };
const SETTINGS = {
  page: "why",
  first: "explore",
  defaults: DEFAULTS,
  controls: [],
  texts: [],
  figures: [],
  seedMaximum: 10,
};

/** Return a page that nothing has built, whose server is never asked, and what happens on it in order. */
function page() {
  /** @type {unknown[]} */
  const story = [];
  const texts = { lang: "ko", of: (/** @type {string} */ key) => `${key} {n}` };
  const one = new LivePage(/** @type {Loose} */ (SETTINGS), /** @type {Loose} */ ({ texts, later: () => "later" }));
  one.updates.ask = async (asked) => void story.push(["ask", asked]);
  one.controls.tell = () => void story.push("tell");
  one.controls.onFit(() => void story.push("fit"));
  one.presenter.show = (look) => void ((one.presenter.look = look), story.push(["look", look.focus]));
  const { rules } = one.controls;
  rules.moving = (values) => void story.push(["moving", one.state.values.n, values.n]);
  rules.moved = () => void story.push(["moved", one.state.values.n]);
  return { one, story, values: one.state.values };
}

test("a page speaks its visitor's language from the start", () => {
  const { one, values } = page();
  assert.equal(values.lang, "ko");
  assert.equal(one.text("key", { n: 3 }), "key 3");
  assert.equal(one.presence.later, "later");
});

test("a move tells its rules before and after, and asks for the controls' link", () => {
  for (const tells of [true, false]) {
    const { one, story, values } = page();
    one.move({ ...values, n: 7 }, tells);
    const ask = ["ask", one.updates.link()];
    assert.deepEqual(story, [["moving", 4, 7], ...(tells ? ["tell"] : []), "fit", ask, ["moved", 7]]);
    assert.match(one.updates.link(), /\bn=7\b/);
  }
});

test("an answer ends a failure from before its question, and none that came since", async () => {
  for (const since of [false, true]) {
    const texts = { lang: "en", of: (/** @type {string} */ key) => key };
    const one = new LivePage(/** @type {Loose} */ (SETTINGS), /** @type {Loose} */ ({ texts, later: () => "later" }));
    one.answers.rules.took = async () => {};
    one.updates.opened = () => {};
    one.updates.body = () => ({});
    let end = () => {};
    const body = new ReadableStream({ start: (controller) => void (end = () => controller.close()) });
    one.server.ask = async () => /** @type {Loose} */ ({ body });
    one.message.fail("before");
    const answered = one.updates.ask("n=6");
    if (since) one.message.fail("there is no such lesson");
    end();
    await answered;

    assert.equal(one.message.error.hidden, !since);
    assert.equal(one.message.error.textContent, since ? "there is no such lesson" : "");
  }
});

test("a move changes nothing of what a class sees", () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 1), fc.constantFrom("", "mask"), fc.constantFrom("", "sweep"), (...look) => {
      const { one, values } = page();
      const [present, hide, focus] = look;
      one.state.values = { ...values, present, hide, focus };
      one.move({ ...values, n: 9, present: 1 - present, hide: "seed", focus: "entropy" }, false);
      assert.deepEqual({ ...one.state.values }, { ...values, n: 9, present, hide, focus });
    }),
  );
});

test("a move that is refused gives the controls back, and tells no rule; a program's move is none", () => {
  const { one, story, values } = page();
  one.leader.could = () => false;
  one.move({ ...values, n: 7 }, false);
  assert.deepEqual([story.splice(0), one.state.values], [["tell"], values]);
  one.leader.guide(() => one.move({ ...values, n: 7 }, false));
  assert.equal(one.state.values.n, 7);
});

test("a state that waits for a file asks for nothing", () => {
  const { one, story, values } = page();
  one.updates.rules.waits = () => one.state.values.source === "upload";
  one.move({ ...values, source: "upload" }, false);
  assert.deepEqual(story, [["moving", 4, 4], "fit", ["moved", 4]]);
});

test("gradio's buttons do what was said of them, and an unknown one is an error", () => {
  const { one, story } = page();
  one.controls.onPress("pin", () => void story.push("pinned"));
  one.controls.pressed("pin");
  assert.deepEqual(story.splice(0), ["pinned"]);
  const seeds = new Set(Array.from({ length: 200 }, () => (one.controls.pressed("new_draw"), one.state.values.seed)));
  assert.deepEqual([...seeds].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.throws(() => one.controls.pressed("other"), /other/);
});

test("the link of this page is adopted with its look and without its language; another page is turned to", async () => {
  const { one, story } = page();
  /** @type {unknown[]} */
  const turned = [];
  one.ways.turnTo = async (...all) => void turned.push(all);
  one.leader.could = () => false; // who leads decides, not the visitor
  await one.ways.goTo("page=why&n=8&focus=sweep&lang=en");
  const { n, focus, lang } = one.state.values;
  assert.deepEqual([n, focus, lang, story[0]], [8, "sweep", "ko", ["look", "sweep"]]);
  one.ways.rules.adopt = (values) => void story.push(["adopt", values.n]);
  await one.ways.goTo("page=why&n=9");
  assert.deepEqual(story.at(-1), ["adopt", 9]);
  await one.ways.goTo("n=3", { room: "A" });
  assert.deepEqual(turned, [["n=3", false, { room: "A" }]]);
});

test("what the visitor wants to see is shown, and refused while another leads, but for large type", () => {
  const { one, story } = page();
  const look = { present: 0, hide: ["mask"], focus: "" };
  one.presenter.look = { present: 0, hide: [], focus: "" };
  one.leader.could = () => false;
  one.presenter.wish(look);
  assert.deepEqual(story, []);
  one.presenter.wish({ present: 1, hide: [], focus: "" });
  assert.deepEqual(story.splice(0), [
    ["look", ""],
    ["ask", "n=5&present=1"],
  ]);
  one.leader.could = () => true;
  one.state.canonicalValues = one.state.values;
  one.presenter.wish(look);
  assert.equal(one.state.values.hide, "mask");
  assert.equal(new URLSearchParams(String(/** @type {string[]} */ (story.at(-1))[1])).get("hide"), "mask");
});

test("the fields of a request are the page's, then those of who asks", () => {
  const { one } = page();
  Object.assign(globalThis, { matchMedia: () => ({ matches: true }) });
  Object.assign(location, { origin: "http://page" });
  assert.deepEqual(one.updates.body("n=2", { known: [], columns: 3 }), {
    query: "n=2",
    theme: "dark",
    columns: 3,
    address: "http://page/",
    known: [],
  });
});

test("a second move soon after the first is a drag until it rests, whatever its pauses", async () => {
  const time = new Time();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 }), async (pauses) => {
      let rested = 0;
      const drag = new Drag(() => (rested += 1));
      drag.move();
      assert.equal(drag.light, false, "the first is none");
      let due = 0;
      for (const pause of pauses) {
        const was = drag.light;
        await time.pass(pause);
        due += Number(was && pause >= 180);
        assert.equal(rested, due, "what a drag left out is asked for once, when it rests");
        drag.move();
        assert.equal(drag.light, pause < 180);
      }
      await time.pass(1000);
      assert.equal(drag.light, false);
    }),
  );
});
