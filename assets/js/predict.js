/**
 * Predict, then reveal: the visitor picks or draws what they expect, then the page shows what comes and says what differed. The question and the
 * verdict are parts from visualiser/predictions.py; the page says when to reveal.
 */

import { element } from "./dom.js";
import { CurveDrawing } from "./predict_curve.js";
import { revive } from "./wire.js";

export class Predict {
  /**
   * @param {HTMLElement} root
   * @param {import("./shell.js").Shell} page
   * @param {() => void} reveal starts what shows the answer; the page sends `prediction` along with it
   */
  constructor(root, page, reveal) {
    this.root = root;
    this.page = page;
    this.reveal = reveal;
    this.id = null;
    this.answer = null;
    this.open = false;
    root.hidden = true;
  }

  /** What to send with the request that reveals; null when nothing is predicted. */
  get prediction() {
    return this.wanted && this.answer !== null && this.name ? { name: this.name, answer: this.answer } : null;
  }

  /** Whether the visitor wants to predict at all: the control `predict`. @param {boolean} wanted */
  fit(wanted) {
    this.wanted = wanted;
    this.root.hidden = !wanted || !this.open;
  }

  /** The part "question". An answer stays until the question is about something else. @param {any} header */
  ask(header) {
    const id = `${header.name} ${header.about} ${header.sentence}`;
    if (id === this.id) return;
    Object.assign(this, { id, name: header.name, answer: null, open: true, shown: header });
    this.#build(header);
    this.fit(this.wanted ?? true);
  }

  /** Takes the question away: there is nothing to ask now. */
  close() {
    Object.assign(this, { id: null, name: null, answer: null, open: false });
    this.root.hidden = true;
  }

  /** While the page computes, the answer stands. @param {boolean} [locked] */
  lock(locked = true) {
    for (const field of this.root.querySelectorAll("input, #predict-reveal")) field.disabled = locked;
    if (this.drawing) this.drawing.locked = locked;
    if (!locked) this.#ready();
  }

  /** The part "verdict". @param {any} part */
  judge({ header, blocks }) {
    if (header.name !== this.name || this.answer === null) return;
    this.lock();
    const real = this.drawing ? revive(header.real, blocks, new Map()).y : header.real;
    this.drawing?.reveal(Array.from(real));
    if (!this.drawing) {
      for (const label of this.root.querySelectorAll("label")) {
        label.classList.toggle("is-real", real.includes(label.querySelector("input").value));
      }
    }
    this.said.replaceChildren(...header.sentences.map((sentence) => element("p", {}, sentence)));
    this.said.classList.toggle("is-right", header.right);
    this.root.dataset.verdict = String(header.right);
    this.go.hidden = true;
    this.again.hidden = false;
  }

  #build(header) {
    delete this.root.dataset.verdict;
    const { page } = this;
    this.drawing = null;
    this.said = element("div", { className: "predict-verdict", role: "status" });
    this.go = element(
      "button",
      { type: "button", className: "tool", id: "predict-reveal", disabled: true, onclick: () => this.reveal() },
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
          label,
        ),
      );
      field = element(
        "fieldset",
        {},
        element("legend", {}, header.sentence),
        element("div", { className: "predict-choices" }, ...radios),
      );
    } else {
      this.drawing = new CurveDrawing(
        header.curve,
        (key, fields) => page.text(key, fields),
        (values) => this.#set(values),
      );
      field = element("fieldset", {}, element("legend", {}, header.sentence), this.drawing.root);
    }
    this.root.replaceChildren(
      element(
        "section",
        { className: "predict", aria: { labelledby: "title-predict" } },
        element("h2", { id: "title-predict" }, page.text("predict.title")),
        field,
        element("div", { className: "buttons" }, this.go, this.again),
        this.said,
      ),
    );
  }

  #set(answer) {
    this.answer = answer;
    this.#ready();
  }

  #ready() {
    this.go.disabled = this.answer === null;
  }

  #again() {
    this.answer = null;
    this.#build(this.shown);
    this.root.querySelector("input, [role=slider]")?.focus();
  }
}
