/** The page's own prediction as a question of the class: its texts in the visitor's language, its cover, its result. */

import { predicted } from "./truth.js";
import { acrossOf, placesOf } from "./curve.js";
import { covers } from "../lead/message.js";

/**
 * @typedef {import("../page/live_page.js").LivePage} LivePage
 * @typedef {import("../asking/predict.js").Predict} Predict
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("../lead/message.js").Asking} Asking
 * @typedef {import("../lead/message.js").Truth} Truth
 */

/** Return the question of a page; null on a page that asks nothing now. @param {LivePage} page @returns {Predict | null} */
export function predictOf(page) {
  const predict = page.presence.rules.predict();
  return predict?.shown && predict.open ? predict : null;
}

/**
 * Return the page's question as a class is asked it; null if the page asks nothing now. Beside its own result it asks nothing:
 * that state is the answer.
 * @param {LivePage} page @returns {Asking | null}
 */
export function asking(page) {
  const shown = page.state.values.predict ? predictOf(page)?.shown : null;
  if (!shown) return null;
  const prediction = { page: page.settings.page, name: shown.name };
  if (shown.choices) {
    return { kind: "choice", text: shown.sentence, answers: shown.choices.map(([, label]) => label), prediction };
  }
  const { curve } = shown;
  const { x_label, y_label, ...axes } = curve;
  return { kind: "curve", text: shown.sentence, x: acrossOf(curve), x_label, y_label, axes, prediction };
}

/** Milliseconds for a page to reveal by itself. */
const PATIENT = 10_000;

export class PageQuestion {
  /** True while the page's question is the class's. */
  held = false;
  /** The question whose result this page has computed for the class: it stands here already. */
  #computed = "";

  /** @param {LivePage} page */
  constructor(page) {
    this.page = page;
  }

  /** Return the page's question if the class is asked the same. @param {Question | null} question */
  same(question) {
    const found = question?.prediction?.page === this.page.settings.page ? predictOf(this.page) : null;
    return found?.shown?.name === question?.prediction?.name ? found : null;
  }

  /** Return text, answers and axes in the visitor's language, where the page has them. @param {Question} question */
  words(question) {
    const shown = this.same(question)?.shown;
    const { text, answers = [] } = question;
    if (!shown) return { text, answers, curve: null };
    if (!shown.choices) return { text: shown.sentence, answers, curve: shown.curve };
    const alike = shown.choices.length === answers.length;
    return { text: shown.sentence, answers: alike ? shown.choices.map(([, label]) => label) : answers, curve: null };
  }

  /** Cover what answers the question while it is open. @param {Question | null} question */
  cover(question) {
    const wanted = covers(question, this.page.settings.page) && question?.id !== this.#computed;
    if (!wanted && !this.held) return;
    this.held = wanted;
    document.documentElement.classList.toggle("class-holds", wanted);
    this.page.presence.rules.predict()?.inClass.hold(wanted); // its question may come later
  }

  /** Let nobody who follows the class reveal alone. @param {boolean} on */
  withhold(on) {
    document.documentElement.classList.toggle("class-follows", on);
    this.page.presence.rules.predict()?.inClass.withhold(on);
  }

  /**
   * Return the result. The server computes it, and nothing here changes before it is revealed; a run of minutes alone is this
   * page's own. Throws if there is no answer: it can be asked for again.
   * @param {Question} question @returns {Promise<Truth | null>}
   */
  async truth(question) {
    const predict = this.same(question);
    const shown = predict?.shown;
    if (!predict || !shown) return null;
    if (this.page.presence.rules.revealsAtOnce()) {
      const found = await predicted(this.page);
      if ("right" in found) return found.right.find((at) => at >= 0) ?? null;
      return shown.choices ? null : placesOf(found.heights, shown.curve);
    }
    this.#computed = question.id;
    const real = await predict.inClass.conclude(null);
    if (!shown.choices) return placesOf(real.map(Number), shown.curve);
    const at = shown.choices.findIndex(([value]) => value === real[0]);
    return at < 0 ? null : at;
  }

  /**
   * Reveal on this page, beside the visitor's own answer. Resolves when it is done, or takes too long.
   * @param {Question} question @param {Truth | undefined} answer
   */
  async conclude(question, answer) {
    const predict = this.same(question);
    const shown = predict?.shown;
    if (!predict || !shown || !this.page.presence.rules.revealsAtOnce()) return;
    const given =
      answer === undefined
        ? null
        : shown.choices
          ? shown.choices[Number(answer)][0]
          : valuesOf(/** @type {number[]} */ (answer), shown.curve);
    /** @type {Promise<void>} */
    const late = new Promise((resolve) => setTimeout(resolve, PATIENT));
    await Promise.race([predict.inClass.conclude(given), late]).catch(() => {}); // the page says why
  }
}

/** @param {number[]} places @param {import("../../types/wire.js").Curve} curve */
function valuesOf(places, { low, high, log_y }) {
  return places.map((place) =>
    log_y ? Math.exp(Math.log(low) + place * (Math.log(high) - Math.log(low))) : low + place * (high - low),
  );
}
