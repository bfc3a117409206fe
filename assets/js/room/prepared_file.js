/** The file of prepared questions, as assets/lessons/questions.schema.json states it: written, and read with what is wrong. Pure. */

import { unlatex } from "../words/latex.js";
import { declaredPage, linkFaults, queryOf } from "../lesson/links.js";
import { endsOf, given, points } from "./ends.js";

/**
 * @typedef {import("../lead/message.js").Asking & import("../lead/message.js").Kept & {link?: string}} Prepared `link`: of the state it is about
 * @typedef {import("../lesson/links.js").Declared} Declared
 * @typedef {import("../lesson/links.js").Amiss} Amiss
 *
 * @typedef {import("./ends.js").Fault} Fault
 *
 * A sentence, `n` counts questions from 1; what is wrong with the link of the question, or with the ends of an axis.
 * @typedef {{key: string, fields: Record<string, string | number>, link?: Amiss, ends?: Fault}} Problem
 */

/** Questions of a file, and characters: of it, of a question, an answer, an axis, an explanation and a link; answers at least and at most. */
export const [QUESTIONS, LONGEST] = [100, 200_000];
const [TEXT, ANSWER, LABEL, BECAUSE] = [500, 120, 60, 600];
export const LINK = 4000;
const [FEWEST, MOST] = [2, 6];
const LANGUAGES = ["en", "ko"];

/** Return a file's text. @param {Prepared[]} questions */
export function written(questions) {
  const listed = questions.map(
    ({ kind, text, answers = [], right, x_label, y_label, axes, because, link, figure }) => ({
      text,
      ...(kind === "curve"
        ? { curve: { ...writtenAxis("x", x_label, given(axes).across), ...writtenAxis("y", y_label, given(axes).up) } }
        : { answers: answers.map((answer, i) => ({ text: answer, ...(i === right ? { right: true } : {}) })) }),
      ...(because ? { because } : {}),
      ...(link ? { link } : {}),
      ...(figure ? { figure } : {}),
    }),
  );
  return `${JSON.stringify({ format: 1, questions: listed }, null, 2)}\n`;
}

/** @param {string} name @param {string | undefined} label @param {import("./ends.js").Ends | null} ends */
const writtenAxis = (name, label, ends) => ({
  ...(label ? { [`${name}_label`]: label } : {}),
  ...(ends ? { [`${name}_from`]: ends[0], [`${name}_to`]: ends[1] } : {}),
});

/**
 * Return the questions of a file, or what is wrong with it.
 * @param {string} text @param {Declared} declared what the pages take
 * @returns {{questions: Prepared[], problem: null} | {questions: null, problem: Problem}}
 */
export function read(text, declared) {
  try {
    if (text.length > LONGEST) throw new Wrong("long", { most: LONGEST });
    const file = parsed(text);
    if (file.format !== 1 || !Array.isArray(file.questions)) throw new Wrong("format");
    const { questions } = file;
    if (questions.length < 1 || questions.length > QUESTIONS) throw new Wrong("many", { most: QUESTIONS });
    return { questions: questions.map((one, i) => question(one, i + 1, declared)), problem: null };
  } catch (problem) {
    if (!(problem instanceof Wrong)) throw problem;
    const { message, fields, fault } = problem;
    return { questions: null, problem: { key: `room.prepared.wrong.${message}`, fields, ...fault } };
  }
}

class Wrong extends Error {
  /** @param {string} key @param {Record<string, string | number>} [fields] @param {Pick<Problem, "link" | "ends">} [fault] */
  constructor(key, fields = {}, fault = {}) {
    super(key);
    this.fields = fields;
    this.fault = fault;
  }
}

/** @param {string} text @returns {Record<string, unknown>} */
function parsed(text) {
  try {
    return object(JSON.parse(text)) ?? {};
  } catch {
    throw new Wrong("json");
  }
}

/** @param {unknown} value @returns {Record<string, unknown> | null} */
const object = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? /** @type {Record<string, unknown>} */ (value)
    : null;

