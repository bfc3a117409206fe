/** What keeps a step from being played, though its format is right: its link, its figures, its question. Pure. */

import { declaredPage, linkFaults } from "./links.js";

/** @typedef {import("./schema.js").Fault} Fault */
/** @typedef {import("./links.js").Declared} Declared */
/** @typedef {import("./links.js").DeclaredPage & {name: string}} Named */
/** @typedef {import("./shape.js").Answer} Answer */
/** @typedef {import("./shape.js").Question} Question */
/** @typedef {import("./shape.js").Step} Step */

/** Yield what is wrong with a step; paths begin in it. @param {Step} step @param {Declared} declared @returns {Generator<Fault>} */
export function* stepFaults(step, declared) {
  const { link, focus, question, holds = [] } = step;
  for (const fault of linkFaults(link, declared)) yield { path: "link", ...fault };
  const page = declaredPage(link, declared);
  if (!page) return;
  if (focus !== undefined) yield* figureFaults(focus, "focus", page);
  for (const [i, { of, over }] of holds.entries()) {
    yield* figureFaults(of.figure, `holds/${i}/of/figure`, page);
    if (over) yield* figureFaults(over.figure, `holds/${i}/over/figure`, page);
  }
  if (question) yield* questionFaults(question, link, page, declared);
}

/** @param {string} name @param {string} path @param {Named} page @returns {Generator<Fault>} */
function* figureFaults(name, path, { name: page, figures }) {
  if (!figures.includes(name)) yield { path, key: "figure", fields: { page, name, choices: figures.join(", ") } };
}

/**
 * @param {Question} question @param {string} link of the step @param {Named} page @param {Declared} declared
 * @returns {Generator<Fault>}
 */
function* questionFaults(question, link, page, declared) {
  const { prediction, answers, curve, truth, reveal } = question;
  if (reveal !== undefined) {
    for (const fault of linkFaults(reveal, declared)) yield { path: "question/reveal", ...fault };
    const shown = declaredPage(reveal, declared);
    if (shown && shown.name !== page.name) {
      yield { path: "question/reveal", key: "reveal_page", fields: { page: page.name, other: shown.name } };
    }
  }
  if (prediction !== undefined) yield* predictionFaults(prediction, link, page);
  if (truth) yield* truthFaults(question, page);
  if (answers) yield* truth ? rangeFaults(answers) : markFaults(answers);
  if (curve) {
    yield* figureFaults(curve.figure, "question/curve/figure", page);
    const found = faultOf(curve);
    if (found) yield { path: `question/curve/${found[0]}`, key: found[1], fields: {} };
  }
}

/** @param {Question} question @param {Named} page @returns {Generator<Fault>} */
function* truthFaults({ truth, reveal, answers = [] }, page) {
  if (!truth) return;
  const { of, over, before } = truth;
  yield* figureFaults(of.figure, "question/truth/of/figure", page);
  if (over) yield* figureFaults(over.figure, "question/truth/over/figure", page);
  if (before && over) yield { path: "question/truth/over", key: "over_before", fields: {} };
  if (before && reveal === undefined) yield { path: "question/truth/before", key: "before_reveal", fields: {} };
  for (const [i, { right }] of answers.entries()) {
    if (right !== undefined) yield { path: `question/answers/${i}/right`, key: "right_and_truth", fields: {} };
  }
}

/**
 * The page has to ask, and to ask this.
 * @param {string} name @param {string} link @param {Named} page @returns {Generator<Fault>}
 */
function* predictionFaults(name, link, { name: page, questions, first }) {
  const path = "question/prediction";
  const parameters = new URLSearchParams(link);
  const wished = parameters.get("question") ?? ANY;
  if (![...questions, ANY].includes(name)) {
    yield { path, key: "prediction", fields: { page, name, choices: questions.join(", ") } };
  } else if (
    (parameters.get("predict") ?? first.predict) !== "true" ||
    (parameters.get("hide") ?? "").split(",").includes("predict")
  ) {
    yield { path, key: "asks_nothing", fields: { page } };
  } else if (![name, wished].includes(ANY) && wished !== name) {
    yield { path, key: "asks_other", fields: { name, other: wished } };
  }
}

/** No certain question: the first that the state can be asked, as in visualiser/state/rules.py. */
const ANY = "any";

/** One answer is marked. @param {Answer[]} answers @returns {Generator<Fault>} */
function* markFaults(answers) {
  const path = "question/answers";
  const marked = answers.filter(({ right }) => right === true).length;
  const ranged = answers.findIndex(({ from, below }) => from !== undefined || below !== undefined);
  if (ranged >= 0 && !marked) yield { path: "question", key: "no_truth", fields: {} };
  else if (ranged >= 0) yield { path: `${path}/${ranged}`, key: "right_and_range", fields: {} };
  else if (!marked) yield { path, key: "none_right", fields: {} };
  else if (marked > 1) yield { path, key: "several_right", fields: { marked } };
}

/** The ranges of answers share all values among them. @param {Answer[]} answers @returns {Generator<Fault>} */
function* rangeFaults(answers) {
  const ranges = answers.map(({ from = -Infinity, below = Infinity }, i) => ({ i, from, below }));
  const empty = ranges.find(({ from, below }) => from >= below);
  const whole = ranges.find(({ from, below }) => from === -Infinity && below === Infinity);
  const at = (/** @type {number} */ i) => `question/answers/${i}`;
  if (empty) {
    yield { path: at(empty.i), key: "range_empty", fields: { from: String(empty.from), below: String(empty.below) } };
    return;
  }
  if (whole) {
    yield { path: at(whole.i), key: "range_none", fields: {} };
    return;
  }
  const [lowest, ...others] = ranges.sort((a, b) => a.from - b.from || a.below - b.below);
  if (lowest.from !== -Infinity) {
    yield { path: at(lowest.i), key: "range_low", fields: { from: String(lowest.from) } };
  }
  let reached = lowest; // the answer whose range goes furthest so far
  for (const one of others) {
    const { from, below } = one;
    const end = Math.min(reached.below, below);
    if (from > reached.below) {
      yield { path: at(one.i), key: "range_gap", fields: { from: String(reached.below), below: String(from) } };
    } else if (from < reached.below) {
      const key = from === -Infinity ? "range_overlap_low" : end === Infinity ? "range_overlap_high" : "range_overlap";
      yield { path: at(one.i), key, fields: { first: reached.i + 1, from: String(from), below: String(end) } };
    }
    if (below > reached.below) reached = one;
  }
  if (reached.below !== Infinity) {
    yield { path: at(reached.i), key: "range_high", fields: { below: String(reached.below) } };
  }
}

/**
 * Return what keeps axes from holding a curve, and the part. Null if nothing does.
 * @param {import("./shape.js").Curve} curve
 * @returns {[at: string, key: string] | null}
 */
export function faultOf({ points, low, high, log_x = false }) {
  if (low >= high) return ["high", "curve_ends"];
  if (points.some((point, i) => i > 0 && point <= points[i - 1])) return ["points", "curve_order"];
  return log_x && points[0] <= 0 ? ["points", "curve_log"] : null;
}
