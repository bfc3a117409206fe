/** The bar of the class, above the page's sentences: a line that says where one stands, and below it what is asked. */

import { element } from "../dom.js";
import { typeset } from "../symbols.js";

/** @typedef {import("../live_page.js").LivePage} LivePage */

export class Bar {
  /** What is said last: a sentence about the room. */
  said = element("p", { className: "class-said", role: "status" });
  line = element("div", { className: "class-line" });
  card = element("div", { className: "class-card", hidden: true });
  #timer = 0;
  /** True while what is said last is so. */
  #holds = () => true;

  /** @param {LivePage} page @param {"is-teacher" | "is-student"} role */
  constructor(page, role) {
    this.page = page;
    this.fold = button("room-fold", "", () => this.#folded(!this.card.classList.contains("is-folded")));
    this.fold.hidden = true;
    this.fold.classList.add("class-fold");
    this.fold.setAttribute("aria-controls", "room-card");
    this.card.id = "room-card";
    this.root = element(
      "section",
      { id: "class", className: role, ariaLabel: page.text("room.title") },
      this.line,
      this.card,
    );
    inside(page).prepend(this.root);
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--class-card", `${this.card.offsetHeight}px`);
    }).observe(this.card);
  }

  /** Fill the line; what is said stays at its end. @param {Node[]} parts */
  fill(...parts) {
    this.line.replaceChildren(...parts, this.said, this.fold);
  }

  /**
   * @param {string} sentence @param {boolean} [passing] true if it goes by itself
   * @param {() => boolean} [holds] false once the sentence is no longer so
   */
  say(sentence, passing = false, holds = () => true) {
    clearTimeout(this.#timer);
    this.#holds = holds;
    if (this.said.textContent !== sentence) this.said.replaceChildren(...typeset(sentence));
    if (passing) this.#timer = setTimeout(() => this.said.replaceChildren(), 8000);
  }

  /** Take away what is no longer so. */
  recheck() {
    if (!this.#holds()) this.say("");
  }

  /** Show what is asked; nothing closes the card. @param {Node[]} content */
  show(...content) {
    this.card.replaceChildren(...content);
    const empty = content.length === 0;
    if (this.card.hidden !== empty) this.#folded(false);
    this.card.hidden = this.fold.hidden = empty;
  }

  /** Bring what is asked to sight, with the buttons that end it. */
  remind() {
    this.#folded(false);
    this.root.scrollIntoView({ block: "start", behavior: "instant" });
    this.card.querySelector(".is-primary")?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** @param {boolean} folded */
  #folded(folded) {
    this.card.classList.toggle("is-folded", folded);
    this.fold.setAttribute("aria-expanded", String(!folded));
    this.fold.textContent = folded ? "▾" : "▴";
    this.fold.title = this.fold.ariaLabel = this.page.text(folded ? "room.unfold" : "room.fold");
  }

  /** Bring the keyboard here. */
  focus() {
    /** @type {HTMLElement | null} */ (this.line.querySelector(":is(button, summary):not([hidden])"))?.focus();
  }

  remove() {
    clearTimeout(this.#timer);
    this.card.hidden = true;
    this.root.remove();
    document.documentElement.style.removeProperty("--class-card");
  }
}

/** @param {LivePage} page */
const inside = (page) => page.place.message.element;

/** @param {string} id @param {string} label @param {() => void} onclick @param {string} [title] */
export function button(id, label, onclick, title = "") {
  return element("button", { type: "button", className: "tool", id, onclick, title }, label);
}
