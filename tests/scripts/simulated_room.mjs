/** A room, its teacher and its students without a browser: messages are delayed, doubled, lost and reordered, pages load, servers restart. */

import { alone, card, FRESH, kept, next } from "../../assets/js/lead/lead.js";
import { outcome } from "../../assets/js/lead/modes.js";
import { veiled } from "../../assets/js/lead/revealing.js";

/**
 * @typedef {import("../../assets/js/lead/state.js").Lead} Lead
 * @typedef {import("../../assets/js/lead/state.js").Event} Event
 * @typedef {import("../../assets/js/lead/state.js").Act} Act
 * @typedef {import("../../assets/js/lead/state.js").Place} Place
 * @typedef {import("../../assets/js/lead/modes.js").Message} Message
 * @typedef {import("../../assets/js/lead/modes.js").Question} Question
 * @typedef {import("../../assets/js/lead/state.js").Wish} Wish
 */

/** Lessons: the link of each step, and the questions that hold. */
export const LESSONS = {
  one: ["page=why&n=4", "page=why&n=8", "n=16", "page=map&n=32"],
  two: ["n=2&h=1", "page=why&n=2", "page=map&n=64"],
};
const ANSWERED = "&scaling=none"; // the state that answers a step's question

/** @param {string} link */
export const pageOf = (link) => new URLSearchParams(link).get("page") ?? "explore";

/** The server: one room, its votes by tab, and what it sends. */
export class Room {
  revision = 1;
  life = "a";
  alive = true;
  /** @type {Pick<Message, "link" | "lesson" | "locked" | "calls" | "question">} */
  state = { link: "n=32", lesson: null, locked: false, calls: 0, question: null };
  /** @type {Map<string, Map<number, number>>} answers of the present question: tab → round → answer */
  votes = new Map();
  asked = 0;

  /** @returns {Message} */
  message() {
    const { link } = this.state;
    const body = {
      ...this.state,
      revision: this.revision,
      life: this.life,
      page: pageOf(link),
      hovered: null,
      count: 3,
    };
    return structuredClone(body);
  }

  /** @param {Partial<Room["state"]>} change */
  set(change) {
    const before = this.state.lesson;
    this.state = { ...this.state, ...change };
    const other = "lesson" in change && JSON.stringify(before) !== JSON.stringify(change.lesson);
    if (other && this.state.question?.phase === "reveal") this.state.question = null; // a result goes when its step goes
    this.revision += 1;
  }

  /** @param {Pick<Question, "holds" | "prediction">} more */
  ask(more) {
    this.asked += 1;
    this.votes = new Map();
    /** @type {Question} */
    const question = {
      kind: "choice",
      text: "?",
      answers: ["a", "b"],
      id: `q${this.asked}`,
      phase: "open",
      round: 1,
      ...more,
    };
    this.set({ question });
  }

  /** @param {string} id @param {"closed" | "discuss" | "reveal" | "over"} phase @returns {boolean} */
  phase(id, phase) {
    const { question } = this.state;
    if (!this.alive || question?.id !== id) return false;
    if (question.phase === phase) return true; // said twice
    const follows = {
      open: ["closed", "reveal", "over"],
      closed: ["discuss", "reveal", "over"],
      discuss: ["reveal", "over"],
      reveal: ["over"],
    };
    if (!follows[question.phase].includes(phase)) return false;
    const round = phase === "discuss" ? 2 : question.round;
    this.set({ question: phase === "over" ? null : { ...question, phase, round } });
    return true;
  }

  /**
   * @param {string} tab @param {string} id @param {number} round @param {number} answer
   * @returns {{type: "kept"} | {type: "refused", counted: number | null} | {type: "away"}} `counted`: what the room has of this tab
   */
  answer(tab, id, round, answer) {
    if (!this.alive) return { type: "away" };
    const { question } = this.state;
    if (question?.id !== id) return { type: "refused", counted: null };
    const given = this.votes.get(tab) ?? new Map();
    if (given.get(round) === answer) return { type: "kept" };
    const open = ["open", "discuss"].includes(question.phase);
    const lost = this.life !== "a" && !given.has(round); // a room that was made again takes the first vote back
    if (!open || (round !== question.round && !lost)) return { type: "refused", counted: given.get(round) ?? null };
    this.votes.set(tab, given.set(round, answer));
    return { type: "kept" };
  }

