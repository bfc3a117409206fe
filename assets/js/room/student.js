/** A student's page in a room: it follows the teacher's, can be left and rejoined, answers, and offers what it shows. */

import { keepInTab, ofTab } from "../link/address.js";
import { FRESH } from "../lead/lead.js";
import { bound, mode, secret } from "../lead/modes.js";
import { hear } from "../lesson/heard.js";
import { Bar } from "./bar.js";
import { ClassStep } from "./class_step.js";
import { codeField } from "./code_field.js";
import { Line, Refused } from "./line.js";
import { Listening } from "./listening.js";
import { forget, remember, remembered } from "./memory.js";
import { alike, isOwnFile, withOwn } from "../lead/message.js";
import { PageQuestion } from "../lesson/page_question.js";
import { Place } from "./place.js";
import { StudentBar } from "./student_bar.js";
import { Vote } from "./student_vote.js";

/** @typedef {import("../lead/message.js").Message} Message */

/** Milliseconds for a page to come back to the class's state before a result is shown on it. */
const RETURNING = 5000;
/** Milliseconds for which a room that is not there is asked for again. */
const PATIENT = 5 * 60_000;

export class Student {
  #code;
  #join;
  #vote;
  #standing;
  #step;
  #ends;
  #place;

  /** The class's cell on screen, as text. */
  #hovered = "null";
  /** Time of the first failure in a row; 0: the room answers. */
  #silent = 0;
  /** True while no room has the code. */
  #absent = false;
  /** @type {Listening | null} */
  #listening = null;

