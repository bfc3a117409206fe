/** What a room sends and reads: the newest state, events of a stream, codes, links. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOf } from "../../assets/js/lesson/lesson.js";
import { readCode } from "../../assets/js/room/code_field.js";
import { acrossOf, placesOf } from "../../assets/js/lesson/curve.js";
import { Events } from "../../assets/js/room/events.js";
import { again, alike, covers, suspicious, takes, withOwn } from "../../assets/js/lead/message.js";
import { Newest } from "../../assets/js/room/newest.js";
import { mixed, typed } from "../../assets/js/room/way_in.js";

/** Let all ready work finish. */
const settled = () => new Promise((resolve) => setImmediate(() => resolve(null)));

/** A sender with a clock of its own. @param {(state: Record<string, unknown>) => number | null} answer */
function sender(answer) {
  /** @type {Record<string, unknown>[]} */
  const sent = [];
  /** @type {{at: number, then: () => void}[]} */
  const timers = [];
  let now = 0;
  const newest = new Newest(
    async (state) => {
      sent.push(state);
      return answer(state);
    },
    { now: () => now, later: (then, wait) => timers.push({ at: now + wait, then }) },
  );
  /** @param {number} to */
  const until = async (to) => {
    for (;;) {
      await settled();
      const next = timers
        .filter(({ at }) => at <= to)
        .sort((a, b) => a.at - b.at)
        .at(0);
      if (!next) break;
      timers.splice(timers.indexOf(next), 1);
      now = Math.max(now, next.at);
      next.then();
    }
    now = to;
  };
  return { newest, sent, until };
}

test("of many states at most five a second are sent, the newest of them, and the last arrives", async () => {
  const { newest, sent, until } = sender(() => null);
  for (let n = 0; n <= 100; n += 1) {
    await until(n * 10);
    newest.want({ link: `n=${n}`, ...(n === 50 ? { locked: true } : {}) });
  }
  await until(3000);
  assert.ok(sent.length <= 7);
  assert.deepEqual(sent[0], { link: "n=0" });
  assert.equal(sent.at(-1)?.link, "n=100");
  assert.equal(sent.filter(({ locked }) => locked).length, 1);
});

test("a state that did not arrive is sent again, under what is newer", async () => {
  const answers = [700, null, null];
  const { newest, sent, until } = sender(() => answers.shift() ?? null);
  newest.want({ link: "n=1", locked: true });
  await until(100);
  newest.want({ link: "n=2" });
  await until(600);
  assert.equal(sent.length, 1);
  await until(2000);
  assert.deepEqual(sent.slice(1), [{ link: "n=2", locked: true }]);
});

test("a sender that stops sends nothing that waits, and is still when what was under way has ended", async () => {
  for (const answer of [null, 700]) {
    /** @type {(answer: number | null) => void} */
    let arrives = () => {};
    /** @type {unknown[]} */
    const sent = [];
    const newest = new Newest((state) => (sent.push(state), new Promise((resolve) => (arrives = resolve))), {
      apart: 0,
    });
    newest.want({ link: "n=1" });
    newest.want({ link: "n=2" });
    let still = false;
    const stopped = newest.stop().then(() => (still = true));
    await settled();
    assert.equal(still, false, "a state is on its way");
    newest.want({ link: "n=3" }); // wanted since
    arrives(answer);
    await stopped;
    await settled();
    assert.deepEqual(sent, [{ link: "n=1" }, { link: "n=3" }]);
  }
});

test("events are read wherever a stream is cut", () => {
  const stream = 'retry: 2000\n\nid: 17\ndata: {"a": ": b"}\n\n: beat\n\nevent: end\ndata: {}\n\n';
  const wanted = [
    { event: "message", data: '{"a": ": b"}', id: "17" },
    { event: "end", data: "{}", id: "" },
  ];
  for (let at = 0; at <= stream.length; at += 1) {
    const events = new Events();
    assert.deepEqual([...events.take(stream.slice(0, at)), ...events.take(stream.slice(at))], wanted);
  }
});

test("a code is read as it is written on a board", () => {
  assert.equal(readCode("cdf ghj"), "CDFGHJ");
  assert.equal(readCode("CDF-GHJ"), "CDFGHJ");
  for (const none of ["", "CDFGH", "CDFGHJK", "CDFGH0", "ABCDEF"]) assert.equal(readCode(none), null);
});

