/** The truth of a lesson's question, computed from what the page shows at that moment; it is stored nowhere. */

import { entry } from "../link/entry.js";
import { axis } from "../asking/predict_curve.js";
import { anyAnswer } from "../asking/predict_in_class.js";
import { revive, parts } from "../server/wire.js";
import { lacking } from "./columns.js";
import { curve, quantity, within } from "./quantity.js";
import { settled } from "./settled.js";

/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Question} Question */
/** @typedef {import("../files/csv.js").Table} Table */

/**
 * A question's truth: the right answers' places among the answers, or a curve's heights; and the measured value if there is one.
 * @typedef {{right: number[], value?: number} | {heights: number[]}} Found
 */

/** Return the figures that a question reads. @param {Question} question */
export function figuresOf({ truth, curve: drawn }) {
  return [truth?.of.figure, truth?.over?.figure, drawn?.figure].filter((name) => name !== undefined);
}

/** Return the figure that holds a step's answer, to look at after the reveal. @param {Pick<import("./shape.js").Step, "question" | "focus">} step */
export const answeredIn = ({ question, focus }) => question?.truth?.of.figure ?? question?.curve?.figure ?? focus;

/** Return the quantity of a truth as the page shows it. @param {Page} page @param {import("./shape.js").Quantity} wanted */
export function measured(page, wanted) {
  return quantity(page.figures.of(wanted.figure).block.shown, wanted);
}

/**
 * Return what a question needs from the state before the reveal; null if it needs nothing.
 * @param {Page} page @param {Question} question
 */
export const before = (page, { truth }) => (truth?.before ? measured(page, truth.of) : null);

/**
 * Return the truth of a question with answers or a curve, of the state that answers it, which the page shows.
 * @param {Page} page @param {Question} question @param {number | null} earlier what `before` returned
 * @returns {Found}
 */
export function found(page, question, earlier) {
  const [lacks] = lacking(page, question);
  if (lacks) throw new Error(lacks);
  return read(question, earlier, (figure) => page.figures.of(figure).block.shown);
}

/**
 * Return the truth of a question, read in these tables. Pure.
 * @param {Question} question @param {number | null} earlier @param {(figure: string) => Table | null} table
 * @returns {Found}
 */
function read({ truth, answers = [], curve: drawn }, earlier, table) {
  if (drawn) return { heights: curve(table(drawn.figure), drawn) };
  if (!truth) return { right: answers.flatMap(({ right }, i) => (right ? [i] : [])) }; // the teacher's mark
  const measure = (/** @type {import("./shape.js").Quantity} */ wanted) => quantity(table(wanted.figure), wanted);
  const over = truth.before ? earlier : truth.over ? measure(truth.over) : 1;
  const value = measure(truth.of) / (over ?? NaN);
  return { right: answers.flatMap((answer, i) => (within(value, answer) ? [i] : [])), value };
}

/**
 * Ask the server for the truth of a lesson's question; nothing on this page shows it.
 * @param {Page} page @param {string} link that answers @param {Question} question @param {number | null} earlier
 * @returns {Promise<Found>}
 */
export async function foundAside(page, link, question, earlier) {
  /** @type {Map<string, Table>} */
  const tables = new Map();
  const reply = await page.server.ask(
    page.updates.route,
    page.updates.body(link, { known: [], ...page.updates.rules.more() }),
    page.updates.rules.enclosed(),
  );
  for await (const { header, blocks } of parts(reply.body)) {
    if (header.part === "error") throw new Error(header.message);
    const came = "tables" in header ? (header.tables ?? {}) : {}; // Explore's come with its panels
    for (const [name, entry] of Object.entries(came)) tables.set(name, revive(entry, blocks, new Map()));
  }
  if (figuresOf(question).some((name) => !tables.has(name))) throw new Error(page.text("lesson.slow")); // they come another way
  return read(question, earlier, (name) => tables.get(name) ?? null);
}

/** Return a curve's heights as places between the ends of its axis. @param {import("./shape.js").Curve} drawn @param {number[]} heights */
export function places({ low, high }, heights) {
  const { place } = axis(low, high, false);
  return heights.map((height) => Math.min(1, Math.max(0, place(height))));
}

/**
 * Where each page judges a prediction, and what it wants to hear besides; the routes of the page's own button.
 * @type {Record<string, [string, Record<string, unknown>]>}
 */
const JUDGES = {
  explore: ["page/explore/reveal", {}],
  why: ["page/why/curves", {}],
  anatomy: ["page/anatomy", { reveal: true }],
  train: ["page/train", { reveal: true }],
  cost: ["page/cost", { reveal: true }],
  model: ["page/model/reveal", {}],
  map: ["page/map/reveal", {}],
};

/**
 * Ask the server for the truth of the page's own question without answering it on this screen: the right choices, or the
 * curve's heights.
 * @param {Page} page
 * @returns {Promise<{right: number[]} | {heights: number[]}>}
 */
export async function predicted(page) {
  const predict = page.presence.rules.predict();
  const shown = predict?.shown;
  if (!shown) throw new Error(page.text("lesson.no_question"));
  const answer = anyAnswer(shown);
  const [route, more] = entry(JUDGES, page.settings.page);
  const body = page.updates.body(page.state.present, {
    ...more,
    ...page.presence.rules.judging(),
    known: [],
    prediction: { name: shown.name, answer },
  });
  const reply = await page.server.ask(route, body, page.updates.rules.enclosed());
  /** @type {{right: number[]} | {heights: number[]} | null} */
  let truth = null;
  for await (const { header, blocks } of parts(reply.body)) {
    if (header.part === "error") throw new Error(header.message);
    if (header.part !== "verdict") continue;
    const { real } = header;
    if (Array.isArray(real)) {
      const names = (shown.choices ?? []).map(([name]) => name);
      truth = { right: real.map((name) => names.indexOf(name)) };
    } else {
      truth = { heights: Array.from(revive(real, blocks, new Map()).y) };
    }
  }
  if (!truth) throw new Error(page.text("lesson.no_question"));
  return truth;
}

/** Wait for the state that answers a question, and for its numbers. @param {Page} page @param {string} link @param {Question} question */
export const answering = (page, link, question) => settled(page, question.reveal ?? link, figuresOf(question));
