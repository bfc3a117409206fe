/** The state of the class: what the teacher's page shows, sent as it changes, and kept back while a reveal is under way. */

import { ofTab } from "../link/address.js";
import { isShipped } from "../lesson/lesson.js";
import { Refused } from "./line.js";
import { remembered } from "./memory.js";
import { Newest } from "./newest.js";

/**
 * @typedef {import("../lead/message.js").Lesson} Lesson
 *
 * The state of the class as the server takes it.
 * @typedef {{link: string, hovered: import("../lead/message.js").Hovered | null, lesson: Lesson | null | undefined, locked: boolean}} State
 */

/** Milliseconds for which the pointer rests on a cell before the class sees it: nobody follows it across a map. */
const RESTS = 150;
/** Milliseconds until a state that did not arrive is sent again. */
const RETRY = 1_000;

export class ClassState {
  #resting = 0;
  #over = false;
  /** True while the room is being ended. */
  #held = false;
  /** Changes of this page while a reveal is under way: the class gets them after it. @type {Partial<State>} */
  #after = {};

  #room;
  #parts;

  /**
   * @param {Pick<import("./taught_room.js").TaughtRoom, "page" | "code" | "line">} room
   * @param {object} parts of the teacher's tab
   * @param {Pick<import("./bar.js").Bar, "say">} parts.bar
   * @param {{make: () => Promise<boolean>}} parts.opening makes the room again
   */
  constructor(room, parts) {
    this.#room = room;
    this.#parts = parts;
    const { page } = room;
    this.sending = new Newest((fields) => this.#post(fields));
    /** @type {State} */
    this.present = {
      link: page.state.present,
      hovered: null,
      lesson: lessonOn(page.presence),
      locked: remembered().locked ?? false,
    };
    const step = () => this.set({ lesson: lessonOn(page.presence) });
    document.addEventListener("headlight:step", step);
    this.ends = [
      page.presence.onMove((link) => this.set({ link, hovered: null })),
      page.presence.onPoint((hovered) => {
        clearTimeout(this.#resting);
        this.#resting = setTimeout(() => this.set({ hovered }), RESTS);
      }),
      () => document.removeEventListener("headlight:step", step),
    ];
  }

  /** Change the state of the class; after the reveal, if one is under way. @param {Partial<State>} change */
  set(change) {
    if (this.#over) return;
    if (this.#room.page.leader.lead.reveal) Object.assign(this.#after, change);
    else this.send(change);
  }

  /** Change the state of the class at once. @param {Partial<State>} change */
  send(change) {
    Object.assign(this.present, change);
    if (this.#room.code && !this.#held) this.sending.want(change);
  }

  /** Send all of it. */
  sendAll() {
    this.sending.want({ ...this.present });
  }

  /**
   * Do an act of the room while no state is on its way, which would come too late after it; if the room is there and does not do it, all is sent.
   * @template T @param {() => Promise<T>} act @returns {Promise<T>}
   */
  async without(act) {
    this.#held = true;
    try {
      await this.sending.stop();
      return await act();
    } catch (problem) {
      this.#held = false;
      const gone = problem instanceof Refused && [404, 410].includes(problem.status);
      if (!gone) this.sendAll();
      throw problem;
    }
  }

  /** The question is revealed, or gone: send what was kept back. */
  release() {
    const after = this.#after;
    this.#after = {};
    this.set(after);
  }

  /** Send nothing any more. */
  end() {
    this.#over = true;
    for (const end of this.ends) end();
  }

  /** @param {Record<string, unknown>} fields @returns {Promise<number | null>} */
  async #post(fields) {
    if (this.#over) return null;
    const { bar, opening } = this.#parts;
    try {
      await this.#room.line.post("state", fields);
      return null;
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 404) return (await opening.make()) ? 0 : RETRY;
      if (!(problem instanceof Refused)) return RETRY; // the heartbeat says so
      bar.say(problem.message, true);
      return problem.retry ? 1000 * problem.retry : null;
    }
  }
}

/**
 * Return the step on screen; undefined if the address names one whose words are not known yet: the class keeps what it has.
 * @param {import("../page/presence.js").Presence} presence @returns {Lesson | null | undefined}
 */
function lessonOn({ lesson: shown }) {
  const { lesson: name, step: written = "1" } = ofTab(location.search);
  if (!name) return null;
  const step = Number(written) || 0;
  if (isShipped(name)) return { name, step };
  return shown?.name === name && shown.step === step ? shown : undefined;
}
