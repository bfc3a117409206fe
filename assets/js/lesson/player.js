/** Plays a lesson on the page: one step after the other, each the state of a link. */

import { sawText, sees } from "./heard.js";
import { keepInTab } from "../link/address.js";
import { element } from "../dom/dom.js";
import { lookIn, looking } from "../link/look.js";
import { Asker } from "./asker.js";
import { blank, unblank } from "./blank.js";
import { keepPlace } from "../link/kept.js";
import { meant } from "./keys.js";
import { spoken, wordsOf } from "./lesson.js";
import { Panel, point } from "./panel.js";
import { Asked } from "./question.js";
import { pageIn, repainted, settled, state } from "./settled.js";
import { Sitting } from "./sitting.js";
import { noted, summary } from "./summary.js";
import { answeredIn, answering, before, figuresOf } from "./truth.js";

/** @typedef {import("./shape.js").Lesson} Lesson */
/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./question.js").Done} Done */

/** The lesson under way; null without one. @type {Player | null} */
let playing = null;

export const present = () => playing;

export class Player {
  #asker;
  #onKey;
  #onRoom;
  #ends;

  /** @type {Panel | null} */
  #panel = null;
  /** @type {Asked | null} */
  asked = null;
  step = 1;
  /** Counts the steps shown, so that a late answer belongs to none that has gone. */
  turn = 0;

  /** @param {Page} page @param {Lesson} lesson @param {string} name in the link @param {(name: string) => void} begin begins a lesson from its start */
  constructor(page, lesson, name, begin) {
    this.begin = begin;
    playing?.close();
    playing = this;
    this.page = page;
    this.lesson = lesson;
    this.name = name;
    this.sitting = new Sitting(name);
    this.#asker = new Asker(this);
    this.#onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    this.#onRoom = () => this.#asker.roomed();
    document.addEventListener("headlight:room", this.#onRoom);
    this.#ends = [
      page.leader.handle({
        step: ({ by }) => void this.go(this.step + by),
        remind: () => this.#remind(),
        aside: () => keepInTab({ aside: "1" }),
        unplay: () => this.#forsake(),
        restore: () => void this.#restore(),
      }),
      page.presence.onMove((link) => this.#moved(link)),
    ];
    document.addEventListener("keydown", this.#onKey);
    this.#panel = new Panel(page, {
      back: () => this.#press(-1),
      next: () => this.#press(1),
      leave: () => this.leave(),
      again: () => void this.go(this.step),
    });
    this.#panel.hold(this.page.presence.room?.voting() ?? false);
  }

  /** The step on screen; after the last one it stays. */
  get present() {
    const { steps } = this.lesson;
    return steps[Math.min(this.step, steps.length) - 1];
  }

  /**
   * Show a step, if the visitor may.
   * @param {number} wanted from 1
   * @param {{aside?: boolean, loads?: boolean, allowed?: boolean}} [how] `aside`: the page keeps the state that it shows; `loads`:
   *   false if the step has loaded a page already, and may load none again; `allowed`: who leads has been asked
   */
  async go(wanted, { aside = false, loads = true, allowed = false } = {}) {
    const { lesson, page, name } = this;
    const panel = this.#panel;
    const { steps } = lesson;
    if (wanted < 1 || wanted > steps.length + 1 || !panel) return;
    if (!allowed && !page.leader.allows("lesson", { name, step: wanted })) return;
    unblank();
    this.#note();
    if (wanted !== this.step) page.presence.rules.leaveVerdict();
    this.turn += 1;
    const { turn } = this;
    this.step = wanted;
    const step = this.present;
    const { lang } = page.state.values;
    const done = this.#done;
    const own = done.revealed && step.question?.reveal ? step.question.reveal : step.link;
    const link = aside ? page.state.present : own;
    /** @type {import("../link/address.js").TabChange} */
    const tab = { lesson: name, step: String(wanted), ...(aside ? {} : { aside: null }) };
    const stays = wanted > steps.length || pageIn(link) === page.settings.page;
    if (stays) keepInTab(tab); // else the browser's way back leads to the step that is here now
    keepPlace(name, wanted);
    if (wanted > steps.length) {
      this.#end();
      return;
    }
    panel.show(spoken(lesson.title, lang), wanted, steps.length, spoken(step.text, lang));
    this.#ask();
    panel.again.hidden = !aside;
    panel.root.dataset.step = "";
    try {
      if (!loads && !stays) throw new Error(page.text("lesson.elsewhere"));
      await this.#show(link, tab);
      if (!stays) return; // the other page goes on
      const seen = done.revealed ? answeredIn(step) : step.focus;
      point(page, seen);
      await settled(page, link);
      if (turn !== this.turn) return;
      if (!aside) await this.#shown(link);
      if (turn === this.turn) point(page, seen); // a figure may have come with the state, as a row in detail does
    } catch (problem) {
      if (turn === this.turn) panel.fail(problem instanceof Error ? problem.message : String(problem));
    }
    if (turn !== this.turn) return;
    panel.root.dataset.step = String(wanted);
    this.#tell({ name, step: wanted, words: wordsOf(name, lesson, step) });
    this.#asker.arrived(!loads);
  }

