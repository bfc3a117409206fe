/**
 * Predict, then reveal: the visitor picks or draws a prediction; the page then shows the result and the difference.
 * Question and verdict are parts from visualiser/predictions.py; the page decides when to reveal.
 */

import { PredictForm } from "./predict_form.js";
import { PredictInClass } from "./predict_in_class.js";
import { revive } from "../server/wire.js";

/** @typedef {import("../../types/wire.js").Question} Question */

export class Predict {
  /** The subject of the question; null without one. @type {string | null} */
  id = null;
  /** The question asked last. @type {Question | null} */
  shown = null;
  /** @type {string | number[] | null} */
  answer = null;
  open = false;
  /** True while the control `predict` is on. */
  #wanted = true;
  #reopened;

  /**
   * @param {HTMLElement} root
   * @param {import("./asker.js").Asker} page
   * @param {() => void} reveal asks for the answer; the page sends `prediction` along
   * @param {() => void} [reopened] called when the visitor predicts once more
   */
  constructor(root, page, reveal, reopened = () => {}) {
    this.root = root;
    this.form = new PredictForm(root, page, {
      answered: (answer) => {
        this.answer = answer;
        this.#ready();
      },
      reveal,
      again: () => this.#again(),
    });
    this.#reopened = reopened;
    this.inClass = new PredictInClass(
      this,
      () => page.leader.guide(reveal),
      () => this.#ready(),
    );
    root.hidden = true;
  }

  /** The field to send with the revealing request; null without a prediction. */
  get prediction() {
    const { id, shown, answer } = this;
    return this.#wanted && answer !== null && id !== null && shown ? { name: shown.name, answer } : null;
  }

  /** Show or hide the question: the control `predict`. @param {unknown} wanted */
  fit(wanted) {
    this.#wanted = Boolean(wanted);
    this.root.hidden = !this.#wanted || !this.open;
  }

  /** Return true if this question is the one asked. @param {Question} header */
  about(header) {
    return this.id === idOf(header);
  }

  /** Show the part "question". The answer stays until the subject changes. @param {Question} header */
  ask(header) {
    if (this.about(header)) return;
    this.id = idOf(header);
    this.open = true;
    this.shown = header;
    this.#begin(header);
    this.fit(this.#wanted);
  }

  /** Remove the question. */
  close() {
    this.id = this.answer = null;
    this.open = false;
    this.root.hidden = true;
  }

  /** Lock the answer while the page computes. @param {boolean} [locked] */
  lock(locked = true) {
    this.form.lock(locked);
    if (locked) return;
    this.#ready();
    this.inClass.end(); // no result came
  }

  /** Show the part "verdict". @param {import("../../types/wire.js").Verdict} header @param {ArrayBuffer} blocks */
  judge(header, blocks) {
    if (this.id === null || header.name !== this.shown?.name || this.answer === null) return;
    this.lock();
    const real = Array.isArray(header.real) ? header.real : Array.from(revive(header.real, blocks, new Map()).y);
    this.form.judge(header, real, this.inClass.without);
    this.inClass.end(real);
  }

  /** Ask as if nobody had seen the result. */
  renew() {
    if (this.form.folded || this.form.judged) this.#again();
  }

  #again() {
    if (this.shown) this.#begin(this.shown);
    this.#reopened();
    this.form.focus();
  }

  /** @param {Question} header */
  #begin(header) {
    this.answer = null;
    this.inClass.without = false;
    this.form.show(header);
    this.#ready();
  }

  #ready() {
    this.form.fit(this.answer !== null, this.inClass.withheld);
  }
}

/** @param {Question} header */
const idOf = ({ name, about, sentence }) => `${name} ${about} ${sentence}`;
