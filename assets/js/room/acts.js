/** What a teacher does: to the room, and with the page that the class follows. */

import { keepInTab } from "../link/address.js";
import { alike, withOwn } from "../lead/message.js";
import { stateHere } from "../lesson/here.js";
import { pageIn } from "../lesson/settled.js";
import { Refused } from "./line.js";
import { remember, remembered } from "./memory.js";

/** @typedef {import("../lead/message.js").Question} Question */

export class Acts {
  #room;
  #bar;
  #state;
  #truths;

  /**
   * @param {import("./taught_room.js").TaughtRoom} room @param {import("./bar.js").Bar} bar
   * @param {import("./class_state.js").ClassState} state @param {import("./truths.js").Truths} truths
   */
  constructor(room, bar, state, truths) {
    this.#room = room;
    this.#bar = bar;
    this.#state = state;
    this.#truths = truths;
  }

  /** Do what the room may refuse, and say so. @param {() => Promise<unknown>} act @returns {Promise<boolean>} */
  async act(act) {
    try {
      await act();
      return true;
    } catch (problem) {
      this.#bar.say(problem instanceof Refused ? problem.message : this.#room.text("live.unanswered"), true);
      return false;
    }
  }

  /** Bring all pages back. */
  call() {
    return this.act(() => this.#room.line.post("state", { ...this.#state.present, call: true }));
  }

  /** Hold all pages together, or let them go. @param {boolean} locked */
  lock(locked) {
    remember({ locked });
    this.#state.send({ locked });
  }

  /**
   * Ask the class. What is right, and why, stays in this tab until the reveal.
   * @param {import("../lead/message.js").Asking & import("../lead/message.js").Kept & {seconds?: number}} asked
   * @param {import("../page/presence.js").Computed} [computed] how the truth is, if it is
   */
  ask({ right, because, seconds = 0, ...question }, computed) {
    const { line } = this.#room;
    if (computed) this.#truths.compute(question, computed);
    return this.act(async () => {
      await line.post("state", { ...this.#state.present });
      const { truths, because: former } = remembered();
      remember({ truths: right === undefined ? {} : { "": right }, because }); // the new question may be on the card before the answer comes
      await line.post("ask", { ...question, seconds }).catch((problem) => {
        remember({ truths, because: former });
        throw problem;
      });
    });
  }

  /** @param {Pick<Question, "id">} question @param {"closed" | "discuss" | "over"} phase */
  phase(question, phase) {
    return this.act(() => this.#room.line.post("phase", { question: question.id, phase }));
  }

  /** Show all pages what was answered, beside the truth: who leads says when. */
  reveal() {
    this.#room.page.leader.tell({ type: "reveal" });
  }

  /** Show a student's state to the class. @param {{id: string, link: string}} offer */
  async show(offer) {
    if (!this.#room.page.leader.allows("move")) return;
    await this.drop(offer.id);
    await this.#go(offer.link);
  }

  /** @param {string} id of an offer */
  drop(id) {
    return this.act(() => this.#room.line.post("drop", { offer: id }));
  }

  /**
   * Stand at the state that a question is about.
   * @param {string} link
   * @returns {Promise<boolean>} false if the class's question keeps the page, another page is opened for it, or the server does not
   *   show it
   */
  async stand(link) {
    const { page } = this.#room;
    if (alike(link, stateHere(page))) return true;
    if (!page.leader.allows("move")) return false;
    await this.#go(link);
    if (pageIn(link) !== page.settings.page) return false;
    await page.updates.answered;
    const { error } = page.message;
    if (error.hidden === false) this.#bar.say(error.textContent, true);
    return error.hidden === true;
  }

  /** Go to a state: as large as before, and no lesson takes it back. @param {string} link */
  async #go(link) {
    const { page } = this.#room;
    const { columns } = page.state.values;
    /** @type {import("../link/address.js").TabChange} */
    const aside = this.#state.present.lesson ? { aside: "1" } : {};
    if (pageIn(link) === page.settings.page) keepInTab(aside);
    await page.ways.goTo(withOwn(link, { columns, present: page.presenter.look.present }), aside);
  }
}
