/**
 * Who leads a page, over random sequences: a teacher and three students on a simulated room. A failure prints the shortest
 * sequence that fails. The gate plays the same ones each time, a night others.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "./properties.mjs";
import { alike } from "../../assets/js/lead/message.js";
import { mode } from "../../assets/js/lead/modes.js";
import { LESSONS, Room, Tab, pageOf, publish } from "./simulated_room.mjs";

const RUNS = fc.NIGHT ? 5000 : 500;
const STEPS = 60;

/**
 * @typedef {import("../../assets/js/lead/modes.js").Message} Message
 * @typedef {{room: Room, teacher: Tab, students: Tab[], tabs: Tab[], wire: {tab: Tab, message: Message}[], commands: Map<Tab, string>}} Class
 */

const links = fc.constantFrom(
  "n=32",
  "n=8&h=2",
  "page=why",
  "page=why&n=8",
  "page=map&n=64",
  "source=upload",
  "page=why&n=4",
);
const places = fc
  .constantFrom(/** @type {keyof LESSONS} */ ("one"), /** @type {keyof LESSONS} */ ("two"))
  .chain((name) => fc.integer({ min: 1, max: LESSONS[name].length }).map((step) => ({ name, step })));
const who = fc.nat(3);

/** One step of the story: what a person, the network or the server does. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant("deliver"), at: fc.nat(9), twice: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("lose"), at: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("move"), who, link: links }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("open"), who, place: places }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("press"), who, by: fc.constantFrom(1, -1) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("reveal own"), who }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("arrive"), who, elsewhere: fc.option(links, { freq: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("visit"), who, link: links, place: fc.option(places) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("begin"), who }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("come back"), who }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("leave lesson"), who }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("follow"), who }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("fold"), who }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("answer"), who, answer: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("send"), who, lost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("renew"), who }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("conclude"), who, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("lock"), on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("call") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("ask"),
      holds: fc.boolean(),
      page: fc.option(fc.constantFrom("explore", "why", "map")),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant("phase"), phase: fc.constantFrom("closed", "discuss", "over") }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("reveal") }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("work"), lost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("restart") }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("server"), on: fc.boolean() }) },
);

/** A vote that is open, on a bad network: what is answered more than once, too late, before a load or to a room that is lost. */
const voting = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant("deliver"), at: fc.nat(9), twice: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant("answer"), who, answer: fc.nat(2) }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant("send"), who, lost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("renew"), who }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("visit"), who, link: links, place: fc.constant(null) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("arrive"), who, elsewhere: fc.constant(null) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("phase"), phase: fc.constantFrom("closed", "discuss") }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("reveal") }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("work"), lost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("restart") }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("server"), on: fc.boolean() }) },
);

/** @returns {Class} */
function assembled() {
  const room = new Room();
  const teacher = new Tab("teacher", "teacher", room);
  const students = ["one", "two", "three"].map((name) => new Tab(name, "student", room));
  return { room, teacher, students, tabs: [teacher, ...students], wire: [], commands: new Map() };
}

/** Send the present message to every tab. @param {Class} all */
function broadcast({ room, tabs, wire }) {
  for (const tab of tabs) wire.push({ tab, message: room.message() });
}

/** @param {Class} all @param {Tab} tab @param {Message} message */
function hear(all, tab, message) {
  if (tab.loading) return; // a page that is being left hears nothing
  const newer = tab.lead.heard === null || message.revision > tab.lead.heard.revision;
  const before = tab.card;
  const { calls, link, locked, question } = message;
  const command = JSON.stringify([calls, link, locked, question?.id]); // to hold the class and to ask it bring pages back, too
  const joins = tab.lead.heard === null && tab.how === "visitor"; // a page that its visitor has loaded joins the class
  if (newer && (joins || all.commands.get(tab) !== command)) {
    all.commands.set(tab, command);
    tab.loads = 0;
  }
  tab.tell({ type: "message", message });
  if (newer && tab.card !== before && tab.card) {
    assert.notEqual(tab.lead.folded, tab.card, "an open question is in sight");
  }
}

/** True if the class votes on what this page answers: stated here once more, from the message alone. @param {Tab} tab */
function asked({ lead: { heard, page } }) {
  const question = heard?.question ?? null;
  const open = question !== null && question.phase !== "reveal";
  return open && (question.holds === true || question.prediction?.page === page);
}

/** True if nothing but the room may change what a tab shows. @param {Tab} tab */
function held(tab) {
  const { heard, role, left } = tab.lead;
  const locked = role === "student" && heard?.locked === true;
  if (locked || heard?.question?.holds) {
    assert.equal(left && (locked || asked(tab)), false, "nobody stays away from what holds");
  }
  return (locked || asked(tab)) && !left;
}

