/** What a lesson and a class's results look like, as markup; keys, and what is kept of a lesson. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "./properties.mjs";
import { blank, isBlank, unblank } from "../../assets/js/lesson/blank.js";
import { distribution } from "../../assets/js/lesson/distribution.js";
import { draft, isDraft, keepDraft, written as filed } from "../../assets/js/lesson/draft.js";
import { sentences } from "../../assets/js/lesson/files.js";
import { flow } from "../../assets/js/lesson/flow.js";
import { hear, heard, sawText, sees } from "../../assets/js/lesson/heard.js";
import { stateHere } from "../../assets/js/lesson/here.js";
import { meant } from "../../assets/js/lesson/keys.js";
import { isShipped, spoken, wordsOf } from "../../assets/js/lesson/lesson.js";
import { inline, onOneLine, plainly, written } from "../../assets/js/lesson/markdown.js";
import { opened } from "../../assets/js/lesson/opened.js";
import { leadsAway } from "../../assets/js/lesson/own_link.js";
import { MOST, fragment, packedIn } from "../../assets/js/lesson/packing.js";
import { Asked, asDrawn, axes as axesOf, measuredBy, untouched } from "../../assets/js/lesson/question.js";
import { inLanguage } from "../../assets/js/lesson/room_words.js";
import { asks, pageIn, repainted, settled as shows, state } from "../../assets/js/lesson/settled.js";
import { Sitting } from "../../assets/js/lesson/sitting.js";
import { StandIn, Time, focusedOne, keyed, standIn } from "./stand_in.mjs";

const { document, location, localStorage, sessionStorage } = standIn();

/** @param {Loose[]} nodes */
const markup = (nodes) => nodes.map((one) => (typeof one === "string" ? one : one.markup)).join("");

test("a small Markdown: paragraphs, lists, emphasis, code, and nothing else", () => {
  for (const [text, shown] of [
    ["", ""],
    ["one\ntwo", "<p>one two</p>"],
    ["one\r\n\r\n  two ", "<p>one</p><p>two</p>"],
    ["*soft* and **strong** and `*code*`", "<p><em>soft</em> and <strong>strong</strong> and <code>*code*</code></p>"],
    ["2*3*4 and a * b * c, x*y*", "<p>2*3*4 and a * b * c, x*y*</p>"],
    [
      "- one\n* two\n  more\n1. three\n2) four",
      "<ul><li>one</li><li>two more</li></ul><ol><li>three</li><li>four</li></ol>",
    ],
    ["said\n- one\n\n- two", "<p>said</p><ul><li>one</li></ul><ul><li>two</li></ul>"],
    ["-none\n123. none", "<p>-none 123. none</p>"],
    ["<b>bold</b> [link](x)", "<p><b>bold</b> [link](x)</p>"],
  ]) {
    assert.equal(markup(written(text)), shown);
  }
  assert.equal(markup(inline("a **b c** d")), "a <strong>b c</strong> d");
  assert.match(markup(inline("*√d_k* `√d_k`")), /^<em><.*><\/em> <code>√d_k<\/code>$/);
  assert.equal(onOneLine("  a\n\tb  c "), "a b c");
  assert.equal(plainly(" *a* **b**\n`c` "), "a b c");
  fc.assert(
    fc.property(fc.string(), (text) => {
      const all = written(text).flatMap((/** @type {Loose} */ one) => [one, ...one.all()]);
      const known = ["p", "ul", "ol", "li", "em", "strong", "code", "span", "sub", "sup", "i", "b", "var"];
      assert.ok(
        all.every(({ localName }) => known.includes(localName)),
        all.map(({ localName }) => localName).join(),
      );
    }),
  );
});

const votes = (/** @type {number} */ all, /** @type {number[] | null} */ counts) => ({ answers: all, counts });
/** @param {Loose} results @param {Loose} more */
const revealed = (results, more = {}) =>
  /** @type {Loose} */ ({ kind: "choice", text: "?", id: "q", phase: "reveal", round: 1, results, ...more });
const shown = (/** @type {Loose} */ question, mine = {}, answers = ["yes", "no"]) =>
  /** @type {Loose} */ (distribution(question, answers, null, mine, "en", keyed));

