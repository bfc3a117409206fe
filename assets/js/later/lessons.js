/** Lessons: the menu, the player, and what a page that follows a room shows of them. Loaded when one is wanted. */

import { ofTab } from "../address.js";
import { resume } from "../lesson/editor.js";
import { fill } from "../lesson/menu.js";
import { FIRST, isShipped, lessonOf, spoken } from "../lesson/lesson.js";
import { Panel, point } from "../lesson/panel.js";
import { begin, fromAddress, present } from "../lesson/player.js";
import { showing } from "../lesson/handout_frame.js";

/** @typedef {import("../live_page.js").LivePage} Page */

/** Fill the menu of lessons. @param {Page} page @param {HTMLElement} sheet */
export const open = (page, sheet) => fill(page, sheet);

/**
 * Return a room's question in this page's language if the lesson step that the class is at asks it: the teacher's may be
 * another. Null if it does not.
 * @param {Page} page @param {import("../room/message.js").Question} question @param {{name: string, step: number} | null} at
 */
export async function words(page, question, at) {
  const asked = at && isShipped(at.name) ? (await lessonOf(at.name))?.steps[at.step - 1]?.question : null;
  if (!asked?.text || !Object.values(asked.text).includes(question.text)) return null;
  const { lang } = page.values;
  const answers = question.answers ?? [];
  const own = asked.answers?.map(({ text }) => spoken(text, lang)) ?? [];
  return { text: spoken(asked.text, lang), answers: own.length === answers.length ? own : answers };
}

/** Play the lesson that the address names, and go on with the one that is being made. @param {Page} page */
export async function play(page) {
  if (showing(page)) return;
  resume(page);
  if (ofTab(location.search).lesson) await fromAddress(page);
}

/** The text of the step that a room's teacher shows. @type {Panel | null} */
let followed = null;

/**
 * Show the step of a room's lesson, without ways through it; null takes it away.
 * @param {Page} page @param {import("../room/message.js").Lesson | null} at
 * @returns {Promise<boolean>} false if this page has no text of the step
 */
export async function follow(page, at) {
  const found = at && !present() ? await stepOf(at) : null;
  if (!found || !at) {
    followed?.close();
    followed = null;
    point(page, undefined);
    return !at || present() !== null;
  }
  followed ??= new Panel(page, null);
  const { lang } = page.values;
  followed.show(spoken(found.title, lang), at.step, found.steps, spoken(found.text, lang));
  followed.ask(null);
  point(page, found.focus);
  return true;
}

/**
 * Return what a step says: a shipped lesson's in this page's own file, the teacher's own in the message. Null if nobody told.
 * @param {import("../room/message.js").Lesson} at
 * @returns {Promise<import("../room/message.js").Words | null>}
 */
async function stepOf({ name, step, words }) {
  if (!isShipped(name)) return words ?? null; // never this browser's own lesson of the same name
  const lesson = await lessonOf(name);
  const found = lesson?.steps[step - 1];
  return lesson && found ? { ...found, title: lesson.title, steps: lesson.steps.length } : null;
}

/** Begin the short way in. @param {Page} page */
export async function start(page) {
  await begin(page, FIRST, 1, { anew: true });
}

export { help } from "../lesson/help.js";
