/** The student's side of a question: the ballot, its answers on their way to the room, and the result, in the student's language. */

import { element } from "../dom/dom.js";
import { isIn } from "../lead/following.js";
import { card } from "../lead/lead.js";
import { inline } from "../lesson/markdown.js";
import { ballot } from "./ballot.js";
import { distribution } from "../lesson/distribution.js";
import { Refused } from "./line.js";
import { takes } from "../lead/message.js";
import { Newest } from "./newest.js";
import { pictureOn } from "./question_picture.js";

/** @typedef {import("../lead/message.js").Truth} Truth */

/** Milliseconds between two answers of a tab. */
const APART = 600;
/** Milliseconds until an answer that did not arrive is sent again. */
const AWAY = 2000;

/** Return the milliseconds after which an answer is sent again; null if the room has refused it. @param {unknown} problem */
function afterwards(problem) {
  if (!(problem instanceof Refused)) return AWAY;
  if (problem.retry) return 1000 * problem.retry;
  return problem.status === 404 ? AWAY : null;
}

/**
 * The student's tab.
 * @typedef {object} Voting
 * @property {import("../page/live_page.js").LivePage} page
 * @property {import("./bar.js").Bar} bar
 * @property {import("./way_in.js").Text} text
 * @property {import("./line.js").Line} line
 * @property {import("../lesson/page_question.js").PageQuestion} question
 * @property {boolean} alone true if the teacher shows a file of their own
 */

export class Vote {
  /** A lesson's question in the student's own language. @type {(import("../lead/message.js").Spoken & {id: string}) | null} */
  #own = null;
  /** The question on the card, as text. */
  #asked = "";
  /** The vote that did not take the last answer. */
  #refused = "";
  /** Tells on the ballot where the student's answer is. @type {((key: string) => void) | null} */
  #ballot = null;

  /** @param {Voting} student */
  constructor(student) {
    this.student = student;
    this.page = student.page;
    this.bar = student.bar;
    this.text = student.text;
    this.answers = new Newest((fields) => this.#answer(fields), { apart: APART });
    this.returns = new Newest((fields) => this.#answer(fields), { apart: APART });
  }

  get #lead() {
    return this.page.leader.lead;
  }

  get #question() {
    return this.#lead.heard?.question ?? null;
  }

  /** Something else stands on the card: the next question takes its place. */
  clear() {
    this.#asked = "none";
  }

  /** The tab has another token: it has answered nothing. */
  renew() {
    void this.answers.stop();
    void this.returns.stop();
    this.#refused = "";
    delete this.bar.root.dataset.answered;
    delete this.bar.root.dataset.returned;
    this.clear();
    if (this.#lead.heard) this.show();
  }

  /** Show what the class is asked, if it has changed. */
  show() {
    const question = this.#question;
    const asked = card(this.#lead.heard);
    this.bar.clock.tell(question);
    this.#tellBallot();
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#ballot = null;
    this.bar.root.dataset.asked = question?.phase ?? "";
    if (!question) {
      this.bar.show();
      return;
    }
    const given = this.given(question);
    const { text, answers = [] } = question;
    const known = this.student.alone ? { text, answers, curve: null } : this.student.question.words(question);
    const words = { ...known, ...(this.#own?.id === question.id ? this.#own : {}) };
    if (this.#own?.id !== question.id && !question.prediction) void this.#translate(question);
    if (question.phase === "reveal") {
      const title = element("p", { className: "class-question" }, ...inline(words.text));
      const { lang } = this.page.state.values;
      const named = { ...question, ...words.labels };
      this.bar.show(title, distribution(named, words.answers, words.curve, given, lang, this.text));
      return;
    }
    const takesIt = takes(question); // of a closed vote the answers stay in sight: everybody talks about them
    const give = (/** @type {Truth} */ answer) => this.page.leader.tell({ type: "answer", answer });
    const paper = ballot(question, words, given[question.round], this.text, takesIt ? give : null);
    this.#ballot = takesIt ? paper.tell : null;
    const again = takesIt && question.round === 2;
    const heading = again ? [element("p", { className: "class-note" }, this.text("room.again"))] : [];
    this.bar.show(...heading, paper.root);
    if (takesIt) pictureOn(this.page, question, this.bar.card);
    this.#tellBallot();
  }

  /** Say where the student's answer is: on its way, or in. */
  #tellBallot() {
    const question = this.#question;
    const { given } = this.#lead;
    if (!this.#ballot || !question || given?.question !== question.id) return;
    const answered = question.round in given.answers;
    this.#ballot(
      answered && this.#lead.silent
        ? "answer_kept" // the room may be made again without it
        : isIn(given, question.round)
          ? "answered_mine"
          : answered
            ? "answering"
            : this.#refused === `${question.id} ${question.round}`
              ? "not_in"
              : "",
    );
  }

  /** @param {{question: string, round: number, answer: Truth}} act */
  send({ question, round, answer }) {
    const way = round === this.#question?.round ? this.answers : this.returns;
    way.want({ question, round, answer });
  }

  /** @param {Record<string, unknown>} fields */
  async #answer(fields) {
    const { leader } = this.page;
    const [question, round] = [String(fields.question), Number(fields.round)];
    const answer = /** @type {Truth} */ (fields.answer);
    try {
      await this.student.line.post("answer", fields);
      this.bar.root.dataset.answered = `${fields.round} ${JSON.stringify(answer)}`;
      if (round !== this.#question?.round) this.bar.root.dataset.returned = JSON.stringify(answer);
    } catch (problem) {
      const wait = afterwards(problem);
      if (wait !== null) return wait;
      const { counted, message } = /** @type {Refused} */ (problem);
      this.#refused = `${question} ${round}`;
      leader.tell({ type: "refused", question, round, counted });
      if (round === this.#question?.round) this.bar.say(message, true);
      return null;
    }
    leader.tell({ type: "kept", question, round, answer });
    return null;
  }

  /** Return the answers of this tab that the room has, by round. @param {import("../lead/message.js").Question} question */
  given({ id, phase }) {
    const { given } = this.#lead;
    if (given?.question !== id) return {};
    return phase === "reveal" ? given.kept : given.answers;
  }

  /** Ask in the student's language what a lesson has in several. @param {import("../lead/message.js").Question} question */
  async #translate(question) {
    if (!question.from) return;
    const lessons = await this.page.presence.later.lessons().catch(() => null);
    const found = await lessons?.words(question).catch(() => null);
    if (!found || this.#question?.id !== question.id) return;
    this.#own = { id: question.id, ...found };
    this.#asked = "";
    this.show();
  }
}
