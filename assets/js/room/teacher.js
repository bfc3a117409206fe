/** The teacher's tab: it opens the room, moves the class with its page, asks, and makes the room again if a server has lost it. */

import { keepInTab, ofTab } from "../link/address.js";
import { FRESH } from "../lead/lead.js";
import { veiled } from "../lead/revealing.js";
import { stateHere } from "../lesson/here.js";
import { pageIn } from "../lesson/settled.js";
import { ClassState } from "./class_state.js";
import { Heartbeat } from "./heartbeat.js";
import { Line, Refused } from "./line.js";
import { forget, random, remember, remembered } from "./memory.js";
import { alike, sameText, withOwn } from "../lead/message.js";
import { Opening } from "./opening.js";
import { PageQuestion } from "../lesson/page_question.js";
import { RemoteEnd } from "./remote_end.js";
import { ResultsFile } from "./results_file.js";
import { TeacherBar } from "./teacher_bar.js";
import { Truths } from "./truths.js";

/**
 * @typedef {import("../lead/state.js").Lead} Lead
 * @typedef {import("../lead/message.js").Message} Message
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("../lead/message.js").Asking} Asking
 * @typedef {import("../page/presence.js").Computed} Computed
 */

export class Teacher {
  /** @type {Message | null} */
  message = null;
  #over = false;
  /** The address of the page as students reach it: another one if only this machine can open that of this page. */
  base = `${location.origin}${location.pathname}`;
  /** @type {ClassState} */
  state;
  /** @type {Opening} */
  opening;
  /** @type {TeacherBar} */
  bar;

  /**
   * @param {import("../page/live_page.js").LivePage} page
   * @param {import("../lead/state.js").How | null} how the page was loaded; null if the room begins on a page that stands
   * @param {(code: string) => void} join called with the code of a room to follow instead
   */
  constructor(page, how, join) {
    this.page = page;
    const { token, secret } = remembered();
    this.line = new Line(
      (path) => page.server.address(path),
      () => page.state.values.lang,
      token,
      secret,
    );
    this.question = new PageQuestion(page);
    this.truths = new Truths(this);
    this.results = new ResultsFile(this.line);
    this.state = new ClassState(this);
    this.opening = new Opening(this);
    this.bar = new TeacherBar(page, this, join);
    this.remote = new RemoteEnd(this);
    const { leader } = page;
    this.ends = [
      leader.handle({
        play: ({ loads }) => void page.presence.later.lessons().then((lessons) => lessons.play(true, loads)),
        say: ({ key }) => this.bar.say(this.text(key), key !== "room.reveal_waits"),
        remind: () => this.#remind(),
        close: ({ id }) => void this.phase({ id }, "closed"),
        restore: () => {
          if (!this.truths.computing || !page.presence.lesson) leader.tell({ type: "restored" }); // else the lesson shows its step again
        },
        compute: ({ id }) => void this.truths.reckon(id),
        tell: ({ id }) => void this.truths.tell(id),
      }),
      leader.onChange((lead, before) => this.#changed(lead, before)),
      page.presence.onMove(() => {
        if (this.message) this.question.cover(this.message.question);
      }),
    ];
    const kept = new AbortController();
    const back = (/** @type {PageTransitionEvent} */ { persisted }) => persisted && this.state.sendAll();
    window.addEventListener("pageshow", back, kept); // the page after this one has led the class
    this.ends.push(() => kept.abort());
    this.heartbeat = new Heartbeat(this.line, {
      silent: () => leader.tell({ type: "silent" }),
      answering: (message) => (message ? this.told(message) : leader.tell({ type: "answering" })),
    });
    const { lesson, step: at } = ofTab(location.search);
    const named = lesson && how !== null ? { name: lesson, step: Number(at) || 1 } : null;
    leader.tell({ type: "enter", role: "teacher", kept: FRESH, how: how ?? "visitor", lesson: named });
    this.#offer({
      ask: (question, computed) => this.ask(question, computed),
      compute: (question, computed) => this.#compute(question, computed),
      voting: () => this.#voting,
      asked: () => this.asked,
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
    this.page.presence.forget(this.#voting);
    document.documentElement.classList.toggle("class-veils", veiled(lead));
    this.bar.lead(lead);
    if (!before.reveal || lead.reveal) return;
    this.truths.over();
    this.state.release();
  }

  /** The question of the class; before the first message what this tab remembers of it. @returns {Question | null} */
  get asked() {
    return (this.message ? this.message.question : remembered().asked) ?? null;
  }

  /** True while the class has a question whose result it has not seen. */
  get #voting() {
    return this.asked !== null && this.asked.phase !== "reveal";
  }

  /** Let a lesson ask the class, or not. @param {import("../page/presence.js").Presence["room"]} room */
  #offer(room) {
    this.page.presence.room = room;
    document.dispatchEvent(new Event("headlight:room"));
  }

