/**
 * Predict, then reveal: the visitor picks or draws a prediction; the page then shows the result and the difference.
 * Question and verdict are parts from visualiser/predictions.py; the page decides when to reveal.
 */

import { element } from "../dom/dom.js";
import { CurveDrawing } from "./predict_curve.js";
import { explained } from "../reasons/reasons.js";
import { typeset } from "../words/symbols.js";
import { revive } from "../server/wire.js";

/** @typedef {import("../../types/wire.js").Question} Question */

export class Predict {
  /** The subject of the question. @type {string | null} */
  id = null;
  /** The question's name. @type {string | null} */
  name = null;
  /** @type {Question | null} */
  shown = null;
  /** @type {string | number[] | null} */
  answer = null;
  /** Null if the answer is a choice. @type {CurveDrawing | null} */
  drawing = null;
  open = false;
  wanted = true;
  /** The verdict and the two buttons, new for each question. */
  said = element("div");
  go = element("button");
  again = element("button");
  /** The line that stands for a question nobody answered, once the results are shown. */
  declined = element("p");
  /** True from the press of "Reveal" to the verdict. */
  awaited = false;
  /** Takes the result that a class is told; the visitor's own verdict is none of it. @type {PromiseWithResolvers<string[] | number[]> | null} */
  told = null;
  /** True if the visitor gave no answer: the result is shown without a verdict. */
  without = false;
  /** True while a teacher's class is to be asked first. */
  withheld = false;
  /** Says so. */
  waits = element("p");

  /**
   * @param {HTMLElement} root
   * @param {import("./asker.js").Asker} page
   * @param {() => void} reveal asks for the answer; the page sends `prediction` along
   * @param {() => void} [reopened] called when the visitor predicts once more
   */
  constructor(root, page, reveal, reopened = () => {}) {
    this.root = root;
    this.page = page;
    this.reveal = reveal;
    this.reopened = reopened;
    root.hidden = true;
  }

  /** The field to send with the revealing request; null without a prediction. */
  get prediction() {
    return this.wanted && this.answer !== null && this.name ? { name: this.name, answer: this.answer } : null;
  }

  /** Show or hide the question: the control `predict`. @param {unknown} wanted */
  fit(wanted) {
    this.wanted = Boolean(wanted);
    this.root.hidden = !this.wanted || !this.open;
  }

  /** Return true if this question is the one asked. @param {Question} header */
  about(header) {
    return this.id === idOf(header);
  }

  /** Show the part "question". The answer stays until the subject changes. @param {Question} header */
  ask(header) {
    if (this.about(header)) return;
    this.id = idOf(header);
    this.name = header.name;
    this.answer = null;
    this.open = true;
    this.shown = header;
    this.#build(header);
    this.fit(this.wanted);
  }

  /** True once the verdict is shown. */
  get judged() {
    return this.root.dataset.verdict !== undefined;
  }

  /** Remove the question. */
  close() {
    this.id = this.name = this.answer = null;
    this.open = false;
    this.root.hidden = true;
  }

  /** True if results are shown that the visitor did not predict. */
  get folded() {
    return this.root.classList.contains("is-folded");
  }

  /** Fold an unanswered question into one line beside the results. @param {boolean} folded @param {boolean} [again] true if it can be asked again */
  fold(folded, again = true) {
    const unanswered = folded && this.root.dataset.verdict === undefined;
    this.root.classList.toggle("is-folded", unanswered);
    this.declined.hidden = !unanswered;
    this.again.hidden = unanswered ? !again : this.root.dataset.verdict === undefined;
    const key = unanswered ? "predict.after_all" : "predict.again";
    this.again.textContent = this.page.text(key);
  }

  /** Lock the answer while the page computes. @param {boolean} [locked] */
  lock(locked = true) {
    for (const field of this.root.querySelectorAll("input")) field.disabled = locked;
    this.go.disabled = locked;
    if (this.drawing) this.drawing.locked = locked;
    if (locked) return;
    this.#ready();
    this.told?.reject(new Error(this.root.id)); // no result came
    this.told = null;
  }

  /** Show the part "verdict". @param {import("../../types/wire.js").Verdict} header @param {ArrayBuffer} blocks */
  judge(header, blocks) {
    if (header.name !== this.name || this.answer === null) return;
    this.lock();
    const real = Array.isArray(header.real) ? header.real : Array.from(revive(header.real, blocks, new Map()).y);
    if (isNames(real)) {
      for (const label of this.root.querySelectorAll("label")) {
        label.classList.toggle("is-real", real.includes(label.querySelector("input")?.value ?? ""));
      }
    } else {
      this.drawing?.reveal(real);
    }
    const sentences = this.without ? header.sentences.slice(header.judging) : header.sentences;
    this.said.replaceChildren(...sentences.map((sentence) => element("p", {}, ...explained(sentence))));
    this.said.classList.toggle("is-right", header.right && !this.without);
    this.root.dataset.verdict = String(header.right);
    this.waits.hidden = true;
    this.go.hidden = true;
    this.fold(false);
    const { activeElement: at } = document;
    if (this.awaited && (at === document.body || at === null || this.root.contains(at))) this.said.focus();
    this.awaited = false;
    this.told?.resolve(real);
    this.told = null;
  }

