/**
 * A question that a visitor opens on a page that shows everything at once: a quiet button beside the sentences, the
 * question in their place, then the verdict beside the state that answers it, and the way back. The link says what is asked
 * (`predict`, `question`); Python leaves out of its answers what would give it away.
 */

import { element, inside } from "../dom/dom.js";
import { holdFiles } from "../files/download_buttons.js";
import { Predict } from "./predict.js";
import { PredictOffer } from "./predict_offer.js";
import { sentence } from "../server/server.js";
import { only } from "../server/wire.js";

/** The wish for no certain question, as in visualiser/state/rules.py. */
const ANY = "any";

/**
 * @typedef {import("../link/values.js").Values} Values
 * @typedef {import("../../types/wire.js").Part} Part
 * @typedef {(more: Record<string, unknown>, signal: AbortSignal) => Promise<Part>} Reveal asks for the verdict
 */

export class Asking {
  #page;
  #places;
  #ask;
  #offered;
  #another;

  /** The values that the last verdict left; null without one. @type {Values | null} */
  #before = null;
  /** The subject beside which the verdict stands. @type {string | null} */
  #standing = null;
  /** The subject of the reveal under way, and what ends it. @type {{subject: string, controller: AbortController} | null} */
  #revealing = null;
  /** The next question of this state. @type {string | null} */
  #following = null;
  /** True from the press of the button to the question. */
  #opening = false;

  /**
   * @param {import("./asker.js").Asker & import("./asker.js").Opening & import("./asker.js").Judging} page
   * @param {Record<string, import("../dom/dom.js").Place>} places "predict", "insight" and "take-away"
   * @param {Reveal} reveal
   */
  constructor(page, places, reveal) {
    this.#page = page;
    this.#places = places;
    this.#ask = reveal;
    this.predict = new Predict(places.predict.element, page, () => void this.#reveal());
    /** @param {string} id @param {string} key @param {() => void} onclick */
    const button = (id, key, onclick) =>
      element("button", { type: "button", className: "tool", id, onclick }, page.text(key));
    this.#offered = new PredictOffer(
      page,
      () => this.#open(),
      () => this.#shut(),
    );
    this.#another = button("predict-another", "predict.another", () => this.#turn(this.#following));
    this.back = button("predict-back", "predict.back", () => this.#back());
  }

  /** True if the present state asks: what would answer is out of sight. */
  get covers() {
    return Boolean(this.#page.state.values.predict);
  }

  /** True as long as the link on screen asks, or the server has not yet heard that it asks no more: it keeps files back. */
  get waits() {
    return this.covers || Boolean(this.#page.state.agreed.predict);
  }

  /** Put the button into a box of sentences that `show` shows. @param {HTMLElement} box @param {() => void} show */
  offer(box, show) {
    this.#offered.beside(box, show);
  }

  /** Show the part "question". @param {import("../../types/wire.js").Question} header */
  take(header) {
    const { predict } = this;
    const page = this.#page;
    if (predict.about(header)) return;
    const here = this.#opening || predict.root.contains(document.activeElement);
    const asked = predict.open;
    this.#drop();
    predict.ask(header);
    predict.form.again.remove(); // the state has changed: `back` leads to it
    this.#following = header.following ?? null;
    this.#another.hidden = this.#following === null;
    this.back.hidden = true;
    inside(predict.root, ".buttons").append(this.#another, this.back, this.#offered.shut);
    this.#opening = false;
    this.fit();
    /** @type {HTMLElement | null} */
    const first = predict.root.querySelector("input");
    if (here) first?.focus();
    else if (asked) page.message.speak(header.sentence);
  }

  /** Follow the page's values: ask, keep a verdict beside its state, or give the place back to the sentences. */
  fit() {
    const { predict, covers } = this;
    const revealing = this.#revealing;
    const page = this.#page;
    const places = this.#places;
    const subject = this.#subject();
    if (revealing && (!covers || revealing.subject !== subject)) {
      this.#drop();
      predict.lock(false); // another question follows
    }
    if (this.#standing !== null && (covers || this.#standing !== subject)) this.#forget();
    if (!covers && this.#standing === null && predict.open) predict.close();
    predict.fit(covers || this.#standing !== null);
    places.insight.element.classList.toggle("not-now", !predict.root.hidden);
    inside(document.body, ".page").classList.toggle("is-asking", covers);
    holdFiles(places["take-away"].element, this.waits ? page.text("predict.files_wait") : null);
  }

  /** Take away a verdict that stands: a lesson has gone on. */
  leave() {
    if (this.#standing === null) return;
    this.#forget();
    this.fit();
  }

  /** Ask again although the link is the same: its file is another. */
  renew() {
    this.#drop();
    this.#forget();
    this.predict.close();
  }

  #open() {
    if (!this.#page.state.canonicalValues) return;
    this.#opening = true;
    this.#page.move({ ...this.#page.state.values, predict: true }, false);
  }

  /** Ask another question about the state before a verdict, or about the present one. @param {string | null} name */
  #turn(name) {
    this.#opening = true;
    this.#page.move(
      { ...(this.#before ?? this.#page.state.values), predict: true, question: name ?? ANY },
      this.#before !== null,
    );
  }

  #back() {
    const before = this.#before;
    const page = this.#page;
    if (before) page.move({ ...before, predict: false, question: ANY }, true);
    this.#offered.open.focus();
  }

  #shut() {
    const page = this.#page;
    if (this.#standing === null) {
      page.move({ ...page.state.values, predict: false, question: ANY }, false);
    } else {
      this.#forget();
      this.fit();
    }
    this.#offered.open.focus();
  }

  /** Forget the verdict: the state is another, or the visitor has read it. */
  #forget() {
    this.#standing = this.#before = null;
    this.predict.close();
  }

  /** End a reveal whose question is gone. */
  #drop() {
    this.#revealing?.controller.abort();
    this.#revealing = null;
  }

  async #reveal() {
    const { predict } = this;
    const page = this.#page;
    const { prediction } = predict;
    if (!prediction) return;
    const mine = { subject: this.#subject(), controller: new AbortController() };
    this.#revealing = mine;
    predict.lock();
    try {
      const part = await this.#ask({ prediction }, mine.controller.signal);
      if (this.#revealing === mine) this.#judge(part);
    } catch (problem) {
      if (this.#revealing !== mine) return;
      predict.lock(false);
      page.message.fail(sentence(problem, (key) => page.text(key)));
    } finally {
      if (this.#revealing === mine) this.#revealing = null;
    }
  }

  /** Apply what the question changes, and show the verdict beside it. @param {Part} part */
  #judge(part) {
    const { predict } = this;
    const page = this.#page;
    const { header, blocks } = only(part, "verdict");
    const change = header.change ?? {};
    const before = { ...page.state.values };
    const next = /** @type {Values} */ ({ ...before, ...change, predict: false, question: ANY });
    this.#revealing = null;
    this.#standing = this.#subject(next);
    this.#before = before;
    this.back.hidden = !Object.keys(change).length;
    predict.judge(header, blocks);
    page.message.fail(null);
    page.leader.guide(() => page.move(next, true)); // to see the answer was the wish
  }

  /** Name what a question is about: the settings that change a number. @param {Values} [values] */
  #subject(values = this.#page.state.values) {
    const { viewing } = this.#page.settings;
    const named = Object.entries(values).filter(([name]) => !viewing.includes(name));
    return JSON.stringify(named.map(([name, value]) => [name, String(value)]));
  }
}
