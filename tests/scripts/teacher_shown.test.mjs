/** What a teacher's page shows, asks of its room and hears from it: the way in, what holds the class, its questions and votes, offers, the remote, each end. */

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../assets/js/lead/leader.js";
import "../../assets/js/room/acts.js";
import "../../assets/js/room/ask_fields.js";
import "../../assets/js/room/ask_form.js";
import "../../assets/js/room/ask_menu.js";
import "../../assets/js/room/button.js";
import "../../assets/js/room/class_address.js";
import "../../assets/js/room/head_count.js";
import "../../assets/js/room/invite.js";
import "../../assets/js/room/offers_menu.js";
import "../../assets/js/room/remote_menu.js";
import "../../assets/js/room/taught_room.js";
import "../../assets/js/room/teacher_bar.js";
import "../../assets/js/room/teacher_card.js";
import "../../assets/js/room/wall.js";
import { remember } from "../../assets/js/room/memory.js";
import "../../assets/js/room/teacher.js";
import { held } from "./held.mjs";
import {
  CHOICE,
  body,
  document,
  end,
  fresh,
  heard,
  localStorage,
  message,
  named,
  network,
  playing,
  predict,
  room,
  sessionStorage,
  taught,
  time,
  told,
  window,
  location,
} from "./taught_page.mjs";
import { mutated } from "./whole_page.mjs";

test("a teacher opens a room at the third try, invites the class over one of two networks, and shows the way in on a wall", async (context) => {
  const { teacher, tell, first, press, fold, open, lines, finish } = taught();
  await time.pass(10);
  tell("begun");
  room.room = [409, { message: "Another room has this code.", retry: 0 }];
  await teacher.open();
  tell("refused");
  room.room = new Error("lost");
  await teacher.open();
  tell("lost");
  room.reach = { network: true, origins: ["http://192.168.0.5:7860", "http://10.0.0.2:7860"] };
  await open();
  tell("opened");
  await fold("#room-invite");
  tell("the menu is open");
  await told({ count: 4, follow: 4 });
  tell("one more has come");
  first("#room-network").querySelectorAll("input")[1].onchange();
  await time.pass(10);
  tell("the other network");
  await press("#room-copy");
  tell("copied");
  Object.assign(window, { isSecureContext: true });
  await press("#room-copy");
  tell("copied by the browser's way");
  Object.assign(window, { isSecureContext: false });
  Object.assign(document, { execCommand: () => false });
  await press("#room-copy");
  tell("not copied");
  Object.assign(document, { execCommand: () => true });
  room.qr = new Error("lost");
  await fold("#room-invite", false);
  first("#room-network").querySelectorAll("input")[0].onchange();
  await fold("#room-invite");
  tell("the picture does not come");
  room.qr = "<svg2>";
  await fold("#room-invite", false);
  tell("shut");
  await press("#room-enlarge");
  tell("on the wall");
  await told({ count: 9, follow: 1 });
  tell("more have come");
  await told({ count: 9, follow: 2 });
  tell("the wall says nothing new");
  await press("#room-wall-shut");
  tell("the wall is shut");
  teacher.focus();
  tell("the class's button");
  teacher.focus();
  tell("and again");
  first("#room-field").value = "xy3-467";
  first("#room-invite form").dispatchEvent(new Event("submit", { cancelable: true }));
  tell("a code to follow instead");
  await finish();
  held(context, lines);
});

test("whom the network reaches decides what the invitation says, once the server has told it", async () => {
  const said = [];
  for (const [hostname, reach] of /** @type {[string, Loose][]} */ ([
    ["127.0.0.1", { network: null, origins: [] }],
    ["localhost", { network: false, origins: [] }],
    ["localhost", { network: true, origins: ["http://192.168.0.5:7860"] }],
    ["127.0.0.1", new Error("lost")],
    ["192.168.0.5", { network: true, origins: ["http://10.0.0.2"] }],
    ["example.org", { network: true, origins: ["http://10.0.0.2"] }],
  ])) {
    const { first, open, finish } = taught({ search: "", hostname, reach });
    await open();
    const note = body.querySelector("#room-invite .class-note")?.textContent ?? "nothing";
    const asked = heard.filter((one) => one.includes("/reach")).length;
    said.push(`${hostname}: ${note}, ${first("#room-address").href}, asked ${asked}`);
    assert.equal(body.querySelector("#room-network"), null);
    await finish();
  }
  assert.deepEqual(said, [
    "127.0.0.1: room.unreached, http://127.0.0.1:7860/?room=CDFGHJ, asked 1",
    "localhost: room.machine GRADIO_SERVER_NAME=0.0.0.0 .venv/bin/python app.py, http://localhost:7860/?room=CDFGHJ, asked 1",
    "localhost: share.local, http://192.168.0.5:7860/?room=CDFGHJ, asked 1",
    "127.0.0.1: room.unreached, http://127.0.0.1:7860/?room=CDFGHJ, asked 1",
    "192.168.0.5: share.local, http://192.168.0.5:7860/?room=CDFGHJ, asked 0",
    "example.org: nothing, http://example.org:7860/?room=CDFGHJ, asked 0",
  ]);
});

