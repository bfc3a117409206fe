/** What is changed in the running model, one chip each: a press takes it back. */

import { element } from "../../dom/dom.js";

/** @typedef {import("../../../types/wire.js").Model["changes"]} Changes */

export class ChangesList {
  #text;
  #undo;
  #list;
  #none;
  #all;
  #pin;
  /** Has the focus when no chip is left. @type {HTMLElement} */
  #before;
  /** The place of the chip that leaves, whose neighbour gets the focus; −1: none does. */
  #left = -1;

  /**
   * @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
   * @param {HTMLElement} before what stands before the list
   * @param {(written: string | null) => void} undo takes a change back; null: all
   * @param {() => void} pin makes what is changed the state that others are compared with
   */
  constructor(text, before, undo, pin) {
    this.#text = text;
    this.#before = before;
    this.#undo = undo;
    this.#list = element("ul", { className: "changes-list", ariaLabel: text("changes.list") });
    this.#none = element("p", { className: "changes-none" }, text("changes.none"));
    const onclick = () => this.#leave(null, 0);
    this.#all = element(
      "button",
      { type: "button", className: "tool", id: "changes-undo", onclick },
      text("changes.undo_all"),
    );
    this.#pin = element(
      "button",
      {
        type: "button",
        className: "tool",
        id: "changes-pin",
        onclick: () => {
          pin();
          before.focus(); // the button goes with what it does
        },
      },
      text("changes.pin"),
    );
    this.root = element("div", { className: "changes-made" }, this.#none, this.#list);
  }

  /** @param {Changes} changes @param {boolean} pinned true if they are pinned already */
  show(changes, pinned) {
    this.#none.hidden = changes.length > 0;
    const chips = changes.map(({ written, said, overruled }, at) => {
      const undo = element(
        "button",
        {
          type: "button",
          ariaLabel: this.#text("changes.undo", { change: said }),
          onclick: () => this.#leave(written, at),
        },
        "×",
      );
      const idle = element("em", { title: this.#text("changes.overruled_why") }, this.#text("changes.overruled"));
      const chip = element("li", { className: "change-chip", data: { change: written } }, element("span", {}, said));
      chip.classList.toggle("is-overruled", overruled);
      chip.append(...(overruled ? [idle] : []), undo);
      return chip;
    });
    const tools = [...(chips.length > 1 ? [this.#all] : []), ...(chips.length && !pinned ? [this.#pin] : [])];
    this.#list.replaceChildren(...chips, ...tools.map((tool) => element("li", {}, tool)));
    if (this.#left < 0) return;
    const next = chips[Math.min(this.#left, chips.length - 1)]?.querySelector("button") ?? this.#before;
    this.#left = -1;
    next.focus();
  }

  /** @param {string | null} written @param {number} at */
  #leave(written, at) {
    this.#left = at;
    this.#undo(written);
  }
}
