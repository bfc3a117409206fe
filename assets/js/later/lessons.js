/** Lessons: the menu, the player, and what a page that follows a room shows of them. Loaded when one is wanted. */

import { ofTab } from "../link/address.js";
import { addStep, resume } from "../lesson/editor.js";
import { fill } from "../lesson/menu.js";
import { FIRST, isShipped, lessonOf, spoken } from "../lesson/lesson.js";
import { inLanguage } from "../lesson/room_words.js";
import { Panel, point } from "../lesson/panel.js";
import { begin, fromAddress } from "../lesson/begin.js";
import { present } from "../lesson/player.js";
import { asDrawn, axes } from "../lesson/question.js";
import { sawText, sees } from "../lesson/heard.js";
import { showing } from "../lesson/handout_frame.js";
import { answeredIn } from "../lesson/truth.js";

/** @typedef {import("../page/live_page.js").LivePage} Page */

/** Fill the menu of lessons. @param {Page} page @param {HTMLElement} sheet */
export const open = (page, sheet) => fill(page, sheet);

/**
 * Return a room's question in this page's language, from this page's own file of the lesson that asks it: the teacher's language
 * may be another. Null if this page does not have that step's question.
 * @param {Page} page @param {import("../lead/message.js").Question} question
 */
export async function words(page, question) {
  const { from } = question;
  if (!from || question.prediction || !isShipped(from.lesson)) return null; // never this browser's own lesson of the same name
  const asked = (await lessonOf(from.lesson))?.steps[from.step - 1]?.question;
  const { lang } = page.state.values;
  const found = asked ? inLanguage(asked, question, lang) : null;
  return found && { ...found, curve: asked?.curve ? asDrawn(asked.curve, lang, axes(page, asked.curve)) : null };
}

/**
 * Go on with the lesson that is being made, and play the one that the address names.
 * @param {Page} page @param {boolean} named true if the address decides @param {boolean} loads true if the step may load its page
 */
export async function play(page, named, loads) {
  if (showing(page)) return;
  resume(page);
  if (named && ofTab(location.search).lesson) await fromAddress(page, loads);
}

/** The text of the step that a room's teacher shows. @type {Panel | null} */
let followed = null;

/**
 * Show the step of a room's lesson, without ways through it; null takes it away.
 * @param {Page} page @param {import("../lead/message.js").Lesson | null} at
 * @returns {Promise<boolean>} false if this page has no text of the step
 */
export async function follow(page, at) {
  const found = at && !present() ? await stepOf(at) : null;
  if (present()) return true; // a lesson of the visitor's own has the panel's place
  if (!found || !at) {
    followed?.close();
    followed = null;
    point(page, undefined);
    return !at;
  }
  if (!followed?.root.isConnected) followed = new Panel(page, null); // a lesson of the visitor's own had its place
  const { lang } = page.state.values;
  const place = `${at.name} ${at.step}`;
  if (followed.root.dataset.place !== place) page.presence.rules.leaveVerdict();
  followed.root.dataset.place = place;
  followed.show(spoken(found.title, lang), at.step, found.steps, spoken(found.text, lang));
  followed.ask(null);
  point(page, found.focus, answeredIn({ question: undefined, ...found }));
  return true;
}

/**
 * Return what a step says: a shipped lesson's in this page's own file, the teacher's own in the message. Null if nobody told.
 * @param {import("../lead/message.js").Lesson} at
 * @returns {Promise<import("../lead/message.js").Words | null>}
 */
async function stepOf({ name, step, words }) {
  if (!isShipped(name)) return words ?? null; // never this browser's own lesson of the same name
  const lesson = await lessonOf(name);
  const found =
    step > (lesson?.steps.length ?? 0)
      ? lesson && { text: sawText(lesson, sees(ofTab(location.search).room, name)) }
      : lesson?.steps[step - 1];
  return lesson && found ? { ...found, title: lesson.title, steps: lesson.steps.length } : null;
}

/** Add the present state to a lesson of one's own. @param {Page} page */
export const make = (page) => addStep(page);

/** Begin the short way in. @param {Page} page */
export async function start(page) {
  await begin(page, FIRST, 1, { anew: true });
}

export { help } from "../lesson/help.js";
