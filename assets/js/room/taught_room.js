/** The room that this tab teaches, as the tab knows it. */

import { remembered } from "./memory.js";

export class TaughtRoom {
  /** The newest message. @type {import("../lead/message.js").Message | null} */
  message = null;

  /** @param {import("../page/live_page.js").LivePage} page @param {import("./line.js").Line} line to the room */
  constructor(page, line) {
    this.page = page;
    this.line = line;
    /** @type {import("./way_in.js").Text} */
    this.text = (key, fields = {}) => page.text(key, fields);
  }

  /** The code of the room; empty before it is open. */
  get code() {
    return this.line.code;
  }

  /** The question of the class; before the first message what this tab remembers of it. @returns {import("../lead/message.js").Question | null} */
  get asked() {
    return (this.message ? this.message.question : remembered().asked) ?? null;
  }

  /** True while the class has a question whose result it has not seen. */
  get voting() {
    return this.asked !== null && this.asked.phase !== "reveal";
  }
}