test("one vote is a table with counts and shares, the truth and one's own answer", () => {
  const { markup } = shown(revealed({ first: votes(4, [3, 1]), second: null, truth: 1 }), { 1: 0 });
  assert.equal(
    markup,
    '<div class="class-results" id="room-results"><table class="class-votes"><thead><tr><th scope="col">room.answer</th>' +
      '<th scope="col">room.votes 4</th></tr></thead><tbody><tr><th scope="row">yes</th>' +
      '<td data-count="3" data-vote="room.votes 4"><span class="class-cell"><span class="class-shares">' +
      '<span class="class-share" style="inlineSize: 75%"></span></span><span class="class-number">3 · 75%</span></span>' +
      '<span class="class-own">room.mine</span></td></tr><tr class="is-true"><th scope="row">no <span class="class-true">✓ room.true</span></th>' +
      '<td data-count="1" data-vote="room.votes 4"><span class="class-cell"><span class="class-shares">' +
      '<span class="class-share" style="inlineSize: 25%"></span></span><span class="class-number">1 · 25%</span></span></td></tr>' +
      '</tbody></table><div class="class-because"></div></div>',
  );
  assert.equal(shown({ ...revealed(null), results: undefined }).markup, "<div></div>");
  const none = shown(revealed({ first: votes(0, [0, 0]), second: null, truth: null }));
  assert.deepEqual(
    none.querySelectorAll(".class-number").map((/** @type {Loose} */ one) => one.textContent),
    ["0 · 0%", "0 · 0%"],
  );
});

test("two votes stand side by side with who moved, and of few answers none is shown", () => {
  const flows = { right_right: 1, right_wrong: 0, wrong_right: 2, wrong_wrong: 0 };
  const both = shown(
    revealed(
      { first: votes(3, [1, 2]), second: votes(2, null), truth: 0, flow: flows },
      { because: { en: "so" }, from: {} },
    ),
    { 2: 1 },
  );
  assert.deepEqual(
    both.querySelectorAll("table").map((/** @type {Loose} */ one) => one.className),
    ["class-votes is-two"],
  );
  assert.deepEqual(
    both
      .querySelectorAll("th")
      .slice(0, 3)
      .map((/** @type {Loose} */ one) => one.textContent),
    ["room.answer", "room.round.first 3", "room.round.second 2 room.few.hidden"],
  );
  assert.deepEqual(both.querySelectorAll(".class-few").length, 1);
  assert.deepEqual(
    both.querySelectorAll(".is-withheld").map((/** @type {Loose} */ one) => one.textContent),
    ["", "room.mine"],
  );
  assert.deepEqual(
    both.querySelectorAll(".class-note").map((/** @type {Loose} */ one) => one.markup),
    ['<p class="class-note">room.few.second 2 room.few.choice</p>'],
  );
  assert.equal(both.querySelector(".class-because").markup, '<div class="class-because is-of-lesson"><p>so</p></div>');
  assert.equal(both.querySelectorAll(".class-flow").length, 1);
  const only = shown(revealed({ first: votes(2, null), second: null, truth: 0 }));
  assert.equal(only.querySelector(".class-note").textContent, "room.few.only 2 room.few.choice");
});

test("curves of a class have a legend of what is there, and no empty frame", () => {
  const curve = (/** @type {Loose} */ first, /** @type {Loose} */ truth, mine = {}) =>
    shown(revealed({ first, second: null, truth }, { kind: "curve", x: [0, 1] }), mine);
  const none = curve({ answers: 1, band: null }, null);
  assert.equal(
    none.querySelector(".class-curves").markup,
    '<div class="class-curves"><figure data-answers="1"><figcaption>room.votes 1 <span class="class-few">room.few.hidden</span></figcaption></figure></div>',
  );
  assert.equal(none.querySelector(".class-legend").markup, '<p class="class-legend"></p>');
  assert.equal(none.querySelector(".class-note").textContent, "room.few.only 1 room.few.curve");
});

