/** Who leads a page, and what a wish of its visitor comes to in each mode. Pure. */

import { entry } from "../link/entry.js";
import { covers } from "./message.js";

/**
 * @typedef {import("./message.js").Message} Message
 * @typedef {import("./message.js").Question} Question
 * @typedef {import("./state.js").Wish} Wish
 * @typedef {import("./state.js").Lead} Lead
 *
 * A visitor is alone or reads a lesson; a tab in a room follows it, is held with all others, is asked, has answered, is shown the
 * result, has left, or does not hear the room yet (lost). A teacher is asked and shown like the class.
 * @typedef {"alone" | "lesson" | "following" | "held" | "asked" | "answered" | "shown" | "left" | "lost"} Mode
 *
 * A wish is free, or it leaves the class, or it is refused.
 * @typedef {"free" | "leaves" | "refused"} Outcome
 */

/** @type {Record<Wish, Outcome>} */
const FREE = { move: "free", look: "free", turn: "free", lesson: "free", reveal: "free" };
/** @type {Record<Wish, Outcome>} */
const LEAVES = { move: "leaves", look: "leaves", turn: "leaves", lesson: "leaves", reveal: "refused" };
/** Before the room is heard: who turns away has left, who moves a control follows as soon as it is there. @type {Record<Wish, Outcome>} */
const SEEKS = { ...FREE, turn: "leaves", lesson: "leaves" };
/** @type {Record<Wish, Outcome>} */
const REFUSED = { move: "refused", look: "refused", turn: "refused", lesson: "refused", reveal: "refused" };
/** A teacher steers: a vote alone keeps the lesson at its step. @type {Record<Wish, Outcome>} */
const STEERS = { ...FREE, lesson: "refused" };
/** The state of the page answers what the class is asked; a figure may still be shown large. @type {Record<Wish, Outcome>} */
const STAYS = { ...REFUSED, look: "free" };

/**
 * The rule of each mode: while nothing binds the page, and while the class's question does.
 * @type {Record<"visitor" | "student" | "teacher", Record<string, [free: Record<Wish, Outcome>, bound: Record<Wish, Outcome>]>>}
 */
const RULES = {
  visitor: { alone: [FREE, FREE], lesson: [FREE, FREE] },
  student: {
    lost: [SEEKS, REFUSED],
    left: [FREE, { ...FREE, reveal: "refused" }],
    following: [LEAVES, REFUSED],
    shown: [LEAVES, REFUSED],
    asked: [LEAVES, REFUSED],
    answered: [LEAVES, REFUSED],
    held: [REFUSED, REFUSED],
  },
  teacher: { alone: [FREE, FREE], lesson: [FREE, FREE], shown: [FREE, FREE], asked: [STEERS, STAYS] },
};

/** Return the class's question if its result is not shown yet. @param {Pick<Message, "question"> | null} heard @returns {Question | null} */
export const secret = (heard) => (heard?.question && heard.question.phase !== "reveal" ? heard.question : null);

/** True if the state of the page answers what the class is asked. @param {Pick<Lead, "heard" | "page">} lead */
export function answers({ heard, page }) {
  const question = secret(heard);
  return question !== null && (question.holds === true || covers(question, page));
}

/** True if nobody stays away now: all pages are held, or the state of the class's page answers what it is asked. @param {Message} heard */
export const gathers = (heard) => heard.locked || secret(heard)?.holds === true;

/** True if who follows may not leave the class now. @param {Pick<Lead, "held" | "heard" | "page">} lead */
export const bound = (lead) => lead.held || answers(lead);

/** Return who leads. @param {Lead} lead @returns {Mode} */
export function mode(lead) {
  const { role, heard, left, lesson, given } = lead;
  const alone = lesson ? "lesson" : "alone";
  if (role === "visitor") return alone;
  if (heard === null) return role === "teacher" ? alone : "lost";
  const { question } = heard;
  const shown = question !== null && secret(heard) === null;
  if (role === "teacher") return shown ? "shown" : question ? "asked" : alone;
  if (left) return "left";
  if (heard.locked) return "held";
  if (shown) return "shown";
  if (!question) return "following";
  return given?.question === question.id && question.round in given.answers ? "answered" : "asked";
}

/**
 * Return what a wish comes to. The lesson of a teacher's address is opened once, also if the room has been heard meanwhile.
 * @param {Lead} lead @param {Wish} wish @param {import("./state.js").Place | null} [place] of a lesson
 * @returns {Outcome}
 */
export function outcome(lead, wish, place = null) {
  const { lesson, role, named } = lead;
  const same = lesson !== null && place?.name === lesson.name && place.step === lesson.step;
  if (wish === "lesson" && role === "teacher" && named && same) return "free";
  const [free, held] = entry(entry(RULES, lead.role), mode(lead));
  return (bound(lead) ? held : free)[wish];
}
