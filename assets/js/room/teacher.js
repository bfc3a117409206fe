/** The teacher's tab: it opens the room, moves the class with its page, asks, and makes the room again if a server has lost it. */

import { keepInTab, ofTab } from "../link/address.js";
import { FRESH } from "../lead/lead.js";
import { sameText } from "../lead/message.js";
import { veiled } from "../lead/revealing.js";
import { PageQuestion } from "../lesson/page_question.js";
import { Acts } from "./acts.js";
import { Bar } from "./bar.js";
import { ClassAddress } from "./class_address.js";
import { ClassState } from "./class_state.js";
import { Heartbeat } from "./heartbeat.js";
import { Line } from "./line.js";
import { forget, random, remember, remembered } from "./memory.js";
import { Opening } from "./opening.js";
import { RemoteEnd } from "./remote_end.js";
import { ResultsFile } from "./results_file.js";
import { TaughtRoom } from "./taught_room.js";
import { TeacherBar } from "./teacher_bar.js";
import { Truths } from "./truths.js";

/**
 * @typedef {import("../lead/state.js").Lead} Lead
 * @typedef {import("../lead/message.js").Message} Message
 * @typedef {import("../lead/message.js").Asking} Asking
 * @typedef {import("../page/presence.js").Computed} Computed
 */

export class Teacher {
  #over = false;
  #page;
  #room;
  #bar;
  #question;
  #truths;
  #results;
  #state;
  /** @type {Opening} */
  #opening;
  #acts;
  #controls;
  #remote;
  #ends;
  /** @type {Heartbeat} */
  #heartbeat;

