/** The stream of the sweep: one at a time; a newer wish ends the older. */

import { refusalOf } from "../../server/server.js";
import { BROKEN, parts } from "../../server/wire.js";

export class SweepStream {
  /**
   * @param {Pick<import("../../page/live_page.js").LivePage, "server" | "updates" | "figures">} page
   * @param {{took: (part: import("../../../types/wire.js").Part) => Promise<void>, busy: (busy: boolean) => void, failed: (problem: unknown) => void}} options
   */
  constructor(page, options) {
    this.page = page;
    this.options = options;
    /** @type {string | null} what the sweep depends on; null: no sweep */
    this.key = null;
    /** @type {AbortController | null} */
    this.controller = null;
    this.done = false;
  }

  /**
   * Start the sweep of this state unless it is running or done.
   * @param {string} key names what the sweep depends on
   * @param {string} asked the state @param {Record<string, unknown>} more further fields for the server
   */
  async want(key, asked, more) {
    if (key === this.key) return;
    this.controller?.abort();
    const controller = new AbortController();
    this.key = key;
    this.controller = controller;
    this.done = false;
    const newest = () => controller === this.controller;
    const busy = setTimeout(() => newest() && this.options.busy(true), 250);
    try {
      const answer = await this.page.server.ask(
        "page/why/curves",
        this.page.updates.body(asked, { known: [...this.page.figures.known.keys()], ...more }),
        null,
        { signal: controller.signal },
      );
      for await (const part of parts(answer.body)) {
        if (!newest()) return;
        if (part.header.part === "error") throw refusalOf(part.header);
        if (part.header.part === "figures" && part.header.done) this.done = true;
        await this.options.took(part);
      }
      if (newest() && !this.done) throw new Error(BROKEN);
    } catch (problem) {
      if (!newest()) return;
      this.key = null;
      this.options.failed(problem);
    } finally {
      clearTimeout(busy);
      if (newest()) this.options.busy(false);
    }
  }
}