  get text() {
    return (/** @type {string} */ key, /** @type {import("../words/message_format.js").Fields} */ fields = {}) =>
      this.page.text(key, fields);
  }

  get code() {
    return this.line.code;
  }

  /** This tab has taken another token. */
  renew() {
    this.line.token = remembered().token;
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
    if (await this.opening.make()) this.bar.welcome();
  }

  /** Teach the room of this tab again, after a reload or on another page. @param {string} code */
  resume(code) {
    this.line.code = code;
    keepInTab({ room: code });
    this.bar.opened();
    this.opening.listen();
    // a lesson goes back to the state of its question first: a reveal that failed has left the answer's here
    if (!(this.#voting && this.asked?.holds && this.state.present.lesson !== null)) this.state.sendAll();
  }

  /** @param {Message} message */
  told(message) {
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
    if (question?.phase === "reveal") this.results.keep(question.id);
    this.question.cover(question);
    this.bar.tell(message, former);
    this.remote.told(message);
    const asked = former?.question;
    if (question?.phase === "reveal" && asked?.id === question.id && asked.phase !== "reveal") {
      void this.question.conclude(question, undefined);
    }
    if (voted !== this.#voting) document.dispatchEvent(new Event("headlight:room"));
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
    return this.act(() => this.line.post("state", { ...this.state.present, call: true }));
  }

  /** Hold all pages together, or let them go. @param {boolean} locked */
  lock(locked) {
    remember({ locked });
    this.state.send({ locked });
  }

  /**
   * Ask the class. What is right, and why, stays in this tab until the reveal.
   * @param {Asking & import("../lead/message.js").Kept & {seconds?: number}} asked @param {Computed} [computed] how the truth is, if it is
   */
  ask({ right, because, seconds = 0, ...question }, computed) {
    if (computed) this.truths.compute(question, computed);
    return this.act(async () => {
      await this.line.post("state", { ...this.state.present });
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
   * @param {Asking} question @param {Computed} computed
   */
  #compute(question, computed) {
    if (!this.asked || this.truths.computes(this.asked) || !sameText(question, this.asked)) return;
    this.truths.compute(question, computed);
    if (this.message) this.bar.tell(this.message, this.message);
  }

  /** @param {Pick<Question, "id">} question @param {"closed" | "discuss" | "over"} phase */
  phase(question, phase) {
    return this.act(() => this.line.post("phase", { question: question.id, phase }));
  }

  /** Show all pages what was answered, beside the truth: who leads says when. */
  reveal() {
    this.page.leader.tell({ type: "reveal" });
  }

  /** Show a student's state to the class. @param {{id: string, link: string}} offer */
  async show(offer) {
    if (!this.page.leader.allows("move")) return;
    await this.drop(offer.id);
    await this.#go(offer.link);
  }

  /**
   * Stand at the state that a question is about.
   * @param {string} link
   * @returns {Promise<boolean>} false if the class's question keeps the page, another page is opened for it, or the server does not
   *   show it
   */
  async stand(link) {
    const { page } = this;
    if (alike(link, stateHere(page))) return true;
    if (!page.leader.allows("move")) return false;
    await this.#go(link);
    if (pageIn(link) !== page.settings.page) return false;
    await page.updates.answered;
    const { error } = page.message;
    if (error.hidden === false) this.bar.say(error.textContent, true);
    return error.hidden === true;
  }

  /** Go to a state: as large as before, and no lesson takes it back. @param {string} link */
  async #go(link) {
    const { page } = this;
    const { columns } = page.state.values;
    /** @type {import("../link/address.js").TabChange} */
    const aside = this.state.present.lesson ? { aside: "1" } : {};
    if (pageIn(link) === page.settings.page) keepInTab(aside);
    await page.ways.goTo(withOwn(link, { columns, present: page.presenter.look.present }), aside);
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

  /** Save what was revealed so far; after the end what was fetched last. */
  save() {
    return this.act(async () => {
      if (!this.#over) await this.results.fetch();
      this.bar.say(this.text("room.saved", { file: this.results.save() }), true);
    });
  }

  /** End the room; its results can still be saved in this tab. */
  async end() {
    if (this.results.revealed) await this.results.fetch().catch(() => null);
    const done = await this.act(() => this.state.without(() => this.line.post("end")));
    if (done) this.ended();
  }

  /** The room is over. */
  ended() {
    if (this.#over) return;
    this.#over = true;
    this.opening.end();
    this.heartbeat.end();
    this.page.leader.tell({ type: "over" });
    this.page.presence.forget(false);
    document.documentElement.classList.remove("class-veils");
    for (const end of this.ends) end();
    this.state.end();
    this.remote.end();
    this.question.cover(null);
    this.#offer(null);
    keepInTab({ room: null });
    forget();
    this.bar.over(this.results.there);
    this.closed();
  }

  /** Called when the room is over. */
  closed() {}

  /** Bring the bar to sight: the button of the class was pressed. */
  focus() {
    this.bar.open();
  }
}