  /**
   * Take no answer here while a class is asked; what would answer it stays covered.
   * @param {boolean} on
   */
  hold(on) {
    if (on) this.renew();
    this.root.classList.toggle("is-held", on);
    /** @type {HTMLElement | null} */
    const held = this.root.querySelector(".predict-held");
    if (held) held.hidden = !on;
    this.root.inert = on;
  }

  /** Let nobody reveal alone what a teacher asks, or let them again. @param {boolean} on */
  withhold(on) {
    if (on === this.withheld) return;
    this.withheld = on;
    this.#ready();
  }

  /** Ask as if nobody had seen the result. */
  renew() {
    if (this.folded || this.root.dataset.verdict !== undefined) this.#again();
  }

  /**
   * Reveal as a visitor who gave this answer does; null: without one. Resolves to the result; rejects if none came.
   * @param {string | number[] | null} answer
   * @returns {Promise<string[] | number[]>}
   */
  conclude(answer) {
    const { shown } = this;
    if (!shown) return Promise.reject(new Error(this.root.id));
    this.without = answer === null;
    this.answer = answer ?? (shown.choices ? shown.choices[0][0] : shown.curve.x.map(() => shown.curve.low));
    const told = (this.told = Promise.withResolvers());
    this.page.leader.guide(() => this.reveal());
    return told.promise;
  }

  /** @param {Question} header */
  #build(header) {
    delete this.root.dataset.verdict;
    this.without = false;
    const { page } = this;
    this.drawing = null;
    this.said = element("div", { className: "predict-verdict", role: "status", tabIndex: -1 });
    this.declined = element("p", { className: "predict-declined", hidden: true }, page.text("predict.declined"));
    this.waits = element("p", { className: "predict-waits", id: "predict-waits" }, page.text("predict.teacher_asks"));
    this.root.classList.remove("is-folded");
    this.go = element(
      "button",
      {
        type: "button",
        className: "tool is-primary",
        id: "predict-reveal",
        disabled: true,
        onclick: () => {
          if (!page.leader.allows("reveal")) return;
          this.awaited = true;
          this.reveal();
        },
      },
      page.text("predict.reveal"),
    );
    this.again = element(
      "button",
      { type: "button", className: "tool", id: "predict-again", hidden: true, onclick: () => this.#again() },
      page.text("predict.again"),
    );
    let field;
    if (header.choices) {
      const radios = header.choices.map(([value, label]) =>
        element(
          "label",
          {},
          element("input", { type: "radio", name: "predict-choice", value, onchange: () => this.#set(value) }),
          ...typeset(label),
        ),
      );
      field = element(
        "fieldset",
        {},
        element("legend", {}, ...typeset(header.sentence)),
        element("div", { className: "predict-choices" }, ...radios),
      );
    } else {
      this.drawing = new CurveDrawing(
        header.curve,
        (key, fields) => page.text(key, fields),
        (values) => this.#set(values),
      );
      field = element("fieldset", {}, element("legend", {}, ...typeset(header.sentence)), this.drawing.root);
    }
    this.root.replaceChildren(
      element(
        "section",
        { className: "predict", aria: { labelledby: "title-predict" } },
        element("h2", { id: "title-predict" }, page.text("predict.title")),
        field,
        element(
          "p",
          { className: "predict-held", hidden: !this.root.classList.contains("is-held") },
          page.text("predict.held"),
        ),
        this.declined,
        element("div", { className: "buttons" }, this.go, this.again, this.waits),
        this.said,
      ),
    );
    this.#ready();
  }

  /** @param {string | number[]} answer */
  #set(answer) {
    this.answer = answer;
    this.#ready();
  }

  #ready() {
    this.go.disabled = this.answer === null || this.withheld;
    this.waits.hidden = !this.withheld || this.root.dataset.verdict !== undefined;
  }

  #again() {
    this.answer = null;
    if (this.shown) this.#build(this.shown);
    this.reopened();
    /** @type {HTMLElement | null} */ (this.root.querySelector("input, [role=slider]"))?.focus();
  }
}

/** @param {string[] | number[]} real @returns {real is string[]} */
const isNames = (real) => typeof real[0] === "string";

/** @param {Question} header */
const idOf = ({ name, about, sentence }) => `${name} ${about} ${sentence}`;
