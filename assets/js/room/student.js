/** A student's page in a room: it follows the teacher's, can be left and rejoined, answers, and offers what it shows. */

import { keepInTab } from "../address.js";
import { element } from "../dom.js";
import { ballot } from "./ballot.js";
import { Bar, button } from "./bar.js";
import { codeField } from "./code_field.js";
import { distribution } from "./distribution.js";
import { Line, Refused } from "./line.js";
import { Listening } from "./listening.js";
import { forget, remember, remembered } from "./memory.js";
import { alike, covers, isOwnFile, takes, withOwn } from "./message.js";
import { Newest } from "./newest.js";
import { PageQuestion } from "./page_question.js";
import { typeset } from "../symbols.js";

/** @typedef {import("./message.js").Message} Message */
/** @typedef {import("./memory.js").Truth} Truth */

/** Milliseconds between two answers of a tab. */
const ANSWERS_APART = 600;
/** Milliseconds until an answer that did not arrive is sent again. */
const AWAY = 2000;
/** Milliseconds for a page to come back to the class's state before a result is shown on it. */
const RETURNING = 5000;
/** Milliseconds for which a room that is not there is asked for again. */
const PATIENT = 5 * 60_000;

/** Return the milliseconds after which an answer is sent again; null if the room has refused it. @param {unknown} problem */
function afterwards(problem) {
  if (!(problem instanceof Refused)) return AWAY;
  if (problem.retry) return 1000 * problem.retry;
  return problem.status === 404 ? AWAY : null;
}

export class Student {
  /** The newest message. @type {Message | null} */
  message = null;
  /** The link that was shown last for the class. @type {string | null} */
  #shown = null;
  /** True until the visitor or the class has moved this page. */
  #fresh = true;
  /** The lesson step on screen, as text. */
  #step = "null";
  /** True if the text of the lesson's step is the teacher's alone. */
  #wordless = false;
  #hovered = "null";
  /** A lesson's question in the student's own language. @type {{id: string, text: string, answers: string[]} | null} */
  #own = null;
  /** The question on the card, as text. */
  #asked = "";
  /** True while the page follows by itself, so that no change counts as the student's. */
  #turning = false;
  /** True while the page reveals its own question. */
  #concluding = false;
  /** The life of the room to which the answers are being given again, and the rounds of which it has none yet. */
  #again = { life: "", owed: /** @type {Set<unknown>} */ (new Set()) };
  /** Time of the first failure in a row; 0: the room answers. */
  #silent = 0;
  /** True while no room has the code. */
  #absent = false;
  /** @type {Listening | null} */
  #listening = null;