/** @param {unknown} entry @param {number} n @param {Declared} declared @returns {Prepared} */
function question(entry, n, declared) {
  const { text, answers, curve, because, link, figure, ...others } = object(entry) ?? {};
  for (const other of Object.keys(others)) throw new Wrong("unknown", { n, name: other.slice(0, 40) });
  const common = {
    text: line(text, TEXT, "text", n),
    ...(because === undefined ? {} : { because: reasons(because, n) }),
    ...(link === undefined ? {} : { link: linked(link, n, figure, declared), holds: true }),
    ...(figure === undefined ? {} : { figure: name(figure, n), holds: true }),
  };
  if ((answers === undefined) === (curve === undefined)) throw new Wrong("kind", { n });
  if (curve !== undefined) {
    const { x_label = "", x_from, x_to, y_label = "", y_from, y_to, ...more } = object(curve) ?? { wrong: true };
    if (Object.keys(more).length) throw new Wrong("kind", { n });
    const label = (/** @type {unknown} */ one) => (one === "" ? "" : line(one, LABEL, "label", n));
    const ends = points(endsIn("x", x_from, x_to, n), endsIn("y", y_from, y_to, n));
    return { kind: "curve", ...ends, x_label: label(x_label), y_label: label(y_label), ...common };
  }
  if (!Array.isArray(answers) || answers.length < FEWEST || answers.length > MOST) {
    throw new Wrong("answers", { n, least: FEWEST, most: MOST });
  }
  const all = answers.map((one) => object(one) ?? {});
  const marked = all.flatMap(({ right }, i) => (right === true ? [i] : []));
  if (marked.length > 1 || all.some(({ right = true }) => right !== true)) throw new Wrong("right", { n });
  const texts = all.map((one) => line(one.text, ANSWER, "answer", n));
  return { kind: "choice", answers: texts, ...(marked.length ? { right: marked[0] } : {}), ...common };
}

/** @param {unknown} value @param {number} most @param {string} key @param {number} n */
function line(value, most, key, n) {
  if (typeof value !== "string" || !value.trim() || value.length > most) throw new Wrong(key, { n, most });
  return unlatex(value.trim());
}

/** Return the ends of an axis. @param {string} axis @param {unknown} from @param {unknown} to @param {number} n */
function endsIn(axis, from, to, n) {
  const asText = (/** @type {unknown} */ end) => (typeof end === "number" ? end : JSON.stringify(end)); // "5" is a text
  const { ends = null, fault } = endsOf(asText(from), asText(to));
  if (fault) throw new Wrong("ends", { n, axis }, { ends: fault });
  return ends;
}

/** @param {unknown} value @param {number} n */
function name(value, n) {
  if (typeof value !== "string" || !/^[a-z]+(-[a-z]+)*$/.test(value) || value.length > LABEL) {
    throw new Wrong("figure", { n });
  }
  return value;
}

/**
 * Return the link of the state that a question is about.
 * @param {unknown} value @param {number} n @param {unknown} figure @param {Declared} declared
 */
function linked(value, n, figure, declared) {
  if (typeof value !== "string" || !value || value.length > LINK) throw new Wrong("link", { n, most: LINK });
  const link = queryOf(value, declared);
  for (const fault of linkFaults(link, declared)) throw new Wrong("at", { n }, { link: fault });
  const page = declaredPage(link, declared);
  if (page && typeof figure === "string" && !page.figures.includes(figure)) {
    throw new Wrong("shows", { n, page: page.name, choices: page.figures.join(", ") });
  }
  return link;
}

/** @param {unknown} value @param {number} n @returns {import("../lead/message.js").Text} */
function reasons(value, n) {
  const texts = object(value) ?? {};
  const entries = Object.entries(texts);
  const known = entries.every(([lang]) => LANGUAGES.includes(lang));
  if (!entries.length || !known) throw new Wrong("because", { n, most: BECAUSE });
  return Object.fromEntries(entries.map(([lang, one]) => [lang, line(one, BECAUSE, "because", n)]));
}
