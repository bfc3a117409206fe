/** Talks to the app's routes. A request's body is `u32 length | JSON | the upload's bytes`; the server keeps nothing between requests. */

import { request } from "./request.js";

/** Milliseconds of silence after which the server counts as lost; the heaviest update takes a few seconds. */
const PATIENCE = 45_000;
/** Longest wait for a busy server in milliseconds. */
const LONGEST_WAIT = 60_000;
/** Milliseconds for the server to answer a probe. */
const SIGN_OF_LIFE = 5_000;

/** Random name of this tab: the server shares the places of one address between its tabs. It identifies nobody. */
const TAB = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
  .replaceAll("+", "-")
  .replaceAll("/", "_")
  .replaceAll("=", "");

/** A refusal that the visitor should read: its message is a sentence in their language. */
export class Refusal extends Error {
  /** @param {string} message @param {boolean} [passing] true if the same request may succeed later */
  constructor(message, passing = false) {
    super(message);
    this.passing = passing;
    this.shown = false; // true if the page shows it elsewhere
  }
}

/** A temporary refusal: the server names the seconds until a retry. */
class Busy extends Refusal {
  /** @param {string} message @param {number} retry seconds */
  constructor(message, retry) {
    super(message, true);
    this.retry = retry;
  }
}

/**
 * Return the refusal in a part "error"; a temporary one names the seconds until a retry.
 * @param {{message: string, retry?: number}} header
 */
export const refusalOf = ({ message, retry = 0 }) => (retry > 0 ? new Busy(message, retry) : new Refusal(message));

/** Return true if asking again is useless. @param {unknown} problem */
export const isFinal = (problem) => problem instanceof Refusal && !problem.passing;

/**
 * Return the sentence about a problem with a request that is not repeated; null: already told.
 * @param {unknown} problem @param {(key: string) => string} text
 */
export function sentence(problem, text) {
  if (problem instanceof Busy) return text("live.busy"); // its message would promise a retry
  if (problem instanceof Refusal) return problem.shown ? null : problem.message;
  return text("live.unanswered");
}

/**
 * @typedef {object} How
 * @property {AbortSignal} [signal] ends the request
 * @property {number} [patience] milliseconds without a byte after which the server counts as lost
 * @property {() => void} [heard] called for each chunk of the answer
 * @property {(sentence: string | null) => void} [waits] called while the server is busy; null: it has answered, or the page gave up
 */

/**
 * A request made before the page needs its answer, which is null if it failed: then the page asks by itself.
 * @typedef {object} Ahead
 * @property {string} asked path and body
 * @property {Promise<Response | null>} answer
 * @property {AbortController} controller
 */

/**
 * Pack a request's body into one buffer in the server's layout.
 * @param {unknown} fields @param {Uint8Array | null} upload
 */
export function packed(fields, upload = null) {
  const text = new TextEncoder().encode(JSON.stringify(fields));
  const length = new Uint8Array(new Uint32Array([text.length]).buffer);
  const body = new Uint8Array(4 + text.length + (upload?.length ?? 0));
  body.set(length);
  body.set(text, 4);
  if (upload) body.set(upload, 4 + text.length);
  return body;
}

export class Server {
  /**
   * @param {string} prefix address of the routes, relative to the page
   * @param {(asker: object, sentence: string | null) => void} waits called for each request that waits for a busy server, unless its asker shows it
   */
  constructor(prefix, waits = () => {}) {
    this.prefix = prefix;
    this.waits = waits;
    /** @type {Ahead | null} */
    this.first = null;
  }

  /**
   * Ask for what the page will ask first. `ask` takes this answer if it asks the very same.
   * @param {string} path @param {unknown} body
   */
  ahead(path, body) {
    const controller = new AbortController();
    const answer = this.#once(path, packed(body), { patience: PATIENCE, signal: controller.signal }).catch(() => null);
    this.first = { asked: JSON.stringify([path, body]), answer, controller };
  }

  /** Return a copy of the answer that was asked for ahead; null if there is none. @returns {Promise<Response | null>} */
  async early() {
    return (await this.first?.answer)?.clone() ?? null;
  }

  /**
   * Return the sentence about a problem, also for bundles of their own: their copy of its class is another.
   * @param {unknown} problem @param {(key: string) => string} text
   */
  sentenceOf(problem, text) {
    return sentence(problem, text);
  }

  /** @param {string} path */
  address(path) {
    return new URL(`${this.prefix}/${path}`, document.baseURI);
  }

  /** @param {string} path @param {unknown} body @param {Uint8Array | null} upload @param {How} [how] @returns {Promise<Response>} */
  async ask(path, body, upload = null, how = {}) {
    const { first } = this;
    this.first = null;
    if (first && !upload && first.asked === JSON.stringify([path, body])) {
      const leave = () => first.controller.abort(how.signal?.reason);
      how.signal?.addEventListener("abort", leave, { once: true });
      const answer = await first.answer;
      if (answer) return answer;
      how.signal?.throwIfAborted();
    } else {
      first?.controller.abort();
    }
    return this.#patiently(path, packed(body, upload), how);
  }

  /** @param {string} path @param {Blob} body */
  send(path, body) {
    return this.#patiently(path, body, {});
  }

  /** Send a wish about a run: pause, resume, cancel. @param {string} path @returns {Promise<Response>} of any status */
  tell(path) {
    return request(
      this.address(path),
      { method: "POST", headers: { "X-Headlight-Tab": TAB } },
      { patience: SIGN_OF_LIFE },
    );
  }

  /** Return true if the server answers. */
  async alive() {
    try {
      const answer = await request(this.address("live"), { cache: "no-store" }, { patience: SIGN_OF_LIFE });
      await answer.body?.cancel(); // the status says it
      return answer.status < 500;
    } catch {
      return false;
    }
  }

  /** Retry as a busy server says, for a minute at most. @param {string} path @param {BodyInit} body @param {How} how */
  async #patiently(path, body, { signal, patience = PATIENCE, heard, waits }) {
    const asker = {};
    const say = waits ?? ((sentence) => this.waits(asker, sentence));
    const end = performance.now() + LONGEST_WAIT;
    let waited = false;
    try {
      for (;;) {
        try {
          return await this.#once(path, body, { signal, patience, heard });
        } catch (problem) {
          if (!(problem instanceof Busy) || performance.now() + 1000 * problem.retry > end) throw problem;
          waited = true;
          say(problem.message);
          // Random: requests refused together should not return together.
          await pause(1000 * problem.retry * (1 + Math.random() / 4), signal);
        }
      }
    } finally {
      if (waited) say(null);
    }
  }

  /**
   * @param {string} path
   * @param {BodyInit} body
   * @param {{signal?: AbortSignal, patience: number, heard?: () => void}} how
   */
  async #once(path, body, how) {
    const headers = { "Content-Type": "application/octet-stream", "X-Headlight-Tab": TAB };
    const answer = await request(this.address(path), { method: "POST", body, headers }, how);
    if (answer.ok) return answer;
    const { status } = answer;
    let refusal = null;
    try {
      refusal = await answer.json();
    } catch {
      // Not our server: a proxy with none behind it.
    }
    if (typeof refusal?.message !== "string") throw new Error(String(status));
    throw status === 503 && refusal.retry > 0
      ? new Busy(refusal.message, refusal.retry)
      : new Refusal(refusal.message, status === 408);
  }
}

/** @param {number} milliseconds @param {AbortSignal} [signal] ends it early, as an error */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
