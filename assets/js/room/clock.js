/** The clock of a vote or a talk: it counts down by the server's time. Nothing happens at its end; the teacher decides. */

import { element } from "../dom/dom.js";
import { button } from "./button.js";
import { serverNow } from "./server_time.js";

/** @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text */

/** Seconds that a teacher can give; 0 stops the clock. */
const CHOICES = [0, 30, 60, 120, 180];
const MORE = 30;
/** Milliseconds between two looks at the time. */
const EVERY = 250;

/** Return whole seconds as minutes and seconds. Pure. @param {number} seconds */
export const written = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

export class Clock {
  #timer = 0;
  /** When the time is up; 0: there is no clock. */
  #until = 0;
  face = element("span", { className: "class-clock-face", role: "timer", ariaLive: "off" });
  /** Heard twice in all: when a clock begins, and when the time is up. */
  spoken = element("span", { className: "spoken", role: "status" });
  root = element("span", { className: "class-clock", id: "room-clock", hidden: true }, this.face, this.spoken);

  /** @param {Text} text */
  constructor(text) {
    this.text = text;
  }

  /** @param {import("../lead/message.js").Question | null} question */
  tell(question) {
    const until = question && question.phase !== "reveal" ? (question.clock ?? 0) : 0;
    if (until === this.#until) return;
    this.#until = until;
    clearInterval(this.#timer);
    this.root.hidden = until === 0;
    this.spoken.textContent = "";
    if (until === 0) return;
    if (this.#left > 0) this.spoken.textContent = this.text("room.clock.begins", { n: this.#left });
    this.#timer = setInterval(() => this.#show(), EVERY);
    this.#show();
  }

  get #left() {
    return Math.max(0, Math.ceil((this.#until - serverNow()) / 1000));
  }

  #show() {
    const left = this.#left;
    const up = left === 0;
    const face = up ? this.text("room.clock.up") : written(left);
    if (this.face.textContent !== face) this.face.textContent = face;
    this.root.dataset.left = String(left);
    this.root.classList.toggle("is-up", up);
    if (!up) return;
    clearInterval(this.#timer);
    this.spoken.textContent = this.text("room.clock.up");
  }
}

/**
 * Return what a teacher sets the clock with.
 * @param {import("./line.js").Line} line @param {(act: () => Promise<unknown>) => unknown} act @param {import("../lead/message.js").Question} question
 * @param {Text} text
 */
export function clockControls(line, act, { id, clock = 0 }, text) {
  const set = (/** @type {Record<string, unknown>} */ fields) =>
    void act(() => line.post("clock", { question: id, ...fields }));
  const options = CHOICES.map((seconds) =>
    element("option", { value: String(seconds) }, text(seconds ? `room.clock.${seconds}` : "room.clock.off")),
  );
  const choice = element(
    "select",
    { id: "room-clock-set", ariaLabel: text("room.clock.set"), title: text("room.clock.hint") },
    element("option", { value: "", hidden: true }, text("room.clock.set")),
    ...options,
  );
  choice.value = "";
  choice.dataset.until = String(clock);
  choice.onchange = () => {
    set({ seconds: Number(choice.value) });
    choice.value = "";
  };
  const more = button("room-clock-more", text("room.clock.more"), () => set({ seconds: MORE, more: true }));
  return element("span", { className: "class-clock-set" }, choice, more);
}
