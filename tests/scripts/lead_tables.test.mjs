/** Who leads a page, as tables: each wish in each state of a room, each event of a student's page and of a reveal, what the page is told to do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrived, called, follows, isIn, obeyed } from "../../assets/js/lead/following.js";
import { alone, card, FRESH, kept, next } from "../../assets/js/lead/lead.js";
import { Leader } from "../../assets/js/lead/leader.js";
import { answers, bound, gathers, mode, outcome, secret } from "../../assets/js/lead/modes.js";
import { pressed, restored, revealed, revealing, silenced, unsaid, veiled } from "../../assets/js/lead/revealing.js";
import { held } from "./held.mjs";

/** @type {Loose} */
const MESSAGE = {
  ...{ revision: 1, life: "a", link: "n=5", page: "explore", hovered: null, lesson: null, locked: false, calls: 0 },
  ...{ count: 3, question: null },
};
const QUESTION = { id: "q", kind: "choice", text: "?", answers: ["a", "b"], phase: "open", round: 1 };
const OWN = { ...QUESTION, prediction: { page: "explore", name: "x" } };
/** @type {Record<string, Loose>} */
const HEARD = {
  nothing: null,
  "no question": MESSAGE,
  locked: { ...MESSAGE, locked: true },
  open: { ...MESSAGE, question: QUESTION },
  "that holds": { ...MESSAGE, question: { ...QUESTION, holds: true } },
  "of this page": { ...MESSAGE, question: OWN },
  "of another page": { ...MESSAGE, question: { ...OWN, prediction: { page: "why", name: "x" } } },
  closed: { ...MESSAGE, question: { ...QUESTION, phase: "closed" } },
  revealed: { ...MESSAGE, question: { ...QUESTION, holds: true, phase: "reveal" } },
};
const PLACE = { name: "first-look", step: 2 };
/** @param {Loose} [more] @returns {Loose} */
const lead = (more = {}) => ({ ...alone("explore"), ...more });
const ALL = /** @type {const} */ (["move", "look", "turn", "lesson", "reveal"]);

/** What differs between two states, and what is to be done. @param {Loose} before @param {Loose} after */
const differing = (before, after) => {
  const [now, acts] = after;
  const changed = Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]));
  const gone = Object.keys(before).filter((name) => !(name in now));
  const news = changed.map((name) => `${name} ${name === "heard" ? "…" : JSON.stringify(now[name])}`);
  return [
    [...news, ...gone.map((name) => `no ${name}`)].join(", ") || "nothing",
    ...acts.map((/** @type {unknown} */ act) => JSON.stringify(act)),
  ].join(" | ");
};

test("what each wish comes to in each state of a room, by role", (context) => {
  const lines = [];
  for (const [what, heard] of Object.entries(HEARD)) {
    for (const role of /** @type {const} */ (["visitor", "student", "teacher"])) {
      /** @type {Record<string, Loose>} */
      const cases = { "": {}, lesson: { lesson: PLACE } };
      if (role === "student") {
        Object.assign(cases, { left: { left: true }, held: { held: true } });
        cases.answered = { given: { question: "q", answers: { 1: 0 }, kept: {}, life: "a" } };
        cases["answered another"] = { given: { question: "p", answers: { 1: 0 }, kept: {}, life: "a" } };
        cases["answered another round"] = { given: { question: "q", answers: { 2: 0 }, kept: {}, life: "a" } };
      }
      for (const [more, change] of Object.entries(cases)) {
        const at = lead({ role, heard, ...change });
        const all = ALL.map((wish) => outcome(at, wish)).join(" ");
        const named = [PLACE, { ...PLACE, step: 3 }, { ...PLACE, name: "other" }, null].map((place) =>
          outcome({ ...at, named: true }, "lesson", place),
        );
        const { key } = /** @type {Loose} */ (
          next(at, { type: "wish", wish: "move" })[1].find((act) => act.do === "say")
        ) ?? { key: "" };
        lines.push(
          `${role} ${more} ${what}: ${mode(at)}${bound(at) ? ", bound" : ""}${answers(at) ? ", answers" : ""} | ${all}` +
            ` | named ${named.join(" ")} | says ${key}`,
        );
      }
    }
    lines.push(`${what}: gathers ${heard && gathers(heard)}, secret ${secret(heard)?.id}, card “${card(heard)}”`);
  }
  held(context, lines);
});

