/** What a class was asked and has seen the result of, by room, lesson and step, kept in this tab. */

import { keep, recall } from "./kept.js";

/** @typedef {import("../room/message.js").Question} Question */

const key = (/** @type {string} */ code, /** @type {string} */ lesson, /** @type {number} */ step) =>
  `votes-${code}-${lesson}-${step}`;

/** Keep what a class answered, once it has seen it. @param {Question | null} question @param {string} code of the room */
export function hear(question, code) {
  if (question?.phase !== "reveal" || !question.from || !question.results) return;
  keep(key(code, question.from.lesson, question.from.step), JSON.stringify(question), "sessionStorage");
}

/** Return what a class has seen of a step's question. @param {string} code @param {string} lesson @param {number} step @returns {Question | null} */
export function heard(code, lesson, step) {
  try {
    return code ? JSON.parse(recall(key(code, lesson, step), "sessionStorage") ?? "null") : null;
  } catch {
    return null; // written by another version
  }
}