test("who moved is drawn with its numbers, and said", () => {
  const made = /** @type {Loose} */ (flow({ right_right: 2, right_wrong: 0, wrong_right: 3, wrong_wrong: 5 }, keyed));
  const [drawing] = made.querySelectorAll("svg");
  assert.equal(made.dataset.flow, '{"right_right":2,"right_wrong":0,"wrong_right":3,"wrong_wrong":5}');
  assert.equal(made.querySelector("figcaption").textContent, "room.flow 10");
  assert.deepEqual(
    made.querySelectorAll("li").map((/** @type {Loose} */ one) => [one.className, one.textContent]),
    [
      ["is-right-right", "room.flow.right_right 2"],
      ["is-right-wrong", "room.flow.right_wrong 0"],
      ["is-wrong-right", "room.flow.wrong_right 3"],
      ["is-wrong-wrong", "room.flow.wrong_wrong 5"],
    ],
  );
  assert.deepEqual(drawing.attributes, {
    viewBox: "0 0 260 48",
    role: "img",
    "aria-label": "room.flow.right_right 2 room.flow.right_wrong 0 room.flow.wrong_right 3 room.flow.wrong_wrong 5",
  });
  assert.deepEqual(
    drawing
      .querySelectorAll("path")
      .map((/** @type {Loose} */ one) => [one.className, ...Object.values(one.attributes)]),
    [
      ["is-right-right", "M30,0 C130,0 130,0 230,0 V8 C130,8 130,8 30,8 Z"],
      ["is-wrong-right", "M30,16 C130,16 130,8 230,8 V20 C130,20 130,28 30,28 Z"],
      ["is-wrong-wrong", "M30,28 C130,28 130,28 230,28 V48 C130,48 130,48 30,48 Z"],
    ],
  );
  assert.deepEqual(
    drawing
      .querySelectorAll("rect")
      .map((/** @type {Loose} */ one) => [...Object.values(one.attributes), one.className]),
    [
      ["22", "0", "8", "8", "is-right"],
      ["22", "16", "8", "32", "is-wrong"],
      ["230", "0", "8", "20", "is-right"],
      ["230", "28", "8", "20", "is-wrong"],
    ],
  );
  assert.deepEqual(
    drawing
      .querySelectorAll("text")
      .map((/** @type {Loose} */ one) => [...Object.values(one.attributes), one.textContent]),
    [
      ["17", "8", "end", "2"],
      ["17", "36", "end", "8"],
      ["243", "14", "start", "5"],
      ["243", "42", "start", "5"],
    ],
  );
  const right = /** @type {Loose} */ (flow({ right_right: 1, right_wrong: 0, wrong_right: 0, wrong_wrong: 0 }, keyed));
  assert.equal(right.querySelectorAll("rect").length, 2);
});

test("keys of a clicker move the lesson, unless they mean something where they are pressed", () => {
  const pressed = {
    key: "",
    code: "",
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    shiftKey: false,
    isComposing: false,
    target: null,
  };
  const asked = (/** @type {object} */ change) => meant({ ...pressed, ...change });
  for (const [key, meaning] of [
    ["ArrowRight", "next"],
    ["PageDown", "next"],
    ["ArrowLeft", "back"],
    ["PageUp", "back"],
    [".", "blank"],
    ["b", "blank"],
    ["B", "blank"],
    ["a", null],
    ["Enter", null],
  ]) {
    assert.equal(asked({ key }), meaning, String(key));
  }
  assert.equal(asked({ key: "ㅠ", code: "KeyB" }), "blank");
  assert.equal(asked({ key: "n", code: "KeyB" }), null, "a letter is what it writes");
  for (const held of ["ctrlKey", "altKey", "metaKey", "shiftKey", "isComposing"]) {
    assert.equal(asked({ key: ".", [held]: true }), null, held);
  }
  /** @type {string[]} */
  const asked_of = [];
  const inside = Object.assign(new StandIn("p"), {
    closest: (/** @type {string} */ selector) => (asked_of.push(selector), true),
  });
  assert.equal(asked({ key: ".", target: inside }), null);
  assert.equal(
    asked_of[0],
    "input, textarea, select, [contenteditable], dialog, details.menu[open], [role=slider], .stage, [role=radio], .reason-tip",
  );
  assert.equal(asked({ key: ".", target: Object.assign(new StandIn("p"), { closest: () => null }) }), "blank");
});

test("a blank screen comes back with any key but a held one, and the key does no more", () => {
  const press = (/** @type {string} */ key) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key });
    document.dispatchEvent(event);
    return event.defaultPrevented;
  };
  blank("back");
  assert.ok(isBlank());
  assert.equal(document.body.children[0].markup, '<div id="lesson-blank"><button type="button">back</button></div>');
  assert.equal(focusedOne()?.localName, "button");
  for (const held of ["Shift", "Control", "Alt", "Meta", "AltGraph"]) assert.ok(!press(held) && isBlank(), held);
  assert.ok(press("a"));
  assert.ok(!isBlank());
  assert.equal(document.body.children.length, 0);
  assert.ok(!press("a"));
  blank("back");
  blank("back");
  assert.ok(!isBlank());
  blank("back");
  focusedOne()?.click();
  assert.ok(!isBlank());
  unblank();
});

