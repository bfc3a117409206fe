/** Requests of this tab to its room: docs/room.md. */

import { request } from "../server/request.js";
import { heard } from "./server_time.js";

/** Milliseconds of silence after which a request counts as lost; those in which a stream must have begun. */
const PATIENCE = 15_000;

/** A refusal of the room. */
export class Refused extends Error {
  /**
   * @param {number} status @param {string} message a sentence in the visitor's language @param {number} retry seconds; 0: asking again is useless
   * @param {number | number[] | null} counted of an answer that comes too late: the one of this tab that counts
   */
  constructor(status, message, retry, counted) {
    super(message);
    this.status = status;
    this.retry = retry;
    this.counted = counted;
  }
}

export class Line {
  code = "";
  /** True if this page shows a state of its own: each question for the room's message says so. */
  left = false;

  /**
   * @param {(path: string) => URL} address of our routes @param {() => string} lang
   * @param {string} token @param {string} [secret]
   */
  constructor(address, lang, token, secret) {
    this.address = address;
    this.lang = lang;
    this.token = token;
    this.secret = secret;
  }

  /** Send an act of this room. @param {string} act @param {unknown} [fields] */
  post(act, fields) {
    return this.ask("POST", `room/${this.code}/${act}`, fields);
  }

  /** @param {string} [act] @param {Record<string, string>} [headers] @param {{signal?: AbortSignal, patience?: number}} [how] */
  get(act = "", headers = {}, how = {}) {
    return this.ask(
      "GET",
      `room/${this.code}${act && `/${act}`}${this.left ? "?left=1" : ""}`,
      undefined,
      headers,
      how,
    );
  }

  /**
   * Return the answer; throw a `Refused`, or another error if there was none.
   * @param {string} method @param {string} path @param {unknown} [fields] @param {Record<string, string>} [headers]
   * @param {{signal?: AbortSignal, patience?: number}} [how]
   */
  async ask(method, path, fields, headers = {}, { signal, patience = PATIENCE } = {}) {
    const address = this.address(path);
    address.searchParams.set("lang", this.lang());
    const body = fields === undefined ? undefined : JSON.stringify(fields);
    /** @type {Record<string, string>} */
    const sent = { "X-Headlight-Tab": this.token, ...headers };
    if (this.secret) sent["X-Headlight-Secret"] = this.secret;
    const answer = await request(address, { method, headers: sent, body, cache: "no-store" }, { patience, signal });
    heard(answer);
    if (answer.ok || answer.status === 304) return answer;
    throw await refused(answer);
  }
}

/** @param {Response} answer */
async function refused(answer) {
  try {
    const { message, retry, counted = null } = await answer.json();
    if (typeof message === "string") return new Refused(answer.status, message, Number(retry ?? 0), counted);
  } catch {
    // not our server: a proxy with none behind it
  }
  return new Error(String(answer.status));
}
