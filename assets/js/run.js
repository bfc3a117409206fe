/** Long work as the visitor sees it: start, place in line, progress and time left, pause, cancel. The work lives as long as its connection. */

import { element } from "./dom.js";
import { Refusal } from "./server.js";
import { parts } from "./wire.js";

export class Run {
  /**
   * @param {HTMLElement} root
   * @param {import("./shell.js").Shell} page
   * @param {{pausable?: boolean, onPart: (part: any) => (void | Promise<void>), onStart?: () => void, onEnd?: (how: "ended" | "cancelled" | "failed") => void}} options
   */
  constructor(root, page, options) {
    this.page = page;
    this.options = options;
    this.root = root;
    const button = (id, key, onclick) => element("button", { type: "button", className: "tool", id, onclick }, page.text(key));
    this.go = button("run-start", "run.start", () => this.start());
    this.hold = button("run-pause", "run.pause", () => this.#pause());
    this.stop = button("run-cancel", "run.cancel", () => this.cancel());
    this.bar = element("progress", { max: 1, value: 0, ariaLabel: page.text("run.progress") });
    this.said = element("p", { className: "said", role: "status" });
    root.replaceChildren(element("div", { className: "run" }, this.go, this.hold, this.stop, this.bar, this.said));
    // A tab that closes ends its run at once, not only when the server notices.
    window.addEventListener("pagehide", () => this.name && navigator.sendBeacon(this.page.server.address(`runs/${this.name}/cancel`)));
    this.#show("idle");
  }

  get running() {
    return this.root.dataset.run === "waiting" || this.root.dataset.run === "running" || this.root.dataset.run === "paused";
  }

  /** @param {Record<string, any>} more what the run is told besides the page's state */
  async start(more = {}) {
    if (this.running) this.cancel();
    const controller = new AbortController();
    this.controller = controller;
    this.#show("waiting");
    this.options.onStart?.();
    let how = "cancelled";
    try {
      const answer = await this.page.server.ask(`run/${this.page.settings.page}`, this.page.said(this.page.canonical ?? "", { known: [...this.page.known.keys()], ...more }), this.page.enclosed(), controller.signal);
      for await (const part of parts(answer.body)) {
        if (controller !== this.controller) return;
        how = await this.#took(part) ?? how;
      }
      if (how === "cancelled" && !controller.signal.aborted) throw new Error(this.page.text("live.lost"));
    } catch (problem) {
      if (controller !== this.controller) return;
      if (!controller.signal.aborted) {
        how = "failed";
        this.page.message.fail(problem instanceof Refusal ? problem.message : this.page.text("live.lost"));
      }
    }
    if (controller !== this.controller) return;
    this.name = null;
    this.#show(how);
    this.options.onEnd?.(how);
  }

  cancel() {
    if (!this.running) return;
    if (this.name) this.page.server.tell(`runs/${this.name}/cancel`).catch(() => {});
    this.controller.abort();
  }

  /** @returns {Promise<"ended" | "failed" | null>} how the run ended, when this part says so */
  async #took(part) {
    const { header } = part;
    switch (header.part) {
      case "waiting":
        this.said.textContent = this.page.text("run.waiting", { before: header.before, at_once: header.at_once });
        return null;
      case "began":
        this.name = header.run;
        this.#show("running");
        this.page.message.fail(null);
        return null;
      case "progress":
        this.bar.value = header.done;
        this.said.textContent = header.seconds_left === null ? "" : this.page.text("run.left", { seconds: Math.ceil(header.seconds_left) });
        await this.options.onPart(part);
        return null;
      case "error":
        this.page.message.fail(header.message);
        return "failed";
      case "ended":
        await this.options.onPart(part);
        return "ended";
      default:
        await this.options.onPart(part);
        return null;
    }
  }

  async #pause() {
    const paused = this.root.dataset.run === "paused";
    try {
      await this.page.server.tell(`runs/${this.name}/${paused ? "resume" : "pause"}`);
      this.#show(paused ? "running" : "paused");
    } catch {
      this.page.message.fail(this.page.text("live.lost"));
    }
  }

  /** What there is to say while nothing runs. @param {string | null} key of a text */
  say(key) {
    this.said.textContent = key ? this.page.text(key) : "";
  }

  /** @param {"idle" | "waiting" | "running" | "paused" | "ended" | "cancelled" | "failed"} state */
  #show(state) {
    this.root.dataset.run = state;
    this.go.hidden = this.running;
    this.stop.hidden = !this.running;
    this.hold.hidden = !this.options.pausable || !["running", "paused"].includes(state);
    this.hold.textContent = this.page.text(state === "paused" ? "run.resume" : "run.pause");
    this.bar.hidden = !this.running;
    if (state === "waiting") this.bar.removeAttribute("value");
    else if (!this.running) this.bar.value = 0;
    const said = { idle: "", waiting: "run.starting", paused: "run.paused", ended: "run.ended", cancelled: "run.cancelled", failed: "" }[state];
    if (said !== undefined) this.say(said || null);
  }
}
