/**
 * Long work on the page: start, place in the queue, progress, time left, pause, cancel, and loss of the server. The work
 * ends with its connection.
 */

import { whenBack } from "./comeback.js";
import { element } from "../dom/dom.js";
import { Pulse } from "../server/pulse.js";
import { sending } from "../server/request.js";
import { tellRun } from "./run_wish.js";
import { Refusal, sentence } from "../server/server.js";
import { parts } from "../server/wire.js";

/** @typedef {"idle" | "waiting" | "running" | "paused" | "ended" | "cancelled" | "failed" | "lost"} State */

const LOST = "lost";
/** The message on entering a state; without an entry the old one stays. */
/** @type {Partial<Record<State, string | null>>} */
const SAID = {
  idle: null,
  waiting: "run.starting",
  paused: "run.paused",
  ended: "run.ended",
  cancelled: "run.cancelled",
  failed: null,
};

export class Run {
  #page;
  #options;
  #root;
  /** The name of the present run. @type {string | null} */
  name = null;
  /** Cancels the newest run's answer. @type {AbortController | null} */
  #controller = null;
  /** @type {Pulse | null} */
  #pulse = null;
  /** Stops waiting for a lost server. @type {(() => void) | null} */
  #awaited = null;
  /** The message about a wish that the server did not fulfil. */
  #doubt = "";
  /** Called once nothing runs. @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {HTMLElement} root
   * @param {import("./live_page.js").LivePage} page
   * @param {object} options
   * @param {string} [options.name] of the run, of which a page has several
   * @param {boolean} [options.pausable]
   * @param {string} [options.start] the text on the button
   * @param {(atOnce: number) => string} [options.waiting] returns the text of the place in line, of which so many work at once
   * @param {() => Record<string, unknown>} [options.more] returns fields sent besides the page's state
   * @param {(part: import("../../types/wire.js").Part) => (void | Promise<void>)} options.onPart
   * @param {() => void} [options.onStart]
   * @param {(how: State) => void} [options.onEnd]
   */
  constructor(root, page, options) {
    this.#page = page;
    this.#options = options;
    this.#root = root;
    const name = options.name ?? "run";
    /** @param {string} id @param {string} key @param {() => void} onclick */
    const button = (id, key, onclick) =>
      element("button", { type: "button", className: "tool", id, onclick }, page.text(key));
    this.go = button(`${name}-start`, "run.start", () => void this.start());
    this.go.classList.add("is-primary");
    this.hold = button(`${name}-pause`, "run.pause", () => void this.#pause());
    this.stop = button(`${name}-cancel`, "run.cancel", () => this.cancel());
    this.bar = element("progress", { max: 1, value: 0, ariaLabel: page.text("run.progress") });
    this.status = element("p", { className: "said", role: "status" });
    root.replaceChildren(element("div", { className: "run" }, this.go, this.hold, this.stop, this.bar, this.status));
    // A closing tab ends its run at once, before the server notices.
    window.addEventListener("pagehide", () => {
      if (this.name) navigator.sendBeacon(this.#page.server.address(`runs/${this.name}/cancel`));
    });
    this.#show("idle");
  }

  /** @returns {State} */
  get state() {
    return /** @type {State} */ (this.#root.dataset.run);
  }

  get running() {
    return ["waiting", "running", "paused"].includes(this.state);
  }

  /** True if the run was lost with the server and the visitor has not moved on. */
  get lost() {
    return this.state === "lost";
  }

  /** Resolves once nothing runs, also if other runs follow the present one. @returns {Promise<void>} */
  over() {
    return this.running ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** @param {Record<string, unknown>} more fields sent besides the page's state */
  async start(more = {}) {
    const page = this.#page;
    this.cancel();
    const controller = new AbortController();
    const newest = () => controller === this.#controller;
    this.#controller = controller;
    this.name = null;
    this.#doubt = "";
    this.#show("waiting");
    this.#options.onStart?.();
    const pulse = new Pulse(
      () => this.#there(),
      () => controller.abort(LOST),
      sending(page.updates.rules.enclosed()),
    );
    this.#pulse = pulse;
    /** @type {State} */
    let how = "cancelled";
    try {
      const body = page.updates.body(page.state.present, {
        known: [...page.figures.known.keys()],
        ...this.#options.more?.(),
        ...more,
      });
      const answer = await page.server.ask(`run/${page.settings.page}`, body, page.updates.rules.enclosed(), {
        signal: controller.signal,
        patience: Infinity,
        heard: () => pulse.heard(),
        waits: (sentence) => {
          pulse.begin(); // the request is sent again
          if (newest() && this.state === "waiting") this.status.textContent = sentence ?? page.text("run.starting");
        },
      });
      for await (const part of parts(answer.body)) {
        if (!newest()) return;
        how = (await this.#took(part)) ?? how;
      }
      if (how === "cancelled" && !controller.signal.aborted) how = LOST;
    } catch (problem) {
      const { aborted, reason } = controller.signal;
      if (aborted) how = reason === LOST ? LOST : "cancelled";
      else how = problem instanceof Refusal ? "failed" : LOST;
      if (newest() && how === "failed") page.message.fail(sentence(problem, (key) => page.text(key)));
    } finally {
      pulse.stop();
      controller.abort(); // nothing reads the rest
    }
    if (!newest()) return;
    const began = this.#hasBegun();
    this.name = null;
    this.#show(how);
    if (how === LOST) this.#await(began);
    this.#options.onEnd?.(how);
  }

  /** End the run, or remove the message about a lost one. */
  cancel() {
    this.#awaited?.();
    if (this.lost) this.#show("idle");
    if (!this.running) return;
    if (this.name) void tellRun(this.#page.server, this.name, "cancel");
    this.#controller?.abort();
  }

  /** @param {import("../../types/wire.js").Part} part @returns {Promise<State | null>} the run's end, if this part reports it */
  async #took(part) {
    const { header } = part;
    switch (header.part) {
      case "waiting":
        this.status.textContent = this.#page.text(this.#options.waiting?.(header.at_once) ?? "run.waiting", {
          before: header.before,
          at_once: header.at_once,
        });
        return null;
      case "began":
        this.name = header.run;
        this.#show("running");
        this.#page.message.fail(null);
        return null;
      case "progress":
        this.bar.value = header.done;
        // Work under way when the pause began still arrives.
        if (this.state === "running") this.#left(header.seconds_left);
        await this.#options.onPart(part);
        return null;
      case "error":
        this.#page.message.fail(header.message);
        return "failed";
      case "ended":
        await this.#options.onPart(part);
        return "ended";
      default:
        await this.#options.onPart(part);
        return null;
    }
  }

  /** @param {number | null} seconds */
  #left(seconds) {
    const left = seconds === null ? "" : this.#page.text("run.left", { seconds: Math.ceil(seconds) });
    this.status.textContent = [left, this.#doubt].filter(Boolean).join(" ");
  }

  async #pause() {
    const { state, name } = this;
    const controller = this.#controller;
    if (!name) return;
    const lasts = () => controller === this.#controller && this.running;
    this.hold.disabled = true;
    const answer = await tellRun(this.#page.server, name, state === "paused" ? "resume" : "pause", lasts);
    this.hold.disabled = false;
    if (!lasts()) return; // it has ended
    this.#doubt = answer === "done" || answer === "ended" ? "" : this.#page.text(`run.${answer}`);
    if (answer === "done") {
      this.#show(state === "paused" ? "running" : "paused");
    } else if (answer === "ended") {
      this.#pulse?.hurry(); // its last parts are on their way, or the connection is lost
    } else {
      this.status.textContent = this.#doubt;
      if (state !== "paused") this.#pulse?.hurry();
    }
  }

  /** Return true if a silent run may still exist. A paused run is silent, but its server knows its name. */
  async #there() {
    if (this.state !== "paused" || !this.name) return this.#page.server.alive();
    const answer = await tellRun(this.#page.server, this.name, "pause");
    if (answer === "done") this.#pulse?.heard();
    return answer !== "unanswered";
  }

  #hasBegun() {
    return this.name !== null;
  }

  /** Report the loss; ask for the page's state once the server answers. @param {boolean} began */
  #await(began) {
    this.say(began ? "run.lost_away" : "run.not_begun");
    this.#awaited = whenBack(this.#page.server, () => {
      if (!this.lost) return;
      this.say(began ? "run.lost" : "run.not_begun_back");
      void this.#page.updates.again();
    });
  }

  /** Show a message while nothing runs. @param {string | null} key of a text */
  say(key) {
    this.status.textContent = key ? this.#page.text(key) : "";
  }

  /** Call the work by another name on the button that starts it. @param {string} key of a text */
  call(key) {
    this.#options.start = key;
    this.#name();
  }

  #name() {
    this.go.textContent = this.#page.text(this.lost ? "run.again" : (this.#options.start ?? "run.start"));
  }

  /** @param {State} state */
  #show(state) {
    const before = this.state;
    this.#root.dataset.run = state;
    this.go.hidden = this.running;
    this.#name();
    this.stop.hidden = !this.running;
    this.hold.hidden = !this.#options.pausable || !["running", "paused"].includes(state);
    this.hold.textContent = this.#page.text(state === "paused" ? "run.resume" : "run.pause");
    this.bar.hidden = !this.running;
    if (state === "waiting") this.bar.removeAttribute("value");
    else if (!this.running) this.bar.value = 0;
    const key = SAID[state];
    if (key !== undefined) this.say(key);
    else if (before === "paused") this.say(null);
    if (!this.running) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
