/** What a class was asked and has seen the result of, by room, lesson and step, kept in this tab. */

import { keep, recall } from "../link/kept.js";
import { spoken } from "./lesson.js";
import { plainly } from "./markdown.js";

/**
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("./shape.js").Step} Step
 * @typedef {import("./shape.js").Text} Text
 */

const key = (/** @type {string} */ code, /** @type {string} */ lesson, /** @type {number} */ step) =>
  `votes-${code}-${lesson}-${step}`;

/** Keep what a class answered, once it has seen it. @param {Question | null} question @param {string} code of the room */
export function hear(question, code) {
  if (question?.phase !== "reveal" || !question.from || !question.results) return;
  keep(key(code, question.from.lesson, question.from.step), JSON.stringify(question), "sessionStorage");
}

/** Tell of a lesson's steps if a class has seen their results. @param {string} code @param {string} lesson @returns {(step: number) => boolean} */
export const sees = (code, lesson) => (step) => heard(code, lesson, step) !== null;

/** Return what a class has seen of a step's question. @param {string} code @param {string} lesson @param {number} step @returns {Question | null} */
export function heard(code, lesson, step) {
  try {
    return code ? JSON.parse(recall(key(code, lesson, step), "sessionStorage") ?? "null") : null;
  } catch {
    return null; // written by another version
  }
}

/** Characters that a room takes of a step: those of the format. */
const MOST = 600;

/**
 * Return a lesson's questions with why their answers are right, for the pages that follow a class. Pure.
 * @param {{steps: Step[]}} lesson @param {(step: number) => boolean} seen true if the class has seen the result of a step, from 1
 * @returns {Text}
 */
export function sawText({ steps }, seen) {
  const questions = steps.flatMap(({ question }, i) => (question?.text && seen(i + 1) ? [question] : []));
  const langs = [...new Set(questions.flatMap(({ text }) => Object.keys(text ?? {})))];
  const lines = (/** @type {string} */ lang) =>
    questions.map(({ text, because }) =>
      `- *${plainly(spoken(text, lang))}* ${spoken(because, lang)}`.replaceAll("\n", " "),
    );
  return Object.fromEntries(langs.map((lang) => [lang, upTo(lines(lang))]));
}

/** Join as many lines as a room takes. @param {string[]} lines */
const upTo = (lines) =>
  lines.reduce((all, line) => (all.length + line.length < MOST ? `${all}${line}\n` : all), "").trim();
