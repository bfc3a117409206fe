/** Sends the newest state, at most so often; of those in between only the last arrives, and it always does. */

/** Milliseconds between two states: five a second. */
export const APART = 200;

/**
 * @typedef {Record<string, unknown>} State
 * @typedef {{apart?: number, now?: () => number, later?: (then: () => void, milliseconds: number) => unknown}} Options
 */

export class Newest {
  /** What has not been sent, by field. @type {State} */
  #waiting = {};
  /** The sending under way. @type {Promise<void> | null} */
  #under = null;
  /** True while a timer runs. */
  #timed = false;
  #sent = -Infinity;
  /** How often the sender was stopped: what was under way then is not sent again. */
  #stops = 0;

  /**
   * @param {(state: State) => Promise<number | null>} send resolves to null if it arrived or never will, else to the milliseconds until another try
   * @param {Options} [options]
   */
  constructor(
    send,
    { apart = APART, now = () => performance.now(), later = (then, wait) => setTimeout(then, wait) } = {},
  ) {
    this.send = send;
    this.apart = apart;
    this.now = now;
    this.later = later;
  }

  /** Send these fields, in place of older ones that still wait. @param {State} fields */
  want(fields) {
    Object.assign(this.#waiting, fields);
    this.#go();
  }

  /** Send nothing of what was wanted until now; resolves when nothing of it is under way. */
  async stop() {
    this.#stops += 1;
    this.#waiting = {};
    await this.#under;
  }

  #go() {
    if (this.#under || this.#timed || !Object.keys(this.#waiting).length) return;
    const wait = this.#sent + this.apart - this.now();
    if (wait > 0) this.#after(wait);
    else this.#under = this.#send();
  }

  /** @param {number} milliseconds */
  #after(milliseconds) {
    this.#timed = true;
    this.later(() => {
      this.#timed = false;
      this.#go();
    }, milliseconds);
  }

  async #send() {
    const fields = this.#waiting;
    this.#waiting = {};
    this.#sent = this.now();
    const stops = this.#stops;
    const wait = await this.send(fields);
    this.#under = null;
    if (wait !== null && stops === this.#stops) {
      this.#waiting = { ...fields, ...this.#waiting };
      this.#after(wait);
    }
    this.#go();
  }
}