test("a teacher calls and holds the class, shows where they point, and what students offer", async (context) => {
  const { page, first, tell, press, opened, lines, finish } = taught();
  await opened();
  room.state = new Error("lost");
  await press("#room-call");
  tell("the call is lost");
  room.state = [429, { message: "Slowly", retry: 1 }];
  await press("#room-call");
  tell("the call is refused");
  delete room.state;
  await time.pass(3000);
  await press("#room-call");
  tell("called");
  await press("#room-lock");
  await time.pass(300);
  tell("held");
  await told({ locked: true });
  tell("the room holds them");
  await press("#room-lock");
  await time.pass(300);
  tell("let go");
  await told({ locked: true, calls: 1 });
  tell("somebody else holds them");
  page.move("n=6");
  await time.pass(400);
  tell("moved");
  page.point({ head: 1 });
  await time.pass(400);
  tell("pointed");
  await told({ link: "source=upload" });
  tell("a file of the teacher's own");
  await told({ link: "n=6" });
  tell("and no more");
  const offers = [
    { id: "o1", link: "n=7" },
    { id: "o2", link: "page=why&n=6" },
  ];
  await told({ link: "n=6", offers });
  tell("offers");
  await told({ link: "n=6", offers, count: 5 });
  tell("the same offers");
  room.drop = [429, { message: "Slowly", retry: 1 }];
  const row = (/** @type {number} */ at) => body.querySelectorAll(".class-offer")[at].querySelectorAll("button");
  row(1)[1].click();
  await time.pass(10);
  tell("not dropped");
  delete room.drop;
  row(1)[1].click();
  await time.pass(10);
  tell("dropped");
  first("#room-offers").parent.parent.open = true;
  row(0)[0].click();
  await time.pass(400);
  tell("shown, and the menu is shut");
  row(1)[0].click();
  await time.pass(400);
  tell("shown, of another page");
  await told({ link: "n=7", offers: offers.slice(0, 1), question: { ...CHOICE, holds: true } });
  row(0)[0].click();
  await time.pass(400);
  tell("the class's question keeps the page");
  await told({ link: "n=7" });
  tell("no offers");
  await finish();
  held(context, lines);
});

test("a class's question is closed, marked, asked once more and revealed, each by a press or by the lesson's keys", async (context) => {
  const { page, tell, press, fold, opened, lines, finish } = taught();
  await opened();
  const wish = async (/** @type {Loose} */ what) => {
    heard.push(`may ${what}: ${page.leader.allows(what)}`);
    await time.pass(400);
  };
  const key = async (/** @type {1 | -1} */ by) => {
    page.leader.tell({ type: "press", by });
    await time.pass(10);
  };
  room.advice = { advice: "discuss" };
  await told({ question: CHOICE });
  tell("asked");
  await told({ question: CHOICE, answered: [2, 0], count: 3 });
  tell("two answers");
  await told({ question: CHOICE, answered: [20, 0], gone: [12, 0] });
  tell("many of pages that have gone");
  await wish("lesson");
  tell("another step");
  await wish("move");
  tell("a control");
  await press("#room-fold");
  tell("folded");
  await key(1);
  tell("next");
  await key(-1);
  tell("back");
  await key(1);
  await key(1);
  tell("next twice");
  await press("#room-closed");
  tell("close");
  await fold("details.class-truth");
  const marks = () => body.querySelectorAll(".class-truth button");
  marks()[1].click();
  tell("marked");
  marks()[0].click();
  tell("marked anew");
  marks()[0].click();
  tell("not marked");
  marks()[1].click();
  await told({ question: { ...CHOICE, phase: "closed" }, answered: [3, 0] });
  await time.pass(100);
  tell("closed");
  await press("#room-discuss");
  tell("vote again");
  const second = { ...CHOICE, phase: "discuss", round: 2 };
  await told({ question: second, answered: [3, 1], gone: [0, 0] });
  tell("the second vote");
  room.phase = [503, { message: "Busy", retry: 1 }];
  await press("#room-reveal");
  tell("the reveal is refused");
  room.phase = new Error("lost");
  await press("#room-reveal");
  tell("the reveal is lost");
  delete room.phase;
  await time.pass(3000);
  tell("told when the server is back");
  const results = {
    ...{ first: { answers: 3, counts: [1, 2] }, second: { answers: 3, counts: [0, 3] } },
    truth: 1,
  };
  const shown = { ...second, phase: "reveal", results };
  room.results = "csv";
  await told({ question: shown, answered: [3, 3] });
  await time.pass(100);
  tell("revealed");
  await wish("lesson");
  tell("a step is free again");
  await press("#room-csv");
  tell("the answers are saved");
  await press("#room-over");
  tell("done");
  await told({});
  tell("no question");
  await key(1);
  tell("next is the lesson's");
  await finish();
  held(context, lines);
});