const LESSON = /** @type {Loose} */ ({
  format: 1,
  name: "mine",
  title: { en: "Mine" },
  minutes: 5,
  steps: [
    { link: "n=8", text: { en: "Look" } },
    { link: "page=why&n=9", text: { en: "Again" } },
  ],
});

test("a lesson in a link comes back, and nothing else is read as one", async () => {
  const packed = (await fragment(LESSON)) ?? "";
  assert.match(packed, /^lesson=[A-Za-z0-9_-]+$/);
  assert.equal(await packedIn(packed), JSON.stringify(LESSON));
  assert.equal(await packedIn(`#${packed}`), JSON.stringify(LESSON));
  const texts = fc.string({ minLength: 1, maxLength: 200, unit: "binary" });
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const some = { ...LESSON, title: { en: text.toWellFormed() } };
      const link = await fragment(some);
      if (link === null) return;
      assert.ok(link.length <= MOST);
      assert.equal(await packedIn(link), JSON.stringify(some));
    }),
    { numRuns: 20 },
  );
  let noise = "";
  for (let i = 0; noise.length < 12_000; i += 1) noise += ((i * 2654435761) >>> 0).toString(36);
  assert.equal(await fragment({ ...LESSON, title: { en: noise } }), null);
  for (const none of ["", "#", "lesson", `x${packed}`, "lesson=!", "lesson=AAAA", `${packed}${"A".repeat(MOST)}`]) {
    assert.equal(await packedIn(none), null, none.slice(0, 20));
  }
  const bomb = await fragment({ ...LESSON, title: { en: "a".repeat(200_001) } });
  assert.ok(bomb && (await packedIn(bomb)) === null);
  const near = await fragment({ ...LESSON, title: { en: "a".repeat(190_000) } });
  assert.ok(near && (await packedIn(near)) !== null);
  const korean = { ...LESSON, title: { ko: `a${"가나다".repeat(60_000)}` } };
  const unpacked = await packedIn((await fragment(korean)) ?? "");
  assert.equal(unpacked, JSON.stringify(korean), "a sign that is cut between two pieces is put together");
});

test("a draft is kept in this browser, or while the page stands", async () => {
  assert.equal(draft(), null);
  assert.equal(keepDraft(LESSON), true);
  assert.deepEqual(draft(), LESSON);
  assert.deepEqual([...localStorage.kept.keys()], ["headlight-lesson-draft"]);
  location.hash = "#x";
  const format = async () => new Response("{}");
  Object.assign(globalThis, { fetch: format });
  localStorage.kept.set("headlight-lesson-draft", "{");
  assert.equal(draft(), null);
  assert.deepEqual(await opened("own"), { lesson: null, problems: [] });
  assert.deepEqual(await opened("linked"), { lesson: null, problems: [] });
  assert.deepEqual(await opened("other"), { lesson: null, problems: [] });
  localStorage.refuses = true;
  assert.equal(keepDraft(LESSON), false);
  assert.deepEqual(draft(), LESSON);
  assert.equal(keepDraft(null), false);
  assert.equal(draft(), null);
  localStorage.refuses = false;
  keepDraft(null);
  assert.equal(filed(LESSON), `${JSON.stringify(LESSON, null, 2)}\n`);
});

test("a draft is what the editor can show", () => {
  const withQuestion = (/** @type {unknown} */ question) => ({ ...LESSON, steps: [{ link: "", text: {}, question }] });
  const curve = { figure: "a", points: [] };
  for (const right of [
    LESSON,
    withQuestion(undefined),
    withQuestion({}),
    withQuestion({ answers: [{ text: {} }], truth: { of: { figure: "a" } }, curve }),
  ]) {
    assert.ok(isDraft(right), JSON.stringify(right));
  }
  for (const wrong of [
    null,
    [],
    "x",
    { ...LESSON, title: "x" },
    { ...LESSON, name: 3 },
    { ...LESSON, steps: {} },
    { ...LESSON, steps: [null] },
    { ...LESSON, steps: [{ link: 1, text: {} }] },
    { ...LESSON, steps: [{ link: "", text: [] }] },
  ]) {
    assert.ok(!isDraft(wrong), JSON.stringify(wrong));
  }
  for (const wrong of [
    null,
    [],
    { answers: {} },
    { answers: [3] },
    { answers: [{ text: 3 }] },
    { truth: 3 },
    { truth: { of: {} } },
    { curve: {} },
    { curve: { figure: "a", points: 3 } },
    { curve: { points: [] } },
  ]) {
    assert.ok(!isDraft(withQuestion(wrong)), JSON.stringify(wrong));
  }
});

