/** A question of a lesson: answers or a curve, the reveal, and the truth, which the page computes at that moment. */

import { number } from "../figures/axes.js";
import { element } from "../dom/dom.js";
import { CurveDrawing } from "../asking/predict_curve.js";
import { lacking } from "./columns.js";
import { spoken } from "./lesson.js";
import { inline, onOneLine, written } from "./markdown.js";
import { found, places } from "./truth.js";

/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Question} Question */
/** @typedef {import("./truth.js").Found} Found */

/**
 * What a visitor has done with a question.
 * @typedef {{answer: number | number[] | null, revealed: boolean, earlier: number | null, truth?: Found, noted?: Noted}} Done
 *
 * What the page itself asked, in the visitor's words.
 * @typedef {{text: string, said: string[]}} Noted
 */

/** @returns {Done} */
export const untouched = () => ({ answer: null, revealed: false, earlier: null });

/**
 * Return a curve as the page's own predictions have it.
 * @param {import("./shape.js").Curve} curve @param {string} lang @param {string[]} labels of the axes
 */
export function asDrawn({ points, low, high, log_x = false, x_label, y_label }, lang, [x, y]) {
  return {
    ...{ x: points, low, high, log_x, log_y: false },
    x_label: spoken(x_label, lang) || x,
    y_label: spoken(y_label, lang) || y,
  };
}

/** Return the message that says a measured value: a ratio names itself. Pure. @param {Question} question */
export const measuredBy = ({ truth }) =>
  truth?.before ? "lesson.measured_before" : truth?.over ? "lesson.measured_ratio" : "lesson.measured";

export class Asked {
  /**
   * @param {Page} page @param {Question} question @param {Done} done
   * @param {() => void} changed called when the visitor has answered
   * @param {() => Promise<void>} reveal shows the state that answers
   */
  constructor(page, question, done, changed, reveal) {
    this.page = page;
    this.question = question;
    this.done = done;
    this.changed = changed;
    const { lang } = page.state.values;
    const { answers = [], curve } = question;
    this.buttons = answers.map((answer, i) =>
      element(
        "button",
        { type: "button", className: "tool lesson-answer", ariaPressed: "false", onclick: () => this.#answer(i) },
        ...inline(spoken(answer.text, lang)),
      ),
    );
    this.drawing = curve
      ? new CurveDrawing(
          asDrawn(curve, lang, axes(page, curve)),
          (key, fields) => page.text(key, fields),
          (values) => this.#answer(values),
        )
      : null;
    this.go = element(
      "button",
      { type: "button", className: "tool is-primary", id: "lesson-reveal", onclick: () => void reveal() },
      page.text("predict.reveal"),
    );
    this.verdict = element("div", { className: "lesson-verdict", role: "status", tabIndex: -1 });
    this.extra = element("span", { className: "lesson-extra" });
    this.root = element(
      "div",
      { role: "group", ariaLabel: page.text("predict.title") },
      ...written(spoken(question.text, lang)),
      ...(this.drawing ? [this.drawing.root] : []),
      element("div", { className: "lesson-answers" }, ...this.buttons, this.go, this.extra),
      this.verdict,
    );
    this.#fit();
  }

  /** Say that the truth is on its way. @param {boolean} busy */
  wait(busy) {
    this.root.setAttribute("aria-busy", String(busy));
    this.go.disabled = busy || this.done.answer === null;
  }

  /** Say what its numbers lack on this page; then it cannot be asked. @returns {boolean} true if they lack something */
  refuse() {
    const { truth, reveal } = this.question;
    if (reveal !== undefined && !truth?.before) return false; // only that state knows
    const [lack] = lacking(this.page, this.question);
    if (lack) this.verdict.replaceChildren(element("p", { role: "alert" }, lack));
    return Boolean(lack);
  }

  /** Show the truth, of the state that the page shows, and return it. @returns {Found} */
  judge() {
    const { page, question, done } = this;
    const truth = found(page, question, done.earlier);
    const { lang } = page.state.values;
    done.revealed = true;
    done.truth = truth; // for the end of the lesson
    const because = written(spoken(question.because, lang));
    const texts = (question.answers ?? []).map(({ text }) => onOneLine(spoken(text, lang)));
    /** @type {HTMLElement[]} */
    let sentences = [];
    if ("heights" in truth) {
      this.drawing?.reveal(truth.heights);
      if (this.drawing) this.drawing.locked = true;
    } else {
      const { right, value } = truth;
      this.buttons.forEach((button, i) => button.classList.toggle("is-real", right.includes(i)));
      const given = typeof done.answer === "number" ? done.answer : -1;
      const real = right.map((i) => texts[i]).join(" · ");
      const key = right.includes(given) ? "predict.right" : given < 0 ? "lesson.is" : "predict.differs";
      const fields = { real, answer: texts[given] ?? "", value: number(value ?? NaN) };
      const measured = value === undefined ? "" : ` (${page.text(measuredBy(question), fields)})`;
      sentences = [element("p", { className: "lesson-outcome" }, ...inline(page.text(key, fields)), measured)];
    }
    this.verdict.replaceChildren(...sentences, ...because);
    this.root.dataset.truth = "right" in truth ? String(truth.right) : JSON.stringify(truth.heights);
    this.#fit();
    return truth;
  }

  /**
   * Return the question for a room: each text on one line, and a curve as places on its axis.
   * @returns {import("../lead/message.js").Asking & import("../lead/message.js").Kept}
   */
  forRoom() {
    const { page, question } = this;
    const { lang } = page.state.values;
    const text = onOneLine(spoken(question.text, lang));
    const { curve, because } = question;
    if (!curve) {
      return {
        kind: "choice",
        holds: true,
        because,
        text,
        answers: (question.answers ?? []).map((one) => onOneLine(spoken(one.text, lang))),
      };
    }
    const { x_label, y_label, ...ends } = asDrawn(curve, lang, axes(page, curve));
    const across = this.drawing?.across;
    return {
      ...{ kind: "curve", holds: true, text, x: curve.points.map((x) => across?.place(x) ?? 0) },
      ...{ x_label, y_label, axes: ends, because },
    };
  }

  /** Return a truth as a room wants it. @param {Found} truth */
  roomTruth(truth) {
    const { curve } = this.question;
    return "heights" in truth && curve ? places(curve, truth.heights) : "right" in truth ? (truth.right[0] ?? 0) : 0;
  }

  /** @param {number | number[]} answer */
  #answer(answer) {
    if (this.done.revealed) return;
    this.done.answer = answer;
    this.#fit();
    this.changed();
  }

  #fit() {
    const { answer, revealed } = this.done;
    this.buttons.forEach((button, i) => {
      button.ariaPressed = String(i === answer);
      button.disabled = revealed;
    });
    this.go.hidden = revealed;
    this.go.disabled = answer === null;
  }
}

/** Return the names of a curve's axes: the headings of its columns. @param {Page} page @param {import("./shape.js").Curve} curve */
export function axes(page, { figure, x, y }) {
  const columns = page.figures.all.get(figure)?.block.shown?.columns ?? [];
  return [columns[x - 1]?.label ?? "x", columns[y - 1]?.label ?? "y"];
}
