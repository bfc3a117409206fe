/** Lessons: the shipped ones, and where a lesson of one's own comes from. */

import { FILES } from "../files/address.js";
import { opened } from "./opened.js";

/**
 * @typedef {import("./shape.js").Lesson} Lesson
 * @typedef {import("./shape.js").Step} Step
 * @typedef {import("./shape.js").Text} Text
 */

export { LINKED, OWN } from "./opened.js";

/** The lessons that come with the app: assets/lessons. */
export const SHIPPED = [
  "why-sqrt-d-k",
  "heads",
  "words-to-b",
  "additive-or-dot",
  "saturation",
  "after-sqrt-d-k",
  "learned-heads",
  "take-a-head-away",
];
/** The short way in. */
export const FIRST = "first-look";
/** Return a text in the visitor's language, else in the one that it has. @param {Text | undefined} text @param {string} lang */
export const spoken = (text, lang) => text?.[lang] ?? Object.values(text ?? {}).find(Boolean) ?? "";

/** True if everybody has this lesson. @param {string} name */
export const isShipped = (name) => [FIRST, ...SHIPPED].includes(name);

/** Characters of a title and of a step that a room takes in each language: those of the format. */
const [TITLE, WORDS] = [160, 600];

/**
 * Return what a room says of a step that no student has; null of a shipped one, or if it says nothing that a room takes. Pure.
 * @param {string} name in the link @param {Pick<Lesson, "title" | "steps">} lesson @param {Step} step
 * @returns {import("../lead/message.js").Words | null}
 */
export function wordsOf(name, lesson, { text: words, focus }) {
  if (isShipped(name)) return null;
  const [title, text] = [taken(lesson.title, TITLE), taken(words, WORDS)];
  if (!title || !text) return null; // a draft may be half written
  return { title, text, steps: lesson.steps.length, ...(focus ? { focus } : {}) };
}

/** @param {Text} text @param {number} most */
function taken(text, most) {
  const fits = Object.entries(text).filter(([, one = ""]) => one.trim() && one.length <= most);
  return fits.length ? Object.fromEntries(fits) : null;
}

/** @type {Map<string, Promise<Lesson>>} */
const read = new Map();

/**
 * Return a lesson by its name in a link; null if there is none.
 * @param {string} name
 * @returns {Promise<Lesson | null>}
 */
export async function lessonOf(name) {
  if (!isShipped(name)) return (await opened(name)).lesson;
  const reading = read.get(name) ?? fetched(name);
  read.set(name, reading);
  reading.catch(() => read.delete(name));
  return reading;
}

/** @param {string} name @returns {Promise<Lesson>} */
async function fetched(name) {
  const answer = await fetch(`${FILES}/lessons/${name}.json`);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}
