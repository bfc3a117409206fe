/** What is seen of a question: its choices or its curve, the buttons, and the verdict below them. */

import { element, fadeWhileMore, reachWhileScrolling } from "../dom/dom.js";
import { CurveDrawing } from "./predict_curve.js";
import { explained } from "../reasons/reasons.js";
import { typeset } from "../words/symbols.js";

/**
 * @typedef {import("../../types/wire.js").Question} Question
 *
 * @typedef {object} Presses what follows what the visitor does
 * @property {(answer: string | number[]) => void} answered
 * @property {() => void} reveal
 * @property {() => void} again
 */

/** Told to the document when a result has come, has been left out, or is asked for anew. */
export const CONCLUDED = "headlight:concluded";

export class PredictForm {
  /** Null if the answer is a choice. @type {CurveDrawing | null} */
  drawing = null;
  /** The verdict and the two buttons, new for each question. */
  verdict = element("div");
  go = element("button");
  again = element("button");
  /** The line that stands for a question nobody answered, once the results are shown. */
  #declined = element("p");
  /** Says that a teacher's class is to be asked first. */
  #waits = element("p");
  /** True from the press of "Reveal" to the verdict. */
  #awaited = false;
  #root;
  #page;
  #presses;

  /** @param {HTMLElement} root @param {import("./asker.js").Asker} page @param {Presses} presses */
  constructor(root, page, presses) {
    this.#root = root;
    this.#page = page;
    this.#presses = presses;
  }

  /** True once the verdict is shown. */
  get judged() {
    return this.#root.dataset.verdict !== undefined;
  }

  /** True if results are shown that the visitor did not predict. */
  get folded() {
    return this.#root.classList.contains("is-folded");
  }

  /** Ask a question that nobody has answered. @param {Question} header */
  show(header) {
    delete this.#root.dataset.verdict;
    const page = this.#page;
    this.drawing = null;
    this.verdict = element("div", { className: "predict-verdict", role: "status", tabIndex: -1 });
    fadeWhileMore(this.verdict);
    reachWhileScrolling(this.verdict);
    this.#declined = element("p", { className: "predict-declined", hidden: true }, page.text("predict.declined"));
    this.#waits = element("p", { className: "predict-waits", id: "predict-waits" }, page.text("predict.teacher_asks"));
    this.#root.classList.remove("is-folded");
    this.go = element(
      "button",
      {
        type: "button",
        className: "tool is-primary",
        id: "predict-reveal",
        disabled: true,
        onclick: () => {
          if (!page.leader.allows("reveal")) return;
          this.#awaited = true;
          this.#presses.reveal();
        },
      },
      page.text("predict.reveal"),
    );
    this.again = element(
      "button",
      { type: "button", className: "tool", id: "predict-again", hidden: true, onclick: () => this.#presses.again() },
      page.text("predict.again"),
    );
    this.#root.replaceChildren(
      element(
        "section",
        { className: "predict", aria: { labelledby: "title-predict" } },
        element("h2", { id: "title-predict" }, page.text("predict.title")),
        element("fieldset", {}, element("legend", {}, ...typeset(header.sentence)), this.#field(header)),
        element(
          "p",
          { className: "predict-held", hidden: !this.#root.classList.contains("is-held") },
          page.text("predict.held"),
        ),
        this.#declined,
        element("div", { className: "buttons" }, this.go, this.again, this.#waits),
        this.verdict,
      ),
    );
    this.#tell();
  }

  /** Return what takes the answer. @param {Question} header */
  #field(header) {
    const { answered } = this.#presses;
    if (!header.choices) {
      this.drawing = new CurveDrawing(header.curve, (key, fields) => this.#page.text(key, fields), answered);
      return this.drawing.root;
    }
    const radios = header.choices.map(([value, label]) =>
      element(
        "label",
        {},
        element("input", { type: "radio", name: "predict-choice", value, onchange: () => answered(value) }),
        ...typeset(label),
      ),
    );
    return element("div", { className: "predict-choices" }, ...radios);
  }

  /** Let an answer be revealed, unless a class is to be asked first. @param {boolean} answered @param {boolean} withheld */
  fit(answered, withheld) {
    this.go.disabled = !answered || withheld;
    this.#waits.hidden = !withheld || this.judged;
  }

  /** Lock the answer while the page computes. @param {boolean} locked */
  lock(locked) {
    for (const field of this.#root.querySelectorAll("input")) field.disabled = locked;
    this.go.disabled = locked;
    if (this.drawing) this.drawing.locked = locked;
  }

  /** Fold an unanswered question into one line beside the results. @param {boolean} folded @param {boolean} [again] true if it can be asked again */
  fold(folded, again = true) {
    const unanswered = folded && !this.judged;
    this.#root.classList.toggle("is-folded", unanswered);
    this.#declined.hidden = !unanswered;
    this.again.hidden = unanswered ? !again : !this.judged;
    this.again.textContent = this.#page.text(unanswered ? "predict.after_all" : "predict.again");
    this.#tell();
  }

  #tell() {
    document.dispatchEvent(new Event(CONCLUDED));
  }

  /** Take no answer, and say why. @param {boolean} on */
  hold(on) {
    this.#root.classList.toggle("is-held", on);
    /** @type {HTMLElement | null} */
    const held = this.#root.querySelector(".predict-held");
    if (held) held.hidden = !on;
    this.#root.inert = on;
  }

  /**
   * Show the result beside the answer, and what is said of both.
   * @param {import("../../types/wire.js").Verdict} header @param {string[] | number[]} real
   * @param {boolean} without true if nobody answered: nothing is judged
   */
  judge({ sentences, judging, right }, real, without) {
    if (isNames(real)) {
      for (const label of this.#root.querySelectorAll("label")) {
        label.classList.toggle("is-real", real.includes(label.querySelector("input")?.value ?? ""));
      }
    } else {
      this.drawing?.reveal(real);
    }
    const shown = without ? sentences.slice(judging) : sentences;
    this.verdict.replaceChildren(...shown.map((sentence) => element("p", {}, ...explained(sentence))));
    this.verdict.classList.toggle("is-right", right && !without);
    this.#root.dataset.verdict = String(right);
    this.#waits.hidden = true;
    this.go.hidden = true;
    this.fold(false);
    const { activeElement: at } = document;
    if (this.#awaited && (at === document.body || at === null || this.#root.contains(at))) this.verdict.focus();
    this.#awaited = false;
  }

  /** Bring the keyboard to what takes the answer. */
  focus() {
    /** @type {HTMLElement | null} */ (this.#root.querySelector("input, [role=slider]"))?.focus();
  }
}

/** @param {string[] | number[]} real @returns {real is string[]} */
const isNames = (real) => typeof real[0] === "string";