test("what a wish changes, and what is said and done", (context) => {
  const lines = [];
  const cases = /** @type {[string, Loose][]} */ ([
    ["alone", {}],
    ["reads", { lesson: PLACE, named: true, reminded: "q open 1" }],
    ["teacher", { role: "teacher", heard: MESSAGE, lesson: PLACE }],
    ["teacher asks", { role: "teacher", heard: HEARD.open, lesson: PLACE }],
    ["teacher asks what holds", { role: "teacher", heard: HEARD["that holds"] }],
    ["follows", { role: "student", heard: MESSAGE, lesson: PLACE, obeyed: "n=5" }],
    ["left", { role: "student", heard: MESSAGE, left: true, lesson: PLACE }],
    ["held", { role: "student", heard: HEARD.locked, held: true }],
    ["held and asked", { role: "student", heard: { ...HEARD["that holds"], locked: true }, held: true }],
    ["asked what holds", { role: "student", heard: HEARD["that holds"] }],
    ["asked", { role: "student", heard: HEARD.open }],
    ["lost", { role: "student", heard: null }],
    ["lost and held", { role: "student", heard: null, held: true }],
  ]);
  for (const [what, change] of cases) {
    const at = lead({ page: "explore", ...change });
    for (const wish of ALL) {
      lines.push(
        `${what}, ${wish}: ${differing(at, next(at, { type: "wish", wish, place: wish === "lesson" ? PLACE : null }))}`,
      );
    }
  }
  held(context, lines);
});

test("a page arrives, hears, follows, is called and comes back", (context) => {
  const lines = [];
  const student = (/** @type {Loose} */ more = {}) => lead({ role: "student", ...more });
  const given = { question: "q", answers: { 1: 0, 2: [1] }, kept: { 1: 0 }, life: "a" };
  const tell = (/** @type {string} */ what, /** @type {Loose} */ before, /** @type {Loose} */ after) =>
    lines.push(`${what}: ${differing(before, after)}`);
  for (const role of ["student", "teacher"]) {
    for (const left of [false, true]) {
      for (const how of /** @type {const} */ (["visitor", "led"])) {
        for (const named of [false, true]) {
          const at = lead({ role, left, spent: "0 n=4", turning: true, heard: MESSAGE, lesson: PLACE, fresh: named });
          tell(`arrived ${role} ${left} ${how} ${named}`, at, arrived(at, how, named));
        }
      }
    }
  }
  for (const [what, more] of /** @type {[string, Loose][]} */ ([
    ["visitor", { role: "visitor", heard: MESSAGE }],
    ["nothing heard", {}],
    ["left", { heard: MESSAGE, left: true }],
    ["turning", { heard: MESSAGE, turning: true }],
    ["concluding", { heard: MESSAGE, concluding: true }],
    ["obeyed", { heard: MESSAGE, obeyed: "n=5" }],
    ["a file", { heard: { ...MESSAGE, link: "source=upload" } }],
    ["fresh there", { heard: MESSAGE, screen: "n=5&lang=ko" }],
    ["fresh elsewhere", { heard: MESSAGE, screen: "n=6" }],
    ["fresh, nothing on screen", { heard: MESSAGE }],
    ["there, not fresh", { heard: MESSAGE, screen: "n=5", fresh: false }],
    ["another page", { heard: { ...MESSAGE, page: "why", link: "page=why", calls: 2 } }],
    ["spent", { heard: { ...MESSAGE, page: "why", link: "page=why", calls: 2 }, spent: "2 page=why" }],
  ])) {
    const at = student(more);
    tell(`obeyed, ${what}`, at, obeyed(at, [{ do: "unplay" }]));
  }
  const back = student({ heard: MESSAGE, left: true, obeyed: "n=5", spent: "x", lesson: PLACE });
  tell("called", back, called(back, [{ do: "aside" }]));
  const reading = student({ heard: MESSAGE, left: true });
  tell("called, without a lesson", reading, called(reading, []));
  const reveal = HEARD.revealed;
  for (const [what, more, former] of /** @type {[string, Loose, Loose][]} */ ([
    ["nothing heard", {}, null],
    ["first", { heard: MESSAGE, lesson: PLACE }, null],
    ["first, calls before", { heard: { ...MESSAGE, calls: 3 }, left: true }, null],
    ["a call", { heard: { ...MESSAGE, calls: 3 }, calls: 2, left: true }, MESSAGE],
    ["no call", { heard: { ...MESSAGE, calls: 2 }, calls: 2, left: true }, MESSAGE],
    ["held", { heard: HEARD.locked, left: true }, MESSAGE],
    ["asked what holds", { heard: HEARD["that holds"], left: true }, MESSAGE],
    ["asked of this page", { heard: HEARD["of this page"], left: true }, MESSAGE],
    ["asked of this page before", { heard: HEARD["of this page"], left: true }, HEARD["of this page"]],
    ["asked of this page at first", { heard: HEARD["of this page"], left: true }, null],
    ["asked", { heard: HEARD.open, left: true }, MESSAGE],
    ["revealed", { heard: reveal, lesson: PLACE }, HEARD["that holds"]],
    ["revealed, left", { heard: reveal, left: true }, HEARD["that holds"]],
    ["revealed before", { heard: reveal }, reveal],
    ["revealed at first", { heard: reveal }, null],
    ["another was asked", { heard: reveal }, { ...MESSAGE, question: { ...QUESTION, id: "p" } }],
    ["answers are kept", { heard: HEARD.open, given }, HEARD.open],
    ["answers at first", { heard: HEARD.open, given }, null],
    ["answers of another", { heard: HEARD.open, given: { ...given, question: "p" } }, HEARD.open],
    ["answers, no question", { heard: MESSAGE, given }, HEARD.open],
    ["answers are lost", { heard: { ...HEARD.open, life: "b" }, given }, HEARD.open],
    ["answers are lost, revealed before", { heard: { ...reveal, life: "b" }, given }, reveal],
    ["answers are lost, revealed now", { heard: { ...reveal, life: "b" }, given }, HEARD.open],
    [
      "answers are lost, another before",
      { heard: { ...HEARD.open, life: "b" }, given },
      { ...reveal, question: { ...reveal.question, id: "p" } },
    ],
  ])) {
    const at = student(more);
    tell(`follows, ${what}`, at, follows(at, former));
  }
  lines.push([1, 2, 3].map((round) => isIn(/** @type {Loose} */ (given), round)).join());
  lines.push(String(isIn(/** @type {Loose} */ ({ ...given, kept: { 1: 1 } }), 1)));
  held(context, lines);
});

