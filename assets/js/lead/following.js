/** A student's page and its room: when it shows what the class sees, and when it loads another page for that. Pure. */

import { alike, isOwnFile } from "./message.js";
import { answers, gathers } from "./modes.js";

/**
 * @typedef {import("./state.js").Lead} Lead
 * @typedef {import("./state.js").Act} Act
 * @typedef {import("./state.js").Next} Next
 * @typedef {import("./state.js").How} How
 * @typedef {import("./modes.js").Message} Message
 */

/** Name what the room wants: another state, or all pages back. @param {Message} message */
const command = ({ link, calls }) => `${calls} ${link}`;

/**
 * A page has been loaded. The room and a lesson load one page for one command; what the visitor does is a new beginning. A
 * lesson in the address is played unless the room leads.
 * @param {Lead} lead @param {How} how @param {boolean} named true if the address names the lesson @returns {Next}
 */
export function arrived(lead, how, named) {
  const led = { ...lead, turning: false, obeyed: null, fresh: !named, ...(how === "visitor" ? { spent: "" } : {}) };
  if (led.role === "teacher" || led.left) return [led, named ? [{ do: "play", loads: how === "visitor" }] : []];
  return obeyed(...alongside(led, []));
}

/** The student comes back, or is called. @param {Lead} lead @param {Act[]} acts @returns {Next} */
export function called(lead, acts) {
  return obeyed(...alongside({ ...lead, left: false, obeyed: null, spent: "" }, acts));
}

/** Close a lesson of the student's own: who follows reads the teacher's. @param {Lead} lead @param {Act[]} acts @returns {Next} */
const alongside = (lead, acts) =>
  lead.lesson ? [{ ...lead, lesson: null }, [...acts, { do: "unplay" }]] : [lead, acts];

/** A newer message has come. @param {Lead} lead with the message @param {Message | null} former @returns {Next} */
export function follows(lead, former) {
  const { heard } = lead;
  if (!heard) return [lead, []];
  const { question } = heard;
  const [given, again] = returned(lead, former);
  const known = { ...lead, calls: heard.calls, given };
  if (heard.calls > (lead.calls ?? heard.calls)) return called(known, [...again, { do: "say", key: "room.called" }]);
  const asked = former?.question ?? null;
  const shown = question?.phase === "reveal" && asked?.id === question.id && asked.phase !== "reveal";
  /** @type {Act[]} */
  const acts = shown ? [...again, { do: "conclude", question: question.id }] : again;
  const asks = former !== null && asked?.id !== question?.id && answers(known); // it was asked while this page was there
  if (known.left && (gathers(heard) || asks)) return called(known, acts);
  const next = shown ? { ...known, concluding: true } : known;
  return obeyed(...(known.left ? /** @type {Next} */ ([next, acts]) : alongside(next, acts)));
}

/**
 * Return the student's answers to the present question, and those that are given again: the room has been made again without
 * them, or the page was loaded before it had them.
 * @param {Lead} lead with the message @param {Message | null} former @returns {[Lead["given"], Act[]]}
 */
function returned({ heard, given }, former) {
  const question = heard?.question ?? null;
  if (!given || !heard || given.question !== question?.id) return [null, []];
  const lost = given.life !== heard.life;
  if (!lost && former !== null) return [given, []];
  const shown = former?.question?.id === question.id && former.question.phase === "reveal";
  if (lost && shown) return [{ ...given, life: heard.life }, []]; // a room is made again with its results
  const known = { ...given, kept: lost ? {} : given.kept, life: heard.life };
  /** @type {Act[]} */
  const acts = Object.entries(given.answers)
    .map(([round, answer = 0]) => ({ round: Number(round), answer }))
    .filter(({ round }) => !isIn(known, round))
    .map(({ round, answer }) => ({ do: "answer", question: given.question, round, answer }));
  return [known, acts];
}

/** True if the room has what this tab answered last in a round. @param {NonNullable<Lead["given"]>} given @param {number} round */
export const isIn = ({ answers, kept }, round) =>
  round in kept && JSON.stringify(kept[round]) === JSON.stringify(answers[round]);

/** Show what the class sees, unless the student has left or the page is busy with what came before. @param {Lead} lead @param {Act[]} acts @returns {Next} */
export function obeyed(lead, acts) {
  const { heard, left, turning, concluding, page, screen, spent } = lead;
  if (lead.role !== "student" || !heard || left || turning || concluding) return [lead, acts];
  const { link, page: wanted } = heard;
  if (link === lead.obeyed || isOwnFile(link)) return [lead, acts]; // a file that the teacher alone has: this page stays
  const there = { ...lead, fresh: false, obeyed: link };
  if (wanted !== page) {
    const now = command(heard);
    if (spent === now) return [lead, acts]; // loaded for it already, and led elsewhere
    return [{ ...there, spent: now, turning: true }, [...acts, { do: "load", link }]];
  }
  const stands = lead.fresh && screen !== null && alike(link, screen);
  return [there, stands ? acts : [...acts, { do: "show", link }]];
}
