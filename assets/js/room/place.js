/** Tells the room if this page has left the class's: the teacher sees how many follow. */

import { Refused } from "./line.js";
import { Newest } from "./newest.js";

/** Milliseconds between two words, and until one that did not arrive is said again. */
const APART = 600;
const AWAY = 2000;

export class Place {
  /**
   * @param {import("./line.js").Line} line
   * @param {boolean} left as this tab remembers it: the first question for the message says so
   * @param {import("./newest.js").Options} [options] its clock
   */
  constructor(line, left, options = {}) {
    this.line = line;
    line.left = left;
    this.sending = new Newest((fields) => this.#post(fields), { apart: APART, ...options });
  }

  /** @param {boolean} left */
  tell(left) {
    if (left === this.line.left) return;
    this.line.left = left;
    this.sending.want({ left });
  }

  /** Say nothing more: the room is over, or this page has gone. */
  end() {
    void this.sending.stop();
  }

  /** @param {Record<string, unknown>} fields @returns {Promise<number | null>} */
  async #post(fields) {
    try {
      await this.line.post("place", fields);
    } catch (problem) {
      if (!(problem instanceof Refused)) return AWAY;
      return problem.retry ? 1000 * problem.retry : null;
    }
    return null;
  }
}
