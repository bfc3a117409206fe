/** Checks a lesson as strictly as it is played: its format, then every step by what the pages declare. Pure. */

import { NotJson, readJson } from "./json_lines.js";
import { queryOf } from "./links.js";
import { faults } from "./schema.js";
import { stepFaults } from "./step_faults.js";

/** @typedef {import("./schema.js").Fault} Fault */
/** @typedef {import("./schema.js").Schema} Schema */

/**
 * What a lesson is checked by: the schema of its format, and what the pages declare.
 * @typedef {{schema: Schema, declared: import("./links.js").Declared}} Format
 *
 * `step` counts from 1; 0 is the lesson itself. `part` names what is wrong in it, its entries counted from 1.
 * @typedef {{line: number, step: number, part: string, key: string, fields: Fault["fields"]}} Problem
 */

/** Characters of a lesson's file. */
export const LONGEST = 200_000;

/**
 * Return a lesson from its text, and what is wrong with it. A lesson with problems is null. Of a full address the link is taken.
 * @param {string} text @param {Format} format
 * @returns {{lesson: import("./shape.js").Lesson | null, problems: Problem[]}}
 */
export function checked(text, { schema, declared }) {
  if (text.length > LONGEST) return refused(1, "long", { most: LONGEST });
  try {
    const { value, lines } = readJson(text);
    const shape = [...faults(value, schema, schema, "")];
    const lesson = /** @type {import("./shape.js").Lesson} */ (value);
    const all = shape.length ? shape : [...inSteps(lesson, declared)];
    const problems = all.map(({ path, key, fields }) => ({ line: lineOf(path, lines), ...placeOf(path), key, fields }));
    return { lesson: problems.length ? null : lesson, problems };
  } catch (problem) {
    if (!(problem instanceof NotJson)) throw problem;
    return refused(problem.line, `json_${problem.fault}`, { found: problem.found });
  }
}

/** @param {number} line @param {string} key @param {Fault["fields"]} fields */
const refused = (line, key, fields) => ({ lesson: null, problems: [{ line, step: 0, part: "", key, fields }] });

/** @param {import("./shape.js").Lesson} lesson @param {import("./links.js").Declared} declared @returns {Generator<Fault>} */
function* inSteps({ steps }, declared) {
  for (const [i, step] of steps.entries()) {
    step.link = queryOf(step.link, declared);
    if (step.question?.reveal !== undefined) step.question.reveal = queryOf(step.question.reveal, declared);
    for (const { path, ...fault } of stepFaults(step, declared)) yield { path: `/steps/${i}/${path}`, ...fault };
  }
}

/** Return the line of a part, or of what should hold it. @param {string} path @param {Map<string, number>} lines */
function lineOf(path, lines) {
  for (let at = path; at; at = at.slice(0, at.lastIndexOf("/"))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return 1;
}

/** Return the step and the part of it as people count them. @param {string} path */
export function placeOf(path) {
  const names = path.split("/").slice(1);
  const counted = names.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : name));
  const [first, step, ...inside] = counted;
  return first === "steps" && step
    ? { step: Number(step), part: inside.join(".") }
    : { step: 0, part: counted.join(".") };
}
