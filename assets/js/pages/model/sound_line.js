/** A sound as a band of moments: it fits its room whatever it lasts; a pointer or an arrow key is at one of them. */

import { brushOf, element } from "../../dom/dom.js";

/** The room that a label of a moment needs, in widths of its letters. */
const LABEL = 5;
/** Seconds between two labels, the first that leaves them room. */
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

export class SoundLine {
  #band = element("canvas", { className: "sound-band", aria: { hidden: "true" } });
  #ticks = element("div", { className: "sound-ticks", aria: { hidden: "true" } });
  /** @type {string[]} */
  #tokens = [];
  #seconds = 1;
  #at = 0;
  #point;

  /** @param {string} name @param {(key: number) => void} point @param {(key: number) => void} lock */
  constructor(name, point, lock) {
    this.#point = point;
    this.root = element(
      "div",
      { className: "sound-line", tabIndex: 0, role: "slider", aria: { label: name, valuemin: 0 } },
      this.#band,
      this.#ticks,
    );
    this.root.addEventListener("pointermove", (event) => this.#go(this.#under(event)));
    this.root.addEventListener("click", (event) => lock(this.#under(event)));
    this.root.addEventListener("focus", () => this.#go(this.#at));
    this.root.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (by === undefined && event.key !== "Enter") return;
      event.preventDefault();
      if (by === undefined) lock(this.#at);
      else this.#go(this.#at + by);
    });
    new ResizeObserver(() => this.#label()).observe(this.root);
  }

  /** @param {import("../../../types/wire.js").Line} line @param {number} heard the share that is sound; the rest is silence */
  build({ tokens, seconds }, heard) {
    this.#band.style.setProperty("--heard", String(heard));
    this.#tokens = tokens;
    this.#seconds = seconds;
    this.#at = Math.min(this.#at, tokens.length - 1);
    this.root.setAttribute("aria-valuemax", String(tokens.length - 1));
    Object.assign(this.#band, { width: tokens.length, height: 1 });
    this.#label();
  }

  /** The middle of each moment in pixels from the beginning of the band. */
  get middles() {
    const [left, width] = [this.root.offsetLeft, this.root.offsetWidth];
    return this.#tokens.map((_, k) => left + ((k + 0.5) / this.#tokens.length) * width);
  }

  /** Shade the moments by these shares; none without. @param {((key: number) => number) | null} of */
  shade(of) {
    const { width } = this.#band;
    if (!width) return;
    const brush = brushOf(this.#band);
    brush.clearRect(0, 0, width, 1);
    brush.fillStyle = getComputedStyle(this.root).getPropertyValue("--accent");
    if (!of) return;
    for (let k = 0; k < width; k += 1) {
      brush.globalAlpha = Math.sqrt(Math.max(0, Math.min(1, of(k) || 0)));
      brush.fillRect(k, 0, 1, 1);
    }
  }

  /** @param {PointerEvent | MouseEvent} event */
  #under({ clientX }) {
    const { left, width } = this.root.getBoundingClientRect();
    return Math.floor(((clientX - left) / width) * this.#tokens.length);
  }

  /** @param {number} at */
  #go(at) {
    this.#at = Math.max(0, Math.min(this.#tokens.length - 1, at));
    this.root.setAttribute("aria-valuenow", String(this.#at));
    this.root.setAttribute("aria-valuetext", this.#tokens[this.#at] ?? "");
    this.#point(this.#at);
  }

  #label() {
    const whole = this.#seconds * this.#tokens.length;
    const width = this.root.offsetWidth;
    if (!whole || !width) return;
    const label = LABEL * parseFloat(getComputedStyle(this.root).fontSize);
    const step = STEPS.find((one) => (one / whole) * width >= label) ?? whole;
    const ticks = [];
    for (let i = 0; i * step < whole && (i * step) / whole < 1 - label / 2 / width; i += 1) {
      const tick = element("span", {}, `${Number((i * step).toFixed(2))}\u00a0s`);
      tick.style.left = `${((100 * i * step) / whole).toFixed(3)}%`;
      ticks.push(tick);
    }
    this.#ticks.replaceChildren(...ticks);
  }
}
