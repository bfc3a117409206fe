/** What a teacher's phone shows and sends: its ticket, each state of a lesson and a vote, each press, and each way in which it ends. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { held } from "./held.mjs";
import { Time, settled } from "./stand_in.mjs";
import { standInRoom } from "./stand_in_room.mjs";
import { outline, standInPage, telling } from "./whole_page.mjs";

const { document, body, html, heard, location, window, sessionStorage } = standInPage();
const time = new Time();
const text = readFileSync(fileURLToPath(new URL("../../assets/locales/en.json", import.meta.url).href), "utf8");
const texts = document.createElement("script");
html.lang = "en";
Object.assign(document, { baseURI: "http://page/remote" });
const device = { onLine: true };
Object.defineProperty(globalThis, "navigator", { configurable: true, value: device });
Object.assign(globalThis.history, {
  replaceState: (/** @type {unknown} */ _, /** @type {unknown} */ __, /** @type {string} */ to) =>
    heard.push(`address ${to}`),
});
const { room, named, draw, send, end, close } = standInRoom(
  heard,
  ({ "X-Headlight-Tab": tab, "X-Headlight-Secret": secret }) => `${tab}, right ${secret}`,
);

const FIRST = {
  ...{ revision: 1, count: 24, follow: 20, answered: [0, 0], question: null },
  shown: {
    ...{
      done: 0,
      lesson: { title: { en: "A *first* look", ko: "첫" }, step: 2, steps: 5 },
      blank: false,
      said: "Ready",
    },
    ...{ note: { en: "Say *this*.\n\n- and that" }, can: ["back", "next", "ask", "blank"] },
  },
};
let revision = 0;
/** Send a message of the room. @param {Loose} change @param {Loose} [shown] null: the teacher's page has told nothing yet */
async function told(change, shown = {}) {
  revision += 1;
  const message = { ...FIRST, ...change, revision, shown: shown && { ...FIRST.shown, ...shown } };
  room.CDFGHJ = message;
  send(message);
  await time.pass(10);
}

/** Open the remote anew, as a phone does that has read the code. @param {string} search @param {string} hash */
async function opened(search, hash) {
  Object.assign(location, { search, hash });
  texts.textContent = text;
  texts.id = "remote-texts";
  body.replaceChildren(texts);
  for (const name of Object.keys(body.dataset)) delete body.dataset[name];
  revision = 0;
  await import(`../../assets/js/later/remote.js?${draw()}`);
  await time.pass(10);
}

const shown = () => [...outline(body), `kept ${named(sessionStorage.getItem("headlight-remote") ?? "nothing")}`];
const press = async (/** @type {string} */ name) => {
  document.getElementById(`remote-${name}`).click();
  await time.pass(10);
};
const turned = async (/** @type {boolean} */ on) => {
  device.onLine = on;
  window.dispatchEvent(new Event(on ? "online" : "offline"));
  await time.pass(10);
};

test("a phone begins with its ticket, steers a lesson and its votes, and comes back after each failure", async (context) => {
  room.exchange = new Error("lost");
  await opened("?room=cdf-ghj&remote=1", "#ticket");
  const { lines, tell } = telling(shown, heard);
  tell("the exchange is lost");
  room.exchange = [503, { message: "Busy", retry: 1 }];
  await time.pass(2000);
  tell("the server is busy");
  room.exchange = {};
  await time.pass(2000);
  tell("exchanged");
  await told({}, null);
  tell("the teacher's page has told nothing yet");
  await told({});
  tell("a step");
  const question = { text: "How $x^2$?", kind: "choice", phase: "open", round: 1 };
  await told({ question, answered: [1, 0] }, { can: ["close", "reveal", "blank"], said: "`n` is 5", note: null });
  tell("asked");
  await told({ question: { ...question, phase: "closed" }, answered: [12, 0] }, { can: ["again", "reveal"] });
  tell("closed");
  await told({ question: { ...question, phase: "discuss", round: 2 }, answered: [12, 7] }, { can: ["reveal"] });
  tell("once more");
  await told({ question: { ...question, phase: "reveal", round: 2 }, answered: [12, 9] }, { can: ["over"] });
  tell("revealed");
  await told({}, { lesson: { title: { ko: "첫걸음" }, step: 6, steps: 5 }, blank: true });
  tell("what we saw, blank, in the one language that there is");
  await told({}, { lesson: null, note: { en: "" }, said: "" });
  tell("no lesson");
  await turned(false);
  tell("the phone is offline");
  await turned(true);
  tell("and back");
  for (const [number, name] of ["back", "next", "ask", "close", "again", "reveal", "over", "blank"].entries()) {
    room.command = { number: number + 1 };
    await told({}, { done: number, can: [name] });
    heard.splice(0);
    await press(name);
    tell(`pressed ${name}`);
  }
  await told({}, { done: 7 });
  tell("an older command is done");
  await time.pass(5900);
  await told({}, { done: 7, said: "Not yet" });
  tell("six seconds are not over");
  await time.pass(100);
  tell("not done");
  room.command = { number: 9 };
  await press("next");
  await told({}, { done: 9 });
  await time.pass(6000);
  tell("done");
  room.command = { number: 9 };
  await press("next");
  await time.pass(6000);
  tell("it was done before its number came");
  room.command = new Error("lost");
  await press("back");
  await time.pass(6000);
  tell("the press is lost");
  room.command = [429, { message: "Slowly", retry: 1 }];
  await press("back");
  tell("the press is refused");
  close();
  room.stream = new Error("lost");
  await time.pass(3000);
  tell("the room is lost");
  delete room.stream;
  await time.pass(3000);
  await told({});
  tell("found again");
  end();
  await time.pass(10);
  tell("the room is over");
  await turned(false);
  await turned(true);
  tell("nothing follows");
  held(context, lines);
});

test("a phone says why it does not steer, and keeps its right over a reload", async (context) => {
  const lines = [];
  for (const [
    what,
    search,
    hash,
    kept,
    exchange,
    taken,
  ] of /** @type {[string, string, string, string, Loose, Loose][]} */ ([
    ["no ticket", "?room=CDFGHJ", "", "", {}, {}],
    ["no code", "", "#ticket", "", [404, { message: "No room has this code." }], {}],
    ["a ticket that is too old", "?room=CDFGHJ", "#old", "", [410, { message: "This code is too old." }], {}],
    ["the right of another room", "?room=CDFGHJ", "", '{"code":"XY3467","right":"r","token":"t"}', {}, {}],
    ["what another version kept", "?room=CDFGHJ", "", "{", {}, {}],
    ["loaded again", "?room=CDFGHJ", "", '{"code":"CDFGHJ","right":"r","token":"t"}', {}, {}],
    [
      "the right was taken back",
      "?room=CDFGHJ",
      "",
      '{"code":"CDFGHJ","right":"r","token":"t"}',
      {},
      [403, { message: "Taken" }],
    ],
  ])) {
    device.onLine = true;
    sessionStorage.kept.clear();
    if (kept) sessionStorage.setItem("headlight-remote", kept);
    Object.assign(room, { exchange, stream: taken });
    heard.splice(0);
    await opened(search, hash);
    await settled();
    lines.push(`# ${what}`, ...shown(), ...heard.splice(0).map((one) => `> ${one}`));
  }
  held(context, lines);
});
