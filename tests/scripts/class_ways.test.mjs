/** The ways into a class: the header's menu, an address that names a room, a page that is loaded again, and from one room into another. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { recollect, remember, remembered } from "../../assets/js/room/memory.js";
import { held } from "./held.mjs";
import { Time } from "./stand_in.mjs";
import { pageInRoom, standInRoom } from "./stand_in_room.mjs";
import { outline, standInPage, telling } from "./whole_page.mjs";

const { document, body, heard, location, sessionStorage } = standInPage();
const time = new Time();
const { room, end } = standInRoom(
  heard,
  ({ "X-Headlight-Tab": tab, "X-Headlight-Secret": secret }) => `${tab}, secret ${secret}`,
);
Object.assign(globalThis, { BroadcastChannel: undefined, HTMLButtonElement: globalThis.HTMLElement });
Object.assign(location, { origin: "http://page", hostname: "page", pathname: "/", protocol: "http:" });
const { join, ways } = await import("../../assets/js/later/room.js");

const FIRST = {
  ...{ life: "a", link: "n=5", page: "explore", hovered: null, lesson: null, locked: false, calls: 0, count: 3 },
  ...{ follow: 2, answered: [0, 0], gone: [0, 0], offers: [], remote: null, question: null, revision: 1 },
};

/** A tab with the header's menu. @param {string} [search] @param {Loose} [known] what the tab remembers */
function loaded(search = "", known = {}) {
  sessionStorage.kept.clear();
  recollect();
  remember(known);
  location.search = search;
  heard.splice(0);
  body.replaceChildren();
  for (const name of Object.keys(room)) delete room[name];
  Object.assign(room, { room: { code: "CDFGHJ", message: FIRST }, CDFGHJ: FIRST });
  const page = pageInRoom(heard);
  const root = document.createElement("details");
  const sheet = document.createElement("div");
  sheet.id = "sheet";
  Object.defineProperty(sheet, "childElementCount", { get: () => sheet.children.length });
  root.append(sheet);
  body.append(root);
  /** What part this tab has, in short. */
  const look = () => {
    const bar = document.getElementById("class");
    const code = bar?.querySelector("#room-code")?.textContent ?? "";
    const said = bar?.querySelector(".class-said")?.textContent ?? "";
    const bars = body.querySelectorAll("section").length;
    return [
      `${location.search} | menu ${root.open} | ${bars} bars ${bar?.className} ${code} “${said}”`,
      ...outline(sheet),
      `focus ${document.activeElement.id || document.activeElement.localName}`,
    ];
  };
  const { lines, tell } = telling(look, heard);
  return {
    ...{ page, root, sheet, lines },
    /** @param {string} what */
    tell: async (what) => {
      await time.pass(10);
      heard.splice(0, heard.length, ...heard.filter((one) => !/^(forgets|plays|GET .room.CDFGHJ.lang)/.test(one)));
      tell(what);
    },
    /** Press the header's button. */
    open: async () => {
      root.open = true;
      await ways(page, root, sheet);
    },
    /** Type a code and send it. @param {Loose} place @param {string} code */
    type: async (place, code) => {
      place.querySelector("#room-field").value = code;
      place.querySelector("form").dispatchEvent(new Event("submit", { cancelable: true }));
      await time.pass(100);
    },
  };
}

test("the header's menu asks for a code or opens a room, comes back to it, and follows another one", async (context) => {
  const { page, sheet, lines, tell, open, type } = loaded();
  await open();
  await tell("two ways");
  sheet.querySelector("#room-field").value = "typed";
  await open();
  await tell("opened again: what is typed stays");
  await type(sheet, "nothing");
  await tell("no code");
  sheet.querySelector("#room-begin").onclick();
  await time.pass(100);
  await tell("begun");
  await open();
  await tell("the way in is shut");
  await open();
  await tell("and open again");
  await join(page, "visitor");
  await tell("an address names another room: this tab teaches");
  room.end = new Error("lost");
  await type(document.getElementById("room-invite"), "xy3467");
  await tell("the teacher follows another room, although the end of theirs is lost");
  await open();
  await tell("the student's bar");
  document.getElementById("room-leave").click();
  await time.pass(10);
  await tell("left");
  await open();
  await tell("two ways once more");
  await type(sheet, "xy3-467");
  await tell("a code is followed");
  document.getElementById("room-leave").click();
  await open();
  sheet.querySelector("#room-begin").onclick();
  await time.pass(100);
  await tell("another room is opened");
  end();
  await time.pass(100);
  await tell("it has ended: its bar stands");
  await open();
  sheet.querySelector("#room-begin").onclick();
  await time.pass(100);
  await tell("the next one takes its place");
  end();
  await time.pass(100);
  held(context, lines);
});

