/** The teacher's tab: it opens the room, moves the class with its page, asks, and makes the room again if a server has lost it. */

import { keepInTab, ofTab } from "../address.js";
import { save } from "../clipboard.js";
import { FRESH } from "../lead/lead.js";
import { veiled } from "../lead/revealing.js";
import { isShipped } from "../lesson/lesson.js";
import { Heartbeat } from "./heartbeat.js";
import { Line, Refused } from "./line.js";
import { Listening } from "./listening.js";
import { forget, random, reasons, remember, remembered } from "./memory.js";
import { again, sameText, withOwn } from "./message.js";
import { Newest } from "./newest.js";
import { PageQuestion } from "./page_question.js";
import { RemoteEnd } from "./remote_end.js";
import { TeacherBar } from "./teacher_bar.js";

/**
 * @typedef {import("../lead/lead.js").Lead} Lead
 * @typedef {import("./message.js").Message} Message
 * @typedef {import("./message.js").Question} Question
 * @typedef {import("./message.js").Asking} Asking
 * @typedef {import("./message.js").Lesson} Lesson
 * @typedef {import("./memory.js").Truth} Truth
 *
 * The state of the class, as the server takes it.
 * @typedef {{link: string, hovered: import("./message.js").Hovered | null, lesson: Lesson | null | undefined, locked: boolean}} State
 */

/** Milliseconds for which the pointer rests on a cell before the class sees it: nobody follows it across a map. */
const RESTS = 150;
/** Milliseconds until a state that did not arrive is sent again. */
const RETRY = 1_000;

export class Teacher {
  /** @type {Message | null} */
  message = null;
  /** A lesson's question, and how its truth is computed at the reveal. @type {{question: Asking, truth: () => Promise<Truth | null>} | null} */
  #computed = null;
  /** @type {Listening | null} */
  #listening = null;
  /** The opening under way. @type {Promise<boolean> | null} */
  #opening = null;
  #resting = 0;
  /** Changes of this page while a reveal is under way: the class gets them after it. @type {Partial<State>} */
  #after = {};
  /** The truth of the reveal under way. @type {Truth | null} */
  #truth = null;
  /** Why the reveal under way has failed for good. */
  #failed = "";
  #over = false;
  /** The results, as they were fetched last. @type {Blob | null} */
  #file = null;
  /** The question whose reveal they have. */
  #kept = "";
  /** The address of the page as students reach it: another one if only this machine can open that of this page. */
  base = `${location.origin}${location.pathname}`;

  /**
   * @param {import("../live_page.js").LivePage} page
   * @param {import("../lead/lead.js").How | null} how the page was loaded; null if the room begins on a page that stands
   * @param {(code: string) => void} join called with the code of a room to follow instead
   */
  constructor(page, how, join) {
    this.page = page;
    const { token, secret } = remembered();
    this.line = new Line(
      (path) => page.server.address(path),
      () => page.values.lang,
      token,
      secret,
    );
    this.sending = new Newest((fields) => this.#post(fields));
    this.question = new PageQuestion(page);
    /** @type {State} */
    this.state = {
      link: page.present,
      hovered: null,
      lesson: lessonOn(page),
      locked: remembered().locked ?? false,
    };
    this.bar = new TeacherBar(page, this, join);
    this.remote = new RemoteEnd(this);
    const step = () => this.#set({ lesson: lessonOn(page) });
    document.addEventListener("headlight:step", step);
    const { leader } = page;
    this.ends = [
      leader.handle({
        play: ({ loads }) => void import("../later/lessons.js").then((lessons) => lessons.play(page, true, loads)),
        say: ({ key }) => this.bar.say(this.text(key), key !== "room.reveal_waits"),
        remind: () => this.#remind(),
        close: ({ id }) => void this.phase({ id }, "closed"),
        restore: () => {
          if (!this.#computed || !page.lesson) leader.tell({ type: "restored" }); // else the lesson shows its step again
        },
        compute: ({ id }) => void this.#reckon(id),
        tell: ({ id }) => void this.#tell(id),
      }),
      leader.onChange((lead, before) => this.#changed(lead, before)),
      page.onMove((link) => {
        this.#set({ link, hovered: null });
        if (this.message) this.question.cover(this.message.question);
      }),
      page.onPoint((hovered) => {
        clearTimeout(this.#resting);
        this.#resting = setTimeout(() => this.#set({ hovered }), RESTS);
      }),
      () => document.removeEventListener("headlight:step", step),
    ];
    this.heartbeat = new Heartbeat(this.line, {
      silent: () => leader.tell({ type: "silent" }),
      answering: (message) => (message ? this.#told(message) : leader.tell({ type: "answering" })),
    });
    const { lesson, step: at } = ofTab(location.search);
    const named = lesson && how !== null ? { name: lesson, step: Number(at) || 1 } : null;
    leader.tell({ type: "enter", role: "teacher", kept: FRESH, how: how ?? "visitor", lesson: named });
    this.#offer({
      ask: (question, truth) => this.ask(question, truth),
      compute: (question, truth) => this.#compute(question, truth),
      voting: () => this.#voting,
      asked: () => this.#asked,
    });
  }

  /** Bring the card to sight, and say what one more press of the clicker does. */
  #remind() {
    this.bar.remind();
    const { reminded, heard } = this.page.leader.lead;
    if (reminded) {
      this.bar.say(this.text(heard?.question?.phase === "open" ? "room.press_close" : "room.press_reveal"), true);
    }
  }

  /** @param {Lead} lead @param {Lead} before */
  #changed(lead, before) {
    this.page.forget(this.#voting);
    document.documentElement.classList.toggle("class-veils", veiled(lead));
    this.bar.lead(lead);
    if (!before.reveal || lead.reveal) return;
    if (this.#failed) this.bar.say(this.#failed, true); // last: it is what came of the reveal
    this.#failed = "";
    this.#release();
  }

  /** The question of the class; before the first message what this tab remembers of it. @returns {Question | null} */
  get #asked() {
    return (this.message ? this.message.question : remembered().asked) ?? null;
  }

  /** True while the class has a question whose result it has not seen. */
  get #voting() {
    return this.#asked !== null && this.#asked.phase !== "reveal";
  }

  /** Let a lesson ask the class, or not. @param {import("../live_page.js").LivePage["room"]} room */
  #offer(room) {
    this.page.room = room;
    document.dispatchEvent(new Event("headlight:room"));
  }