test("a question of the page's own is asked as it is, covered, computed under a veil, and stays kept over a reload", async (context) => {
  const { page, teacher, tell, press, fold, opened, lines } = taught();
  await opened();
  const prompt = document.createElement("div");
  prompt.id = "predict";
  body.append(prompt);
  await fold("#room-ask");
  tell("the menu of questions");
  const may = document.createElement("button");
  may.id = "predict-open";
  prompt.append(may);
  mutated(prompt, "childList");
  tell("the page has a question that is not open");
  page.state.values.predict = "on";
  mutated(prompt, "hidden");
  tell("it opens it");
  await fold("#room-ask", false);
  page.state.values.predict = "";
  mutated(prompt, "hidden");
  tell("shut: nothing follows");
  await fold("#room-ask");
  tell("opened again: the question is gone");
  await fold("#room-ask", false);
  page.state.values.predict = "on";
  await fold("#room-ask");
  await press("#ask-page");
  await time.pass(300);
  tell("asked");
  const own = {
    ...{
      id: "p",
      kind: "choice",
      text: "Which `head`?",
      answers: ["the first", "the second"],
      phase: "open",
      round: 1,
    },
    prediction: { page: "explore", name: "sink" },
  };
  await told({ question: own });
  tell("the class is asked");
  heard.push(`may move: ${page.leader.allows("move")}`);
  await time.pass(10);
  tell("the page stays");
  /** @type {(real: string[]) => void} */
  let answer = () => {};
  predict.inClass.conclude = (/** @type {unknown} */ given) => {
    heard.push(`concludes ${given}`);
    return new Promise((resolve) => (answer = resolve));
  };
  await press("#room-reveal");
  page.move("n=50");
  await time.pass(1000);
  tell("revealing, under a veil: the class does not see where the page is");
  answer(["b"]);
  await time.pass(1000);
  tell("told");
  await told({
    question: { ...own, phase: "reveal", results: { first: { answers: 3, counts: [1, 2] }, second: null, truth: 1 } },
  });
  tell("revealed");
  await told({
    question: { ...own, phase: "reveal", results: { first: { answers: 3, counts: [1, 2] }, second: null, truth: 1 } },
    life: "b",
  });
  tell("the room was made again");
  heard.push(`kept ${named(sessionStorage.getItem("headlight-room") ?? "")}`);
  tell("kept");
  await teacher.end();
  await time.pass(100);
  tell("over");
  await press("#room-results-file");
  tell("saved after the end");
  await press("#room-leave");
  tell("left");
  held(context, lines);
});

