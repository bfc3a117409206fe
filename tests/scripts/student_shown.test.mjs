/** What a student's page shows and sends, with each message of its room: where it stands, what it is asked, its answers, its ends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FRESH } from "../../assets/js/lead/lead.js";
import { mode } from "../../assets/js/lead/modes.js";
import { remember, renew } from "../../assets/js/room/memory.js";
import { Student } from "../../assets/js/room/student.js";
import { held } from "./held.mjs";
import { Time } from "./stand_in.mjs";
import { pageInRoom, standInRoom } from "./stand_in_room.mjs";
import { outline, standInPage, telling } from "./whole_page.mjs";

const { document, body, html, heard, location, window } = standInPage("?room=CDFGHJ");
const time = new Time();
const { room, send, end, close } = standInRoom(heard, ({ "X-Headlight-Tab": tab }) => tab);

const FIRST = {
  ...{ life: "a", link: "n=5", page: "explore", hovered: null, lesson: null, locked: false, calls: 0, count: 3 },
  question: null,
};
let revision = 0;
/** Send a message of the room. @param {Loose} change from the first one */
async function told(change) {
  revision += 1;
  send({ ...FIRST, ...change, revision });
  await time.pass(100);
}

const CHOICE = { id: "q", kind: "choice", text: "How *much*?", answers: ["little", "much"], phase: "open", round: 1 };
const results = { first: { answers: 3, counts: [1, 2] }, second: { answers: 3, counts: [0, 3] }, truth: 1 };
const press = async (/** @type {string} */ id) => {
  document.getElementById(id).click();
  await time.pass(1000);
};

test("a student's page follows, leaves, comes back, answers twice, sees the result, and hears the end", async (context) => {
  const page = pageInRoom(heard);
  const student = /** @type {Loose} */ (
    new Student(page, "CDFGHJ", "visitor", (code) => void heard.push(`joins ${code}`))
  );
  student.closed = () => heard.push("closed");
  const look = () => [
    `${location.search} | ${html.className} ${JSON.stringify(html.dataset)} | ${mode(page.leader.lead)} ${page.state.present}`,
    ...outline(body),
  ];
  const { lines, tell } = telling(look, heard);
  const wish = async (/** @type {Loose} */ what) => {
    heard.push(`may ${what}: ${page.leader.allows(what)}`);
    await time.pass(1000);
  };
  const answer = async (/** @type {number} */ at) => {
    body.querySelectorAll("#room-card input")[at].onchange();
    await time.pass(1000);
  };
  await time.pass(10);
  tell("begun");
  for (const [what, change] of /** @type {[string, Loose][]} */ ([
    ["the first message", {}],
    ["another state, and a cell", { link: "n=6", hovered: { head: 1 } }],
    ["a step", { link: "n=6", lesson: { name: "first-look", step: 2 } }],
    ["a file of the teacher's own", { link: "source=upload" }],
    ["another page", { link: "page=why&n=6", page: "why" }],
  ])) {
    await told(change);
    tell(what);
  }
  await told({});
  page.leader.tell({ type: "back" });
  await time.pass(100);
  tell("back on the page");
  await wish("move");
  page.move("n=50");
  tell("left");
  await told({ link: "n=7" });
  tell("the class moves on");
  await press("room-offer");
  tell("offered");
  room.offer = [429, { message: "Slowly" }];
  await press("room-offer");
  tell("the offer is refused");
  room.offer = new Error("lost");
  await press("room-offer");
  tell("the offer is lost");
  await press("room-back");
  tell("back");
  await wish("turn");
  await told({ link: "n=7", calls: 1 });
  tell("left, and called");
  await told({ link: "n=7", calls: 1, locked: true });
  await wish("move");
  tell("held");
  await told({ link: "n=7", calls: 1, question: CHOICE });
  tell("asked");
  room.answer = new Error("lost");
  await answer(0);
  tell("answered, on the way");
  delete room.answer;
  await time.pass(2000);
  tell("it is in");
  await answer(1);
  tell("changed");
  room.answer = [409, { message: "Too late", counted: 1 }];
  await answer(0);
  tell("refused: the one before counts");
  room.answer = [404, { message: "gone" }];
  await answer(0);
  tell("no room has it now");
  room.answer = [429, { message: "Slowly", retry: 3 }];
  await time.pass(1100);
  tell("asked to wait");
  delete room.answer;
  await time.pass(3000);
  tell("in at last");
  await told({ calls: 1, life: "b", question: CHOICE });
  await time.pass(1000);
  tell("the room was made again: the answer comes again");
  await told({ calls: 1, life: "b", question: { ...CHOICE, phase: "closed" } });
  tell("closed");
  const second = { ...CHOICE, phase: "discuss", round: 2, from: { lesson: "first-look", step: 2 } };
  await told({ calls: 1, life: "b", question: second });
  tell("once more, in the page's language");
  await answer(1);
  tell("answered once more");
  await told({ calls: 1, life: "b", question: { ...second, phase: "reveal", results, because: { en: "So." } } });
  await time.pass(5000);
  tell("the result");
  await told({ calls: 1, life: "b" });
  tell("done");
  renew();
  student.renew();
  await time.pass(3000);
  tell("another token");
  window.dispatchEvent(new Event("offline"));
  tell("offline");
  room.stream = [503, { message: "Busy", retry: 1 }];
  close();
  await time.pass(4000);
  tell("the room is away");
  delete room.stream;
  await time.pass(4000);
  await told({ calls: 1, life: "b" });
  tell("there again");
  student.focus();
  tell("brought to sight");
  end();
  await time.pass(100);
  tell("over");
  page.move("n=51");
  await press("room-leave");
  tell("closed");
  held(context, lines);
});