  get text() {
    return (/** @type {string} */ key, /** @type {import("../controls.js").Fields} */ fields = {}) =>
      this.page.text(key, fields);
  }

  get code() {
    return this.line.code;
  }

  /** Return the address that students open. */
  get address() {
    return `${this.base}?room=${this.code}`;
  }

  /** Open a new room. */
  async open() {
    remember({
      secret: random(),
      code: undefined,
      locked: false,
      asked: null,
      truths: {},
      revealed: false,
      remote: "",
    });
    this.line.secret = remembered().secret;
    if (await this.#make()) this.bar.welcome();
  }

  /** Teach the room of this tab again, after a reload or on another page. @param {string} code */
  resume(code) {
    this.line.code = code;
    keepInTab({ room: code });
    this.bar.opened();
    this.#listen();
    // a lesson goes back to the state of its question first: a reveal that failed has left the answer's here
    if (!(this.#voting && this.#asked?.holds && this.state.lesson !== null)) this.sending.want({ ...this.state });
  }

  /** Open the room of this tab's secret, new or as it was. */
  #make() {
    this.#opening ??= this.#opened().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #opened() {
    try {
      const { asked, first = 0, remote = "" } = remembered();
      const said = { state: { ...this.state }, remote, ...(asked ? { question: again(asked, first) } : {}) };
      const answer = await this.line.ask("POST", "room", said);
      const { code, message } = await answer.json();
      remember({ code });
      this.line.code = code;
      keepInTab({ room: code });
      document.dispatchEvent(new Event("headlight:room")); // a lesson begins for this class
      this.bar.opened();
      this.#told(message);
      if (this.#listening === null) this.#listen();
      this.sending.want({ ...this.state });
      return true;
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 409 && !this.code) {
        remember({ secret: random() }); // another room has this code
        this.line.secret = remembered().secret;
      }
      this.bar.say(problem instanceof Refused ? problem.message : this.text("live.unanswered"));
      if (!this.code) this.bar.failed();
      return false;
    }
  }

  #listen() {
    this.#listening = new Listening(
      this.line,
      {
        told: (message) => this.#told(message),
        over: () => this.ended(),
        lost: (problem) => this.#lost(problem),
      },
      true,
    );
  }