  /** The process ends: answers are forgotten but for a result, the teacher's tab has made the room again. */
  restart() {
    this.life += "a";
    const { question } = this.state;
    if (question?.phase !== "reveal") this.votes = new Map();
    const phase = question && (question.phase === "reveal" ? "reveal" : question.round === 2 ? "discuss" : "open");
    this.set({ question: question && phase && { ...question, phase } });
  }
}

/** One tab: its machine, what its page shows, and what the tab keeps over loads. */
export class Tab {
  /** @type {Lead} */
  lead;
  memory = FRESH;
  /** Link on screen, or coming. */
  link = "n=32";
  /** Lesson of the address, and the one that is played. @type {Place | null} */
  address = null;
  /** @type {Place | null} */
  played = null;
  /** True if the lesson of the address stands beside another state. */
  aside = false;
  /** Who has loaded the page. @type {"led" | "visitor"} */
  how = "visitor";
  /** The page that is being loaded. @type {{link: string, how: "led" | "visitor"} | null} */
  loading = null;
  /** The lesson of the address waits for its scripts; `true` if it may load its page. @type {boolean | null} */
  opening = null;
  /** Loads since the last command. */
  loads = 0;
  /** True while the page shows the answer of the class's question by the teacher's reveal. */
  answered = false;
  /** @type {Extract<Act, {do: "answer"}>[]} answers on their way */
  outbox = [];
  /** @type {Extract<Act, {do: "compute" | "tell" | "restore"}>[]} work of a reveal */
  work = [];
  /** @type {string[]} */
  said = [];
  /** @type {Act[]} steps and reminders of the last event */
  done = [];

  /** @param {string} name @param {"student" | "teacher"} role @param {Room} room */
  constructor(name, role, room) {
    Object.assign(this, { name, role, room });
    this.name = name;
    this.role = role;
    this.room = room;
    this.lead = alone(pageOf(this.link));
    this.enter("visitor");
  }

  /** @param {"led" | "visitor"} how */
  enter(how) {
    this.how = how;
    this.played = this.opening = null;
    this.tell({ type: "enter", role: this.role, kept: this.memory, how, lesson: this.address });
  }

  /** @param {Event} event */
  tell(event) {
    const [lead, acts] = next(this.lead, event);
    this.lead = lead;
    this.memory = kept(lead);
    this.done = acts;
    for (const act of acts) this.#perform(act);
  }

