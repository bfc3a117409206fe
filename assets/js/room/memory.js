/** What this tab remembers of its room, over reloads and changes of page: its token, the teacher's secret, if it has left. */

import { keep, recall } from "../link/tab_store.js";

/**
 * @typedef {object} Remembered
 * @property {string} token of this tab, random; it names nobody
 * @property {string} [code] the room
 * @property {string} [secret] of the teacher: who has it steers the room
 * @property {boolean} [vacant] true while no page has this token: it is new, or the last page has left
 * @property {boolean} [seen] true once the room has answered
 * @property {import("../lead/state.js").Kept} [lead] what the student's page knows of who leads it
 * @property {boolean} [locked] the teacher holds all pages together
 * @property {Record<string, import("../lead/message.js").Truth>} [truths] the right answers of the teacher's own questions
 * @property {import("../lead/message.js").Text} [because] why it is so, by language, told at the reveal
 * @property {Asked | null} [asked] the teacher's present question
 * @property {number} [first] how many had answered its first round
 * @property {string} [remote] the hash of the remote's right: a room that is made again keeps it
 * @property {{life: string, number: number}} [commanded] the remote's last command that was done, in a life of the room
 * @property {boolean} [revealed] true once the teacher has revealed an answer
 *
 * @typedef {import("../lead/message.js").Question} Asked
 */

const NAME = "headlight-room";
const BYTES = 16;

/** Return 128 random bits as a text. */
export function random() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** @type {Remembered | null} for a tab that keeps nothing */
let present = null;

/** Return what this tab remembers. @returns {Remembered} */
export function remembered() {
  if (present) return present;
  try {
    const found = JSON.parse(recall(NAME) ?? "null");
    if (typeof found?.token === "string") present = found;
  } catch {
    // written by another version
  }
  present ??= { token: random(), vacant: true };
  return present;
}

/** A page that the browser has kept reads again what the tab remembers: later pages have written it. */
export function recollect() {
  present = null;
}

/** @param {Partial<Remembered>} change */
export function remember(change) {
  present = { ...remembered(), ...change };
  keep(NAME, JSON.stringify(present));
}

/** Return what the reveal tells besides the truth. */
export function reasons() {
  const { because } = remembered();
  return because ? { because } : {};
}

/** Take another token, as a tab that has answered nothing. */
export function renew() {
  const { lead } = remembered();
  remember({ token: random(), ...(lead ? { lead: { ...lead, given: null } } : {}) });
}

/** Forget the room, and keep the token: a tab that comes back is the same. */
export function forget() {
  present = { token: remembered().token };
  keep(NAME, JSON.stringify(present));
}
