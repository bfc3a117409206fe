/** The sentences about the figures: if their box is too small for them, a button opens all of them over the figures. */

import { element, reachWhileScrolling } from "./dom.js";

/** Pixels by which rounding may make a text longer than its box. */
const ROUNDING = 2;

export class Sentences {
  /** @type {HTMLElement | null} */
  box = null;

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
    document.addEventListener("pointerdown", ({ target }) => {
      if (this.opened && !place.contains(/** @type {Node} */ (target))) this.#open(false);
    });
  }

  get opened() {
    return this.place.classList.contains("is-open");
  }

  /** Show these sentences. @param {HTMLElement} box */
  show(box) {
    this.place.replaceChildren(box, this.button);
    if (box !== this.box) reachWhileScrolling(box);
    this.box = box;
    this.sized.disconnect();
    this.sized.observe(box); // tells once, after the next layout
  }

  #fit() {
    const { place, box } = this;
    if (!box || this.opened) return;
    const focused = document.activeElement === this.button;
    place.classList.remove("is-cut"); // a suggestion that stands apart takes no room in the text
    place.append(this.button);
    const tooLong = () => box.scrollHeight > box.clientHeight + ROUNDING;
    const said = [...box.querySelectorAll("p")];
    for (const sentence of said) sentence.hidden = false;
    // on a stage no sentence is cut: those that come last wait behind the button, which stands in the text
    if (tooLong() && document.documentElement.classList.contains("presenting")) {
      box.append(this.button);
      place.classList.add("is-cut"); // the button takes its room
      for (const sentence of said.slice(1).reverse()) if (tooLong()) sentence.hidden = true;
    } else {
      place.classList.toggle("is-cut", tooLong());
    }
    if (focused) this.button.focus(); // which a move takes away
  }

  /** @param {boolean} wanted */
  #open(wanted) {
    const { place } = this;
    // its height stays, so that nothing below moves
    place.style.height = wanted ? `${place.getBoundingClientRect().height}px` : "";
    if (wanted) {
      place.append(this.button);
      this.button.focus();
      for (const sentence of place.querySelectorAll("p")) sentence.hidden = false;
    }
    place.classList.toggle("is-open", wanted);
    this.#name();
    if (!wanted) this.#fit();
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
