/** The line under the banner: notices about the link, errors of the server, and what a screen reader hears. */

import { element } from "./dom.js";

export class Message {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.notices = element("ul", { className: "notices" });
    this.error = element("p", { className: "error", role: "alert", hidden: true });
    this.spoken = element("p", { className: "spoken", aria: { live: "polite" } });
    root.replaceChildren(element("div", { role: "status" }, this.notices), this.error, this.spoken);
  }

  /** @param {string[]} sentences */
  notify(sentences) {
    const shown = [...this.notices.children].map((item) => item.textContent);
    if (String(shown) !== String(sentences)) this.notices.replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
  }

  /** @param {string | null} sentence */
  fail(sentence) {
    this.error.hidden = sentence === null;
    if (this.error.textContent !== (sentence ?? "")) this.error.textContent = sentence ?? "";
  }

  /** @param {string} sentence */
  speak(sentence) {
    this.spoken.textContent = sentence;
  }
}