test("each event of a page changes what it names, and nothing else", (context) => {
  const lines = [];
  const given = { question: "q", answers: { 1: 0 }, kept: { 1: 0 }, life: "a" };
  const reveal = { id: "q", stage: "computing", again: false };
  /** @type {[string, Loose, Loose][]} */
  const cases = [
    [
      "enter",
      lead({ screen: "n=5", lesson: PLACE, folded: "x" }),
      { type: "enter", role: "student", kept: { ...FRESH, left: true }, how: "visitor", lesson: null },
    ],
    [
      "enter, named",
      lead({ screen: "n=5", lesson: null }),
      { type: "enter", role: "teacher", kept: FRESH, how: "led", lesson: PLACE },
    ],
    ["back", lead({ role: "student", heard: MESSAGE, turning: true, obeyed: "n=5", spent: "x" }), { type: "back" }],
    ["screen", lead(), { type: "screen", link: "n=7" }],
    ["follow", lead({ role: "student", heard: MESSAGE, left: true }), { type: "follow" }],
    ["follow, a teacher", lead({ role: "teacher", heard: MESSAGE, left: true }), { type: "follow" }],
    ["renewed", lead({ given }), { type: "renewed" }],
    ["unlesson", lead({ lesson: PLACE }), { type: "unlesson" }],
    [
      "over",
      lead({ role: "student", heard: MESSAGE, screen: "n=5", lesson: PLACE, folded: "x", held: true }),
      { type: "over" },
    ],
    ["concluding", lead({ role: "student", heard: MESSAGE }), { type: "concluding", on: true }],
    ["concluded", lead({ role: "student", heard: MESSAGE, concluding: true }), { type: "concluding", on: false }],
    ["folded", lead({ heard: HEARD.open }), { type: "fold", on: true }],
    ["unfolded", lead({ heard: HEARD.open, folded: "q open 1" }), { type: "fold", on: false }],
    ["silent", lead(), { type: "silent" }],
    ["answering", lead({ silent: true }), { type: "answering" }],
    ["kept", lead({ given }), { type: "kept", question: "q", round: 2, answer: 1 }],
    ["kept of another", lead({ given }), { type: "kept", question: "p", round: 2, answer: 1 }],
    ["kept, nothing given", lead(), { type: "kept", question: "q", round: 2, answer: 1 }],
    ["refused, one counts", lead({ given }), { type: "refused", question: "q", round: 1, counted: 1 }],
    ["refused, none counts", lead({ given }), { type: "refused", question: "q", round: 1, counted: null }],
    ["refused, another", lead({ given }), { type: "refused", question: "p", round: 1, counted: 1 }],
    ["refused, nothing given", lead(), { type: "refused", question: "q", round: 1, counted: 1 }],
    ["answer", lead({ role: "student", heard: HEARD.open }), { type: "answer", answer: 1 }],
    [
      "answer anew",
      lead({ role: "student", heard: HEARD.open, given: { ...given, kept: { 1: 0, 2: 1 } } }),
      { type: "answer", answer: 1 },
    ],
    [
      "answer another",
      lead({ role: "student", heard: HEARD.open, given: { ...given, question: "p" } }),
      { type: "answer", answer: 1 },
    ],
    ["answer, closed", lead({ role: "student", heard: HEARD.closed }), { type: "answer", answer: 1 }],
    ["answer, revealed", lead({ role: "student", heard: HEARD.revealed }), { type: "answer", answer: 1 }],
    ["answer, a teacher", lead({ role: "teacher", heard: HEARD.open }), { type: "answer", answer: 1 }],
    ["computed", lead({ reveal }), { type: "computed", id: "q" }],
    ["computed another", lead({ reveal }), { type: "computed", id: "p" }],
    ["computed, told already", lead({ reveal: { ...reveal, stage: "telling" } }), { type: "computed", id: "q" }],
    ["computed, none", lead(), { type: "computed", id: "q" }],
    ["uncomputed", lead({ reveal }), { type: "uncomputed", id: "q", final: true }],
    ["told", lead({ reveal }), { type: "told", id: "q" }],
    ["untold", lead({ reveal }), { type: "untold", id: "q", final: false }],
    ["restored", lead({ reveal: { ...reveal, stage: "restoring" } }), { type: "restored" }],
    ["reveal", lead({ role: "teacher", heard: HEARD.open }), { type: "reveal" }],
  ];
  const message = (/** @type {string} */ what, /** @type {Loose} */ more, /** @type {Loose} */ heard) =>
    cases.push([`message, ${what}`, lead(more), { type: "message", message: { ...heard, revision: 2 } }]);
  message("a visitor", {}, MESSAGE);
  message("a student", { role: "student", silent: true, folded: "x", reminded: "x" }, HEARD.locked);
  message("older", { role: "student", heard: { ...MESSAGE, revision: 3 } }, MESSAGE);
  message("the same", { role: "student", heard: { ...MESSAGE, revision: 2 } }, MESSAGE);
  message(
    "the same card",
    { role: "student", heard: HEARD.open, folded: "q open 1", reminded: "q open 1", obeyed: "n=5" },
    HEARD.open,
  );
  message(
    "another card",
    { role: "student", heard: HEARD.open, folded: "q open 1", reminded: "q open 1", obeyed: "n=5" },
    HEARD.closed,
  );
  message("no more held", { role: "student", heard: HEARD.locked, held: true, obeyed: "n=5" }, MESSAGE);
  message("a teacher is not held", { role: "teacher", heard: MESSAGE }, HEARD.locked);
  const waiting = { ...reveal, stage: "waiting", again: true };
  const another = { ...HEARD.open, life: "b" };
  for (const stage of ["waiting", "computing", "restoring"]) {
    message(`a reveal, ${stage}`, { role: "teacher", heard: HEARD.open, reveal: { ...waiting, stage } }, HEARD.open);
    message(`a reveal, ${stage}, life`, { role: "teacher", heard: HEARD.open, reveal: { ...waiting, stage } }, another);
    message(`a reveal, ${stage}, at first`, { role: "teacher", reveal: { ...waiting, stage } }, another);
  }
  for (const by of /** @type {const} */ ([1, -1])) {
    for (const [what, more] of /** @type {[string, Loose][]} */ ([
      ["alone", {}],
      ["a student", { role: "student", heard: HEARD.open }],
      ["teacher", { role: "teacher", heard: HEARD.open }],
      ["reminded", { role: "teacher", heard: HEARD.open, reminded: "q open 1" }],
      ["reminded of another", { role: "teacher", heard: HEARD.closed, reminded: "q open 1" }],
      ["reminded, closed", { role: "teacher", heard: HEARD.closed, reminded: "q closed 1" }],
      ["revealed", { role: "teacher", heard: HEARD.revealed, reminded: "q reveal 1" }],
    ])) {
      cases.push([`press ${by}, ${what}`, lead(more), { type: "press", by }]);
    }
  }
  for (const [what, at, event] of cases) lines.push(`${what}: ${differing(at, next(at, event))}`);
  assert.deepEqual(Object.keys(kept(lead())), ["held", "left", "calls", "spent", "turning", "given"]);
  held(context, lines);
});