  /** Go on, or back: who leads the page decides. @param {1 | -1} by */
  #press(by) {
    unblank();
    this.page.leader.tell({ type: "press", by });
  }

  /** A class votes: the next state would tell it the result. */
  #remind() {
    const { reminded } = this.page.leader.lead; // then the bar says what one more press does
    this.#panel?.remind(reminded ? "" : this.page.text("lesson.votes"));
  }

  /** The class leads this page again. */
  #forsake() {
    this.close();
    this.page.presence.lesson = null;
  }

  /** Show the question's state again: its reveal has not reached the class. */
  async #restore() {
    const { asked, page } = this;
    if (asked) Object.assign(asked.done, { revealed: false });
    this.#ask();
    const { link, focus } = this.present;
    try {
      await this.#show(link);
      await settled(page, link);
      await repainted(page); // the veil goes after it
      point(page, focus);
    } catch (problem) {
      this.#panel?.fail(problem instanceof Error ? problem.message : String(problem));
    } finally {
      page.leader.tell({ type: "restored" });
    }
  }

  /** Leave the lesson; its place is kept, and the page stays as it is. */
  leave() {
    this.close();
    keepInTab({ lesson: null, step: null, aside: null });
    this.page.leader.tell({ type: "unlesson" });
    this.#tell(null);
  }

  /** Show what we saw: the step after the last. */
  #end() {
    const { lesson, page, name, step } = this;
    const panel = this.#panel;
    this.asked = null;
    this.#asker.rest();
    panel?.end(spoken(lesson.title, page.state.values.lang), step, lesson.steps.length, summary(this));
    point(page, undefined);
    this.#tell({
      name,
      step,
      words: wordsOf(name, lesson, { link: "", text: sawText(lesson, sees(this.sitting.room, name)) }),
    });
  }

  /** Keep what the page's own question came to: it goes with its state. */
  #note() {
    const { present: step, page } = this;
    const shown = this.turn > 0 && this.step <= this.lesson.steps.length && pageIn(step.link) === page.settings.page;
    const found = shown && step.question?.prediction ? noted(page) : null;
    if (found && (found.said.length || !this.#done.noted?.said.length)) this.#keep({ ...this.#done, noted: found });
  }

  /** Tell which step is on screen. @param {import("../lead/message.js").Lesson | null} at */
  #tell(at) {
    this.page.presence.lesson = at;
    document.dispatchEvent(new CustomEvent("headlight:step", { detail: at }));
  }

  close() {
    this.turn += 1;
    unblank();
    point(this.page, undefined);
    document.removeEventListener("headlight:room", this.#onRoom);
    for (const end of this.#ends) end();
    document.removeEventListener("keydown", this.#onKey);
    this.#panel?.close();
    this.#panel = null;
    if (playing === this) playing = null;
  }

  /** Go to a link; the large type of a talk stays. @param {string} link @param {import("../link/address.js").TabChange} [tab] on another page */
  async #show(link, tab = {}) {
    const { page } = this;
    const { present: large } = page.presenter.look;
    const own = lookIn(link);
    const shaped = { ...own, present: large };
    const stands =
      page.state.canonical !== null && state(page.state.present) === state(link) && pageIn(link) === page.settings.page;
    if (stands && JSON.stringify(page.presenter.look) === JSON.stringify(shaped)) return;
    await page.ways.goTo(looking(link, shaped), tab);
  }

  /** After the state of a step has come: ask, or show the truth again. @param {string} link */
  async #shown(link) {
    const { page, asked, present: step } = this;
    const { question } = step;
    if (!question || !asked) return;
    const { done } = asked;
    if (!done.revealed) {
      await settled(page, link, question.truth?.before ? figuresOf(question) : []);
      done.earlier = before(page, question);
      this.#keep(done);
      return;
    }
    await answering(page, step.link, question);
    asked.judge();
  }

  /** Show the question of the step, if it has one of its own. */
  #ask() {
    const { page, present: step } = this;
    const panel = this.#panel;
    const { question } = step;
    this.asked = null;
    if (!question || !panel) {
      panel?.ask(null);
      return;
    }
    if (question.prediction) {
      const root = element("div", {}, element("p", {}, page.text("lesson.on_page")));
      panel.ask(root);
      this.#asker.offerPrediction(root);
      return;
    }
    const done = this.#done;
    this.asked = new Asked(
      page,
      question,
      done,
      () => this.#keep(done),
      () => this.#reveal(),
    );
    this.#asker.compute();
    panel.ask(this.asked.root, question.curve !== undefined);
    this.#asker.offerOwn(this.asked.extra);
  }

  /** Go to the state that answers, and show the truth; it is kept once all who were asked see it. @returns {Promise<import("./truth.js").Found | null>} */
  async truth() {
    const { page, asked, turn, present: step } = this;
    const { question } = step;
    if (!asked || !question) return null;
    asked.wait(true);
    try {
      if (question.reveal) await this.#show(question.reveal);
      else if (state(page.state.present) !== state(step.link)) await this.#show(step.link);
      await answering(page, step.link, question);
      if (turn !== this.turn) return null;
      const truth = asked.judge();
      this.#keepRevealed();
      point(page, answeredIn(step));
      return truth;
    } finally {
      asked.wait(false);
    }
  }

  /** Keep that the truth was shown, unless a class still waits for it: its reveal may fail. */
  #keepRevealed() {
    const { asked, page } = this;
    if (asked?.done.revealed && !page.presence.room?.voting()) this.#keep(asked.done);
  }

  async #reveal() {
    if (!this.page.leader.allows("reveal")) return;
    try {
      await this.truth();
      this.asked?.said.focus({ preventScroll: true });
      this.#panel?.turnToQuestion();
    } catch (problem) {
      this.asked?.said.replaceChildren(element("p", { role: "alert" }, String(/** @type {Error} */ (problem).message)));
    }
  }

  /** Stay at this step while a class votes. */
  hold() {
    this.#panel?.hold(this.page.presence.room?.voting() ?? false);
    this.#keepRevealed();
  }

  /** Hear that the page shows another link: offer the way back to the step's. @param {string} link */
  #moved(link) {
    const panel = this.#panel;
    if (!panel) return;
    const { link: own, question } = this.present;
    const known = [own, question?.reveal].filter((one) => one !== undefined).map(state);
    panel.again.hidden = known.includes(state(link));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented) return;
    const wanted = meant(event);
    if (!wanted) return;
    event.preventDefault();
    if (wanted === "blank") blank(this.page.text("lesson.unblank"));
    else this.#press(wanted === "next" ? 1 : -1);
  }

  /** What was done with the question on screen. @returns {Done} */
  get #done() {
    return this.sitting.at(this.step);
  }

  /** @param {Done} done */
  #keep(done) {
    this.sitting.keep(this.step, done);
  }
}