test("a teacher's own questions: answers, a mark, a curve with its ends, a figure, and what the form refuses", async (context) => {
  const { page, tell, press, first, fold, opened, lines, finish } = taught();
  page.prints.printed = () => [{ name: "heat-maps" }, { name: "key-norms" }];
  await opened();
  await fold("#room-ask");
  tell("the menu is open");
  const write = (/** @type {string} */ selector, /** @type {string} */ value) => (first(selector).value = value);
  const submit = async () => {
    const event = new Event("submit", { cancelable: true });
    first("#ask-form").dispatchEvent(event);
    await time.pass(300);
    heard.push(`prevented ${event.defaultPrevented}`);
  };
  const answers = () => body.querySelectorAll(".class-answers li");
  const kinds = () => body.querySelectorAll(".class-kinds input");
  const choose = (/** @type {number} */ at) => {
    kinds().forEach((/** @type {Loose} */ one, /** @type {number} */ i) => (one.checked = i === at));
    kinds()[at].onchange();
  };
  await press("#ask-keep");
  tell("to be kept, without a text");
  write("#ask-text", " How many $\\alpha$? ");
  answers()[1].querySelector("input").value = "one";
  await submit();
  tell("one answer");
  for (let more = 0; more < 4; more += 1) await press("#ask-more");
  tell("six answers");
  answers()[3].querySelector("input").value = " $\\beta$ ";
  answers()[1].querySelector("button").click();
  answers()[3].querySelector("button").click();
  tell("the fourth is right");
  answers()[3].querySelector("button").click();
  answers()[3].querySelector("button").click();
  await submit();
  tell("asked");
  heard.push(`kept ${named(sessionStorage.getItem("headlight-room") ?? "")}`);
  await fold("#room-ask");
  tell("the menu, with what was asked");
  choose(1);
  tell("a curve");
  write("#ask-text", "Draw.");
  write("#ask-x", "length");
  write("#ask-y", "time");
  write("#ask-x-from", "1");
  write("#ask-y-from", "x");
  await submit();
  tell("one end, and no number");
  first(".class-axis").dispatchEvent(new Event("input"));
  first("#ask-x").parent.parent.parent.oninput();
  tell("typed on");
  write("#ask-x-to", "8");
  await submit();
  tell("no number");
  write("#ask-y-from", "0");
  write("#ask-y-to", "10");
  write("#ask-because", "It *grows*.");
  first("#ask-figure").dispatchEvent(new Event("focus"));
  tell("figures to choose from");
  write("#ask-figure", "key-norms");
  room.ask = [429, { message: "Slowly", retry: 1 }];
  await submit();
  tell("refused");
  heard.push(`kept ${named(sessionStorage.getItem("headlight-room") ?? "")}`);
  delete room.ask;
  await press("#ask-keep");
  tell("kept");
  await fold("#room-ask", false);
  page.move("n=9");
  await fold("#room-ask");
  tell("the page has moved");
  const row = (/** @type {number} */ at) =>
    body.querySelectorAll(".class-prepared-list li")[at].querySelectorAll("button");
  row(1)[0].click();
  await time.pass(300);
  tell("a prepared one, in its state");
  choose(0);
  write("#ask-text", "Kept?");
  ["yes", "no"].forEach((word, at) => (answers()[at].querySelector("input").value = word));
  await press("#ask-keep");
  tell("one more is kept");
  page.state.present = page.state.canonical = "source=upload";
  first("#ask-figure").dispatchEvent(new Event("focus"));
  write("#ask-text", "Of my file?");
  write("#ask-figure", "heat-maps");
  ["yes", "no"].forEach((word, at) => (answers()[at].querySelector("input").value = word));
  await press("#ask-keep");
  heard.push(localStorage.getItem("headlight-questions") ?? [...localStorage.kept].join());
  tell("of a file of one's own");
  await finish();
  held(context, lines);
});