test("a reveal computes, tells, goes back, waits and is said again, by its stage", (context) => {
  /** The stages in which an event comes to the same. @type {Map<string, string[]>} */
  const found = new Map();
  for (const stage of [null, "computing", "telling", "restoring", "waiting"]) {
    for (const again of stage === null ? [false] : [false, true]) {
      const reveal = stage && { id: "q", stage, again };
      for (const silent of [false, true]) {
        const at = lead({ role: "teacher", heard: HEARD.open, silent, reveal });
        const name = `${stage}${again ? ", again" : ""}${silent ? ", silent" : ""}`;
        const tell = (/** @type {string} */ what, /** @type {Loose} */ after, before = at) => {
          const comes = `${what}: ${differing(before, after)}`;
          found.set(comes, [...(found.get(comes) ?? []), name]);
        };
        tell(`veiled ${veiled(at)}`, [at, []]);
        tell("pressed", pressed(at));
        tell("revealing", revealing(at));
        for (const what of ["nothing", "no question", "closed", "revealed"]) {
          const other = { ...at, heard: HEARD[what] };
          tell(`pressed, ${what}`, pressed(other), other);
          tell(`revealing, ${what}`, revealing(other), other);
        }
        const another = { ...at, heard: { ...MESSAGE, question: { ...QUESTION, id: "p" } } };
        tell("pressed, another", pressed(another), another);
        tell("revealing, another", revealing(another), another);
        tell("pressed, a student", pressed({ ...at, role: "student" }), { ...at, role: "student" });
        for (const id of ["q", "p"]) {
          tell(`revealed ${id}`, [revealed(at, id), []]);
          for (const final of [false, true]) tell(`unsaid ${id} ${final}`, unsaid(at, id, final));
        }
        tell("restored", restored(at));
        tell("silenced", [silenced(at), []]);
      }
    }
  }
  held(
    context,
    // what is not named comes to nothing
    [...found]
      .filter(([comes]) => !/^(?!veiled).*: nothing$/.test(comes))
      .map(([comes, stages]) => `${comes} ← ${stages.join("; ")}`),
  );
});

