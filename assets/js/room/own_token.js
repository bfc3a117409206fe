/**
 * Makes sure that no two tabs of a browser have one token: a duplicated tab has a copy of all that the first one keeps, and a room
 * would count the answers of both as one. The tab that has been there for longer keeps the token. After a reload, or if the tab was
 * closed and is restored, nobody else has it. (Web Locks would say so as well, but only to pages that come by https.)
 */

import { random, recollect, remember, remembered, renew } from "./memory.js";
import { tabChannel } from "./tab_channel.js";

/** Milliseconds for which another tab may say that the token is its own. What it says later counts as well. */
const PATIENCE = 500;

/**
 * What a tab tells the others: its token, and since when its page has it.
 * @typedef {{token: string, since: number, id: string, asks: boolean}} Claim
 */

export class OwnToken {
  #id = random();
  #since = Date.now();
  /** @type {BroadcastChannel | null} */
  #channel = null;
  /** Ends the waiting. */
  #decide = () => {};
  /** Resolves when the other tabs have been asked. @type {Promise<void>} */
  asked;

  /** @param {() => void} renewed called when this tab has taken another token */
  constructor(renewed) {
    this.renewed = renewed;
    const { vacant = false } = remembered();
    this.#enter();
    this.asked = vacant || !this.#channel ? Promise.resolve() : this.#waited(); // of a copy the first tab's page has not left
    window.addEventListener("pagehide", () => {
      remember({ vacant: true });
      this.#channel?.close(); // a page that is kept for the way back has nothing to say
    });
    window.addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      recollect();
      this.#enter();
    });
  }

  #enter() {
    remember({ vacant: false });
    this.#channel = tabChannel("headlight-tokens");
    if (!this.#channel) return;
    this.#channel.onmessage = ({ data }) => this.#heard(data);
    this.#tell(true);
  }

  /** @returns {Promise<void>} */
  #waited() {
    return new Promise((resolve) => {
      this.#decide = resolve;
      setTimeout(resolve, PATIENCE);
    });
  }

  /** @param {boolean} asks */
  #tell(asks) {
    const { token } = remembered();
    /** @type {Claim} */
    const claim = { token, since: this.#since, id: this.#id, asks };
    this.#channel?.postMessage(claim);
  }

  /** @param {Claim} claim of another tab */
  #heard({ token, since, id, asks }) {
    if (token !== remembered().token) return;
    const older = since < this.#since || (since === this.#since && id < this.#id);
    if (older) {
      renew();
      this.#decide();
      this.renewed();
    } else if (asks) {
      this.#tell(false);
    }
  }
}