test("a phone is tied by a code that is old after twenty seconds, steers by this page's buttons, and is untied", async (context) => {
  const { page, tell, press, fold, opened, lines, finish } = taught();
  await opened();
  await fold("#room-remote");
  tell("the menu of the remote");
  room.ticket = new Error("lost");
  await press("#remote-new");
  tell("no code");
  room.ticket = { ticket: "t", seconds: 20, picture: "<svg>" };
  await press("#remote-new");
  tell("a code");
  await time.pass(19_980);
  tell("nearly twenty seconds");
  await time.pass(20);
  tell("too old");
  await press("#remote-new");
  await fold("#room-remote", false);
  tell("shut: the code is gone");
  await press("#remote-new");
  tell("a code that comes to a shut menu");
  await fold("#room-remote");
  await press("#remote-new");
  await told({ remote: { right: "r", commands: [] } });
  tell("tied");
  await told({ remote: { right: "r", commands: [{ number: 1, do: "blank" }] } });
  await time.pass(1000);
  tell("blank");
  await told({ remote: { right: "r", commands: [{ number: 1, do: "blank" }] } });
  await time.pass(1000);
  tell("said twice");
  await told({ remote: { right: "r", commands: [{ number: 2, do: "blank" }] }, question: CHOICE });
  await time.pass(1000);
  tell("not blank, and a vote");
  await told({ remote: { right: "r", commands: [{ number: 3, do: "close" }] }, question: CHOICE });
  await time.pass(1000);
  tell("closed by the phone");
  await told({
    remote: {
      right: "r",
      commands: [
        { number: 4, do: "over" },
        { number: 5, do: "next" },
      ],
    },
    question: CHOICE,
  });
  await time.pass(1000);
  tell("what cannot be done now");
  page.state.values.predict = "on";
  await told({ remote: { right: "r", commands: [{ number: 6, do: "ask" }] } });
  await time.pass(1000);
  tell("the page's own question is asked by the phone");
  await fold("#room-remote");
  await press("#remote-new");
  tell("another phone");
  room.revoke = [429, { message: "Slowly", retry: 1 }];
  await press("#remote-revoke");
  tell("not taken back");
  delete room.revoke;
  await press("#remote-revoke");
  await told({ remote: null });
  tell("taken back");
  await finish();
  held(context, lines);
});

test("the bar says that the server is away, makes a lost room again, and asks once more before the end", async (context) => {
  const { page, teacher, tell, press, fold, opened, lines } = taught();
  await opened();
  network("offline");
  await time.pass(10);
  tell("offline");
  await told({ question: CHOICE });
  tell("a message comes");
  network("offline");
  page.leader.tell({ type: "reveal" });
  await time.pass(10);
  tell("a reveal waits");
  network("online");
  await time.pass(3000);
  tell("and goes on");
  await told({});
  tell("it is gone");
  room.room = { code: "CDFGHJ", message: message({ life: "b" }) };
  room.state = () => {
    delete room.state;
    return [404, { message: "No room has this code." }];
  };
  page.move("n=8");
  await time.pass(3000);
  tell("made again");
  await fold("#room-end");
  tell("the menu of the end");
  await told({ life: "b", count: 7 });
  tell("seven are here");
  await press("#room-stay");
  tell("stay");
  room.end = [503, { message: "Busy", retry: 1 }];
  await fold("#room-end");
  await press("#room-end-all");
  await time.pass(1000);
  tell("the end is refused");
  end();
  await time.pass(1000);
  tell("the room ends by itself");
  page.move("n=9");
  network("offline");
  page.leader.tell({ type: "screen", link: "n=9" });
  await time.pass(5000);
  tell("nothing follows");
  teacher.ended();
  tell("ended once");
  await press("#room-leave");
  tell("left");
  held(context, lines);
});

test("a page that is loaded again teaches its room on, with what the tab remembers", async (context) => {
  fresh();
  remember({ secret: "s", code: "CDFGHJ", locked: true, asked: { ...CHOICE, holds: true }, truths: { "": 1 } });
  location.search = "?lesson=first-look&step=3";
  message({ question: CHOICE });
  const { page, teacher, tell, lines, finish } = playing("led");
  lines.splice(0);
  teacher.resume("CDFGHJ");
  await time.pass(10);
  tell("resumed: the lesson goes back to its question first");
  page.presence.room.compute({ ...CHOICE, holds: true, id: undefined }, { truth: async () => 0, aside: async () => 0 });
  heard.push(`voting ${page.presence.room.voting()}, asked ${page.presence.room.asked()?.id}`);
  await told({ question: { ...CHOICE, holds: true }, locked: true });
  tell("the first message");
  page.presence.room.compute(CHOICE, {});
  tell("another question is not the class's");
  page.presence.room.compute({ ...CHOICE, holds: true }, { truth: async () => 0, aside: async () => 0 });
  await time.pass(10);
  tell("the lesson knows what is right");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  await time.pass(300);
  tell("shown");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await time.pass(300);
  tell("shown again by the browser");
  page.leader.tell({ type: "reveal" });
  await time.pass(300);
  tell("revealed as the lesson computes it");
  remember({ token: "another" });
  teacher.renew();
  page.leader.tell({ type: "concluding", on: false });
  page.move("n=10");
  await time.pass(600);
  tell("by another token");
  await finish();
  tell("over");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await time.pass(300);
  tell("nothing follows");
  held(context, lines);
});
