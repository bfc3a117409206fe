/** The line of a student's bar: where the page stands in the class, the ways back and out, and the offer of a state. */

import { element } from "../dom/dom.js";
import { mode } from "../lead/modes.js";
import { button } from "./button.js";

/**
 * What its buttons do.
 * @typedef {{back: () => void, offer: () => void, leave: () => void}} Presses
 *
 * Where the page stands: `astray` if it follows and shows another state; `absent` if no room has the code; `lacks`: what the class has
 * and this page has not.
 * @typedef {{follows: boolean, astray: boolean, absent: boolean, lacks: "" | "upload" | "lesson"}} Standing
 */

export class StudentBar {
  #bar;
  #text;
  #back;
  #offer;
  #leave;
  #state;
  #unseen;

  /** @param {import("./bar.js").Bar} bar @param {string} code of the room @param {import("./way_in.js").Text} text @param {Presses} presses */
  constructor(bar, code, text, presses) {
    this.#bar = bar;
    this.#text = text;
    this.#back = button("room-back", text("room.back"), presses.back, text("room.back_hint"));
    this.#back.classList.add("is-primary");
    this.#offer = button("room-offer", text("room.offer"), presses.offer, text("room.offer_hint"));
    this.#leave = button("room-leave", text("room.leave"), presses.leave, text("room.leave_hint"));
    this.#state = element("span", { className: "class-state" });
    this.#unseen = element("span", { className: "class-unseen", role: "status" });
    const name = [text("room.title"), " ", element("b", { id: "room-code" }, code)];
    bar.fill(
      element("span", { className: "class-name" }, ...name),
      this.#state,
      this.#unseen,
      this.#back,
      this.#offer,
      this.#leave,
    );
  }

  /** Say where the page stands. @param {import("../lead/state.js").Lead} lead @param {Standing} standing */
  fit(lead, { follows, astray, absent, lacks }) {
    const bar = this.#bar;
    const { heard } = lead;
    const left = lead.left && heard !== null;
    bar.root.classList.toggle("is-left", left);
    bar.root.dataset.follows = String(follows);
    bar.root.dataset.mode = mode(lead);
    this.#back.hidden = !left && !astray;
    this.#offer.hidden = !left;
    const key = !heard ? "room.looking" : left ? "room.own" : heard.locked ? "room.locked" : "room.follows";
    const sentence = absent ? "" : this.#text(key);
    bar.recheck();
    bar.fit(lead);
    if (this.#state.textContent !== sentence) this.#state.textContent = sentence;
    const lacking = heard === null || left ? "" : lacks;
    if (bar.root.dataset.lacks === lacking) return;
    bar.root.dataset.lacks = lacking;
    this.#unseen.textContent = lacking && this.#text(`room.lacks.${lacking}`);
  }

  /** The room is over: there is one way, out. */
  over() {
    const bar = this.#bar;
    bar.show();
    this.#back.hidden = this.#offer.hidden = true;
    this.#state.textContent = this.#unseen.textContent = "";
    this.#leave.textContent = this.#text("room.shut");
    this.#leave.title = "";
    bar.say(this.#text("room.over"));
    bar.root.dataset.follows = "over";
  }
}