  /**
   * @param {import("../page/live_page.js").LivePage} page @param {string} code @param {import("../lead/state.js").How} how the page was loaded
   * @param {(code: string) => void} join called with another room's code
   */
  constructor(page, code, how, join) {
    this.page = page;
    this.#code = code;
    this.#join = join;
    const { token, code: former } = remembered();
    if (former !== code) {
      forget();
      remember({ code });
    }
    this.line = new Line(
      (path) => page.server.address(path),
      () => page.state.values.lang,
      token,
    );
    this.line.code = code;
    this.bar = new Bar(page, "is-student");
    this.question = new PageQuestion(page);
    this.#vote = new Vote(this);
    this.#standing = new StudentBar(this.bar, code, this.text, {
      back: () => this.#follow(),
      offer: () => void this.#offer(),
      leave: () => this.#close(),
    });
    this.#step = new ClassStep(page, this.bar, () => this.#fit());
    const { leader } = page;
    leader.keep = (lead) => remember({ lead });
    this.#ends = [
      leader.handle({
        show: ({ link }) => void page.ways.goTo(this.#shaped(link)),
        load: ({ link }) => void page.ways.turnTo(this.#shaped(link), true),
        play: ({ loads }) => void this.#step.lessons().then((lessons) => lessons?.play(true, loads)),
        unplay: () => keepInTab({ lesson: null, step: null, aside: null }),
        say: ({ key }) => this.#say(key),
        answer: (act) => this.#vote.send(act),
        conclude: () => void this.#conclude(),
      }),
      leader.onChange((lead, before) => this.#changed(lead, before)),
      page.presence.onMove(() => this.#fit()),
      this.#hearNetwork(),
    ];
    const { lesson, step } = ofTab(location.search);
    const named = lesson ? { name: lesson, step: Number(step) || 1 } : null;
    leader.tell({ type: "enter", role: "student", kept: remembered().lead ?? FRESH, how, lesson: named });
    this.#place = new Place(this.line, this.#lead.left);
    this.#fit();
    this.#listen();
  }

  get #lead() {
    return this.page.leader.lead;
  }

  /** The newest message. */
  get #message() {
    return this.#lead.heard;
  }

  get text() {
    return (/** @type {string} */ key, /** @type {import("../words/message_format.js").Fields} */ fields = {}) =>
      this.page.text(key, fields);
  }

  #listen() {
    this.#listening = new Listening(
      this.line,
      {
        there: () => this.#there(),
        told: (message) => this.#heard(message),
        over: () => this.#over(),
        lost: (problem) => this.#lost(problem),
      },
      false,
    );
  }

  /** A device that goes offline says so at once: its stream may stand for minutes. @returns {() => void} its end */
  #hearNetwork() {
    const hearing = new AbortController();
    window.addEventListener("offline", () => this.page.leader.tell({ type: "silent" }), hearing);
    return () => hearing.abort();
  }

  /** The room answers. */
  #there() {
    const lacked = this.#silent > 0 || this.#absent || this.#lead.silent;
    this.#silent = 0;
    this.#absent = false;
    if (!lacked) return;
    this.page.leader.tell({ type: "answering" });
    this.#fit();
  }

  /** @param {Message} message */
  #heard(message) {
    remember({ seen: true });
    hear(message.question, this.#code);
    this.page.leader.tell({ type: "message", message });
  }

  /** This tab has taken another token. */
  renew() {
    this.line.token = remembered().token;
    this.page.leader.tell({ type: "renewed" });
    this.#vote.renew();
    this.#listening?.again();
  }

  /** Follow again. */
  #follow() {
    this.bar.say("");
    this.page.leader.tell({ type: "follow" });
    this.bar.focus();
  }

  /** Return the room's link with the layout of this page. @param {string} link */
  #shaped(link) {
    const { columns } = this.page.state.values;
    return withOwn(link, { columns, present: this.page.presenter.look.present });
  }

  /** @param {string} key */
  #say(key) {
    const { locked = false } = this.#message ?? {};
    if (key === "room.left") this.bar.say(this.text(key), false, () => mode(this.#lead) === "left");
    else if (key === "room.called") this.bar.say(this.text(key), true);
    else this.bar.say(this.text(key), true, () => bound(this.#lead) && this.#message?.locked === locked);
  }

  /** @param {import("../lead/state.js").Lead} lead @param {import("../lead/state.js").Lead} before */
  #changed({ heard, left }, { heard: former, left: away }) {
    if (heard && (!former || former.locked !== heard.locked || (away && !left))) this.bar.say("");
    this.page.presence.forget(secret(heard) !== null);
    if (heard) this.#place.tell(left);
    this.#vote.show();
    this.#fit();
    this.#point();
  }

  /** Point where the teacher points, and show the step that the class is at. */
  #point() {
    const { page } = this;
    const lead = this.#lead;
    const follows = this.#follows;
    const hovered = JSON.stringify((follows && lead.heard?.hovered) ?? null);
    if (hovered !== this.#hovered) page.presence.rules.pointAt(follows ? (lead.heard?.hovered ?? null) : null);
    this.#hovered = hovered;
    this.#step.tell(lead, follows);
  }

  get #follows() {
    return this.#lead.role === "student" && this.#lead.heard !== null && !this.#lead.left;
  }

  /** True if the teacher shows a file of their own: no other page has it, so this one stays as it is. */
  get alone() {
    return isOwnFile(this.#message?.link ?? "");
  }

  /** Show the result of the page's own question from the state that it is about: the page may still be on its way back to it. */
  async #conclude() {
    const { page } = this;
    const { question = null, link = "" } = this.#message ?? {};
    const there = () => !page.updates.running && alike(link, page.state.present);
    try {
      if (!question || this.alone) return; // it would be another result
      for (const end = performance.now() + RETURNING; !there() && performance.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      const given = this.#vote.given(question);
      await this.question.conclude(question, given[question.round] ?? given[1]);
    } finally {
      page.leader.tell({ type: "concluding", on: false });
    }
  }

  #fit() {
    const lead = this.#lead;
    const message = this.#message;
    const follows = this.#follows;
    this.question.cover(message?.question ?? null);
    this.question.withhold(follows);
    this.#standing.fit(lead, {
      follows,
      astray: follows && !lead.turning && !lead.concluding && message?.link !== lead.obeyed && !this.alone,
      absent: this.#absent,
      lacks: this.alone ? "upload" : this.#step.wordless ? "lesson" : "",
    });
  }

  async #offer() {
    try {
      await this.page.updates.answered; // what the controls say, which a busy server may not have shown yet
      const link = new URLSearchParams(this.page.state.present);
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
    this.page.leader.tell({ type: "silent" });
    if (gone && !remembered().seen) this.#none(problem.message);
    else if (gone && performance.now() - this.#silent > PATIENT) this.#over();
    else if (this.#message || !gone) this.bar.say(this.text("room.away"), false, () => this.#silent > 0);
    return false;
  }

  /** No room has this code: another can be typed; it is asked for again meanwhile. @param {string} sentence */
  #none(sentence) {
    if (!this.bar.card.hidden) return;
    this.#absent = true;
    this.#vote.clear(); // the field goes when the room comes
    this.bar.say(sentence, false, () => this.#absent);
    this.#fit();
    this.bar.show(codeField(this.text, (code) => this.#another(code)));
  }

  /** @param {string} code */
  #another(code) {
    this.#close();
    this.#join(code);
  }

  /** Hear nothing any more, of the room and of the page: it is the visitor's. */
  #deaf() {
    this.#listening?.end();
    this.#place.end();
    this.page.leader.tell({ type: "over" });
    for (const end of this.#ends) end();
    this.page.leader.keep = () => {};
    this.page.presence.forget(false);
    this.question.cover(null);
    this.question.withhold(false);
    this.page.presence.rules.pointAt(null);
    keepInTab({ room: null });
    forget();
    this.#step.end();
  }

  #over() {
    this.#deaf();
    this.#standing.over();
  }

  /** Leave the class for good. */
  #close() {
    this.#deaf();
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
