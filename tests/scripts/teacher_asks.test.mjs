/** What a teacher's page keeps, asks and tells in the cases that a lesson seldom meets: curves, lessons, reloads, other tabs, failures. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Acts } from "../../assets/js/room/acts.js";
import { remember, remembered } from "../../assets/js/room/memory.js";
import { TaughtRoom } from "../../assets/js/room/taught_room.js";
import "../../assets/js/room/teacher.js";
import "../../assets/js/room/teacher_card.js";
import { held } from "./held.mjs";
import { pageInRoom } from "./stand_in_room.mjs";
import { settled } from "./stand_in.mjs";
import { mutated } from "./whole_page.mjs";
import {
  CHOICE,
  body,
  document,
  fresh,
  heard,
  location,
  message,
  network,
  playing,
  predict,
  room,
  taught,
  time,
  told,
} from "./taught_page.mjs";

const CURVE = {
  ...{ id: "c", kind: "curve", text: "Draw *it*.", x: [0, 0.5, 1], x_label: "n", y_label: "time", axes: {} },
  ...{ phase: "open", round: 1 },
};
/** @type {Loose} */
const OWN = {
  ...{ id: "p", kind: "choice", text: "Which `head`?", answers: ["the first", "the second"], phase: "open", round: 1 },
  prediction: { page: "explore", name: "sink" },
};

test("a curve is drawn by the teacher as the truth, told at the reveal, and shown with the class's band", async (context) => {
  const { tell, press, opened, lines, finish } = taught();
  await opened();
  await told({ question: CURVE });
  tell("asked");
  const points = () => body.querySelectorAll(".class-truth .predict-point");
  const key = (/** @type {number} */ at, /** @type {string} */ name) =>
    points()[at].dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), { key: name }));
  key(1, "ArrowUp");
  heard.push(`marked ${JSON.stringify(remembered().truths)}`);
  tell("drawn");
  await told({ question: { ...CURVE, phase: "closed" }, answered: [3, 0] });
  tell("closed: no advice, and the drawing stands");
  await press("#room-reveal");
  await time.pass(100);
  tell("told");
  const band = Object.fromEntries([10, 25, 50, 75, 90].map((share) => [share, [0, share / 100, 1]]));
  const results = { first: { answers: 3, band }, second: null, truth: [0, 0.6, 1] };
  await told({ question: { ...CURVE, phase: "reveal", results }, answered: [3, 0] });
  tell("revealed");
  await told({ question: { ...CHOICE, round: 2, phase: "discuss" }, answered: [40, 21], gone: [0, 11] });
  tell("a second vote, half of it gone");
  await finish();
  held(context, lines);
});

test("the tab remembers what is asked, how many answered its first round, and that something was revealed", async () => {
  const { opened, finish } = taught();
  remember({ code: "XY3467", locked: true, asked: OWN, truths: { "": 1 }, revealed: true, remote: "r" });
  await opened();
  const { code, locked, asked, truths, revealed, remote, secret } = remembered();
  assert.deepEqual([code, locked, asked, truths, revealed, remote], ["CDFGHJ", false, null, {}, false, ""]);
  assert.equal(secret?.length, 22);
  const seen = [];
  for (const change of [
    { question: CHOICE, answered: [4, 0] },
    { question: CHOICE, answered: [2, 0] },
    { question: CHOICE },
    { question: { ...CHOICE, id: "other" }, answered: [1, 0] },
    { question: { ...CHOICE, id: "other" }, answered: undefined },
    { answered: [0, 0] },
    { question: { ...CHOICE, phase: "reveal", results: { first: { answers: 3, counts: [1, 2] }, second: null } } },
  ]) {
    await told(change);
    const now = remembered();
    seen.push(`${now.asked?.id ?? "none"} ${now.first} ${now.revealed}`);
  }
  assert.deepEqual(seen, [
    ...["q 4 false", "q 4 false", "q 4 false", "other 1 false", "other 1 false", "none 0 false", "q 0 true"],
  ]);
  await finish();
});

test("the page's own question that another tab has revealed is shown here too, once, where it is shown at once", async () => {
  const { page, opened, finish } = taught();
  page.presence.rules.revealsAtOnce = () => true;
  await opened();
  const reveal = { phase: "reveal", results: { first: { answers: 3, counts: [1, 2] }, second: null, truth: 0 } };
  const concluded = () => heard.splice(0).filter((one) => one.startsWith("concludes"));
  await told({ question: { ...OWN, ...reveal } });
  assert.deepEqual(concluded(), []);
  await told({ question: { ...OWN, id: "another" } });
  await told({ question: { ...OWN, ...reveal } });
  assert.deepEqual(concluded(), []);
  await told({ question: OWN });
  await told({ question: { ...OWN, phase: "closed" } });
  assert.deepEqual(concluded(), []);
  await told({ question: { ...OWN, ...reveal } });
  assert.deepEqual(concluded(), ["concludes null"]);
  await told({ question: { ...OWN, ...reveal } });
  assert.deepEqual(concluded(), []);
  await finish();
});

