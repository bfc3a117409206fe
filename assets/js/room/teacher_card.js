/** The teacher's side of a question: how many have answered, what can follow, and the results. */

import { element } from "../dom/dom.js";
import { inline } from "../lesson/markdown.js";
import { CurveDrawing } from "../asking/predict_curve.js";
import { advice } from "./advice.js";
import { button } from "./button.js";
import { clockControls } from "./clock.js";
import { axes } from "../lesson/curve.js";
import { distribution } from "../lesson/distribution.js";
import { suspicious } from "../lead/message.js";

/**
 * The parts of a teacher's tab that it needs.
 * @typedef {object} Parts
 * @property {import("./acts.js").Acts} acts
 * @property {import("../lesson/page_question.js").PageQuestion} question of the page
 * @property {import("./truths.js").Truths} truths
 * @property {() => void} save saves the results
 */

export class TeacherCard {
  /** The question on the card, as text. */
  #asked = "";
  answered = element("span", { id: "room-answered", role: "status" });
  /** Begins the reveal. @type {HTMLButtonElement | null} */
  #reveal = null;

  #room;
  #parts;

  /** @param {import("./bar.js").Bar} bar @param {import("./taught_room.js").TaughtRoom} room @param {Parts} parts */
  constructor(bar, room, parts) {
    this.bar = bar;
    this.#room = room;
    this.#parts = parts;
  }

  /** @param {import("../lead/message.js").Message} message */
  tell(message) {
    const { question, answered = [0, 0], count } = message;
    const { bar } = this;
    const { text } = this.#room;
    bar.clock.tell(question);
    if (question) {
      const n = answered[question.round - 1];
      const gone = suspicious(message, question.round);
      const sentence =
        text("room.answered", { n, count }) + (gone ? ` · ${text("room.answered_gone", { n: gone })}` : "");
      if (this.answered.textContent !== sentence) this.answered.textContent = sentence;
      this.answered.dataset.count = String(n);
    }
    const asked = question ? `${question.id} ${question.phase} ${this.#parts.truths.computes(question)}` : "";
    if (asked === this.#asked) return;
    this.#asked = asked;
    bar.root.dataset.asked = question?.phase ?? "";
    if (question) bar.show(...this.#drawn(question));
    else bar.show();
  }

  /** @param {import("../lead/message.js").Question} question @returns {Node[]} */
  #drawn(question) {
    const { text, page, line } = this.#room;
    const { acts, truths, question: own, save } = this.#parts;
    const words = own.words(question);
    const title = element("p", { className: "class-question" }, ...inline(words.text));
    /** @param {"closed" | "discuss" | "over"} phase @param {string} key */
    const to = (phase, key) => button(`room-${phase}`, text(key), () => void acts.phase(question, phase));
    if (question.phase === "reveal") {
      const shown = distribution(question, words.answers, words.curve, {}, page.state.values.lang, text);
      const file = button("room-csv", text("room.csv"), () => save(), text("room.csv_hint"));
      return [title, shown, element("div", { className: "buttons" }, to("over", "room.done"), file)];
    }
    const reveal = button("room-reveal", text("room.reveal"), () => acts.reveal());
    this.#reveal = reveal;
    const next =
      question.phase === "open"
        ? [to("closed", "room.close")]
        : question.phase === "closed"
          ? [to("discuss", "room.vote_again")]
          : [];
    const usually = question.phase === "open" && question.kind === "choice" ? next[0] : reveal; // a curve is mostly asked once
    usually.classList.add("is-primary");
    const state = element("p", { className: "class-note" }, text(`room.phase.${question.phase}`), " ", this.answered);
    const row = element("div", { className: "buttons" }, ...next, reveal, to("over", "room.withdraw"));
    row.append(clockControls(line, (act) => acts.act(act), question, text));
    const usual =
      question.phase === "closed" && question.kind === "choice" ? [advice(this.#room, truths, question, text)] : [];
    const options = words.answers.map((answer) => element("li", {}, ...inline(answer)));
    const offered = question.kind === "choice" ? [element("ul", { className: "class-options" }, ...options)] : [];
    return [title, ...offered, state, ...usual, ...this.#truth(question), row];
  }

  /**
   * What is right of a question of the teacher's own is told last: whoever sees this screen sees it.
   * @param {import("../lead/message.js").Question} question
   */
  #truth(question) {
    if (question.prediction || this.#parts.truths.computes(question)) return [];
    return [question.kind === "choice" ? this.#mark(question) : this.#draw(question)];
  }

  /** @param {import("../lead/message.js").Question} question */
  #mark({ answers = [] }) {
    const { truths } = this.#parts;
    const marks = answers.map((answer, i) => {
      const onclick = () => {
        truths.mark(truths.marked === i ? null : i);
        fit();
      };
      return element("button", { type: "button", className: "tool", onclick }, ...inline(answer));
    });
    const fit = () => marks.forEach((mark, i) => mark.setAttribute("aria-pressed", String(truths.marked === i)));
    fit();
    return element(
      "details",
      { className: "class-truth" },
      element("summary", {}, this.#room.text("room.mark_truth")),
      element("div", { className: "buttons" }, ...marks),
    );
  }

  /** @param {import("../lead/message.js").Question} question */
  #draw(question) {
    const { text } = this.#room;
    const { truths } = this.#parts;
    const drawing = new CurveDrawing(axes(question, null), text, () =>
      truths.mark(drawing.places.map((place) => Math.round(place * 1e4) / 1e4)),
    );
    const known = truths.marked;
    if (Array.isArray(known)) drawing.put(known);
    const summary = element("summary", {}, text("room.draw_truth"));
    return element("details", { className: "class-truth" }, summary, drawing.root);
  }

  /** Wait for a reveal under way. @param {boolean} busy */
  busy(busy) {
    if (this.#reveal) this.#reveal.disabled = busy;
  }
}
