/** What is pinned as A, with which the changes are compared: a line that says it, unpins it, or swaps the two. */

import { element } from "../../dom/dom.js";

/** @typedef {import("../../../types/wire.js").Model["against"]} Changes */

export class AgainstLine {
  #text;
  #said = element("span", {});

  /**
   * @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
   * @param {{unpin: () => void, swap: () => void}} does
   */
  constructor(text, { unpin, swap }) {
    this.#text = text;
    const away = element("button", { type: "button", ariaLabel: text("changes.unpin"), onclick: unpin }, "×");
    this.root = element(
      "div",
      { className: "changes-against", hidden: true },
      element("span", { className: "against-chip" }, this.#said, away),
      element("button", { type: "button", className: "tool", id: "changes-swap", onclick: swap }, text("changes.swap")),
    );
  }

  /** @param {Changes} against */
  show(against) {
    this.root.hidden = against.length === 0;
    this.#said.textContent = this.#text("changes.against", { changes: against.map(({ said }) => said).join(" · ") });
  }
}
