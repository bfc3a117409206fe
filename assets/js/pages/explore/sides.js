/**
 * The tabs over the maps while a state A is pinned: A, B, their difference, or all three beside each other. They choose what is
 * looked at and no number, so they are no part of the link; the choice stays while controls move.
 */

import { element } from "../../dom/dom.js";

/** @typedef {"a" | "b" | "difference" | "all"} Side */

/** @type {readonly Side[]} */
const SIDES = ["a", "b", "difference", "all"];

export class Sides {
  /** @type {Side} */
  chosen = "b";

  /** @param {(key: string) => string} text @param {(side: Side) => void} choose */
  constructor(text, choose) {
    this.choose = choose;
    this.text = text;
    this.names = element("p", { className: "pinned" });
    this.why = element("p", { className: "pinned", id: "side-why", hidden: true }, text("side.unlike"));
    this.tabs = SIDES.map((side) =>
      element(
        "button",
        {
          type: "button",
          role: "tab",
          id: `side-${side}`,
          aria: { controls: "figure-heat-maps" },
          onclick: () => this.#take(side),
        },
        text(`side.${side}`),
      ),
    );
    const list = element("div", { className: "sides", role: "tablist", ariaLabel: text("side.label") }, ...this.tabs);
    list.addEventListener("keydown", (event) => this.#key(event));
    this.root = element("div", { className: "compared", hidden: true }, list, this.names, this.why);
  }

  /** Show the tabs if A is pinned; without a difference its tab is off, and a sentence says why. @param {boolean} pinned @param {boolean} [subtractable] */
  fit(pinned, subtractable = true) {
    this.root.hidden = !pinned;
    this.why.hidden = subtractable;
    this.why.title = this.text("figure.compare.unlike");
    this.tabs[SIDES.indexOf("all")].textContent = this.text(subtractable ? "side.all" : "side.both");
    for (const [i, side] of SIDES.entries()) {
      const tab = this.tabs[i];
      const off = side === "difference" && !subtractable;
      tab.disabled = off;
      tab.title = off ? this.text("figure.compare.unlike") : "";
      const selected = side === (this.chosen === "difference" && !subtractable ? "b" : this.chosen);
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
  }

  /** @param {Side} side */
  #take(side) {
    this.chosen = side;
    this.choose(side);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const open = this.tabs.filter((tab) => !tab.disabled);
    const at = open.findIndex((tab) => tab === document.activeElement);
    /** @type {Record<string, number | undefined>} */
    const wishes = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: open.length - 1 };
    const wish = wishes[event.key];
    if (wish === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = open[(wish + open.length) % open.length];
    next.click();
    next.focus();
  }
}
