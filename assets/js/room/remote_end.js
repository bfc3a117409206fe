/** The teacher's end of the remote: does its commands by the very buttons of this page, and tells it what to show. */

import { blank, isBlank } from "../lesson/blank.js";
import { lessonOf } from "../lesson/lesson.js";
import { Refused } from "./line.js";
import { remember, remembered } from "./memory.js";
import { Newest } from "./newest.js";
import { asking } from "../lesson/page_question.js";
import { SteeredTab } from "./steered_tab.js";

/**
 * @typedef {import("../lead/message.js").Message} Message
 * @typedef {import("../lead/message.js").Command} Command
 * @typedef {import("../lead/message.js").Shown} Shown
 */

/** The button of each command. @type {Partial<Record<Command, string>>} */
const BUTTONS = {
  next: "lesson-next",
  back: "lesson-back",
  ask: "lesson-ask",
  close: "room-closed",
  again: "room-discuss",
  reveal: "room-reveal",
  over: "room-over",
};
/** Milliseconds of rest before the remote is told: one act changes several things. */
const REST = 60;
/** Milliseconds between two words to the remote, and until one that did not arrive is said again. */
const [APART, AWAY] = [250, 1000];
/** Characters of a sentence for the remote. */
const SAID = 300;

export class RemoteEnd {
  /** The hash of the right of the present remote; empty without one. */
  #right = "";
  /** What the remote was told last, in which life of the room. */
  #sent = "";
  #resting = 0;
  /** True while, and after, nothing is told. */
  #held = false;
  #watches = new AbortController();
  /** Which of this teacher's tabs obeys; null before the room is there. @type {SteeredTab | null} */
  #tab = null;

  #room;
  #bar;
  #ask;

  /**
   * @param {import("./taught_room.js").TaughtRoom} room @param {import("./bar.js").Bar} bar
   * @param {(question: import("../lead/message.js").Asking) => unknown} ask asks the class
   */
  constructor(room, bar, ask) {
    this.#room = room;
    this.#bar = bar;
    this.#ask = ask;
    this.page = room.page;
    this.sending = new Newest((shown) => this.#post(shown), { apart: APART });
    this.observer = new MutationObserver(() => this.#soon());
  }

  /** @param {Message} message */
  heard({ remote, life }) {
    const { right = "", commands = [] } = remote ?? {};
    this.#tab ??= this.#among();
    if (right !== this.#right) {
      this.#right = right;
      remember({ remote: right });
      this.#sent = "";
      if (right) this.#watch();
      else this.#unwatch();
    }
    for (const { number, do: name } of commands) {
      if (number <= this.#done(life)) continue;
      remember({ commanded: { life, number } });
      if (!this.#tab.leads) continue;
      this.#tab.does({ life, number });
      this.#do(name);
    }
    this.#soon();
  }

  /**
   * Do an act of the room while no word to the remote is on its way, which would come too late after it.
   * @template T @param {() => Promise<T>} act @returns {Promise<T>}
   */
  async without(act) {
    this.#held = true;
    try {
      await this.sending.stop();
      return await act();
    } catch (problem) {
      this.#held = false;
      this.#sent = "";
      this.#soon();
      throw problem;
    }
  }

  /** Tell nothing any more. */
  end() {
    this.#held = true;
    this.#unwatch();
    this.#tab?.end();
  }

  /** Be one of this teacher's tabs. */
  #among() {
    return new SteeredTab(this.#room.code, {
      did: ({ life, number }) => {
        if (life === this.#room.message?.life && number > this.#done(life)) remember({ commanded: { life, number } });
      },
      changed: () => {
        this.#sent = ""; // the remote shows the tab that it steers
        this.#soon();
      },
    });
  }

  #unwatch() {
    this.observer.disconnect();
    this.#watches.abort();
    clearTimeout(this.#resting);
  }

  /** The number of the last command that this tab has done in a life of the room. @param {string} life */
  #done(life) {
    const { commanded } = remembered();
    return commanded?.life === life ? commanded.number : 0;
  }

  #watch() {
    this.#unwatch();
    this.#watches = new AbortController();
    const { signal } = this.#watches;
    const soon = () => this.#soon();
    document.addEventListener("headlight:step", soon, { signal });
    document.addEventListener("headlight:room", soon, { signal });
    const attributeFilter = ["disabled", "hidden"];
    this.observer.observe(this.#bar.root, { subtree: true, childList: true, attributes: true, attributeFilter });
    this.observer.observe(document.body, { childList: true }); // the blank sheet
  }

  /** The commands that can follow. @returns {Command[]} */
  #can() {
    const voting = this.page.presence.room?.voting() ?? false;
    const { question } = this.#room.message ?? {};
    const found = /** @type {Command[]} */ (Object.keys(BUTTONS)).filter((name) => {
      if (["next", "back", "ask"].includes(name) && voting) return false;
      if (name === "over" && question?.phase !== "reveal") return false; // to withdraw is for the teacher's page
      return this.#button(name) !== null || (name === "ask" && this.#own !== null);
    });
    return [...found, "blank"];
  }

  /** The page's own question, if no lesson says what is asked. */
  get #own() {
    return this.page.presence.lesson ? null : asking(this.page);
  }

  /** @param {Command} name @returns {HTMLButtonElement | null} */
  #button(name) {
    const found = document.getElementById(BUTTONS[name] ?? "");
    return found instanceof HTMLButtonElement && !found.disabled && !found.hidden ? found : null;
  }

  /** @param {Command} name */
  #do(name) {
    if (!this.#can().includes(name)) return;
    if (name === "blank") {
      blank(this.page.text("lesson.unblank"));
      return;
    }
    const button = this.#button(name);
    const own = this.#own;
    if (button) button.click();
    else if (own) void this.#ask(own);
  }

  #soon() {
    clearTimeout(this.#resting);
    if (this.#right) this.#resting = setTimeout(() => void this.#tell(), REST);
  }

  async #tell() {
    const { life = "" } = this.#room.message ?? {};
    const shown = await this.#shown(life);
    const key = `${life} ${JSON.stringify(shown)}`;
    if (this.#held || !this.#right || !this.#tab?.leads || key === this.#sent) return;
    this.#sent = key;
    this.sending.want({ ...shown });
  }

  /** @param {string} life @returns {Promise<Shown>} */
  async #shown(life) {
    const at = this.page.presence.lesson;
    const lesson = at && (await lessonOf(at.name).catch(() => null));
    const step = at?.step ?? 0;
    const { note: written, question, text } = lesson?.steps[step - 1] ?? {};
    const note = written ?? (step === 1 ? lesson?.note : null) ?? question?.because ?? text;
    const advice = this.#bar.card.querySelector("#room-advice [role=status]")?.textContent ?? "";
    return {
      done: this.#done(life),
      lesson: lesson ? { title: lesson.title, step, steps: lesson.steps.length } : null,
      note: note && Object.values(note).some(Boolean) ? note : null,
      can: this.#can(),
      blank: isBlank(),
      said: [this.#bar.status.textContent, advice].filter(Boolean).join(" ").slice(0, SAID),
    };
  }

  /** @param {Record<string, unknown>} shown @returns {Promise<number | null>} */
  async #post(shown) {
    try {
      await this.#room.line.post("shown", shown);
      return null;
    } catch (problem) {
      if (!(problem instanceof Refused)) return AWAY;
      return problem.retry ? 1000 * problem.retry : null;
    }
  }
}
