/** The file of prepared questions, as assets/lessons/questions.schema.json states it: written, and read with what is wrong. Pure. */

/**
 * @typedef {import("./message.js").Asking & import("./message.js").Kept} Prepared
 * @typedef {{key: string, fields: Record<string, string | number>}} Problem a sentence, `n` counts questions from 1
 */

/** Questions of a file, and characters: of it, of a question, an answer, an axis and an explanation; answers at least and at most. */
export const [QUESTIONS, LONGEST] = [100, 200_000];
const [TEXT, ANSWER, LABEL, BECAUSE] = [500, 120, 60, 600];
const [FEWEST, MOST] = [2, 6];
const LANGUAGES = ["en", "ko"];

/** Return a file's text. @param {Prepared[]} questions */
export function written(questions) {
  const said = questions.map(({ kind, text, answers = [], right, x_label, y_label, because, figure }) => ({
    text,
    ...(kind === "curve"
      ? { curve: { ...(x_label ? { x_label } : {}), ...(y_label ? { y_label } : {}) } }
      : { answers: answers.map((answer, i) => ({ text: answer, ...(i === right ? { right: true } : {}) })) }),
    ...(because ? { because } : {}),
    ...(figure ? { figure } : {}),
  }));
  return `${JSON.stringify({ format: 1, questions: said }, null, 2)}\n`;
}

/**
 * Return the questions of a file, or what is wrong with it.
 * @param {string} text @param {number[]} across the places of a curve's points
 * @returns {{questions: Prepared[], problem: null} | {questions: null, problem: Problem}}
 */
export function read(text, across) {
  try {
    if (text.length > LONGEST) throw new Wrong("long", { most: LONGEST });
    const file = parsed(text);
    if (file.format !== 1 || !Array.isArray(file.questions)) throw new Wrong("format");
    const { questions } = file;
    if (questions.length < 1 || questions.length > QUESTIONS) throw new Wrong("many", { most: QUESTIONS });
    return { questions: questions.map((one, i) => question(one, i + 1, across)), problem: null };
  } catch (problem) {
    if (!(problem instanceof Wrong)) throw problem;
    return { questions: null, problem: { key: `room.prepared.wrong.${problem.message}`, fields: problem.fields } };
  }
}

class Wrong extends Error {
  /** @param {string} key @param {Record<string, string | number>} [fields] */
  constructor(key, fields = {}) {
    super(key);
    this.fields = fields;
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

/** @param {unknown} said @param {number} n @param {number[]} across @returns {Prepared} */
function question(said, n, across) {
  const { text, answers, curve, because, figure, ...others } = object(said) ?? {};
  for (const other of Object.keys(others)) throw new Wrong("unknown", { n, name: other.slice(0, 40) });
  const common = {
    text: line(text, TEXT, "text", n),
    ...(because === undefined ? {} : { because: reasons(because, n) }),
    ...(figure === undefined ? {} : { figure: name(figure, n), holds: true }),
  };
  if ((answers === undefined) === (curve === undefined)) throw new Wrong("kind", { n });
  if (curve !== undefined) {
    const { x_label = "", y_label = "", ...more } = object(curve) ?? { wrong: true };
    if (Object.keys(more).length) throw new Wrong("kind", { n });
    const label = (/** @type {unknown} */ one) => (one === "" ? "" : line(one, LABEL, "label", n));
    return { kind: "curve", x: across, x_label: label(x_label), y_label: label(y_label), ...common };
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
  return value.trim();
}

/** @param {unknown} value @param {number} n */
function name(value, n) {
  if (typeof value !== "string" || !/^[a-z]+(-[a-z]+)*$/.test(value) || value.length > LABEL) {
    throw new Wrong("figure", { n });
  }
  return value;
}

/** @param {unknown} value @param {number} n @returns {import("./message.js").Text} */
function reasons(value, n) {
  const said = object(value) ?? {};
  const entries = Object.entries(said);
  const known = entries.every(([lang]) => LANGUAGES.includes(lang));
  if (!entries.length || !known) throw new Wrong("because", { n, most: BECAUSE });
  return Object.fromEntries(entries.map(([lang, one]) => [lang, line(one, BECAUSE, "because", n)]));
}
