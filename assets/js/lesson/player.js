/** Plays a lesson on the page: one step after the other, each the state of a link. */

import { sawText, sees } from "./heard.js";
import { keepInTab } from "../link/address.js";
import { Asker } from "./asker.js";
import { blank, unblank } from "./blank.js";
import { keepPlace } from "../link/kept.js";
import { meant } from "./keys.js";
import { spoken, wordsOf } from "./lesson.js";
import { Panel, point } from "./panel.js";
import { pageIn, settled, state } from "./settled.js";
import { Sitting } from "./sitting.js";
import { StepQuestion } from "./step_question.js";
import { summary } from "./summary.js";
import { answeredIn } from "./truth.js";
import { visit } from "./visit.js";

/** @typedef {import("./shape.js").Lesson} Lesson */
/** @typedef {import("./shape.js").Page} Page */

/** The lesson under way; null without one. @type {Player | null} */
let playing = null;

export const present = () => playing;

export class Player {
  /** @type {Asker} */
  #asker;
  #onKey;
  #onRoom;
  #ends;

  /** @type {Panel | null} */
  #panel = null;
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
    /** @type {StepQuestion} */
    this.question = new StepQuestion(this, () => this.#panel, this.#asker);
    this.#onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    this.#onRoom = () => this.#asker.roomed();
    document.addEventListener("headlight:room", this.#onRoom);
    this.#ends = [
      page.leader.handle({
        step: ({ by }) => void this.go(this.step + by),
        remind: () => this.#remind(),
        aside: () => keepInTab({ aside: "1" }),
        unplay: () => this.#forsake(),
        restore: () => void this.question.restore(),
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
    this.question.note();
    if (wanted !== this.step) page.presence.rules.leaveVerdict();
    this.turn += 1;
    const { turn } = this;
    this.step = wanted;
    const step = this.present;
    const { lang } = page.state.values;
    const { done } = this.question;
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
    this.question.ask();
    panel.again.hidden = !aside;
    panel.root.dataset.step = "";
    try {
      if (!loads && !stays) throw new Error(page.text("lesson.elsewhere"));
      await visit(page, link, tab);
      if (!stays) return; // the other page goes on
      const seen = done.revealed ? answeredIn(step) : step.focus;
      point(page, seen);
      await settled(page, link);
      if (turn !== this.turn) return;
      if (!aside) await this.question.arrived(link);
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
    this.question.rest();
    panel?.end(spoken(lesson.title, page.state.values.lang), step, lesson.steps.length, summary(this));
    point(page, undefined);
    this.#tell({
      name,
      step,
      words: wordsOf(name, lesson, { link: "", text: sawText(lesson, sees(this.sitting.room, name)) }),
    });
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
    this.question.close();
    for (const end of this.#ends) end();
    document.removeEventListener("keydown", this.#onKey);
    this.#panel?.close();
    this.#panel = null;
    if (playing === this) playing = null;
  }

  /** Stay at this step while a class votes. */
  hold() {
    this.#panel?.hold(this.page.presence.room?.voting() ?? false);
    this.question.keepRevealed();
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
}
