/** The lesson that is being made: in this browser only. */

import { keep, recall } from "../link/kept.js";

/** @typedef {import("./shape.js").Lesson} Lesson */

const KEY = "draft";

/** Return the lesson that is being made; null if there is none. @returns {Lesson | null} */
export function draft() {
  const text = recall(KEY);
  try {
    const found = text ? JSON.parse(text) : null;
    return isDraft(found) ? /** @type {Lesson} */ (found) : null;
  } catch {
    return null; // somebody else's
  }
}

/** @param {Lesson | null} lesson @returns {boolean} false if it ends with the page */
export const keepDraft = (lesson) => keep(KEY, lesson && JSON.stringify(lesson));

/** Return a text for a file: one that people can read and change. @param {Lesson} lesson */
export const written = (lesson) => `${JSON.stringify(lesson, null, 2)}\n`;

/** True of what the editor can show. A draft may be half written, so it need not be a lesson. Pure. @param {unknown} found */
export function isDraft(found) {
  if (!isGroup(found) || !isGroup(found.title) || typeof found.name !== "string") return false;
  return Array.isArray(found.steps) && found.steps.every(isStep);
}

/** @param {unknown} step */
function isStep(step) {
  if (!isGroup(step) || typeof step.link !== "string" || !isGroup(step.text)) return false;
  const { question } = step;
  return question === undefined || isQuestion(question);
}

/** @param {unknown} question */
function isQuestion(question) {
  if (!isGroup(question)) return false;
  const { answers, truth, curve } = question;
  const answered =
    answers === undefined || (Array.isArray(answers) && answers.every((one) => isGroup(one) && isGroup(one.text)));
  const measured = truth === undefined || (isGroup(truth) && isOfFigure(truth.of));
  return answered && measured && (curve === undefined || (isOfFigure(curve) && Array.isArray(curve.points)));
}

/** @param {unknown} one @returns {one is Record<string, unknown>} */
const isOfFigure = (one) => isGroup(one) && typeof one.figure === "string";

/** @param {unknown} one @returns {one is Record<string, unknown>} */
const isGroup = (one) => typeof one === "object" && one !== null && !Array.isArray(one);