test("what a class has seen is kept by room, lesson and step", () => {
  const question = revealed(
    { first: votes(3, [1, 2]), second: null, truth: 0 },
    { from: { lesson: "heads", step: 2 } },
  );
  for (const none of [
    null,
    { ...question, phase: "open" },
    { ...question, from: undefined },
    { ...question, results: undefined },
  ]) {
    hear(none, "CDFGHJ");
  }
  assert.equal(sessionStorage.kept.size, 0);
  hear(question, "CDFGHJ");
  assert.deepEqual([...sessionStorage.kept.keys()], ["headlight-lesson-votes-CDFGHJ-heads-2"]);
  assert.deepEqual(heard("CDFGHJ", "heads", 2), question);
  assert.deepEqual(
    [heard("", "heads", 2), heard("CDFGHJ", "heads", 1), heard("CDFGHJ", "other", 2)],
    [null, null, null],
  );
  assert.deepEqual([1, 2].map(sees("CDFGHJ", "heads")), [false, true]);
  sessionStorage.kept.set("headlight-lesson-votes-CDFGHJ-heads-3", "{");
  assert.equal(heard("CDFGHJ", "heads", 3), null);
  const steps = /** @type {Loose} */ ([
    { question: { text: { en: "*A*\nb?" }, because: { en: "so\n" } } },
    {},
    { question: { prediction: "any" } },
    { question: { text: { en: "x".repeat(590), ko: "가?" } } },
    { question: { text: { en: "y" } } },
  ]);
  assert.deepEqual(
    sawText({ steps }, () => true),
    { en: `- *A b?* so \n- *y*`, ko: "- *A b?* so \n- *가?* \n- *y*" },
  );
  assert.deepEqual(
    sawText({ steps }, (step) => step === 5),
    { en: "- *y*" },
  );
  assert.deepEqual(
    sawText({ steps }, () => false),
    {},
  );
});

test("a sitting keeps what was done with each step, for oneself and for each class", () => {
  sessionStorage.kept.clear();
  const mine = new Sitting("heads");
  const done = { ...untouched(), answer: 1, revealed: true };
  assert.deepEqual(mine.at(1), { answer: null, revealed: false, earlier: null });
  mine.keep(1, done);
  mine.keep(2, done);
  mine.keep(3, done);
  assert.deepEqual(mine.at(1), done);
  assert.deepEqual(
    [...sessionStorage.kept.keys()],
    [1, 2, 3].map((step) => `headlight-lesson-done-heads-${step}`),
  );
  mine.forget(2);
  assert.deepEqual([mine.at(1), mine.at(2), mine.at(3)], [untouched(), untouched(), done]);
  sessionStorage.kept.set("headlight-lesson-done-heads-3", "{");
  assert.deepEqual(mine.at(3), untouched());
  sessionStorage.kept.set("headlight-lesson-done-heads-3", '{"answer": 2}');
  assert.deepEqual(mine.at(3), { ...untouched(), answer: 2 });
  location.search = "?room=CDFGHJ";
  new Sitting("heads").keep(1, done);
  assert.ok(sessionStorage.kept.has("headlight-lesson-done-CDFGHJ-heads-1"));
  location.search = "";
});

test("the words of a lesson in a language, and what a room takes of them", () => {
  assert.deepEqual(
    ["en", "ko", "fr"].map((lang) => spoken({ en: "a", ko: "가" }, lang)),
    ["a", "가", "a"],
  );
  assert.equal(spoken({ en: "", ko: "가" }, "fr"), "가");
  assert.equal(spoken(undefined, "en"), "");
  assert.deepEqual(["first-look", "heads", "saturation", "own", "headsx"].map(isShipped), [
    true,
    true,
    true,
    false,
    false,
  ]);
  const words = (/** @type {Loose} */ title, /** @type {Loose} */ text, more = {}) =>
    wordsOf("own", { title, steps: Array(2) }, /** @type {Loose} */ ({ text, ...more }));
  assert.deepEqual(words({ en: "a".repeat(160), ko: "b".repeat(161) }, { en: "c".repeat(600), ko: " " }), {
    title: { en: "a".repeat(160) },
    text: { en: "c".repeat(600) },
    steps: 2,
  });
  assert.deepEqual(words({ en: "a" }, { en: "c" }, { focus: "maps" }), {
    title: { en: "a" },
    text: { en: "c" },
    steps: 2,
    focus: "maps",
  });
  assert.equal(words({ en: "" }, { en: "c" }), null);
  assert.equal(words({ en: "a" }, { en: "c".repeat(601) }), null);
  assert.equal(
    wordsOf(
      "heads",
      /** @type {Loose} */ ({ title: { en: "a" }, steps: [] }),
      /** @type {Loose} */ ({ text: { en: "c" } }),
    ),
    null,
  );
});