test("a message that is older than the last one changes nothing, whoever brings it", async () => {
  const { opened, first, finish } = taught();
  await opened();
  await told({ count: 8 });
  const later = room.CDFGHJ;
  room.CDFGHJ = { ...later, count: 5, revision: later.revision - 1 };
  await time.pass(5000);
  assert.equal(first("#room-count").textContent, "8");
  room.CDFGHJ = { ...later, count: 6 };
  await time.pass(5000);
  await finish();
});

test("a teacher's lesson asks the class, waits for its step before the reveal, and tells what is right and why", async (context) => {
  const { page, tell, press, opened, lines, finish } = taught();
  await opened();
  /** @type {(right: number) => void} */
  let computed = () => {};
  const how = {
    truth: () => new Promise((resolve) => (computed = resolve)),
    aside: async () => (heard.push("computed aside"), 1),
  };
  const question = { kind: "choice", text: "How *much*?", answers: ["little", "much"], holds: true };
  page.presence.lesson = { name: "first-look", step: 2 };
  const done = await page.presence.room.ask({ ...question, because: { en: "So." }, seconds: 30 }, how);
  heard.push(`done ${done}`);
  const asked = { ...question, id: "q", phase: "open", round: 1 };
  await told({ question: asked });
  tell("asked: nobody marks what is right");
  room.advice = { advice: "go_on" };
  await told({ question: { ...asked, phase: "closed" } });
  await time.pass(100);
  tell("closed");
  await press("#room-reveal");
  tell("computing");
  await time.pass(20_000);
  tell("it takes its time");
  room.phase = [429, { message: "Slowly", retry: 0 }];
  computed(1);
  await time.pass(10);
  tell("refused: the lesson goes back to its step");
  page.leader.tell({ type: "restored" });
  tell("it stands there");
  await time.pass(8000);
  delete room.phase;
  await press("#room-reveal");
  computed(0);
  await time.pass(10);
  tell("told");
  await told({ question: { ...asked, phase: "discuss", round: 2 } });
  room.ask = [429, { message: "Slowly", retry: 0 }];
  heard.push(`done ${await page.presence.room.ask({ ...question, right: 1, because: { en: "No." } })}`);
  heard.push(JSON.stringify(remembered().because), JSON.stringify(remembered().truths));
  tell("another is refused: what is kept of the first stays");
  delete room.ask;
  heard.push(`done ${await page.presence.room.ask({ ...question, right: 1, because: { en: "Yes." } })}`);
  heard.push(JSON.stringify(remembered().because), JSON.stringify(remembered().truths));
  tell("and asked");
  await finish();
  held(context, lines);
});

test("an end during a reveal lifts its veil, and the results that do not come are not there", async (context) => {
  const { page, teacher, tell, press, opened, lines } = taught();
  await opened();
  predict.inClass.conclude = () => new Promise(() => {});
  remember({ revealed: true });
  await told({ question: OWN });
  await press("#room-reveal");
  tell("veiled");
  room.results = new Error("lost");
  await teacher.end();
  heard.push(`room ${page.presence.room}`);
  tell("over");
  await press("#room-leave");
  held(context, lines);
});

test("a page that is loaded again sends its state at once, unless its lesson goes back to the question first", async () => {
  const sent = [];
  for (const [asked, search] of /** @type {[Loose, string][]} */ ([
    [null, "?lesson=first-look&step=3"],
    [CHOICE, "?lesson=first-look&step=3"],
    [{ ...CHOICE, holds: true }, "?lesson=first-look&step=3"],
    [{ ...CHOICE, holds: true }, ""],
    [{ ...CHOICE, holds: true, phase: "reveal" }, "?lesson=first-look&step=3"],
  ])) {
    fresh({ search });
    remember({ secret: "s", code: "CDFGHJ", asked });
    const { teacher } = playing("led");
    message({});
    teacher.resume("CDFGHJ");
    await time.pass(10);
    sent.push(heard.filter((one) => /^POST .room.CDFGHJ.state/.test(one)).length);
    teacher.ended();
    await settled();
  }
  assert.deepEqual(sent, [1, 1, 0, 1, 1]);
});

