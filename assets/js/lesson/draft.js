/** The lesson that is being made: in this browser only. */

import { keep, recall } from "./kept.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

const KEY = "draft";

/** Return the lesson that is being made; null if there is none. @returns {Lesson | null} */
export function draft() {
  const text = recall(KEY);
  try {
    return text ? /** @type {Lesson} */ (JSON.parse(text)) : null;
  } catch {
    return null; // somebody else's
  }
}

/** @param {Lesson | null} lesson @returns {boolean} false if it ends with the page */
export const keepDraft = (lesson) => keep(KEY, lesson && JSON.stringify(lesson));

/** Return a text for a file: one that people can read and change. @param {Lesson} lesson */
export const written = (lesson) => `${JSON.stringify(lesson, null, 2)}\n`;
