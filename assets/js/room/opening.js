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

  #room;
  #parts;

  /**
   * @param {Pick<import("./taught_room.js").TaughtRoom, "page" | "line" | "code" | "text">} room
   * @param {object} parts of the teacher's tab
   * @param {{say: (sentence: string, passing?: boolean) => void, opened: () => void, failed: () => void}} parts.bar
   * @param {Pick<import("./class_state.js").ClassState, "present" | "sendAll">} parts.state
   * @param {(message: import("../lead/message.js").Message) => void} parts.told takes a message of the room
   * @param {() => void} parts.ended called when the room is over
   */
  constructor(room, parts) {
    this.#room = room;
    this.#parts = parts;
  }

  /** Open the room of this tab's secret, new or as it was; false if it could not be, or has ended. @returns {Promise<boolean>} */
  make() {
    if (this.#ended) return Promise.resolve(false);
    this.#opening ??= this.#opened().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #opened() {
    const room = this.#room;
    const { bar, state, told } = this.#parts;
    try {
      const { asked, first = 0, remote = "" } = remembered();
      const body = { state: { ...state.present }, remote, ...(asked ? { question: again(asked, first) } : {}) };
      const answer = await room.line.ask("POST", "room", body);
      const { code, message } = await answer.json();
      if (this.#ended) return false;
      remember({ code });
      room.line.code = code;
      keepInTab({ room: code });
      document.dispatchEvent(new Event("headlight:room")); // a lesson begins for this class
      bar.opened();
      told(message);
      if (this.#listening === null) this.listen();
      state.sendAll();
      return true;
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 409 && !room.code) {
        remember({ secret: random() }); // another room has this code
        room.line.secret = remembered().secret;
      }
      bar.say(problem instanceof Refused ? problem.message : room.text("live.unanswered"));
      if (!room.code) bar.failed();
      return false;
    }
  }

  /** Hear the room. */
  listen() {
    const { told, ended } = this.#parts;
    this.#listening = new Listening(
      this.#room.line,
      {
        there: () => {}, // the heartbeat knows
        told,
        over: ended,
        lost: (problem) => this.#lost(problem),
      },
      true,
    );
  }

  /** @param {unknown} problem */
  async #lost(problem) {
    if (problem instanceof Refused && problem.status === 404) return this.make();
    if (problem instanceof Refused) this.#parts.bar.say(problem.message, true);
    else this.#room.page.leader.tell({ type: "silent" });
    return false;
  }

  /** Hear nothing any more. */
  end() {
    this.#ended = true;
    this.#listening?.end();
  }
}