test("the lesson of an address is the teacher's own on a page that was loaded with it, and none on a page that stands", () => {
  const seen = [];
  for (const [how, search] of /** @type {[Loose, string][]} */ ([
    ["visitor", "?lesson=first-look&step=3"],
    ["led", "?lesson=first-look"],
    ["visitor", "?lesson=first-look&step=scores"],
    ["visitor", ""],
    [null, "?lesson=first-look&step=3"],
    [null, ""],
  ])) {
    fresh({ search });
    const { page, teacher } = playing(how);
    const { lesson, named, role } = page.leader.lead;
    const plays = heard.filter((one) => one.startsWith("plays"));
    seen.push(`${role} ${JSON.stringify(lesson)} ${named} ${plays}`);
    teacher.ended();
  }
  assert.deepEqual(seen, [
    'teacher {"name":"first-look","step":3} true ',
    'teacher {"name":"first-look","step":1} true ',
    'teacher {"name":"first-look","step":1} true ',
    "teacher null false ",
    "teacher null false ",
    "teacher null false ",
  ]);
});

test("what is said of a room goes when it is no longer so, and else after eight seconds", async () => {
  const { page, first, press, opened, finish } = taught();
  const said = () => first(".class-said").textContent;
  await opened();
  room.state = [429, { message: "Slowly", retry: 0 }];
  await press("#room-call");
  await told({});
  assert.equal(said(), "Slowly");
  await time.pass(8000);
  assert.equal(said(), "");
  delete room.state;
  await told({ question: { ...CHOICE, holds: true } });
  assert.equal(page.leader.allows("move"), false);
  assert.equal(said(), "room.held_asking");
  await time.pass(8000);
  assert.equal(said(), "");
  room.CDFGHJ = new Error("lost");
  room.stream = new Error("lost");
  network("offline");
  page.leader.tell({ type: "reveal" });
  assert.equal(said(), "room.reveal_waits");
  await time.pass(20_000);
  assert.equal(said(), "room.reveal_waits");
  delete room.stream;
  await time.pass(5000);
  await told({});
  assert.equal(said(), "");
  network("offline");
  assert.equal(said(), "room.away");
  await told({ life: "b" });
  assert.equal(said(), "room.made_again");
  await time.pass(8000);
  assert.equal(said(), "");
  await finish();
});

test("a room that is heard at last takes back what was said meanwhile", async () => {
  fresh();
  remember({ secret: "s", code: "CDFGHJ" });
  const { teacher, first, finish } = playing("led");
  const said = () => first(".class-said").textContent;
  room.CDFGHJ = room.stream = [503, { message: "Busy", retry: 1 }];
  teacher.resume("CDFGHJ");
  await time.pass(100);
  assert.equal(said(), "Busy");
  delete room.stream;
  room.CDFGHJ = message({});
  await time.pass(2000);
  await told({});
  assert.equal(said(), "");
  await finish();
});

test("a teacher's page stands at a question's state, unless the class keeps it, another page has it, or the server refuses", async () => {
  const page = pageInRoom(heard);
  page.message.error = Object.assign(document.createElement("p"), { hidden: true, textContent: "Too long" });
  page.presenter.look.present = 1;
  /** @type {string[]} */
  const said = [];
  const line = /** @type {Loose} */ ({ code: "CDFGHJ", post: async () => void said.push("posted") });
  const state = /** @type {Loose} */ ({ present: { lesson: null } });
  const acts = new Acts(
    new TaughtRoom(page, line),
    /** @type {Loose} */ ({ say: (/** @type {unknown[]} */ ...of) => void said.push(of.join()) }),
    state,
    /** @type {Loose} */ ({}),
  );
  heard.splice(0);
  location.search = "?room=CDFGHJ&lesson=first-look&step=2";
  const stand = async (/** @type {string} */ link) => {
    const done = await acts.stand(link);
    return `${done}: ${[...heard.splice(0), ...said.splice(0), location.search].join(", ")}`;
  };
  const at = "?room=CDFGHJ&lesson=first-look&step=2";
  page.state.present = page.state.canonical = "n=5&hide=a&present=1";
  assert.equal(await stand("page=explore&n=5"), `true: ${at}`);
  assert.equal(await stand("n=6"), `true: goes to n=6&columns=2&present=1 {}, ${at}`);
  assert.equal(await stand("page=why&n=6"), `false: goes to page=why&n=6&columns=2&present=1 {}, ${at}`);
  page.state.present = page.state.canonical = "n=5";
  state.present.lesson = { name: "first-look", step: 2 };
  assert.equal(await stand("page=why&n=6"), `false: goes to page=why&n=6&columns=2&present=1 {"aside":"1"}, ${at}`);
  assert.equal(await stand("n=7"), `true: goes to n=7&columns=2&present=1 {"aside":"1"}, ${at}&aside=1`);
  page.message.error.hidden = false;
  assert.equal(
    await stand("n=8"),
    `false: goes to n=8&columns=2&present=1 {"aside":"1"}, Too long,true, ${at}&aside=1`,
  );
  page.leader.allows = () => false;
  assert.equal(await stand("n=9"), `false: ${at}&aside=1`);
  await acts.show({ id: "o", link: "n=9" });
  assert.deepEqual([...heard, ...said], []);
});

