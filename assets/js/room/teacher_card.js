/** The teacher's side of a question: how many have answered, what can follow, and the results. */

import { element } from "../dom.js";
import { CurveDrawing } from "../predict_curve.js";
import { typeset } from "../symbols.js";
import { button } from "./bar.js";
import { axes } from "./curve.js";
import { distribution } from "./distribution.js";

export class TeacherCard {
  /** The question on the card, as text. */
  #asked = "";
  answered = element("span", { id: "room-answered", role: "status" });
  /** True while the truth is computed. */
  #busy = false;

  /** @param {import("./teacher_bar.js").TeacherBar} bar @param {import("./teacher.js").Teacher} teacher */
  constructor(bar, teacher) {
    this.bar = bar;
    this.teacher = teacher;
  }

  /** @param {import("./message.js").Message} message */
  tell({ question, answered = [0, 0], count }) {
    const { bar } = this;
    if (question) {
      const n = answered[question.round - 1];
      const said = bar.text("room.answered", { n, count });
      if (this.answered.textContent !== said) this.answered.textContent = said;
      this.answered.dataset.count = String(n);
    }
    const asked = question ? `${question.id} ${question.phase} ${this.teacher.computes(question)}` : "";
    if (asked === this.#asked) return;
    this.#asked = asked;
    bar.root.dataset.asked = question?.phase ?? "";
    if (question) bar.show(...this.#drawn(question));
    else bar.show();
  }

  /** @param {import("./message.js").Question} question @returns {Node[]} */
  #drawn(question) {
    const { bar, teacher } = this;
    const { text } = bar;
    const words = teacher.question.words(question);
    const title = element("p", { className: "class-question" }, ...typeset(words.text));
    /** @param {"closed" | "discuss" | "over"} phase @param {string} key */
    const to = (phase, key) => button(`room-${phase}`, text(key), () => void teacher.phase(question, phase));
    if (question.phase === "reveal") {
      const shown = distribution(question, words.answers, words.curve, {}, bar.page.values.lang, text);
      const file = button("room-csv", text("room.csv"), () => void teacher.results(), text("room.csv_hint"));
      return [title, shown, element("div", { className: "buttons" }, to("over", "room.done"), file)];
    }
    const reveal = button("room-reveal", text("room.reveal"), () => void this.#reveal(question, reveal));
    reveal.classList.add("is-primary");
    const next =
      question.phase === "open"
        ? [to("closed", "room.close")]
        : question.phase === "closed"
          ? [to("discuss", "room.vote_again")]
          : [];
    const state = element("p", { className: "class-note" }, text(`room.phase.${question.phase}`), " ", this.answered);
    const row = element("div", { className: "buttons" }, ...next, reveal, to("over", "room.withdraw"));
    const options = words.answers.map((answer) => element("li", {}, ...typeset(answer)));
    const offered = question.kind === "choice" ? [element("ul", { className: "class-options" }, ...options)] : [];
    return [title, ...offered, state, ...this.#truth(question), row];
  }

  /** What is right of a question of the teacher's own is told last: whoever sees this screen sees it. @param {import("./message.js").Question} question */
  #truth(question) {
    if (question.prediction || this.teacher.computes(question)) return [];
    return [question.kind === "choice" ? this.#mark(question) : this.#draw(question)];
  }

  /** @param {import("./message.js").Question} question */
  #mark({ answers = [] }) {
    const { bar, teacher } = this;
    const marks = answers.map((answer, i) => {
      const onclick = () => {
        teacher.known(teacher.told === i ? null : i);
        fit();
      };
      return element("button", { type: "button", className: "tool", onclick }, ...typeset(answer));
    });
    const fit = () => marks.forEach((mark, i) => mark.setAttribute("aria-pressed", String(teacher.told === i)));
    fit();
    return element(
      "details",
      { className: "class-truth" },
      element("summary", {}, bar.text("room.mark_truth")),
      element("div", { className: "buttons" }, ...marks),
    );
  }

  /** @param {import("./message.js").Question} question */
  #draw(question) {
    const { text } = this.bar;
    const drawing = new CurveDrawing(axes(question, null), text, () =>
      this.teacher.known(drawing.places.map((place) => Math.round(place * 1e4) / 1e4)),
    );
    const known = this.teacher.told;
    if (Array.isArray(known)) drawing.put(known);
    const summary = element("summary", {}, text("room.draw_truth"));
    return element("details", { className: "class-truth" }, summary, drawing.root);
  }

  /** @param {import("./message.js").Question} question @param {HTMLButtonElement} pressed */
  async #reveal(question, pressed) {
    if (this.#busy) return;
    this.#busy = true;
    pressed.disabled = true;
    this.bar.say(this.bar.text("room.computing"));
    try {
      await this.teacher.reveal(question);
    } finally {
      if (this.bar.said.textContent === this.bar.text("room.computing")) this.bar.say("");
      this.#busy = false;
      pressed.disabled = false;
    }
  }
}