test("a class's question in another language, if it is the same", () => {
  const curve = { figure: "a", x: 1, y: 2, points: [1], low: 0, high: 1, x_label: { en: "across", ko: "가로" } };
  const own = { text: { en: "a\nb", ko: "가" }, answers: [{ text: { en: "c", ko: "나" } }] };
  assert.deepEqual(inLanguage(own, { kind: "choice", text: "", answers: ["c"] }, "ko"), {
    text: "가",
    answers: ["나"],
    labels: {},
  });
  assert.deepEqual(inLanguage(own, { kind: "choice", text: "", answers: ["c"] }, "en")?.text, "a b");
  assert.deepEqual(inLanguage({ text: { en: "a" }, curve }, { kind: "curve", text: "" }, "ko"), {
    text: "a",
    answers: [],
    labels: { x_label: "가로" },
  });
  assert.deepEqual(
    inLanguage(
      { text: { en: "a" }, curve: { ...curve, x_label: undefined, y_label: { en: "up" } } },
      { kind: "curve", text: "" },
      "ko",
    )?.labels,
    { y_label: "up" },
  );
  assert.equal(inLanguage({ text: { en: "a" }, curve }, { kind: "choice", text: "" }, "ko"), null);
  assert.equal(inLanguage(own, { kind: "curve", text: "", answers: ["c"] }, "ko"), null);
  assert.equal(inLanguage(own, { kind: "choice", text: "", answers: ["c", "d"] }, "ko"), null);
});

test("a curve of a lesson as a prediction is drawn, and the sentence of what was measured", () => {
  const curve = { figure: "a", x: 1, y: 2, points: [1, 2], low: 0, high: 3, x_label: { ko: "가" } };
  assert.deepEqual(asDrawn(curve, "en", ["x", "y"]), {
    x: [1, 2],
    low: 0,
    high: 3,
    log_x: false,
    log_y: false,
    x_label: "가",
    y_label: "y",
  });
  assert.deepEqual(asDrawn({ ...curve, log_x: true, x_label: undefined }, "en", ["x", "y"]).x_label, "x");
  assert.equal(asDrawn({ ...curve, log_x: true }, "en", ["x", "y"]).log_x, true);
  const of = { figure: "a", column: 1 };
  assert.deepEqual(
    [{ truth: { of } }, { truth: { of, over: of } }, { truth: { of, before: true } }, {}].map(measuredBy),
    ["lesson.measured", "lesson.measured_ratio", "lesson.measured_before", "lesson.measured"],
  );
});

test("what is wrong with a file is said with its line and step, five things at most", () => {
  const page = { text: keyed };
  const problem = (more = {}) => ({ line: 3, step: 2, part: "link", key: "page", fields: { name: "x" }, ...more });
  assert.deepEqual(sentences(page, [problem()]), [
    "lesson.file.said lesson.file.in_step 3 2 (link) lesson.file.page x",
  ]);
  assert.deepEqual(sentences(page, [problem({ step: 0, part: "" })], true), [
    "lesson.file.said lesson.file.line 3 0 lesson.file.page x",
  ]);
  assert.deepEqual(sentences(page, [problem()], true)[0].split(" ")[1], "lesson.file.line_step");
  assert.equal(sentences(page, Array(5).fill(problem())).length, 5);
  assert.deepEqual(sentences(page, Array(7).fill(problem())).slice(5), ["lesson.file.others 2"]);
  assert.deepEqual(sentences(page, []), []);
});

test("a link of the state here leaves out what is the reader's", () => {
  const page = /** @type {Loose} */ ({
    state: { present: "n=8&lang=ko&present=1&mask=causal&room=CDFGHJ&hide=x" },
    presenter: { look: { present: 1, hide: ["maps", "rows"], focus: "entropy" } },
    settings: { unread: ["mask"] },
  });
  assert.equal(stateHere(page), "n=8&hide=maps%2Crows&focus=entropy");
  page.presenter.look = { present: 0, hide: [], focus: "" };
  assert.equal(stateHere(page), "n=8");
});

