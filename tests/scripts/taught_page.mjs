/** A teacher's page that a test plays whole: its tab, its room, and ways to look at it and to use it. */

import assert from "node:assert/strict";
import { mode } from "../../assets/js/lead/modes.js";
import { recollect } from "../../assets/js/room/memory.js";
import { Teacher } from "../../assets/js/room/teacher.js";
import { Time } from "./stand_in.mjs";
import { pageInRoom, standInRoom } from "./stand_in_room.mjs";
import { outline, standInPage, telling, tellNames } from "./whole_page.mjs";

export const { document, body, html, heard, location, window, sessionStorage, localStorage } = standInPage();
export const time = new Time();
export const { room, send, end, named } = standInRoom(
  heard,
  ({ "X-Headlight-Tab": tab, "X-Headlight-Secret": secret }) => `${tab}, secret ${secret}`,
);
const clipboard = { writeText: async (/** @type {string} */ text) => void heard.push(`copied ${text}`) };
Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard } });
Object.assign(globalThis, { BroadcastChannel: undefined, HTMLButtonElement: globalThis.HTMLElement });
tellNames(heard);

export const FIRST = {
  ...{ life: "a", link: "n=5", page: "explore", hovered: null, lesson: null, locked: false, calls: 0, count: 3 },
  ...{ follow: 2, answered: [0, 0], gone: [0, 0], offers: [], remote: null, question: null },
};
/** @type {Loose} */
export const CHOICE = {
  id: "q",
  kind: "choice",
  text: "How *much*?",
  answers: ["little", "much"],
  phase: "open",
  round: 1,
};
let revision = 0;
/** @type {Loose} */
let latest = {};
/** The next message of the room. @param {Loose} change from the first one */
export function message(change) {
  revision += 1;
  latest = room.CDFGHJ = { ...FIRST, ...change, revision };
  return latest;
}
/** Send a message of the room. @param {Loose} change */
export async function told(change) {
  send(message(change));
  await time.pass(400);
}

document.addEventListener("headlight:room", () => void heard.push("the room has changed"));

/** A question of the page. @type {Loose} */
export const predict = {
  ...{ open: true, root: {}, inClass: {} },
  shown: {
    ...{ name: "sink", sentence: "Which `head`?" },
    choices: [
      ["a", "the first"],
      ["b", "the second"],
    ],
  },
};

/** Begin a tab. @param {Loose} [where] its address is, and who reaches it */
export function fresh(
  { search = "", hostname = "127.0.0.1", reach = { network: null, origins: [] } } = /** @type {Loose} */ ({}),
) {
  for (const one of [sessionStorage, localStorage]) one.kept.clear();
  recollect();
  location.search = search;
  Object.assign(location, { origin: `http://${hostname}:7860`, hostname, pathname: "/", protocol: "http:" });
  body.replaceChildren();
  document.documentElement.className = "";
  for (const name of Object.keys(room)) delete room[name];
  Object.assign(room, { qr: "<svg>", reach });
  revision = 0;
  heard.splice(0);
}

/** A teacher in a new tab, with ways to look at the page and to use it. @param {Loose} [where] */
export function taught(where) {
  fresh(where);
  return playing(null);
}

/** The teacher of a page that is loaded. @param {Loose} how */
export function playing(how) {
  const page = pageInRoom(heard);
  Object.assign(page.settings, { first: "explore", defaults: { n: 5, mask: "none" } });
  page.message.error = document.createElement("p");
  page.message.error.hidden = true;
  page.presence.rules.predict = () => predict;
  page.presence.rules.revealsAtOnce = () => false;
  for (const one of ["hold", "withhold"]) predict.inClass[one] = page.says(one);
  predict.inClass.conclude = async (/** @type {unknown} */ given) => (heard.push(`concludes ${given}`), ["b"]);
  page.state.values.predict = "";
  const teacher = /** @type {Loose} */ (new Teacher(page, how, (code) => void heard.push(`joins ${code}`)));
  teacher.closed = () => heard.push("closed");
  const at = () => document.activeElement;
  const look = () => [
    `${location.search} | ${html.className} ${JSON.stringify(html.dataset)} | ${mode(page.leader.lead)} ${page.state.present}`,
    `focus ${at().id || at().className || at().localName}`,
    ...outline(body),
  ];
  const heartbeat = new RegExp(`^GET /room/CDFGHJ.lang=en {2}of`);
  const { lines, tell: write } = telling(look, heard);
  const tell = (/** @type {string} */ what) => {
    const others = heard.filter((one) => !heartbeat.test(one));
    heard.splice(0, heard.length, ...others);
    write(what);
  };
  const first = (/** @type {string} */ selector) => {
    const found = body.querySelector(selector);
    assert.ok(found, selector);
    return found;
  };
  return {
    ...{ page, teacher, lines, tell, first },
    /** Press what a selector finds first. @param {string} selector */
    press: async (selector) => {
      const button = first(selector);
      assert.ok(!button.disabled, `${selector} is disabled`);
      button.focus();
      button.click();
      await time.pass(10);
    },
    /** Open or shut a menu. @param {string} selector @param {boolean} [on] */
    fold: async (selector, on = true) => {
      const root = first(selector);
      root.open = on;
      root.dispatchEvent(new Event("toggle"));
      await time.pass(10);
    },
    /** Open the room with its first message. @param {Loose} [change] */
    open: async (change = {}) => {
      room.room = { code: "CDFGHJ", message: message(change) };
      await teacher.open();
      await told(change);
    },
    /** Open it, and look at what changes from then on. */
    opened: async () => {
      room.room = { code: "CDFGHJ", message: message({}) };
      await teacher.open();
      await told({});
      body.querySelector("#room-invite").open = false;
      tell("opened");
      lines.splice(0);
    },
    /** End it, so that nothing of it is heard in the next test. */
    finish: async () => {
      delete room.end;
      await teacher.end();
      await time.pass(1000);
    },
  };
}

export const network = (/** @type {string} */ name) => window.dispatchEvent(new Event(name));
