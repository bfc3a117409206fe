/** Puts the questions of a lesson to the class, on the page of who steers a room. */

import { ofTab } from "../link/address.js";
import { element } from "../dom/dom.js";
import { asking } from "./page_question.js";
import { hear } from "./heard.js";
import { keep, recall } from "../link/kept.js";
import { untouched } from "./question.js";
import { asks, pageIn, state } from "./settled.js";
import { foundAside } from "./truth.js";

/** @typedef {import("./question.js").Asked} Asked */

/** Kept in the tab: the step whose question is asked once its page is there. */
const ASKS = "asks";

/**
 * The lesson under way.
 * @typedef {object} Playing
 * @property {import("./shape.js").Page} page
 * @property {string} name
 * @property {number} step on screen
 * @property {import("./shape.js").Step} present the same
 * @property {number} turn counts the steps shown
 * @property {{asked: Asked | null, truth: () => Promise<import("./truth.js").Found | null>}} question of that step
 * @property {import("./sitting.js").Sitting} sitting
 * @property {(wanted: number) => Promise<void>} go
 * @property {() => void} hold
 */

export class Asker {
  /** Asks the class. @type {HTMLElement | null} */
  #button = null;

  /** @param {Playing} player */
  constructor(player) {
    this.player = player;
    this.page = player.page;
  }

  /** Offer to ask the class the lesson's question of this step. @param {HTMLElement} place */
  offerOwn(place) {
    this.#offer(place, () => void this.#askOwn());
  }

  /** Offer to ask the class the page's own question. @param {HTMLElement} place */
  offerPrediction(place) {
    this.#offer(place, () => void this.#askPrediction());
  }

  /** Offer nothing: the step has no question. */
  rest() {
    this.#button = null;
  }

  /** @param {HTMLElement} place @param {() => void} onclick */
  #offer(place, onclick) {
    const button = element(
      "button",
      { type: "button", className: "tool", id: "lesson-ask", onclick, hidden: !this.page.presence.room },
      this.page.text("lesson.ask"),
    );
    this.#button = button;
    place.append(button);
  }

  /** Hear that this tab teaches a class, or no more: a new class has seen no answer. */
  roomed() {
    const { player } = this;
    const { sitting } = player;
    if (this.#button) this.#button.hidden = !this.page.presence.room;
    hear(this.page.presence.room?.asked() ?? null, sitting.room);
    player.hold();
    this.compute();
    const { room } = ofTab(location.search);
    if (!this.page.presence.room || room === sitting.room) return;
    sitting.room = room;
    void this.#afresh();
  }

  /** Show the step as if nobody had answered it. @returns {Promise<boolean>} false if another step has come meanwhile */
  async #afresh() {
    const { player } = this;
    player.sitting.keep(player.step, untouched());
    const predict = this.page.presence.rules.predict();
    predict?.renew();
    const shown = player.go(player.step);
    const { turn } = player;
    await shown;
    return turn === player.turn;
  }

  /**
   * Go to the step's page if the teacher has turned to another: what it asks is asked there.
   * @returns {boolean} false if this is its page
   */
  #turns() {
    const { player } = this;
    if (pageIn(player.present.link) === this.page.settings.page) return false;
    keep(ASKS, this.#key, "sessionStorage");
    void this.#afresh();
    return true;
  }

  /** The step is there: ask what was to be asked on its page. @param {boolean} led true if that page was loaded for the step */
  arrived(led) {
    const wanted = recall(ASKS, "sessionStorage") === this.#key;
    keep(ASKS, null, "sessionStorage");
    if (led && wanted && this.#button?.isConnected) this.#button.click();
  }

  get #key() {
    return `${this.player.name} ${this.player.step}`;
  }

  async #askOwn() {
    if (this.#turns()) return;
    const { player } = this;
    const { answer = null, revealed = false } = player.question.asked?.done ?? {};
    if ((revealed || this.#away || answer !== null) && !(await this.#afresh())) return;
    const { asked } = player.question;
    if (asked && !asked.refuse()) void this.page.presence.room?.ask(...this.#computed(asked));
  }

  async #askPrediction() {
    if (this.#turns()) return;
    const { page } = this;
    if (this.#away) {
      if (!(await this.#afresh())) return;
      await asks(page);
    }
    const question = asking(page);
    if (!question) return;
    const { because } = this.player.present.question ?? {};
    void page.presence.room?.ask({ ...question, because, from: this.#from }); // its truth is the page's
  }

  /** True if the page shows another state than the step's. */
  get #away() {
    return state(this.page.state.present) !== state(this.player.present.link);
  }

  /** This step, as a room knows where a question comes from. */
  get #from() {
    return { lesson: this.player.name, step: this.player.step };
  }

  /** A class may be voting on this question since before a reload. */
  compute() {
    const { asked } = this.player.question;
    if (asked) this.page.presence.room?.compute(...this.#computed(asked));
  }

  /** @param {Asked} asked @returns {Required<Parameters<import("../page/presence.js").Ask>>} */
  #computed(asked) {
    const truth = async () => {
      const found = await this.player.question.truth();
      if (!found) throw new Error(this.page.text("lesson.slow"));
      return asked.roomTruth(found);
    };
    const { question = null, link } = this.player.present;
    const aside = async () => {
      if (!question || question.curve) return null;
      const found = await foundAside(this.page, question.reveal ?? link, question, asked.done.earlier ?? null);
      return asked.roomTruth(found);
    };
    return [
      { ...asked.forRoom(), from: this.#from },
      { truth, aside },
    ];
  }
}
