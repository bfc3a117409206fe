/**
 * Hears the room's messages: from one stream or, where streams are cut, by asking every few seconds. It comes back after every
 * failure. A student's stream is closed while the page is hidden.
 */

import { Events } from "./events.js";
import { Refused } from "./line.js";

/** Milliseconds without a beat after which a stream counts as lost; a beat follows every 15 s. */
const SILENCE = 40_000;
/** Milliseconds in which a stream must have brought its first message: else something on the way holds it back. */
const FIRST = 8_000;
/** Milliseconds that a stream should last; two shorter ones in a row are cut by something. */
const SHORT = 10_000;
/** Milliseconds between two questions, and how many are asked before another stream is tried. */
const EVERY = 3_000;
const QUESTIONS = 60;
/** Milliseconds until a lost stream is opened again. */
const RETRY = 1_500;

/**
 * @typedef {object} Heard
 * @property {() => void} there called whenever the room has answered, also if there is nothing new
 * @property {(message: import("../lead/message.js").Message) => void} told called with each newer message
 * @property {() => void} over the room has ended
 * @property {(problem: unknown) => Promise<boolean>} lost called with each failure; true if the next try follows at once
 */

export class Listening {
  #revision = 0;
  #ended = false;
  /** Questions left before another stream is tried. */
  #asking = 0;
  /** Short streams in a row. */
  #short = 0;
  /** True while a stream is open. */
  #stands = false;
  #controller = new AbortController();
  #ends = new AbortController();
  /** Ends the present pause. */
  #wake = () => {};

  /** @param {import("./line.js").Line} line @param {Heard} heard @param {boolean} always true: while hidden, too */
  constructor(line, heard, always) {
    this.line = line;
    this.heard = heard;
    this.always = always;
    const { signal } = this.#ends;
    const seen = () => {
      if (this.#away) this.#controller.abort();
      else this.#wake();
    };
    document.addEventListener("visibilitychange", seen, { signal });
    const online = () => {
      this.#asking = this.#short = 0; // what failed was the network
      this.#wake();
      if (this.#stands) void this.#look().catch(() => {}); // a stream that stands says nothing for seconds
    };
    window.addEventListener("online", online, { signal });
    void this.#run();
  }

  /** Hear nothing any more. */
  end() {
    this.#ended = true;
    this.#ends.abort();
    this.#controller.abort();
    this.#wake();
  }

  /** Open the stream anew: the tab has another token. */
  again() {
    this.#controller.abort();
  }

  get #away() {
    return !this.always && document.hidden;
  }

  async #run() {
    while (!this.#ended) {
      if (this.#away) {
        await this.#pause(Infinity);
        continue;
      }
      this.#controller = new AbortController();
      const asks = this.#asking > 0;
      try {
        if (asks) await this.#ask();
        else await this.#stream();
      } catch (problem) {
        if (!this.#controller.signal.aborted) await this.#failed(problem, asks);
      }
    }
  }

  /** @param {unknown} problem @param {boolean} asked true if a question failed, and no stream */
  async #failed(problem, asked) {
    if (problem instanceof Refused && problem.status === 410) {
      this.#over();
      return;
    }
    // all places for streams are taken
    if (!this.#asking && problem instanceof Refused && problem.status === 503 && problem.retry > 5) {
      this.#asking = QUESTIONS;
      return;
    }
    if (asked && !(problem instanceof Refused)) this.#asking = 0; // nothing cuts streams alone
    if (await this.heard.lost(problem)) return;
    const wait = problem instanceof Refused ? 1000 * problem.retry : 0;
    await this.#pause(Math.max(wait, RETRY * (0.7 + Math.random())));
  }

  async #stream() {
    const controller = this.#controller;
    const began = performance.now();
    const slow = setTimeout(() => {
      this.#asking = QUESTIONS;
      controller.abort();
    }, FIRST);
    try {
      const headers = { Accept: "text/event-stream" };
      const answer = await this.line.get("stream", headers, { signal: controller.signal, patience: SILENCE });
      this.#stands = true;
      const events = new Events();
      const text = new TextDecoder();
      const reader = answer.body?.getReader();
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        if (done) break;
        this.heard.there(); // a beat is a sign of life, too
        for (const { event, data } of events.take(text.decode(value, { stream: true }))) {
          if (event === "end") {
            this.#over();
            return;
          }
          clearTimeout(slow);
          this.#take(data);
        }
      }
    } finally {
      clearTimeout(slow);
      this.#stands = false;
      const short = performance.now() - began < SHORT && !this.#away;
      this.#short = short ? this.#short + 1 : 0;
      if (this.#short > 3) {
        this.#short = 0;
        this.#asking = QUESTIONS;
      }
    }
    await this.#pause(RETRY * (0.3 + 0.7 * Math.random())); // cut
  }

  async #ask() {
    this.#asking -= 1;
    await this.#look();
    await this.#pause(EVERY * (0.8 + 0.4 * Math.random()));
  }

  /** Ask what is new. */
  async #look() {
    const tag = this.#revision ? { "If-None-Match": `"${this.#revision}"` } : undefined;
    const answer = await this.line.get("", tag, { signal: this.#controller.signal });
    if (this.#ended) return;
    this.heard.there();
    if (answer.status !== 304) this.#take(await answer.text());
  }

  /** @param {string} data */
  #take(data) {
    const message = /** @type {import("../lead/message.js").Message} */ (JSON.parse(data));
    if (message.revision <= this.#revision || this.#ended) return;
    this.#revision = message.revision;
    this.heard.told(message);
  }

  #over() {
    this.end();
    this.heard.over();
  }

  /** @param {number} milliseconds @returns {Promise<void>} */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = milliseconds < Infinity ? setTimeout(resolve, milliseconds) : 0;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