/** @typedef {typeof happening extends import("./properties.mjs").Arbitrary<infer T> ? T : never} Happening */

/** @param {import("../../assets/js/lead/state.js").Place | null} one @param {import("../../assets/js/lead/state.js").Place | null} other */
const alikePlace = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @param {Class} all @param {Happening} happens */
function play(all, happens) {
  const { room, teacher, wire } = all;
  const tab = all.tabs["who" in happens ? happens.who : 0];
  const at = () => JSON.stringify(tab.played ?? tab.lead.lesson); // one of the address may wait for its scripts
  const [was, lessons] = [tab.link, at()];
  const { loading } = tab;
  const { lesson, named, role } = tab.lead;
  // a teacher who opens the address's lesson before it has begun by itself begins it: it is "begin" by hand
  const begins = happens.what === "open" && role === "teacher" && named && alikePlace(lesson, happens.place);
  const firm = held(tab) && !begins;
  const answered = tab.lead.heard?.question?.phase !== "reveal";
  switch (happens.what) {
    case "deliver": {
      const one = wire.at(happens.at % Math.max(1, wire.length));
      if (!one) break;
      if (!happens.twice) wire.splice(wire.indexOf(one), 1);
      hear(all, one.tab, one.message);
      break;
    }
    case "lose":
      if (wire.length) wire.splice(happens.at % wire.length, 1);
      break;
    case "move":
      tab.move(happens.link);
      break;
    case "open":
      tab.open(happens.place);
      break;
    case "press":
      if (!tab.loading && tab.played) tab.tell({ type: "press", by: happens.by });
      break;
    case "reveal own": {
      const allowed = tab.may("reveal");
      if (asked(tab)) assert.equal(allowed, false, "nothing reveals what the class is asked");
      if (tab.role === "student" && mode(tab.lead) === "following") {
        assert.equal(allowed, false, "who follows reveals nothing alone");
      }
      break;
    }
    case "arrive":
      if (!tab.loading) break;
      tab.arrive(happens.elsewhere);
      all.wire = wire.filter((one) => one.tab !== tab); // another page hears by another connection
      all.wire.push({ tab, message: room.message() });
      break;
    case "visit":
      tab.visit(happens.link, happens.place);
      break;
    case "begin": {
      const opened = tab.begin();
      assert.ok(opened || tab.role === "student", "a teacher who reloads has their lesson again");
      break;
    }
    case "come back":
      if (!tab.loading) tab.loads = 0;
      if (!tab.loading) tab.tell({ type: "back" });
      break;
    case "leave lesson":
      if (tab.loading) break;
      tab.played = tab.address = null;
      tab.tell({ type: "unlesson" });
      break;
    case "follow":
      if (tab.loading || tab.role === "teacher") break;
      tab.loads = 0;
      tab.tell({ type: "follow" });
      assert.equal(tab.lead.left, false);
      break;
    case "fold":
      if (!tab.loading) tab.tell({ type: "fold", on: true });
      break;
    case "answer":
      if (!tab.loading) tab.tell({ type: "answer", answer: happens.answer });
      break;
    case "send":
      tab.send(happens.lost);
      break;
    case "renew":
      tab.renew();
      break;
    case "conclude":
      if (!tab.loading) tab.tell({ type: "concluding", on: happens.on });
      break;
    case "lock":
      room.set({ locked: happens.on });
      break;
    case "call":
      room.set({ calls: room.state.calls + 1 });
      break;
    case "ask": {
      if (!room.alive || teacher.loading) break;
      teacher.answered = false; // the page goes to the question's state first
      publish(teacher, room);
      room.ask({ holds: happens.holds, ...(happens.page ? { prediction: { page: happens.page, name: "q" } } : {}) });
      break;
    }
    case "phase":
      if (room.state.question) room.phase(room.state.question.id, happens.phase);
      break;
    case "reveal":
      if (!teacher.loading) teacher.tell({ type: "reveal" });
      break;
    case "work":
      teacher.reveal(happens.lost);
      break;
    case "restart":
      room.restart();
      break;
    case "server":
      room.alive = happens.on;
      for (const one of all.tabs) if (!one.loading) one.tell({ type: happens.on ? "answering" : "silent" });
      break;
    default:
      assert.fail(JSON.stringify(happens));
  }
  const own = ["move", "open", "press", "leave lesson", "fold", "answer", "reveal own"].includes(happens.what);
  if (own && firm) {
    assert.equal(tab.link, was, `while held nothing but the room changes the page: ${happens.what}`);
    assert.equal(tab.loading, loading);
    if (happens.what !== "leave lesson") {
      assert.equal(at(), lessons, "no lesson opens while the room holds");
    }
  }
  if (own && happens.what === "press" && tab === teacher && answered && teacher.lead.heard?.question) {
    assert.equal(at(), lessons, "a vote keeps the lesson at its step");
  }
  const former = JSON.stringify(room.message());
  publish(teacher, room);
  if (former !== JSON.stringify(room.message()) || all.wire.length < 4) broadcast(all);
  check(all);
}