test("a bare link into one's own lesson gets the state of its step before anything is computed", () => {
  keepDraft(LESSON);
  const leads = (/** @type {string} */ search, page = "explore", pages = ["explore", "why"]) => {
    location.search = search;
    location.replaced = "";
    return [leadsAway(page, pages), location.search, location.replaced];
  };
  assert.deepEqual(leads("?lesson=own&step=1"), [false, "?n=8&lesson=own&step=1", ""]);
  assert.deepEqual(leads("?lesson=own&step=2&lang=ko"), [
    true,
    "?lesson=own&step=2&lang=ko",
    "/?page=why&n=9&lang=ko&lesson=own&step=2",
  ]);
  assert.deepEqual(leads("?lesson=own&step=3")[2], "/?page=why&n=9&lesson=own&step=3");
  assert.deepEqual(leads("?lesson=own"), [false, "?n=8&lesson=own&step=1", ""]);
  localStorage.kept.set("headlight-lesson-place-own", "2");
  assert.equal(leads("?lesson=own")[0], true);
  for (const none of ["?lesson=heads&step=1", "?lesson=own&step=1&aside=1", "?lesson=own&step=1&n=3", ""]) {
    assert.deepEqual(leads(none), [false, none, ""]);
  }
  assert.deepEqual(leads("?lesson=own&step=2", "explore", ["explore"])[0], false);
  keepDraft(null);
  assert.deepEqual(leads("?lesson=own&step=1"), [false, "?lesson=own&step=1", ""]);
  location.search = "";
});

test("a page is waited for until it shows a state with its figures", async () => {
  assert.equal(state("?n=8&page=explore&lang=ko&focus=x&hide=y&present=1&room=A&d_k=3"), "d_k=3&n=8");
  assert.equal(state("page=why&n=8"), "n=8&page=why");
  assert.deepEqual(["", "page=why"].map(pageIn), ["explore", "why"]);
  const time = new Time();
  const root = { dataset: { painted: "n=7" } };
  const block = { shown: /** @type {unknown} */ (null) };
  const telling = { root: { dataset: /** @type {{painted?: string}} */ ({ painted: "n=7" }) } };
  const page = /** @type {Loose} */ ({
    state: { canonical: null, present: "n=7" },
    answers: { telling },
    text: keyed,
    figures: { of: () => ({ root, block }), all: new Map([["a", { root }]]) },
  });
  /** @type {string[]} */
  const notices = [];
  const note = (/** @type {string} */ name, /** @type {Promise<void>} */ waits) =>
    void waits.then(
      () => notices.push(name),
      (problem) => notices.push(`${name}: ${problem.message}`),
    );
  note("shown", shows(page, "n=8", ["a"]));
  await time.pass(1000);
  page.state.present = "n=8";
  await time.pass(100);
  page.state.canonical = "n=8";
  await time.pass(100);
  root.dataset.painted = "n=8";
  await time.pass(100);
  block.shown = {};
  await time.pass(100);
  assert.deepEqual(notices, []);
  telling.root.dataset.painted = "n=8";
  await time.pass(30);
  assert.deepEqual(notices, ["shown"]);
  delete telling.root.dataset.painted;
  note("without words", shows(page, "n=8", ["a"]));
  note("late", shows(page, "n=9"));
  await time.pass(59_900);
  assert.deepEqual(notices.slice(1), ["without words"]);
  await time.pass(200);
  assert.deepEqual(notices.slice(2), ["late: lesson.slow"]);
  note("painted", repainted(page));
  root.dataset.painted = "n=7";
  note("never painted", repainted(page));
  await time.pass(2900);
  assert.deepEqual(notices.slice(3), ["painted"]);
  await time.pass(200);
  assert.deepEqual(notices.slice(4), ["never painted"]);
  const predict = { open: false, root: { dataset: { verdict: /** @type {string | undefined} */ ("right") } } };
  note("asked", asks(/** @type {Loose} */ ({ presence: { rules: { predict: () => predict } } })));
  note("never asked", asks(/** @type {Loose} */ ({ presence: { rules: { predict: () => null } } })));
  await time.pass(100);
  predict.open = true;
  await time.pass(100);
  assert.equal(notices.length, 5);
  predict.root.dataset.verdict = undefined;
  await time.pass(30);
  assert.deepEqual(notices.slice(5), ["asked"]);
  await time.pass(61_000);
  assert.deepEqual(notices.slice(6), ["never asked"]);
});

