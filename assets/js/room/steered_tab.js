/**
 * Decides which of one teacher's tabs the remote steers: the one that was in sight last. A duplicated tab has the same secret, so
 * without this each would do every command. Tabs of a browser tell each other, and no server.
 */

import { random } from "./memory.js";
import { tabChannel } from "./tab_channel.js";

/**
 * What a tab tells the others: when it was in sight last (0: never yet), and the last command that was done.
 * @typedef {{id: string, at: number, done: Done | undefined, asks?: boolean, gone?: boolean}} Claim
 * @typedef {{life: string, number: number}} Done
 */

export class SteeredTab {
  #id = random();
  #at = document.hidden ? 0 : Date.now();
  /** When each other tab was in sight. @type {Map<string, number>} */
  #others = new Map();
  /** The last command that was done in any tab. @type {Done | undefined} */
  #done;
  #ends = new AbortController();

  /**
   * @param {string} code of the room
   * @param {{did: (done: Done) => void, changed: () => void}} then `did`: another tab has done commands up to this one
   */
  constructor(code, { did, changed }) {
    this.changed = changed;
    this.channel = tabChannel(`headlight-steered-${code}`);
    this.channel?.addEventListener("message", ({ data }) => {
      const { id, at, done, asks, gone } = /** @type {Claim} */ (data);
      if (gone) this.#others.delete(id);
      else this.#others.set(id, at);
      if (done) {
        this.#done = done;
        did(done);
      }
      if (asks) this.#tell();
      changed();
    });
    const { signal } = this.#ends;
    const seen = () => {
      if (!document.hidden) this.#claim();
    };
    document.addEventListener("visibilitychange", seen, { signal });
    window.addEventListener("focus", seen, { signal });
    window.addEventListener("pageshow", ({ persisted }) => persisted && seen(), { signal });
    window.addEventListener("pagehide", () => this.#tell({ gone: true }), { signal });
    this.#tell({ asks: true });
  }

  /** True if the remote steers this tab. */
  get leads() {
    const later = (/** @type {[string, number]} */ [id, at]) => at > this.#at || (at === this.#at && id > this.#id);
    return ![...this.#others].some(later);
  }

  /** Tell the other tabs that this one does a command: none of them does it later. @param {Done} done */
  does(done) {
    this.#done = done;
    this.#tell();
  }

  /** @param {Partial<Claim>} [more] */
  #tell(more = {}) {
    this.channel?.postMessage({ id: this.#id, at: this.#at, done: this.#done, ...more });
  }

  #claim() {
    this.#at = Date.now();
    this.#tell();
    this.changed();
  }

  /** Leave the remote to the others. */
  end() {
    if (this.#ends.signal.aborted) return;
    this.#tell({ gone: true });
    this.#ends.abort();
    this.channel?.close();
  }
}
