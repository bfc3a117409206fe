/** Notices that a long answer has fallen silent, also when the connection does not say so: a machine switched off, a network unplugged. */

/** Milliseconds without a part or a beat after which the server is asked; it sends one at least every ten seconds. */
const QUIET = 30_000;
/** Milliseconds in which something has to come, if it says that it is there. */
const GRACE = 12_000;

export class Pulse {
  /**
   * @param {() => Promise<boolean>} probe whether the other side may be there still @param {() => void} lost
   * @param {number} [sending] milliseconds that the question may take to be sent
   */
  constructor(probe, lost, sending = 0) {
    this.probe = probe;
    this.lost = lost;
    this.sending = sending;
    this.begin();
  }

  /** The question goes out. */
  begin() {
    this.#within(QUIET + this.sending, () => void this.#ask());
  }

  /** Something has come. */
  heard() {
    this.#within(QUIET, () => void this.#ask());
  }

  /** There is reason to doubt: something has to come soon. */
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
    if (timer !== this.timer) return; // something came meanwhile, or nobody waits any more
    if (there) this.#within(GRACE, this.lost);
    else this.lost();
  }
}
