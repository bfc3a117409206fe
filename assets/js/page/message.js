/** The line under the banner: notices about the link, errors of the server, and messages to screen readers. */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

export class Message {
  /** @type {HTMLElement} */
  root;

  constructor() {
    this.notices = element("ul", { className: "notices" });
    this.error = element("p", { className: "error", role: "alert", hidden: true });
    this.waiting = element("p", { className: "waiting", role: "status" });
    /** @type {Map<object, string>} the sentence of each waiting request */
    this.waits = new Map();
    this.spoken = element("p", { className: "spoken", aria: { live: "polite" } });
    /** How many failures were told. */
    this.failures = 0;
  }

  /** @param {HTMLElement} root */
  build(root) {
    this.root = root;
    root.replaceChildren(element("div", { role: "status" }, this.notices), this.waiting, this.error, this.spoken);
  }

  /** @param {string[]} sentences */
  notify(sentences) {
    const shown = [...this.notices.children].map((item) => item.textContent);
    if (String(shown) !== String(sentences)) {
      this.notices.replaceChildren(...sentences.map((sentence) => element("li", {}, ...typeset(sentence))));
    }
  }

  /** @param {string | null} sentence */
  fail(sentence) {
    if (sentence !== null) this.failures += 1;
    this.error.hidden = sentence === null;
    if (this.error.textContent !== (sentence ?? "")) this.error.replaceChildren(...typeset(sentence ?? ""));
  }

  /** End a failure that was told before something began which has gone well; one that came since is another's. @param {number} failures that were told then */
  recover(failures) {
    if (this.failures === failures) this.fail(null);
  }

  /** Show that a request waits for a busy server, which is no failure. @param {object} asker @param {string | null} sentence null ends it */
  wait(asker, sentence) {
    if (sentence === null) this.waits.delete(asker);
    else this.waits.set(asker, sentence);
    const newest = [...this.waits.values()].at(-1) ?? "";
    if (this.waiting.textContent !== newest) this.waiting.replaceChildren(...typeset(newest));
  }

  /** @param {string} sentence */
  speak(sentence) {
    this.spoken.textContent = sentence;
  }
}