test("a code for the remote that comes after its menu was shut is not drawn, and a question takes no state too long for its list", async () => {
  const { page, first, press, fold, opened, finish } = taught();
  await opened();
  await fold("#room-remote");
  /** @type {(ticket: unknown) => void} */
  let came = () => {};
  room.ticket = () => new Promise((resolve) => (came = resolve));
  await press("#remote-new");
  await fold("#room-remote", false);
  came({ ticket: "t", seconds: 20, picture: "<svg>" });
  await time.pass(10);
  assert.equal(first("#room-remote img").hidden, true);
  await fold("#room-remote");
  await press("#remote-new");
  came({ ticket: "t", seconds: 20, picture: "<svg>" });
  await time.pass(10);
  assert.equal(first("#room-remote img").hidden, false);
  await press("#remote-new");
  came({ ticket: "u", seconds: 20, picture: "<svg2>" });
  await time.pass(19_000);
  assert.match(first("#room-remote img").src, /svg2/);
  await fold("#room-ask");
  page.prints.printed = () => [{ name: "heat-maps" }];
  const kept = [];
  for (const link of ["", "n=5", `note=${"x".repeat(5000)}`, "source=upload"]) {
    page.state.present = page.state.canonical = link;
    first("#ask-text").value = `Of ${link.slice(0, 9)}?`;
    body.querySelectorAll(".class-answers li").forEach((/** @type {Loose} */ one, /** @type {number} */ at) => {
      one.querySelector("input").value = `answer ${at}`;
    });
    first("#ask-figure").dispatchEvent(new Event("focus"));
    first("#ask-figure").value = "heat-maps";
    await press("#ask-keep");
    const { question } = JSON.parse([...localStorage.kept.values()].at(-1) ?? "[]").at(-1);
    kept.push(`${question.figure} ${question.holds} ${question.link}`);
  }
  assert.deepEqual(kept, [
    "heat-maps true page=explore",
    "heat-maps true n=5",
    "heat-maps true undefined",
    "heat-maps true undefined",
  ]);
  await finish();
});

test("the phone is told whatever changes on the bar and above the page, until it is untied", async () => {
  const { page, first, press, opened, finish } = taught();
  await opened();
  await press("#room-call");
  assert.equal(first(".class-said").textContent, "room.call_done");
  await time.pass(8000);
  assert.equal(first(".class-said").textContent, "");
  await told({ remote: { right: "r", commands: [] }, question: CHOICE });
  await time.pass(3000); // a heartbeat brings the message once more
  const said = first(".class-said");
  let n = 0;
  /** Change what is said, then let an element change. @param {() => void} change */
  const heardOf = async (change) => {
    heard.splice(0);
    n += 1;
    said.textContent = `sentence ${n}`;
    change();
    await time.pass(1000);
    return heard.filter((one) => one.includes("/shown") && one.includes(`sentence ${n}`)).length;
  };
  const close = first("#room-closed");
  /** @type {[string, () => void][]} */
  const changes = [
    ["nothing", () => {}],
    ["children of the bar", () => mutated(first("#class"), "childList")],
    ["children inside it", () => mutated(said, "childList")],
    ["a button is disabled", () => mutated(close, "disabled")],
    ["a button is hidden", () => mutated(close, "hidden")],
    ["another attribute", () => mutated(close, "title")],
    ["a sheet over the page", () => mutated(body, "childList")],
    ["something inside the page", () => mutated(page.message.root, "childList")],
    ["a step", () => document.dispatchEvent(new Event("headlight:step"))],
    ["a room", () => document.dispatchEvent(new Event("headlight:room"))],
  ];
  const seen = [];
  for (const [what, change] of changes) seen.push(`${what}: ${await heardOf(change)}`);
  assert.deepEqual(seen, [
    ...["nothing: 0", "children of the bar: 1", "children inside it: 1", "a button is disabled: 1"],
    ...["a button is hidden: 1", "another attribute: 0", "a sheet over the page: 1", "something inside the page: 0"],
    ...["a step: 1", "a room: 1"],
  ]);
  await told({ question: CHOICE });
  for (const [, change] of changes) assert.equal(await heardOf(change), 0);
  await finish();
});
