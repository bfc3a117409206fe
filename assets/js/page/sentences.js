/**
 * The sentences about the figures: the first, short one stands alone; a button opens the others over the figures. They are
 * all in the page, so that paper and files have them (docs/decisions/sentences.md).
 */

import { element, reachWhileScrolling } from "../dom/dom.js";

/** Pixels by which rounding may make a text longer than its box. */
const ROUNDING = 2;

export class Sentences {
  /** @type {HTMLElement | null} */
  box = null;
  /** The number of sentences behind the first. */
  folded = 0;

  /** @param {HTMLElement} place @param {(key: string) => string} text */
  constructor(place, text) {
    this.place = place;
    this.text = text;
    this.button = element("button", {
      type: "button",
      className: "more-said",
      onclick: () => this.#open(!this.opened),
    });
    this.#name();
    this.sized = new ResizeObserver(() => this.#fit());
    // before the keys of present mode, which Escape leaves
    document.addEventListener("keydown", (event) => this.#key(event), true);
    document.addEventListener("pointerdown", (event) => {
      const target = /** @type {Element} */ (event.target);
      if (target.closest(".reason-tip")) return; // it speaks of a number in a sentence
      if (this.opened && !place.contains(target)) this.#open(false);
    });
  }

  get opened() {
    return this.place.classList.contains("is-open");
  }

  /** Show these sentences. @param {HTMLElement} box */
  show(box) {
    const focused = document.activeElement === this.button;
    this.place.replaceChildren(box);
    if (box !== this.box) reachWhileScrolling(box);
    this.box = box;
    this.#fold();
    if (focused) this.button.focus({ preventScroll: true }); // which a move takes away
    this.sized.disconnect();
    this.sized.observe(box); // tells once, after the next layout
  }

  /** Show more sentences behind those that stand: the keyboard stays where it is, and so does a tip. @param {HTMLElement[]} more */
  add(more) {
    this.box?.querySelector("p:last-of-type")?.after(...more);
    this.#fold();
  }

  /** Put the button behind the first sentence; the others are in sight if they are opened. */
  #fold() {
    const sentences = [...(this.box?.querySelectorAll("p") ?? [])];
    const others = sentences.slice(1);
    for (const sentence of others) sentence.hidden = !this.opened;
    if (sentences.at(0)?.nextElementSibling !== this.button) sentences.at(0)?.after(this.button);
    this.folded = others.length;
    this.#fit();
  }

  /** Offer the button if there are other sentences, or if a small window cuts even the first. */
  #fit() {
    const { place, box } = this;
    if (!box || this.opened) return;
    place.classList.toggle("is-cut", this.folded > 0 || box.scrollHeight > box.clientHeight + ROUNDING);
  }

  /** @param {boolean} wanted */
  #open(wanted) {
    const { place } = this;
    // its height stays, so that nothing below moves
    place.style.height = wanted ? `${place.getBoundingClientRect().height}px` : "";
    place.classList.toggle("is-open", wanted);
    this.#fold();
    this.#name();
    if (wanted) this.button.focus({ preventScroll: true });
  }

  #name() {
    this.button.textContent = this.text(this.opened ? "page.less_said" : "page.more_said");
    this.button.ariaExpanded = String(this.opened);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "Escape" || !this.opened) return;
    event.stopPropagation();
    this.#open(false);
    this.button.focus();
  }
}