test("a question of a lesson is answered, revealed with its truth, and told to a room", () => {
  const answers = [
    { text: { en: "less" }, below: 1 },
    { text: { en: "*more*\nof it" }, from: 1 },
  ];
  const truth = { of: { figure: "a", column: 1 } };
  const asked = { text: { en: "How much?" }, answers, truth, because: { en: "so" } };
  let value = 2;
  const page = /** @type {Loose} */ ({
    text: keyed,
    state: { values: { lang: "en" } },
    figures: {
      all: new Map([["a", { block: { shown: { columns: [{ label: "A", values: [2] }] } } }]]),
      of: () => ({ block: { shown: { columns: [{ label: "A", values: [value] }] } } }),
    },
  });
  const changes = /** @type {unknown[]} */ ([]);
  let reveals = 0;
  const made = (/** @type {Loose} */ question, done = untouched()) =>
    /** @type {Loose} */ (
      new Asked(
        page,
        question,
        done,
        () => changes.push(done.answer),
        async () => void (reveals += 1),
      )
    );
  const one = made(asked);
  assert.equal(one.root.children[0].markup, "<p>How much?</p>");
  assert.deepEqual(
    [one.go.disabled, one.go.hidden, one.go.textContent, one.root.ariaLabel],
    [true, false, "predict.reveal", "predict.title"],
  );
  one.buttons[1].click();
  assert.deepEqual(
    one.buttons.map((/** @type {Loose} */ button) => [button.ariaPressed, button.disabled]),
    [
      ["false", false],
      ["true", false],
    ],
  );
  assert.deepEqual([changes, one.go.disabled], [[1], false]);
  one.go.click();
  assert.equal(reveals, 1);
  one.wait(true);
  assert.deepEqual([one.root.getAttribute("aria-busy"), one.go.disabled], ["true", true]);
  one.wait(false);
  assert.deepEqual([one.root.getAttribute("aria-busy"), one.go.disabled], ["false", false]);
  assert.equal(one.refuse(), false);
  assert.deepEqual(one.judge(), { right: [1], value: 2 });
  const [outcome, because] = one.verdict.children;
  assert.deepEqual([outcome.className, outcome.querySelectorAll("em").length > 0], ["lesson-outcome", true]);
  assert.match(outcome.textContent, /^predict\.right more of it .*2 \(lesson\.measured .*2\)$/);
  assert.equal(because.markup, "<p>so</p>");
  assert.deepEqual([one.done.revealed, one.root.dataset.truth, one.go.hidden], [true, "1", true]);
  assert.deepEqual(
    one.buttons.map((/** @type {Loose} */ button) => [button.disabled, button.classList.contains("is-real")]),
    [
      [true, false],
      [true, true],
    ],
  );
  one.buttons[0].click();
  assert.equal(one.done.answer, 1, "after the reveal nothing is answered");
  value = 0.5;
  const differs = made(asked, { ...untouched(), answer: 1 });
  differs.judge();
  assert.match(differs.verdict.textContent, /^predict\.differs less /);
  const silent = made(asked);
  silent.judge();
  assert.match(silent.verdict.textContent, /^lesson\.is less /);
  const marked = made({
    ...asked,
    truth: undefined,
    answers: [{ text: { en: "x" }, right: true }, { text: { en: "y" } }],
  });
  marked.judge();
  assert.ok(!marked.verdict.textContent.includes("("), "a mark is no measurement");
  const lacking = made({ ...asked, truth: { of: { figure: "a", column: 2 } } });
  assert.equal(lacking.refuse(), true);
  assert.equal(lacking.verdict.children[0].markup, '<p role="alert">lesson.file.column a 2 1.</p>');
  assert.equal(made({ ...asked, truth: { of: { figure: "a", column: 2 } }, reveal: "n=3" }).refuse(), false);
  assert.equal(
    made({ ...asked, truth: { of: { figure: "a", column: 2 }, before: true }, reveal: "n=3" }).refuse(),
    true,
  );
  assert.deepEqual(one.forRoom(), {
    kind: "choice",
    holds: true,
    because: { en: "so" },
    text: "How much?",
    answers: ["less", "*more* of it"],
  });
  assert.deepEqual(
    [one.roomTruth({ right: [1] }), one.roomTruth({ right: [] }), one.roomTruth({ heights: [1] })],
    [1, 0, 0],
  );
  const curve = { figure: "a", x: 1, y: 2, points: [1], low: 0, high: 2 };
  assert.deepEqual(axesOf(page, curve), ["A", "y"]);
  assert.deepEqual(axesOf(page, { ...curve, figure: "b" }), ["x", "y"]);
});
