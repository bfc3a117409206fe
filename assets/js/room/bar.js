/** The bar of the class, above the page's sentences: a line that says where one stands, and below it what is asked. */

import { element } from "../dom/dom.js";
import { card } from "../lead/lead.js";
import { typeset } from "../words/symbols.js";
import { button } from "./button.js";
import { Clock } from "./clock.js";

/** @typedef {import("../page/live_page.js").LivePage} LivePage */

/** Where the keyboard writes: nothing takes it away. */
const TYPED = "input:not([type=radio], [type=range]), textarea, select, [contenteditable], dialog";

export class Bar {
  /** What is said last: a sentence about the room. */
  status = element("p", { className: "class-said", role: "status" });
  line = element("div", { className: "class-line" });
  card = element("div", { className: "class-card", hidden: true });
  #timer = 0;
  /** True while what is said last is so. */
  #holds = () => true;

  /** @param {LivePage} page @param {"is-teacher" | "is-student"} role */
  constructor(page, role) {
    this.page = page;
    this.clock = new Clock((key, fields = {}) => page.text(key, fields));
    const folded = () => this.card.classList.contains("is-folded");
    this.fold = button("room-fold", "", () => page.leader.tell({ type: "fold", on: !folded() }));
    this.fold.hidden = true;
    this.fold.classList.add("class-fold");
    this.fold.setAttribute("aria-controls", "room-card");
    this.card.id = "room-card";
    this.card.tabIndex = this.line.tabIndex = -1;
    this.root = element(
      "section",
      { id: "class", className: role, ariaLabel: page.text("room.title") },
      this.line,
      this.card,
    );
    inside(page).prepend(this.root);
    document.documentElement.dataset.class = role;
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--class-card", `${this.card.offsetHeight}px`);
    }).observe(this.card);
  }

  /** Fill the line; what is said stays at its end. @param {Node[]} parts */
  fill(...parts) {
    this.line.replaceChildren(...parts, this.clock.root, this.status, this.fold);
  }

  /**
   * @param {string} sentence @param {boolean} [passing] true if it goes by itself
   * @param {() => boolean} [holds] false once the sentence is no longer so
   */
  say(sentence, passing = false, holds = () => true) {
    clearTimeout(this.#timer);
    this.#holds = holds;
    if (this.status.textContent !== sentence) this.status.replaceChildren(...typeset(sentence));
    if (passing) this.#timer = setTimeout(() => this.status.replaceChildren(), 8000);
  }

  /** Take away what is no longer so. */
  recheck() {
    if (!this.#holds()) this.say("");
  }

  /** Show what is asked, and bring the keyboard there unless somebody types; nothing closes the card. @param {Node[]} content */
  show(...content) {
    const { activeElement: at } = document;
    const mine = this.card.contains(at);
    this.card.replaceChildren(...content);
    const empty = content.length === 0;
    this.card.hidden = this.fold.hidden = empty;
    this.fit(this.page.leader.lead);
    this.#tell();
    if (!empty && (mine || !at?.closest(TYPED))) this.card.focus({ preventScroll: true });
    else if (empty && mine) this.line.focus({ preventScroll: true }); // before its buttons, and on none: one of them leaves
  }

  /** Fold the card as far as its reader has folded it: another question, or its result, is in sight. @param {import("../lead/state.js").Lead} lead */
  fit(lead) {
    this.#folded(lead.folded !== "" && lead.folded === card(lead.heard));
  }

  /** Bring what is asked to sight, with the buttons that end it. */
  remind() {
    this.page.leader.tell({ type: "fold", on: false });
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
    this.#tell();
  }

  /** Tell the page what stands of the card: its layout follows. */
  #tell() {
    const { dataset } = document.documentElement;
    if (this.card.hidden) delete dataset.classCard;
    else dataset.classCard = this.card.classList.contains("is-folded") ? "folded" : "open";
  }

  /** Bring the keyboard here. */
  focus() {
    /** @type {HTMLElement | null} */ (this.line.querySelector(":is(button, summary):not([hidden])"))?.focus();
  }

  remove() {
    clearTimeout(this.#timer);
    this.card.hidden = true;
    this.#tell();
    this.root.remove();
    delete document.documentElement.dataset.class;
    document.documentElement.style.removeProperty("--class-card");
  }
}

/** @param {LivePage} page */
const inside = (page) => page.message.root;