  /**
   * @param {import("../page/live_page.js").LivePage} page
   * @param {import("../lead/state.js").How | null} how the page was loaded; null if the room begins on a page that stands
   * @param {(code: string) => void} join called with the code of a room to follow instead
   */
  constructor(page, how, join) {
    this.#page = page;
    const { token, secret } = remembered();
    const line = new Line(
      (path) => page.server.address(path),
      () => page.state.values.lang,
      token,
      secret,
    );
    const room = new TaughtRoom(page, line);
    const bar = new Bar(page, "is-teacher");
    this.#room = room;
    this.#bar = bar;
    this.#question = new PageQuestion(page);
    this.#truths = new Truths(room, {
      bar,
      question: this.#question,
      told: (message) => this.#heard(message),
      heartbeat: { ask: () => this.#heartbeat.ask() },
    });
    this.#results = new ResultsFile(line);
    this.#state = new ClassState(room, { bar, opening: { make: () => this.#opening.make() } });
    this.#acts = new Acts(room, bar, this.#state, this.#truths);
    this.#controls = new TeacherBar(bar, room, {
      join,
      acts: this.#acts,
      address: new ClassAddress(line),
      question: this.#question,
      truths: this.#truths,
      results: this.#results,
      save: () => void this.#save(),
      end: () => void this.end(),
    });
    this.#opening = new Opening(room, {
      bar: this.#controls,
      state: this.#state,
      told: (message) => this.#heard(message),
      ended: () => this.ended(),
    });
    this.#remote = new RemoteEnd(room, bar, (question) => this.#acts.ask(question));
    const { leader } = page;
    this.#ends = [
      leader.handle({
        play: ({ loads }) => void page.presence.later.lessons().then((lessons) => lessons.play(true, loads)),
        say: ({ key }) => bar.say(room.text(key), key !== "room.reveal_waits"),
        remind: () => this.#remind(),
        close: ({ id }) => void this.#acts.phase({ id }, "closed"),
        restore: () => {
          if (!this.#truths.computing || !page.presence.lesson) leader.tell({ type: "restored" }); // else the lesson shows its step again
        },
        compute: ({ id }) => void this.#truths.reckon(id),
        tell: ({ id }) => void this.#truths.tell(id),
      }),
      leader.onChange((lead, before) => this.#changed(lead, before)),
      page.presence.onMove(() => {
        if (room.message) this.#question.cover(room.message.question);
      }),
    ];
    const kept = new AbortController();
    const back = (/** @type {PageTransitionEvent} */ { persisted }) => persisted && this.#state.sendAll();
    window.addEventListener("pageshow", back, kept); // the page after this one has led the class
    this.#ends.push(() => kept.abort());
    this.#heartbeat = new Heartbeat(line, {
      silent: () => leader.tell({ type: "silent" }),
      answering: (message) => (message ? this.#heard(message) : leader.tell({ type: "answering" })),
    });
    const { lesson, step: at } = ofTab(location.search);
    const named = lesson && how !== null ? { name: lesson, step: Number(at) || 1 } : null;
    leader.tell({ type: "enter", role: "teacher", kept: FRESH, how: how ?? "visitor", lesson: named });
    this.#offer({
      ask: (question, computed) => this.#acts.ask(question, computed),
      compute: (question, computed) => this.#compute(question, computed),
      voting: () => room.voting,
      asked: () => room.asked,
    });
  }

  /** Bring the card to sight, and say what one more press of the clicker does. */
  #remind() {
    const bar = this.#bar;
    bar.remind();
    const { reminded, heard } = this.#page.leader.lead;
    if (reminded) {
      bar.say(this.#room.text(heard?.question?.phase === "open" ? "room.press_close" : "room.press_reveal"), true);
    }
  }

  /** @param {Lead} lead @param {Lead} before */
  #changed(lead, before) {
    this.#page.presence.forget(this.#room.voting);
    document.documentElement.classList.toggle("class-veils", veiled(lead));
    this.#controls.lead(lead);
    if (!before.reveal || lead.reveal) return;
    this.#truths.over();
    this.#state.release();
  }

  /** Let a lesson ask the class, or not. @param {import("../page/presence.js").Presence["room"]} room */
  #offer(room) {
    this.#page.presence.room = room;
    document.dispatchEvent(new Event("headlight:room"));
  }

  /** This tab has taken another token. */
  renew() {
    this.#room.line.token = remembered().token;
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
    this.#room.line.secret = remembered().secret;
    if (await this.#opening.make()) this.#controls.welcome();
  }

  /** Teach the room of this tab again, after a reload or on another page. @param {string} code */
  resume(code) {
    const room = this.#room;
    room.line.code = code;
    keepInTab({ room: code });
    this.#controls.opened();
    this.#opening.listen();
    // a lesson goes back to the state of its question first: a reveal that failed has left the answer's here
    if (!(room.voting && room.asked?.holds && this.#state.present.lesson !== null)) this.#state.sendAll();
  }

  /** @param {Message} message */
  #heard(message) {
    const room = this.#room;
    if (this.#over || (room.message && message.revision < room.message.revision)) return;
    const former = room.message;
    const { question } = message;
    const voted = room.voting;
    room.message = message;
    this.#page.leader.tell({ type: "message", message });
    const { asked: known, first = 0 } = remembered();
    const [came = 0] = message.answered ?? [];
    // a room that was made again may be lost once more before all answers are back
    remember({ asked: question, first: question && known?.id === question.id ? Math.max(first, came) : came });
    if (question?.phase === "reveal") this.#results.keep(question.id);
    this.#question.cover(question);
    this.#controls.tell(message, former);
    this.#remote.heard(message);
    const asked = former?.question;
    if (question?.phase === "reveal" && asked?.id === question.id && asked.phase !== "reveal") {
      void this.#question.conclude(question, undefined);
    }
    if (voted !== room.voting) document.dispatchEvent(new Event("headlight:room"));
  }

  /**
   * Know how the truth of a lesson's question is computed, if the class is being asked it: after a reload nothing else does.
   * @param {Asking} question @param {Computed} computed
   */
  #compute(question, computed) {
    const { asked, message } = this.#room;
    if (!asked || this.#truths.computes(asked) || !sameText(question, asked)) return;
    this.#truths.compute(question, computed);
    if (message) this.#controls.tell(message, message);
  }

  /** Save what was revealed so far; after the end what was fetched last. */
  #save() {
    return this.#acts.act(async () => {
      if (!this.#over) await this.#results.fetch();
      this.#bar.say(this.#room.text("room.saved", { file: this.#results.save() }), true);
    });
  }

  /** End the room; its results can still be saved in this tab. */
  async end() {
    if (this.#results.revealed) await this.#results.fetch().catch(() => null);
    const end = () => this.#remote.without(() => this.#room.line.post("end"));
    const done = await this.#acts.act(() => this.#state.without(end));
    if (done) this.ended();
  }

  /** The room is over. */
  ended() {
    if (this.#over) return;
    this.#over = true;
    this.#opening.end();
    this.#heartbeat.end();
    this.#page.leader.tell({ type: "over" });
    this.#page.presence.forget(false);
    document.documentElement.classList.remove("class-veils");
    for (const end of this.#ends) end();
    this.#state.end();
    this.#remote.end();
    this.#question.cover(null);
    this.#offer(null);
    keepInTab({ room: null });
    forget();
    this.#controls.over(this.#results.there);
    this.closed();
  }

  /** Called when the room is over. */
  closed() {}

  /** Bring the bar to sight: the button of the class was pressed. */
  focus() {
    this.#controls.open();
  }
}