  /** @param {import("../live_page.js").LivePage} page @param {string} code @param {(code: string) => void} join called with another room's code */
  constructor(page, code, join) {
    this.page = page;
    this.code = code;
    this.join = join;
    const { token, code: former } = remembered();
    if (former !== code) {
      forget();
      remember({ code });
    }
    this.line = new Line(
      (path) => page.server.address(path),
      () => page.values.lang,
      token,
    );
    this.line.code = code;
    this.bar = new Bar(page, "is-student");
    this.question = new PageQuestion(page);
    this.answers = new Newest((fields) => this.#answer(fields), { apart: ANSWERS_APART });
    this.returns = new Newest((fields) => this.#return(fields), { apart: ANSWERS_APART });
    this.back = button("room-back", page.text("room.back"), () => this.follow(), page.text("room.back_hint"));
    this.back.classList.add("is-primary");
    this.offer = button("room-offer", page.text("room.offer"), () => void this.#offer(), page.text("room.offer_hint"));
    this.leave = button("room-leave", page.text("room.leave"), () => this.close(), page.text("room.leave_hint"));
    this.state = element("span", { className: "class-state" });
    this.unseen = element("span", { className: "class-unseen", role: "status" });
    this.bar.fill(
      element(
        "span",
        { className: "class-name" },
        page.text("room.title"),
        " ",
        element("b", { id: "room-code" }, code),
      ),
      this.state,
      this.unseen,
      this.back,
      this.offer,
      this.leave,
    );
    this.ends = [
      page.onTouch(() => this.#touched()),
      page.onMove(() => {
        if (this.message) this.question.cover(this.message.question);
        this.#fit();
      }),
    ];
    this.#fit();
    this.#listen();
  }

  get text() {
    return (/** @type {string} */ key, /** @type {import("../controls.js").Fields} */ fields = {}) =>
      this.page.text(key, fields);
  }

  #listen() {
    const told = (/** @type {Message} */ message) => this.#told(message);
    this.#listening = new Listening(
      this.line,
      { told, over: () => this.#over(), lost: (problem) => this.#lost(problem) },
      false,
    );
  }

  /** True if the student may not leave now. */
  get #bound() {
    const { message, page } = this;
    const { question = null } = message ?? {};
    const secret = question !== null && question.phase !== "reveal" ? question : null;
    return message?.locked === true || secret?.holds === true || covers(secret, page.settings.page);
  }

  get #left() {
    return remembered().left === true;
  }

  /** @param {Message} message */
  #told(message) {
    const before = this.message;
    this.message = message;
    this.#silent = 0;
    this.#absent = false;
    const { calls = message.calls, life = message.life } = remembered();
    const called = message.calls > calls;
    remember({ seen: true, calls: message.calls, life });
    if (called || this.#bound) remember({ left: false });
    if (!before || before.locked !== message.locked || called) this.bar.say("");
    if (called) this.bar.say(this.text("room.called"), true);
    this.#ask(before);
    if (life !== message.life && this.#again.life !== message.life) this.#answerAgain(message);
    if (!this.#left) this.#follow();
    this.#fit();
  }

  /** Follow again. */
  follow() {
    remember({ left: false });
    this.bar.say("");
    this.#shown = null;
    this.#follow();
    this.#fit();
    this.bar.focus();
  }

  #follow() {
    const { message, page } = this;
    if (!message || this.#turning || this.#concluding) return;
    if (message.link !== this.#shown && !this.#alone) {
      const already = this.#fresh && alike(message.link, page.present); // the page was loaded with it
      this.#shown = message.link;
      if (!already) this.#go(message);
    }
    this.#fresh = false;
    const hovered = JSON.stringify(message.hovered);
    if (hovered !== this.#hovered) page.pointAt(message.hovered);
    this.#hovered = hovered;
    const step = JSON.stringify(message.lesson);
    if (step === this.#step) return;
    this.#step = step;
    void this.#lesson(message.lesson);
  }

  /** @param {Message} message */
  #go({ link, page: to }) {
    const { page } = this;
    const { columns } = page.values;
    this.#turning = to !== page.settings.page;
    void page.goTo(withOwn(link, { columns, present: page.presenter.look.present }));
  }

  /** True if the teacher shows a file of their own: no other page has it, so this one stays as it is. */
  get #alone() {
    return isOwnFile(this.message?.link ?? "");
  }

  /** @param {import("./message.js").Lesson | null} lesson */
  async #lesson(lesson) {
    try {
      const lessons = await import("../later/lessons.js");
      const told = await lessons.follow(this.page, lesson);
      if (!this.message || JSON.stringify(lesson) !== this.#step) return; // the room is over, or another step has come
      this.#wordless = !told;
      this.#fit();
    } catch {
      this.bar.say(this.text("live.lost"), true);
    }
  }

  /**
   * Show the result of the page's own question from the state that it is about: the page may still be on its way back to it.
   * @param {import("./message.js").Question} question @param {Truth | undefined} answer
   */
  async #conclude(question, answer) {
    if (this.#alone) {
      this.#concluding = false;
      return; // it would be another result
    }
    const there = () => this.page.underWay === null && this.#shown !== null && alike(this.#shown, this.page.present);
    for (const end = performance.now() + RETURNING; !there() && performance.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    try {
      await this.question.conclude(question, answer);
    } finally {
      this.#concluding = false;
      if (!this.#left) this.#follow();
    }
  }

  /** Ask in the student's language what a lesson has in several. @param {import("./message.js").Question} question */
  async #translate(question) {
    const at = this.message?.lesson ?? null;
    if (!at) return;
    const lessons = await import("../later/lessons.js").catch(() => null);
    const found = await lessons?.words(this.page, question, at).catch(() => null);
    if (!found || this.message?.question?.id !== question.id) return;
    this.#own = { id: question.id, ...found };
    this.#asked = "";
    this.#ask(this.message);
  }

  /** The student has moved something: the page is theirs, unless the teacher holds all pages. */
  #touched() {
    this.#fresh = false;
    if (!this.message || this.#left || this.#turning || this.#concluding) return;
    if (this.#bound) {
      this.#shown = null;
      setTimeout(() => this.#follow()); // after what moved has moved
      const { locked } = this.message;
      const still = () => this.#bound && this.message?.locked === locked;
      this.bar.say(this.text(locked ? "room.held" : "room.held_vote"), true, still);
      return;
    }
    remember({ left: true });
    this.#shown = null;
    this.page.pointAt(null);
    this.bar.say(this.text("room.left"), false, () => this.#left);
    this.#fit();
  }

  #fit() {
    const { message } = this;
    const left = this.#left && message !== null;
    this.bar.root.classList.toggle("is-left", left);
    this.bar.root.dataset.follows = String(message !== null && !left);
    this.question.withhold(message !== null && !left);
    this.back.hidden = !left;
    this.offer.hidden = !left;
    const key = !message ? "room.looking" : left ? "room.own" : message.locked ? "room.locked" : "room.follows";
    const said = this.#absent ? "" : this.text(key);
    this.bar.recheck();
    if (this.state.textContent !== said) this.state.textContent = said;
    const lacks = message === null || left ? "" : this.#alone ? "upload" : this.#wordless ? "lesson" : "";
    if (this.bar.root.dataset.lacks === lacks) return;
    this.bar.root.dataset.lacks = lacks;
    this.unseen.textContent = lacks && this.text(`room.lacks.${lacks}`);
  }

  /** @param {Message | null} before */
  #ask(before) {
    const { question } = this.message ?? { question: null };
    const former = before?.question ?? null;
    this.question.cover(question);
    const given = question && remembered().given?.question === question.id ? (remembered().given?.answers ?? {}) : {};
    if (question && former?.id === question.id && former.phase !== question.phase && question.phase === "reveal") {
      this.#concluding = true; // what the page shows by itself comes first
      void this.#conclude(question, given[question.round] ?? given[1]);
    }
    const asked = question ? `${question.id} ${question.phase} ${question.round}` : "";
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.bar.root.dataset.asked = question?.phase ?? "";
    if (!question) {
      this.bar.show();
      return;
    }
    const { text, answers = [] } = question;
    const known = this.#alone ? { text, answers, curve: null } : this.question.words(question);
    const words = { ...known, ...(this.#own?.id === question.id ? this.#own : {}) };
    if (this.#own?.id !== question.id && !question.prediction) void this.#translate(question);
    if (question.phase === "closed") {
      // everybody talks about the answers: they stay in sight, with the own one
      this.bar.show(ballot(question, words, given[question.round], this.text, null));
      return;
    }
    if (takes(question)) {
      const heading = question.round === 2 ? [element("p", { className: "class-note" }, this.text("room.again"))] : [];
      const paper = ballot(question, words, given[question.round], this.text, (answer) => this.#give(answer));
      this.bar.show(...heading, paper);
      return;
    }
    const title = element("p", { className: "class-question" }, ...typeset(words.text));
    const { lang } = this.page.values;
    this.bar.show(title, distribution(question, words.answers, words.curve, given, lang, this.text));
  }

  /** @param {Truth} answer */
  #give(answer) {
    const { question } = this.message ?? { question: null };
    if (!question) return;
    const { given } = remembered();
    const former = given?.question === question.id ? given.answers : {};
    remember({ given: { question: question.id, answers: { ...former, [question.round]: answer } } });
    this.answers.want({ question: question.id, round: question.round, answer });
  }

  /** The room had to be made again: it has forgotten the answers. @param {Message} message */
  #answerAgain({ question, life }) {
    const { given } = remembered();
    const asked = question && takes(question) && given?.question === question.id ? question : null;
    const answers = asked ? Object.entries(given?.answers ?? {}) : [];
    this.#again = { life, owed: new Set(answers.map(([round]) => Number(round))) };
    for (const [round, answer] of answers) {
      const way = Number(round) === asked?.round ? this.answers : this.returns;
      way.want({ question: asked?.id, round: Number(round), answer });
    }
    this.#paid(null);
  }

  /** The room has the answer of a round, or refuses it: a tab that is loaded anew until then gives it again. @param {unknown} round */
  #paid(round) {
    const { life, owed } = this.#again;
    owed.delete(round);
    if (life && !owed.size) remember({ life });
  }

  /** Give back what the first round had; the room says no if it has it. @param {Record<string, unknown>} said */
  async #return(said) {
    try {
      await this.line.post("answer", said);
      this.bar.root.dataset.returned = JSON.stringify(said.answer);
    } catch (problem) {
      const wait = afterwards(problem);
      if (wait !== null) return wait;
    }
    this.#paid(said.round);
    return null;
  }

  /** @param {Record<string, unknown>} said */
  async #answer(said) {
    try {
      await this.line.post("answer", said);
      this.bar.root.dataset.answered = `${said.round} ${JSON.stringify(said.answer)}`;
    } catch (problem) {
      const wait = afterwards(problem);
      if (wait !== null) return wait;
      if (problem instanceof Refused) this.bar.say(problem.message, true);
    }
    this.#paid(said.round);
    return null;
  }

  async #offer() {
    try {
      const link = new URLSearchParams(this.page.present);
      await this.line.post("offer", { link: link.toString() });
      this.bar.say(this.text("room.offered"), true);
    } catch (problem) {
      this.bar.say(problem instanceof Refused ? problem.message : this.text("live.unanswered"), true);
    }
  }

  /** @param {unknown} problem */
  async #lost(problem) {
    const gone = problem instanceof Refused && problem.status === 404;
    this.#silent ||= performance.now();
    if (gone && !remembered().seen) this.#none(problem.message);
    else if (gone && performance.now() - this.#silent > PATIENT) this.#over();
    else if (this.message || !gone) this.bar.say(this.text("room.away"), false, () => this.#silent > 0);
    return false;
  }

  /** No room has this code: another can be typed; it is asked for again meanwhile. @param {string} sentence */
  #none(sentence) {
    if (!this.bar.card.hidden) return;
    this.#absent = true;
    this.#asked = "none"; // the field goes when the room comes
    this.bar.say(sentence, false, () => this.#absent);
    this.#fit();
    this.bar.show(codeField(this.text, (code) => this.#another(code)));
  }

  /** @param {string} code */
  #another(code) {
    this.close();
    this.join(code);
  }

  /** Hear nothing any more, of the room and of the page. */
  #deaf() {
    this.#listening?.end();
    for (const end of this.ends) end();
    this.question.cover(null);
    this.question.withhold(false);
    this.message = null;
  }

  #over() {
    this.#deaf();
    keepInTab({ room: null });
    forget();
    this.bar.show();
    this.back.hidden = this.offer.hidden = true;
    this.state.textContent = this.unseen.textContent = "";
    this.leave.textContent = this.text("room.shut");
    this.leave.title = "";
    this.bar.say(this.text("room.over"));
    this.bar.root.dataset.follows = "over";
    void this.#lesson(null);
  }

  /** Leave the class for good. */
  close() {
    this.#deaf();
    keepInTab({ room: null });
    forget();
    this.page.pointAt(null);
    this.bar.remove();
    this.closed();
  }

  /** Called when the class is left. */
  closed() {}

  /** Bring the bar to sight: the button of the class was pressed. */
  focus() {
    this.bar.root.scrollIntoView({ block: "nearest" });
    this.bar.focus();
  }
}