test("a student's page whose code is that of no room takes another, and waits meanwhile", async (context) => {
  location.search = "?room=XY3467";
  room.stream = [404, { message: "No room has this code." }];
  const page = pageInRoom(heard);
  new Student(page, "XY3467", "visitor", (code) => void heard.push(`joins ${code}`));
  const { lines, tell } = telling(() => outline(body), heard);
  await time.pass(100);
  tell("no room");
  delete room.stream;
  await time.pass(3000);
  revision = 0;
  await told({});
  tell("it came");
  room.stream = room.XY3467 = [404, { message: "No room has this code." }];
  close();
  for (const minutes of [4, 2]) {
    await time.pass(60_000 * minutes);
    heard.splice(0, heard.length, ...new Set(heard)); // each once: it asks every few seconds
    tell(`gone for ${minutes} minutes more`);
  }
  await press("room-leave");
  tell("left");
  new Student(page, "XY3467", "visitor", (code) => void heard.push(`joins ${code}`));
  await time.pass(100);
  tell("no room, once more");
  document.getElementById("room-field").value = "cdf ghj";
  body.querySelector("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await time.pass(5000);
  tell("another code");
  held(context, lines);
});

test("the result of the page's own question is shown beside the student's answer, from its state or after five seconds", async () => {
  location.search = "?room=CDFGHJ";
  for (const name of Object.keys(room)) delete room[name];
  body.replaceChildren();
  const page = pageInRoom(heard);
  const choices = [
    ["a", "the first"],
    ["b", "the second"],
  ];
  const conclude = async (/** @type {unknown} */ given) => (heard.push(`concludes ${given}`), ["b"]);
  const inClass = { conclude, hold: page.says("holds"), withhold: page.says("withholds") };
  page.presence.rules.predict = () => ({
    open: true,
    root: {},
    inClass,
    shown: { name: "sink", sentence: "?", choices },
  });
  page.presence.rules.revealsAtOnce = () => true;
  new Student(page, "CDFGHJ", "visitor", () => {});
  const own = { ...CHOICE, prediction: { page: "explore", name: "sink" } };
  const concluded = () => heard.splice(0).filter((one) => one.startsWith("concludes"));
  revision = 0;
  /** Ask, answer in these rounds, and reveal. @param {string} id @param {number[]} rounds @param {Loose} [more] of the reveal */
  const voted = async (id, rounds, more = {}) => {
    for (const round of rounds) {
      await told({ question: { ...own, id, round, phase: round === 1 ? "open" : "discuss" } });
      body.querySelectorAll("#room-card input")[round - 1].onchange();
      await time.pass(1000);
    }
    await told({ question: { ...own, id } });
    heard.splice(0);
    await told({ question: { ...own, id, round: rounds.length || 1, phase: "reveal", results }, ...more });
  };
  await told({});
  await voted("q1", [1]);
  assert.deepEqual(concluded(), ["concludes a"]);
  await told({});
  await voted("q2", []);
  assert.deepEqual(concluded(), ["concludes null"]);
  await told({});
  await voted("q3", [1, 2]);
  assert.deepEqual(concluded(), ["concludes b"]);
  await told({});
  page.updates.running = true;
  await voted("q4", [1]);
  await time.pass(2000);
  assert.deepEqual([page.leader.lead.concluding, ...concluded()], [true]);
  page.updates.running = false;
  await time.pass(30);
  assert.deepEqual([page.leader.lead.concluding, ...concluded()], [false, "concludes a"]);
  await told({});
  page.updates.running = true;
  await voted("q5", [1]);
  await time.pass(4800);
  assert.deepEqual(concluded(), []);
  await time.pass(200);
  assert.deepEqual(concluded(), ["concludes a"]);
  page.updates.running = false;
  await told({});
  await voted("q6", [1], { link: "source=upload" });
  assert.deepEqual([page.leader.lead.concluding, ...concluded()], [false]);
  const said = () => body.querySelector(".class-said").textContent;
  await told({ question: { ...own, id: "q7" } });
  assert.equal(page.leader.allows("move"), false);
  assert.equal(said(), "room.held_vote");
  await told({ question: { ...own, id: "q7" }, count: 9 });
  assert.equal(said(), "room.held_vote");
  await time.pass(7000);
  await told({ question: { ...own, id: "q7" }, count: 10 });
  await time.pass(1000);
  assert.equal(said(), "");
  page.leader.allows("move");
  await told({ question: { ...own, id: "q7" }, locked: true });
  assert.equal(said(), "");
  page.leader.allows("move");
  assert.equal(said(), "room.held");
  await told({});
  assert.equal(said(), "");
  assert.equal(page.leader.allows("move"), true);
  await time.pass(9000);
  assert.equal(said(), "room.left");
  await press("room-leave");
});

test("a student who has left reads the lesson of the address, which loads its page only for who opened it", async () => {
  for (const [how, loads] of /** @type {const} */ ([
    ["visitor", true],
    ["led", false],
  ])) {
    location.search = "?room=CDFGHJ&lesson=first-look&step=2";
    remember({ code: "CDFGHJ", lead: { ...FRESH, left: true } });
    const page = pageInRoom(heard);
    heard.splice(0);
    new Student(page, "CDFGHJ", how, () => {});
    await time.pass(10);
    assert.deepEqual(
      heard.filter((one) => one.startsWith("plays")),
      [`plays true ${loads}`],
    );
    assert.deepEqual(page.leader.lead.lesson, { name: "first-look", step: 2 });
    await press("room-leave");
  }
});
