/** Asks every two seconds whether the room still answers: a teacher sees within five that it does not. */

import { Refused } from "./line.js";

/** Milliseconds between two questions, and for an answer. */
const [EVERY, PATIENCE] = [2_000, 2_500];

/**
 * @typedef {object} Heard
 * @property {() => void} silent called if no answer has come
 * @property {(message: import("../lead/message.js").Message | null) => void} answering called with each answer; null: nothing new
 */

export class Heartbeat {
  #timer = 0;
  #ended = false;
  #tag = "";

  /** @param {import("./line.js").Line} line @param {Heard} heard */
  constructor(line, heard) {
    this.line = line;
    this.heard = heard;
    this.offline = () => heard.silent();
    this.online = () => void this.ask();
    window.addEventListener("offline", this.offline);
    window.addEventListener("online", this.online);
    this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(() => void this.ask(), EVERY);
  }

  /** Ask now. @returns {Promise<boolean>} false if nobody answers */
  async ask() {
    clearTimeout(this.#timer);
    if (!this.line.code) {
      this.#later(); // the room is being opened
      return true;
    }
    /** @type {import("../lead/message.js").Message | null} */
    let message = null;
    try {
      const answer = await this.line.get("", { "If-None-Match": this.#tag }, { patience: PATIENCE });
      if (answer.status !== 304) message = await answer.json();
    } catch (problem) {
      const answers = problem instanceof Refused; // it is there, and refuses
      if (!answers && !this.#ended) this.heard.silent();
      return answers;
    } finally {
      this.#later();
    }
    this.#answered(message);
    return true;
  }

  /** @param {import("../lead/message.js").Message | null} message null: nothing new */
  #answered(message) {
    if (this.#ended) return;
    if (message) this.#tag = `"${message.revision}"`;
    this.heard.answering(message);
  }

  end() {
    this.#ended = true;
    clearTimeout(this.#timer);
    window.removeEventListener("offline", this.offline);
    window.removeEventListener("online", this.online);
  }
}
