/** Detects a silent answer even if the connection stays open: a machine switched off, a network unplugged. */

/** Milliseconds without a part or a beat before a probe; the server sends one at least every ten seconds. */
const QUIET = 30_000;
/** Milliseconds for the answer to go on after a successful probe. */
const GRACE = 12_000;

export class Pulse {
  /**
   * @param {() => Promise<boolean>} probe resolves to true if the other side may still be there @param {() => void} lost
   * @param {number} [sending] milliseconds allowed to send the request
   */
  constructor(probe, lost, sending = 0) {
    this.probe = probe;
    this.lost = lost;
    this.sending = sending;
    this.begin();
  }

  /** Start: the request is being sent. */
  begin() {
    this.#within(QUIET + this.sending, () => void this.#ask());
  }

  /** Note that something has come. */
  heard() {
    this.#within(QUIET, () => void this.#ask());
  }

  /** Shorten the wait: the connection is in doubt. */
  hurry() {
    this.#within(GRACE, () => void this.#ask());
  }

  stop() {
    this.#within(0, null);
  }

  /** @param {number} milliseconds @param {(() => void) | null} then */
  #within(milliseconds, then) {
    clearTimeout(this.timer);
    this.timer = then ? setTimeout(then, milliseconds) : 0;
  }

  async #ask() {
    const { timer } = this;
    const there = await this.probe();
    if (timer !== this.timer) return; // something came meanwhile, or the wait has ended
    if (there) this.#within(GRACE, this.lost);
    else this.lost();
  }
}