  /** @param {Act} act */
  #perform(act) {
    if (act.do === "show") this.link = act.link;
    else if (act.do === "load") this.#load(act.link, "led");
    else if (act.do === "play") this.opening = act.loads;
    else if (act.do === "unplay") this.played = this.address = this.opening = null;
    else if (act.do === "aside") this.aside = true;
    else if (act.do === "say") this.said.push(act.key);
    else if (act.do === "answer") this.#want(act);
    else if (act.do === "compute" || act.do === "tell" || act.do === "restore") this.work.push(act);
    else if (act.do === "close") this.room.phase(act.id, "closed");
    else if (act.do === "step") this.#stepped(act.by);
  }

  /** The newest answer of a round replaces one that waits. @param {Extract<Act, {do: "answer"}>} act */
  #want(act) {
    const same = ({ question = "", round = 0 }) => question === act.question && round === act.round;
    this.outbox = [...this.outbox.filter((one) => !same(one)), act];
  }

  /** @param {string} link @param {"led" | "visitor"} how */
  #load(link, how) {
    this.loading = { link, how };
    this.loads += 1;
  }

  /** The page has been loaded; a server may lead it to another one. @param {string | null} elsewhere */
  arrive(elsewhere) {
    if (!this.loading) return;
    const { link, how } = this.loading;
    this.loading = null;
    this.link = elsewhere ?? link;
    this.answered = false;
    this.outbox = []; // what the page was sending is sent again by the next one
    this.work = [];
    this.lead = { ...alone(pageOf(this.link)), screen: this.link };
    this.enter(how);
  }

  /** Ask for what the visitor wants, as the page does. @param {Wish} wish @param {Place | null} [place] @returns {boolean} */
  may(wish, place = null) {
    const what = outcome(this.lead, wish, place);
    this.tell({ type: "wish", wish, place });
    if (what !== "refused") this.loads = 0; // a command of the visitor
    return what !== "refused";
  }

  /** The scripts of lessons have come: open the one of the address, if the page may. @returns {boolean} false if it may not */
  begin() {
    const { opening } = this;
    this.opening = null;
    if (opening === null || this.loading || !this.lead.lesson) return true;
    const place = this.lead.lesson;
    if (outcome(this.lead, "lesson", place) === "refused") return false;
    this.tell({ type: "wish", wish: "lesson", place });
    this.#play(place, this.aside, opening);
    return true;
  }

  /** @param {Place | null} place @param {boolean} aside true if the page keeps its state @param {boolean} loads true if it may load another */
  #play(place, aside, loads) {
    if (!place) return;
    this.opening = null; // a lesson is open already
    this.played = this.address = place;
    this.aside = aside;
    if (aside) return;
    const link = LESSONS[/** @type {keyof LESSONS} */ (place.name)][place.step - 1];
    if (pageOf(link) === this.lead.page) this.link = link;
    else if (loads) this.#load(link, "led");
  }

  /** @param {Place} place */
  open(place) {
    if (this.loading || !this.may("lesson", place)) return;
    this.#play(place, false, true);
  }

  /** @param {1 | -1} by */
  #stepped(by) {
    const at = this.played;
    const steps = at ? LESSONS[/** @type {keyof LESSONS} */ (at.name)].length : 0;
    if (at && at.step + by >= 1 && at.step + by <= steps) this.open({ ...at, step: at.step + by });
  }

  /** @param {string} link */
  move(link) {
    if (this.loading) return;
    if (pageOf(link) !== this.lead.page) {
      if (this.may("turn")) this.#load(link, "visitor");
    } else if (this.may("move")) {
      this.link = link;
    }
  }

  /** Reload, or go back to another address. @param {string} link @param {Place | null} lesson */
  visit(link, lesson) {
    if (this.loading) return;
    this.loads = 0;
    this.address = lesson;
    this.aside = false;
    this.loading = { link, how: "visitor" };
  }

  /** Send the oldest answer. @param {boolean} lost true if the reply does not come */
  send(lost) {
    const act = this.outbox.shift();
    if (!act) return;
    const { question, round } = act;
    const answer = Number(act.answer);
    const reply = this.room.answer(this.name, question, round, answer);
    if (lost || reply.type === "away") {
      this.outbox.unshift(act); // again later
    } else if (reply.type === "kept") {
      this.tell({ type: "kept", question, round, answer });
    } else {
      this.tell({ type: "refused", question, round, counted: reply.counted });
    }
  }

  /** Take another name, as a tab that was duplicated: what it was sending is the other tab's. */
  renew() {
    if (this.loading || this.role === "teacher") return;
    this.name += "'";
    this.outbox = [];
    this.tell({ type: "renewed" });
  }

  /** Do the next piece of a reveal. @param {boolean} lost true if the server's reply does not come */
  reveal(lost) {
    const act = this.work.shift();
    if (!act) return;
    if (act.do === "restore") {
      this.answered = false;
      this.tell({ type: "restored" });
      return;
    }
    const { id } = act;
    if (act.do === "compute") {
      if (this.lead.reveal?.id !== id) return;
      this.answered = true; // the page shows the answer, under its veil
      this.tell({ type: "computed", id });
    } else if (lost || !this.room.alive) {
      if (this.room.alive) this.room.phase(id, "reveal"); // it came, and its reply was lost
      this.tell({ type: "untold", id, final: false });
    } else if (this.room.phase(id, "reveal")) {
      this.tell({ type: "told", id });
    } else {
      this.tell({ type: "untold", id, final: true });
    }
  }

  /** True if somebody before this page can see the answer of the reveal. */
  get seen() {
    return this.answered && !veiled(this.lead);
  }

  get card() {
    return card(this.lead.heard);
  }
}

/** @param {Tab} teacher @param {Room} room the teacher's page leads the class */
export function publish(teacher, room) {
  if (!room.alive || teacher.loading || teacher.lead.reveal) return;
  const { link, lesson } = room.state;
  if (link === teacher.link && JSON.stringify(lesson) === JSON.stringify(teacher.played)) return;
  room.set({ link: teacher.link, lesson: teacher.played });
}

/** The state that answers the step that is on screen. @param {string} link */
export const answering = (link) => link + ANSWERED;
