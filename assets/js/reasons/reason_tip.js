/** The tip that says where a number comes from: its formula, its arithmetic, and a link to the section that defines it. */

import { element, inside } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/** Pixels between the tip and the number, and between the tip and the window's edge. */
const [APART, EDGE] = [6, 8];

export class ReasonTip {
  /** @type {HTMLElement | null} */
  number = null;

  /**
   * @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
   * @param {Record<string, string>} sections their addresses
   */
  constructor(text, sections) {
    this.text = text;
    this.sections = sections;
    this.box = element("div", { id: "reason", role: "tooltip" });
    this.link = element("a", { target: "_blank", rel: "noopener" });
    this.root = element("div", { className: "reason-tip", popover: "manual" }, this.box, this.link);
    inside(document.body, "main").append(this.root); // the window's top layer holds it while it is open
  }

  get open() {
    return this.number !== null;
  }

  /** @param {EventTarget | null} target */
  holds(target) {
    return target instanceof Node && this.root.contains(target);
  }

  /** @param {HTMLElement} number @param {import("../../types/wire.js").Reasoned} reasoned */
  show(number, [, formula, made, section]) {
    this.number?.removeAttribute("aria-describedby");
    this.number = number;
    number.setAttribute("aria-describedby", this.box.id);
    this.box.replaceChildren(
      element("strong", {}, ...typeset(formula)),
      ...(made ? [element("p", {}, ...typeset(made))] : []),
      element("p", { className: "spoken" }, this.text("reason.keys")),
    );
    const name = this.text(`reason.section.${section}`);
    this.link.href = this.sections[section];
    this.link.replaceChildren(...typeset(name));
    this.link.ariaLabel = this.text("reason.new_tab", { name });
    this.root.showPopover();
    this.#place(number.getBoundingClientRect());
  }

  /** Stand below the number, or above it, inside the window. @param {DOMRect} box */
  #place({ left, top, bottom }) {
    const { width, height } = this.root.getBoundingClientRect();
    const [right, lowest] = [innerWidth - EDGE - width, innerHeight - EDGE - height];
    const below = bottom + APART;
    const y = below <= lowest ? below : Math.max(EDGE, top - APART - height);
    Object.assign(this.root.style, { left: `${Math.max(EDGE, Math.min(left, right))}px`, top: `${y}px` });
  }

  /** Stay beside the number that the keyboard has while something scrolls; else close. */
  follow() {
    const { number } = this;
    if (number && number === document.activeElement && this.open) this.#place(number.getBoundingClientRect());
    else this.close();
  }

  /** Close unless the keyboard is there. */
  leave() {
    if (this.number !== document.activeElement && !this.holds(document.activeElement)) this.close();
  }

  /** Close, and give the focus back to the number if the tip has it. */
  close() {
    const { number } = this;
    if (!number) return;
    if (this.holds(document.activeElement)) number.focus(); // which shows the tip once more
    this.number = null;
    number.removeAttribute("aria-describedby");
    this.root.hidePopover();
  }
}