test("a leader does each act once, hears events of events in their turn, and keeps what outlives the page before it acts", () => {
  const leader = new Leader("explore");
  /** @type {string[]} */
  const told = [];
  leader.keep = ({ left }) => void told.push(`keeps ${left}`);
  const ends = [
    leader.onChange((now, before) => {
      told.push(`changed ${before.folded}→${now.folded} ${now.left}`);
      if (now.left && !before.left) leader.tell({ type: "renewed" });
    }),
    leader.handle({
      say: ({ key }) => void told.push(`says ${key}`),
      show: ({ link }) => void told.push(`shows ${link}`),
    }),
    leader.handle({ say: ({ key }) => void told.push(`hears ${key}`) }),
  ];
  const all = () => told.splice(0).join(", ");
  leader.tell({ type: "unlesson" });
  assert.equal(all(), "keeps false, changed → false");
  leader.tell({ type: "follow" });
  assert.equal(all(), "keeps false");
  leader.tell({ type: "enter", role: "student", kept: FRESH, how: "visitor", lesson: null });
  leader.tell({ type: "message", message: { ...MESSAGE, lesson: null } });
  assert.equal(all(), "keeps false, changed → false, keeps false, changed → false, shows n=5");
  assert.equal(leader.could("move"), true);
  assert.equal(leader.could("reveal"), false);
  assert.equal(all(), "");
  assert.equal(leader.allows("reveal"), false);
  assert.equal(all(), "keeps false, says room.held_reveal, hears room.held_reveal");
  leader.guide(() => {
    assert.equal(leader.allows("reveal"), true);
    leader.guide(() => assert.equal(leader.allows("move"), true));
    assert.equal(leader.allows("move"), true);
  });
  assert.equal(all(), "");
  assert.throws(
    () =>
      leader.guide(() => {
        throw new Error("broken");
      }),
    /broken/,
  );
  assert.equal(leader.allows("move"), true);
  assert.equal(all(), "keeps true, changed → true, says room.left, hears room.left, keeps true, changed → true");
  ends[1]();
  leader.tell({ type: "wish", wish: "reveal" });
  assert.equal(all(), "keeps true, changed → true");
  ends[0]();
  ends[2]();
  leader.tell({ type: "follow" });
  assert.equal(all(), "keeps false");
  const fragile = new Leader("explore");
  const end = fragile.onChange(() => {
    throw new Error("broken");
  });
  assert.throws(() => fragile.tell({ type: "screen", link: "n=5" }), /broken/);
  end();
  fragile.tell({ type: "screen", link: "n=6" });
  assert.equal(fragile.lead.screen, "n=6");
  assert.equal(fragile.could("lesson", PLACE), true);
});
