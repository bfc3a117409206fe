/** Opens the teacher's room, hears it, and makes it again if a server has lost it. */

import { keepInTab } from "../link/address.js";
import { Refused } from "./line.js";
import { Listening } from "./listening.js";
import { random, remember, remembered } from "./memory.js";
import { again } from "../lead/message.js";

export class Opening {
  /** @type {Listening | null} */
  #listening = null;
  /** The opening under way. @type {Promise<boolean> | null} */
  #opening = null;
  #ended = false;

  /** @param {Pick<import("./teaching.js").Teaching, "page" | "line" | "code" | "bar" | "told" | "state" | "text" | "ended">} teacher */
  constructor(teacher) {
    this.teacher = teacher;
  }

  /** Open the room of this tab's secret, new or as it was; false if it could not be, or has ended. @returns {Promise<boolean>} */
  make() {
    if (this.#ended) return Promise.resolve(false);
    this.#opening ??= this.#opened().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #opened() {
    const { teacher } = this;
    try {
      const { asked, first = 0, remote = "" } = remembered();
      const said = { state: { ...teacher.state.present }, remote, ...(asked ? { question: again(asked, first) } : {}) };
      const answer = await teacher.line.ask("POST", "room", said);
      const { code, message } = await answer.json();
      if (this.#ended) return false;
      remember({ code });
      teacher.line.code = code;
      keepInTab({ room: code });
      document.dispatchEvent(new Event("headlight:room")); // a lesson begins for this class
      teacher.bar.opened();
      teacher.told(message);
      if (this.#listening === null) this.listen();
      teacher.state.sendAll();
      return true;
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 409 && !teacher.code) {
        remember({ secret: random() }); // another room has this code
        teacher.line.secret = remembered().secret;
      }
      teacher.bar.say(problem instanceof Refused ? problem.message : teacher.text("live.unanswered"));
      if (!teacher.code) teacher.bar.failed();
      return false;
    }
  }

  /** Hear the room. */
  listen() {
    const { teacher } = this;
    this.#listening = new Listening(
      teacher.line,
      {
        there: () => {}, // the heartbeat knows
        told: (message) => teacher.told(message),
        over: () => teacher.ended(),
        lost: (problem) => this.#lost(problem),
      },
      true,
    );
  }

  /** @param {unknown} problem */
  async #lost(problem) {
    const { teacher } = this;
    if (problem instanceof Refused && problem.status === 404) return this.make();
    if (problem instanceof Refused) teacher.bar.say(problem.message, true);
    else teacher.page.leader.tell({ type: "silent" });
    return false;
  }

  /** Hear nothing any more. */
  end() {
    this.#ended = true;
    this.#listening?.end();
  }
}