  /** @param {unknown} problem */
  async #lost(problem) {
    if (problem instanceof Refused && problem.status === 404) return this.#make();
    if (problem instanceof Refused) this.bar.say(problem.message, true);
    else this.page.leader.tell({ type: "silent" });
    return false;
  }

  /** @param {Message} message */
  #told(message) {
    if (this.#over || (this.message && message.revision < this.message.revision)) return;
    const former = this.message;
    const { question } = message;
    const voted = this.#voting;
    this.message = message;
    this.page.leader.tell({ type: "message", message });
    const { asked: known, first = 0 } = remembered();
    const [came = 0] = message.answered ?? [];
    // a room that was made again may be lost once more before all answers are back
    remember({ asked: question, first: question && known?.id === question.id ? Math.max(first, came) : came });
    if (question?.phase === "reveal") this.#keep(question.id);
    this.question.cover(question);
    this.bar.tell(message, former);
    this.remote.told(message);
    const asked = former?.question;
    if (question?.phase === "reveal" && asked?.id === question.id && asked.phase !== "reveal") {
      void this.question.conclude(question, undefined);
    }
    if (voted !== this.#voting) document.dispatchEvent(new Event("headlight:room"));
  }

  /** Keep the results once more: a room that ends by itself has none. @param {string} question just revealed */
  #keep(question) {
    if (this.#kept === question) return;
    this.#kept = question;
    remember({ revealed: true });
    void this.#fetch().catch(() => (this.#kept = ""));
  }

  /** @param {Partial<State>} change */
  #set(change) {
    if (this.#over) return;
    if (this.page.leader.lead.reveal) Object.assign(this.#after, change);
    else this.#send(change);
  }

  /** @param {Partial<State>} change */
  #send(change) {
    Object.assign(this.state, change);
    if (this.code) this.sending.want(change);
  }

  /** The question is revealed, or gone: send what it has kept back. */
  #release() {
    const after = this.#after;
    this.#after = {};
    this.#set(after);
  }

  /** @param {Record<string, unknown>} fields @returns {Promise<number | null>} */
  async #post(fields) {
    if (this.#over) return null;
    try {
      await this.line.post("state", fields);
      return null;
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 404) return (await this.#make()) ? 0 : RETRY;
      if (!(problem instanceof Refused)) return RETRY; // the heartbeat says so
      this.bar.say(problem.message, true);
      return problem.retry ? 1000 * problem.retry : null;
    }
  }

  /** Do what the room may refuse, and say so. @param {() => Promise<unknown>} act @returns {Promise<boolean>} */
  async act(act) {
    try {
      await act();
      return true;
    } catch (problem) {
      this.bar.say(problem instanceof Refused ? problem.message : this.text("live.unanswered"), true);
      return false;
    }
  }

  /** Bring all pages back. */
  call() {
    return this.act(() => this.line.post("state", { ...this.state, call: true }));
  }

  /** Hold all pages together, or let them go. @param {boolean} locked */
  lock(locked) {
    remember({ locked });
    this.#send({ locked });
  }

  /**
   * Ask the class. What is right, and why, stays in this tab until the reveal.
   * @param {Asking & import("./message.js").Kept & {seconds?: number}} asked @param {() => Promise<Truth | null>} [truth] computed at the reveal
   */
  ask({ right, because, seconds = 0, ...question }, truth) {
    if (truth) this.#computed = { question, truth };
    return this.act(async () => {
      await this.line.post("state", { ...this.state });
      const { truths, because: former } = remembered();
      remember({ truths: right === undefined ? {} : { "": right }, because }); // the new question may be on the card before the answer comes
      await this.line.post("ask", { ...question, seconds }).catch((problem) => {
        remember({ truths, because: former });
        throw problem;
      });
    });
  }

  /**
   * Know how the truth of a lesson's question is computed, if the class is being asked it: after a reload nothing else does.
   * @param {Asking} question @param {() => Promise<Truth | null>} truth
   */
  #compute(question, truth) {
    if (!this.#asked || this.computes(this.#asked) || !sameText(question, this.#asked)) return;
    this.#computed = { question, truth };
    if (this.message) this.bar.tell(this.message, this.message);
  }

  /** The right answer of the teacher's own question. @param {Truth | null} truth */
  known(truth) {
    remember({ truths: truth === null ? {} : { "": truth } });
  }

  /** The answer that the teacher marked as the right one, or the curve that they drew. @returns {Truth | null} */
  get told() {
    return remembered().truths?.[""] ?? null;
  }

  /** Return true if the truth of a question is computed. @param {Question} question */
  computes(question) {
    return this.#computed !== null && sameText(this.#computed.question, question);
  }

  /** @param {Pick<Question, "id">} question @param {"closed" | "discuss" | "over"} phase */
  phase(question, phase) {
    return this.act(() => this.line.post("phase", { question: question.id, phase }));
  }

  /** Show all pages what was answered, beside the truth: who leads says when. */
  reveal() {
    this.page.leader.tell({ type: "reveal" });
  }

  /** Compute the truth, under a veil. @param {string} id of the question */
  async #reckon(id) {
    const { leader } = this.page;
    const question = this.#asked;
    try {
      this.#truth = question?.id === id ? await this.#truthOf(question) : null;
      leader.tell({ type: "computed", id });
    } catch (problem) {
      const final = !leader.lead.silent && (problem instanceof Refused || (await this.heartbeat.ask()));
      this.#failed = !final ? "" : problem instanceof Refused ? problem.message : this.text("live.unanswered");
      leader.tell({ type: "uncomputed", id, final });
    }
  }

  /** Tell the room the truth. @param {string} id of the question */
  async #tell(id) {
    const { leader } = this.page;
    const truth = this.#truth;
    try {
      await this.line.post("phase", {
        question: id,
        phase: "reveal",
        ...(truth === null ? {} : { truth }),
        ...reasons(),
      });
      leader.tell({ type: "told", id });
    } catch (problem) {
      const final = problem instanceof Refused && problem.status !== 404;
      if (final && (await this.#revealed({ id }).catch(() => false))) return;
      this.#failed = final ? problem.message : "";
      leader.tell({ type: "untold", id, final });
    }
  }

  /** Return true if a question is revealed already: the answer to the first try was lost. @param {Pick<Question, "id">} question */
  async #revealed({ id }) {
    this.#told(await (await this.line.get()).json());
    const { question = null } = this.message ?? {};
    return question?.id === id && question.phase === "reveal";
  }

  /** @param {Question} question @returns {Promise<Truth | null>} */
  async #truthOf(question) {
    if (this.question.same(question)) return this.question.truth(question);
    if (this.#computed && this.computes(question)) return this.#computed.truth();
    return remembered().truths?.[""] ?? null;
  }

  /** Show a student's state to the class: as large as before, and no lesson takes it back. @param {{id: string, link: string}} offer */
  async show(offer) {
    const { page } = this;
    await this.drop(offer.id);
    const { columns } = page.values;
    const link = withOwn(offer.link, { columns, present: page.presenter.look.present });
    if (this.state.lesson) keepInTab({ aside: "1" });
    await page.goTo(link);
  }

  /** @param {string} id of an offer */
  drop(id) {
    return this.act(() => this.line.post("drop", { offer: id }));
  }

  /** Return the QR code of the students' address. @returns {Promise<string>} an address */
  async picture() {
    const answer = await this.line.post("qr", { address: this.address });
    return `data:image/svg+xml,${encodeURIComponent(await answer.text())}`;
  }

  /** True once something was revealed. */
  get revealed() {
    return remembered().revealed === true;
  }

  /** Save what was revealed so far; after the end what was fetched last. */
  results() {
    return this.act(async () => {
      if (!this.#over) await this.#fetch();
      if (this.#file) save(this.#file, "headlight-answers.csv");
    });
  }

  async #fetch() {
    this.#file = await (await this.line.get("results")).blob();
  }

  /** End the room; its results can still be saved in this tab. */
  async end() {
    if (this.revealed) await this.#fetch().catch(() => null);
    const done = await this.act(() => this.line.post("end"));
    if (done) this.ended();
  }

  /** The room is over. */
  ended() {
    if (this.#over) return;
    this.#over = true;
    this.#listening?.end();
    this.heartbeat.end();
    this.page.leader.tell({ type: "over" });
    this.page.forget(false);
    document.documentElement.classList.remove("class-veils");
    for (const end of this.ends) end();
    this.remote.end();
    this.question.cover(null);
    this.#offer(null);
    keepInTab({ room: null });
    forget();
    this.bar.over(this.#file !== null);
    this.closed();
  }

  /** Called when the room is over. */
  closed() {}

  /** Bring the bar to sight: the button of the class was pressed. */
  focus() {
    this.bar.open();
  }
}

/**
 * Return the step on screen; undefined if the address names one whose words are not known yet: the class keeps what it has.
 * @param {import("../live_page.js").LivePage} page @returns {Lesson | null | undefined}
 */
function lessonOn({ lesson: shown }) {
  const { lesson: name, step: written = "1" } = ofTab(location.search);
  if (!name) return null;
  const step = Number(written) || 0;
  if (isShipped(name)) return { name, step };
  return shown?.name === name && shown.step === step ? shown : undefined;
}