test("an address opens the room that it names: as its teacher in the tab that has opened it, else as a student", async (context) => {
  const lines = [];
  for (const [what, search, known] of /** @type {[string, string, Loose][]} */ ([
    ["its teacher", "?room=cdf-ghj", { secret: "s", code: "CDFGHJ" }],
    ["the teacher of another room", "?room=XY3467", { secret: "s", code: "CDFGHJ" }],
    ["no teacher", "?room=CDFGHJ", { code: "CDFGHJ" }],
    ["what is no code", "?room=<b>much longer than a code</b>", {}],
  ])) {
    for (const how of /** @type {const} */ (["visitor", "led"])) {
      const { page, lines: seen, tell } = loaded(`${search}&lesson=first-look&step=2`, known);
      seen.splice(0);
      await join(page, how);
      heard.push(`led ${JSON.stringify([page.leader.lead.lesson, page.leader.lead.named, page.leader.lead.fresh])}`);
      await tell(`${what}, ${how}`);
      await join(page, how);
      await tell("once more");
      lines.push(...seen);
      end();
      await time.pass(10);
      document.getElementById("room-leave")?.click();
      await time.pass(10);
    }
  }
  held(context, lines);
});

test("a tab that has opened a room teaches it from the header's menu, and without its code or secret it does not", async (context) => {
  const lines = [];
  for (const known of /** @type {Loose[]} */ ([{ secret: "s", code: "CDFGHJ" }, { secret: "s" }, { code: "CDFGHJ" }])) {
    const { lines: seen, tell, open } = loaded("", known);
    seen.splice(0);
    await open();
    await tell(JSON.stringify(known));
    lines.push(...seen);
    if (!document.getElementById("class")) continue;
    end();
    await time.pass(10);
    document.getElementById("room-leave").click();
  }
  held(context, lines);
});

test("a tab that was duplicated takes another token before it enters a room, and in it", async () => {
  /** @type {Loose[]} */
  const channels = [];
  const told = /** @type {Loose[]} */ ([]);
  class Channel {
    constructor() {
      channels.push(this);
    }
    postMessage(/** @type {unknown} */ claim) {
      told.push(claim);
    }
    close() {}
  }
  Object.assign(globalThis, { BroadcastChannel: Channel });
  const address = "../../assets/js/later/room.js?duplicated";
  const { join: enter, ways: show } = /** @type {typeof import("../../assets/js/later/room.js")} */ (
    await import(address)
  );
  const { page, root, sheet } = loaded("?room=CDFGHJ", { vacant: false });
  const bars = () => body.querySelectorAll("section").length;
  const entered = [enter(page, "visitor"), show(page, root, sheet)];
  await time.pass(499);
  assert.deepEqual([bars(), sheet.children.length, told.length], [0, 0, 1]);
  await time.pass(1);
  await Promise.all(entered);
  assert.deepEqual([bars(), sheet.children.length], [1, 0]);
  await time.pass(100);
  const tokens = () => heard.splice(0).flatMap((one) => /stream.* of (\w+),/.exec(one)?.[1] ?? []);
  const [first] = tokens();
  const { token } = told[0];
  channels[0].onmessage({ data: { token, since: 0, id: "older", asks: false } });
  await time.pass(3000);
  const [second] = tokens();
  assert.notEqual(second, first);
  assert.match(second, /^random/);
  document.getElementById("room-leave").click();
  channels[0].onmessage({ data: { token: remembered().token, since: 0, id: "older", asks: false } });
  await time.pass(10);
  assert.equal(bars(), 0);
  Object.assign(globalThis, { BroadcastChannel: undefined });
});