/** What holds at every moment. @param {Class} all */
function check({ room, teacher, tabs, students }) {
  for (const tab of tabs) assert.ok(tab.loads <= 1, `${tab.name}: one command loads a page once`);
  for (const { lead, played, name } of students) {
    if (played && lead.heard) assert.equal(lead.left, true, `${name}: a lesson of one's own is read by who has left`);
    const { given, heard } = lead;
    const { kept = {}, answers = {} } = given ?? {};
    for (const round of Object.keys(kept)) assert.ok(round in answers, "what is in was given");
    if (given && heard) assert.equal(given.question, heard.question?.id, "answers belong to the present question");
    if (!given || given.question !== room.state.question?.id || given.life !== room.life) continue;
    const counted = room.votes.get(name) ?? new Map();
    for (const [round, answer] of Object.entries(given.kept)) {
      if (given.answers[Number(round)] !== answer) continue; // another is on its way
      assert.equal(counted.get(Number(round)), answer, `${name}: what is said to be in is counted`);
    }
  }
  for (const given of room.votes.values()) assert.ok(given.size <= 2);
  const { question } = room.state;
  if (teacher.seen && question && question.id === teacher.lead.heard?.question?.id) {
    assert.equal(question.phase, "reveal", "the teacher's page shows no result that the class does not see");
  }
}

/** Let everything arrive, and nothing more happen. @param {Class} all */
function settle(all) {
  const { room, teacher, tabs, students } = all;
  room.alive = true;
  for (let turn = 0; turn < 8; turn += 1) {
    for (const tab of tabs) {
      tab.arrive(null);
      assert.ok(tab.begin() || tab.role === "student", "a teacher who reloads has their lesson again");
      tab.tell({ type: "concluding", on: false });
      tab.tell({ type: "answering" });
      while (tab.outbox.length) tab.send(false);
    }
    while (teacher.work.length) teacher.reveal(false);
    publish(teacher, room);
    all.wire.length = 0;
    for (const tab of tabs) hear(all, tab, room.message());
    check(all);
  }
  for (const tab of students) {
    assert.equal(tab.loading, null, "no page loads for ever");
    if (!tab.lead.left) arrivedAt(tab, room);
  }
}

/** @param {Tab} tab @param {Room} room */
function arrivedAt(tab, room) {
  const { link } = room.state;
  if (new URLSearchParams(link).get("source") === "upload") return; // the teacher's own file: the page stays
  if (tab.lead.spent === `${room.state.calls} ${link}` && tab.lead.page !== pageOf(link)) return; // led elsewhere: one way back
  assert.ok(alike(tab.link, link), `${tab.name} shows ${tab.link}, the class ${link}`);
  assert.equal(tab.lead.page, pageOf(link));
  assert.equal(tab.played, null);
}

/** @param {Class} all */
function ends(all) {
  const { room, teacher, students } = all;
  settle(all);
  assert.equal(teacher.lead.reveal, null, "a reveal is said again when the server is back, or ends");
  const { question } = room.state;
  for (const { lead, name } of students) {
    const counted = room.votes.get(name) ?? new Map();
    if (!question || lead.given?.question !== question.id) continue;
    assert.deepEqual(
      lead.given.kept,
      Object.fromEntries(counted),
      `${name}: what is counted is said to be in, and nothing else`,
    );
    if (["open", "discuss"].includes(question.phase)) {
      assert.deepEqual(
        lead.given.answers,
        lead.given.kept,
        `${name}: in an open vote every answer arrives, or is refused`,
      );
    }
  }
  room.set({ calls: room.state.calls + 1 });
  settle(all);
  for (const tab of students) {
    assert.equal(tab.lead.left, false, "a call brings everybody back");
    arrivedAt(tab, room);
  }
}

test("whatever happens in a class, one answer to who leads", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 2 * STEPS, size: "max" }), (story) => {
      const all = assembled();
      broadcast(all);
      for (const happens of story) play(all, happens);
      ends(all);
    }),
    { numRuns: RUNS },
  );
});

test("every answer is counted once, and its page knows", () => {
  fc.assert(
    fc.property(fc.array(voting, { maxLength: STEPS, size: "max" }), (story) => {
      const all = assembled();
      all.room.ask({ holds: true });
      broadcast(all);
      for (const tab of all.tabs) hear(all, tab, all.room.message());
      for (const happens of story) play(all, happens);
      ends(all);
    }),
    { numRuns: RUNS },
  );
});
