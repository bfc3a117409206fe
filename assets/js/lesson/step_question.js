/** The question of the step on screen: asked on the panel, kept in the sitting, and revealed by the page. */

import { CONCLUDED } from "../asking/predict_form.js";
import { element } from "../dom/dom.js";
import { spoken } from "./lesson.js";
import { written } from "./markdown.js";
import { point } from "./panel.js";
import { Asked } from "./question.js";
import { pageIn, repainted, settled, state } from "./settled.js";
import { noted } from "./summary.js";
import { answeredIn, answering, before, figuresOf } from "./truth.js";
import { visit } from "./visit.js";

/**
 * @typedef {import("./question.js").Done} Done
 *
 * The lesson under way.
 * @typedef {object} Playing
 * @property {import("./shape.js").Page} page
 * @property {import("./shape.js").Lesson} lesson
 * @property {import("./sitting.js").Sitting} sitting
 * @property {number} step on screen
 * @property {import("./shape.js").Step} present the same
 * @property {number} turn counts the steps shown
 */

export class StepQuestion {
  /** The lesson's own question; null without one. @type {Asked | null} */
  asked = null;
  #player;
  #panel;
  #asker;
  /** Says that the page asks, and once it has its result, why it is so. @type {HTMLElement | null} */
  #onPage = null;
  #onConcluded = () => this.#explain();

  /**
   * @param {Playing} player @param {() => import("./panel.js").Panel | null} panel returns the one on screen
   * @param {import("./asker.js").Asker} asker puts it to the class
   */
  constructor(player, panel, asker) {
    this.#player = player;
    this.#panel = panel;
    this.#asker = asker;
    document.addEventListener(CONCLUDED, this.#onConcluded);
  }

  close() {
    document.removeEventListener(CONCLUDED, this.#onConcluded);
  }

  /** What was done with it. @returns {Done} */
  get done() {
    const { sitting, step } = this.#player;
    return sitting.at(step);
  }

  /** @param {Done} done */
  #keep(done) {
    const { sitting, step } = this.#player;
    sitting.keep(step, done);
  }

  /** Ask nothing: the lesson has ended. */
  rest() {
    this.asked = this.#onPage = null;
    this.#asker.rest();
  }

  /** Show the question of the step, if it has one of its own. */
  ask() {
    const { page, present: step } = this.#player;
    const panel = this.#panel();
    const { question } = step;
    this.asked = this.#onPage = null;
    if (!question || !panel) {
      panel?.ask(null);
      return;
    }
    if (question.prediction) {
      const said = element("div", { className: "lesson-verdict", role: "status" });
      const root = element("div", {}, said);
      this.#onPage = said;
      this.#explain();
      panel.ask(root);
      this.#asker.offerPrediction(root);
      return;
    }
    const { done } = this;
    this.asked = new Asked(
      page,
      question,
      done,
      () => this.#keep(done),
      () => this.#reveal(),
    );
    this.#asker.compute();
    panel.ask(this.asked.root, question.curve !== undefined);
    this.#asker.offerOwn(this.asked.extra);
  }

  /** Beside the page's own question: that the page asks, or why its result is so. */
  #explain() {
    const said = this.#onPage;
    if (!said) return;
    const { page, present: step } = this.#player;
    const predict = page.presence.rules.predict();
    const { judged = false, folded = false } = pageIn(step.link) === page.settings.page ? (predict?.form ?? {}) : {};
    const seen = judged || folded;
    const because = written(spoken(step.question?.because, page.state.values.lang));
    said.replaceChildren(...(seen ? because : [element("p", {}, page.text("lesson.on_page"))]));
    const { parentElement: root } = said;
    if (seen && because.length) root?.setAttribute("data-truth", "");
    else root?.removeAttribute("data-truth");
  }

  /** After the state of a step has come: ask, or show the truth again. @param {string} link */
  async arrived(link) {
    const { asked } = this;
    const { page, present: step } = this.#player;
    const { question } = step;
    if (!question || !asked) return;
    const { done } = asked;
    if (!done.revealed) {
      await settled(page, link, question.truth?.before ? figuresOf(question) : []);
      done.earlier = before(page, question);
      this.#keep(done);
      return;
    }
    await answering(page, step.link, question);
    asked.judge();
  }

  /** Show the question's state again: its reveal has not reached the class. */
  async restore() {
    const { asked } = this;
    const { page } = this.#player;
    if (asked) Object.assign(asked.done, { revealed: false });
    this.ask();
    const { link, focus } = this.#player.present;
    try {
      await visit(page, link);
      await settled(page, link);
      await repainted(page); // the veil goes after it
      point(page, focus);
    } catch (problem) {
      this.#panel()?.fail(problem instanceof Error ? problem.message : String(problem));
    } finally {
      page.leader.tell({ type: "restored" });
    }
  }

  /** Go to the state that answers, and show the truth; it is kept once all who were asked see it. @returns {Promise<import("./truth.js").Found | null>} */
  async truth() {
    const { asked } = this;
    const { page, turn, present: step } = this.#player;
    const { question } = step;
    if (!asked || !question) return null;
    asked.wait(true);
    try {
      if (question.reveal) await visit(page, question.reveal);
      else if (state(page.state.present) !== state(step.link)) await visit(page, step.link);
      await answering(page, step.link, question);
      if (turn !== this.#player.turn) return null;
      const truth = asked.judge();
      this.keepRevealed();
      point(page, answeredIn(step));
      return truth;
    } finally {
      asked.wait(false);
    }
  }

  /** Keep that the truth was shown, unless a class still waits for it: its reveal may fail. */
  keepRevealed() {
    const { asked } = this;
    const { page } = this.#player;
    if (asked?.done.revealed && !page.presence.room?.voting()) this.#keep(asked.done);
  }

  async #reveal() {
    if (!this.#player.page.leader.allows("reveal")) return;
    try {
      await this.truth();
      this.asked?.verdict.focus({ preventScroll: true });
      this.#panel()?.turnToQuestion();
    } catch (problem) {
      this.asked?.verdict.replaceChildren(
        element("p", { role: "alert" }, String(/** @type {Error} */ (problem).message)),
      );
    }
  }

  /** Keep what the page's own question came to: it goes with its state. */
  note() {
    const { present: step, page, turn, step: at, lesson } = this.#player;
    const shown = turn > 0 && at <= lesson.steps.length && pageIn(step.link) === page.settings.page;
    const found = shown && step.question?.prediction ? noted(page) : null;
    if (found && (found.said.length || !this.done.noted?.said.length)) this.#keep({ ...this.done, noted: found });
  }
}
