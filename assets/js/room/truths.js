/** What is right of the class's question: marked by the teacher, or computed at the reveal; told to the room when who leads says so. */

import { Refused } from "./line.js";
import { reasons, remember, remembered } from "./memory.js";
import { sameText } from "../lead/message.js";

/**
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("../lead/message.js").Asking} Asking
 * @typedef {import("../lead/message.js").Truth} Truth
 * @typedef {import("../page/presence.js").Computed} Computed
 */

export class Truths {
  /** A lesson's question, and how its truth is computed. @type {{question: Asking, how: Computed} | null} */
  #computed = null;
  /** The truth of the reveal under way. @type {Truth | null} */
  #truth = null;
  /** Why the reveal under way has failed for good. */
  #failed = "";

  #room;
  #parts;

  /**
   * @param {Pick<import("./taught_room.js").TaughtRoom, "page" | "line" | "message" | "asked" | "text">} room
   * @param {object} parts of the teacher's tab
   * @param {Pick<import("./bar.js").Bar, "say">} parts.bar
   * @param {import("../lesson/page_question.js").PageQuestion} parts.question of the page
   * @param {(message: import("../lead/message.js").Message) => void} parts.told takes a message of the room
   * @param {Pick<import("./heartbeat.js").Heartbeat, "ask">} parts.heartbeat
   */
  constructor(room, parts) {
    this.#room = room;
    this.#parts = parts;
  }

  /** Know how the truth of a question is computed. @param {Asking} question @param {Computed} how */
  compute(question, how) {
    this.#computed = { question, how };
  }

  /** Return what is right already before the reveal; nothing on this page shows it. @param {Question} question @returns {Promise<Truth | null>} */
  known(question) {
    return this.#of(question, "aside");
  }

  /** True if a lesson's question is known here. */
  get computing() {
    return this.#computed !== null;
  }

  /** Return true if the truth of a question is computed. @param {Question} question */
  computes(question) {
    return this.#computed !== null && sameText(this.#computed.question, question);
  }

  /** Mark the right answer of the teacher's own question. @param {Truth | null} truth */
  mark(truth) {
    remember({ truths: truth === null ? {} : { "": truth } });
  }

  /** The answer that the teacher marked as the right one, or the curve that they drew. @returns {Truth | null} */
  get marked() {
    return remembered().truths?.[""] ?? null;
  }

  /** Compute the truth, under a veil. @param {string} id of the question */
  async reckon(id) {
    const room = this.#room;
    const { leader } = room.page;
    const question = room.asked;
    try {
      this.#truth = question?.id === id ? await this.#of(question, "truth") : null;
      leader.tell({ type: "computed", id });
    } catch (problem) {
      const final = !leader.lead.silent && (problem instanceof Refused || (await this.#parts.heartbeat.ask()));
      this.#failed = !final ? "" : problem instanceof Refused ? problem.message : room.text("live.unanswered");
      leader.tell({ type: "uncomputed", id, final });
    }
  }

  /** Tell the room the truth. @param {string} id of the question */
  async tell(id) {
    const { page, line } = this.#room;
    const { leader } = page;
    const truth = this.#truth;
    try {
      await line.post("phase", {
        question: id,
        phase: "reveal",
        ...(truth === null ? {} : { truth }),
        ...reasons(),
      });
      leader.tell({ type: "told", id });
    } catch (problem) {
      const final = problem instanceof Refused && problem.status !== 404;
      if (final && (await this.#revealed(id).catch(() => false))) return;
      this.#failed = final ? problem.message : "";
      leader.tell({ type: "untold", id, final });
    }
  }

  /** The reveal is over: say what came of it, if it has failed. */
  over() {
    if (this.#failed) this.#parts.bar.say(this.#failed, true);
    this.#failed = "";
  }

  /** Return true if a question is revealed already: the answer to the first try was lost. @param {string} id */
  async #revealed(id) {
    this.#parts.told(await (await this.#room.line.get()).json());
    const { question = null } = this.#room.message ?? {};
    return question?.id === id && question.phase === "reveal";
  }

  /**
   * Return what is right; of a page's question that is asked aside, null if its answer takes a run of minutes.
   * @param {Question} question @param {keyof Computed} way @returns {Promise<Truth | null>}
   */
  async #of(question, way) {
    const { question: own } = this.#parts;
    if (own.same(question)) {
      return way === "truth" || this.#room.page.presence.rules.revealsAtOnce() ? own.truth(question) : null;
    }
    if (this.#computed && this.computes(question)) return this.#computed.how[way]();
    return this.marked;
  }
}