test("two links are alike whatever language and layout they name", () => {
  assert.ok(alike("page=why&n=16", "n=16&page=why&lang=ko&columns=2"));
  assert.ok(!alike("page=why&n=16", "page=why&n=17"));
  assert.equal(withOwn("n=16", { columns: 3, present: 1 }), "n=16&columns=3&present=1");
  assert.equal(withOwn("n=16", { columns: 0, present: 0 }), "n=16");
});

test("a question takes answers in two phases, covers its page until the reveal, and is asked again without losing a vote", () => {
  /** @type {import("../../assets/js/lead/message.js").Question} */
  const question = { id: "q", kind: "choice", text: "?", answers: ["a"], phase: "open", round: 1 };
  const own = { ...question, prediction: { page: "why", name: "why_falls" } };
  assert.deepEqual(
    /** @type {const} */ (["open", "closed", "discuss", "reveal"]).map((phase) => takes({ ...question, phase })),
    [true, false, true, false],
  );
  assert.ok(covers(own, "why"));
  assert.ok(!covers(own, "explore"));
  assert.ok(!covers({ ...own, phase: "reveal" }, "why"));
  assert.ok(!covers(question, "why"));
  assert.ok(!covers(null, "why"));
  assert.deepEqual(again(own, 3), own);
  const results = { first: { answers: 3, counts: [3] }, second: null, truth: 0 };
  assert.deepEqual(again({ ...own, phase: "reveal", results }, 3), { ...own, phase: "reveal", results });
  assert.deepEqual(again({ ...own, phase: "closed" }, 3), own);
  const second = { ...own, phase: /** @type {const} */ ("discuss"), round: /** @type {const} */ (2) };
  for (const lost of [second, { ...second, phase: /** @type {const} */ ("closed") }]) {
    assert.deepEqual(again(lost, 3), { ...second, first: 3 });
  }
  assert.equal(again(null, 0), null);
});

test("a page's curve becomes places on its axes", () => {
  const curve = { x: [1, 4, 16], low: 0, high: 2, log_x: true, log_y: false, x_label: "", y_label: "" };
  assert.deepEqual(acrossOf(curve), [0, 0.5, 1]);
  assert.deepEqual(placesOf([0, 1, 5], curve), [0, 0.5, 1]);
});

test("of the teacher's own lesson a room says what it takes, and nothing of a shipped one", () => {
  const step = { link: "n=8", text: { en: "Look", ko: " " }, focus: "entropy" };
  const lesson = { title: { en: "Mine" }, steps: [step, step] };
  const words = { title: { en: "Mine" }, text: { en: "Look" }, steps: 2, focus: "entropy" };
  assert.deepEqual(wordsOf("own", lesson, step), words);
  assert.equal(wordsOf("heads", lesson, step), null);
  assert.equal(wordsOf("linked", lesson, { ...step, text: { en: "a".repeat(601) } }), null);
  assert.equal(wordsOf("own", { ...lesson, title: {} }, step), null);
});

test("an address is typed without what a browser adds", () => {
  assert.equal(typed("https://school.example/headlight/?room=YDGWGH#x"), "school.example/headlight/");
  assert.equal(typed("http://192.168.1.5:7860/"), "192.168.1.5:7860/");
  assert.equal(typed("https://school.example/lab/index.html"), "school.example/lab/");
});

test("a sentence keeps its order around its nodes, and its text is no markup", () => {
  const node = (/** @type {string} */ name) => () => /** @type {Node} */ (/** @type {unknown} */ ({ name }));
  assert.deepEqual(
    mixed("open a/b, press \u0001 <b> and type CODE.", {
      "\u0001": node("icon"),
      "a/b": node("host"),
      CODE: node("code"),
    }),
    ["open ", { name: "host" }, ", press ", { name: "icon" }, " <b> and type ", { name: "code" }, "."],
  );
});

test("a teacher is told of answers whose pages have gone only if they are many", () => {
  const message = /** @type {import("../../assets/js/lead/message.js").Message} */ ({});
  assert.equal(suspicious(message, 1), 0);
  assert.equal(suspicious({ ...message, answered: [30, 0], gone: [10, 0] }, 1), 0, "some phones were locked");
  assert.equal(suspicious({ ...message, answered: [1000, 2], gone: [999, 0] }, 1), 999);
  assert.equal(suspicious({ ...message, answered: [1000, 2], gone: [999, 0] }, 2), 0);
});
