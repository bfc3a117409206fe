/** Asks the server for the picture of a link: one question at a time, the newest next, again after a failure. */

import { coming, theme } from "../dom/theme.js";
import { isNarrow } from "../dom/narrow.js";
import { ofState } from "../link/address.js";
import { query } from "../link/values.js";
import { markFailed } from "../figures/painted.js";
import { backOff } from "../server/backoff.js";
import { latest } from "../server/latest.js";
import { Refusal, isFinal, refusalOf } from "../server/server.js";
import { namesWeights } from "../server/upload_handover.js";
import { parts } from "../server/wire.js";

/** Age in milliseconds from which an unwanted update is cancelled, on the server as well. */
const OLD = 1000;
/** Milliseconds of rest before that: a drag over slow states then still paints some of them. */
const REST = 250;
/** Milliseconds before a figure is marked as busy: most updates are painted by then. */
const PATIENT = 250;
/** Structures kept and named to the server; it reads at most these. */
const MOST_KNOWN = 60;

/**
 * @typedef {object} UnderWay the update that the server is working on
 * @property {string} asked
 * @property {AbortController} controller
 * @property {number} began
 * @property {boolean} waits true while the server is busy
 */

/**
 * The page that is updated.
 * @typedef {object} Updated
 * @property {{page: string, first: string}} settings
 * @property {import("../link/state.js").State} state
 * @property {import("../server/server.js").Server} server
 * @property {import("./message.js").Message} message
 * @property {import("../figures/figures.js").Figures} figures
 * @property {{fit: () => void}} controls
 * @property {{unsettle: () => void, rules: {took: (part: import("../../types/wire.js").Part, newest: boolean) => Promise<void>}}} answers
 * @property {(key: string) => string} text
 */

/**
 * What a page sends besides the link.
 * @typedef {object} Rules
 * @property {() => Record<string, unknown>} more
 * @property {() => Uint8Array | null} enclosed besides the JSON
 * @property {() => boolean} waits returns true if the state waits for a file of the visitor: a move asks for nothing
 */

export class Updates {
  /** @type {Rules} */
  rules = {
    more: () => ({}),
    enclosed: () => (this.#page.state.values.source === "upload" ? this.#page.state.upload : null),
    waits: () => false,
  };
  /** The wanted state; null before the page opens. @type {string | null} */
  wished = null;
  /** True if the controls' values are known. */
  isOpen = false;
  /** Resolves when all that was asked for until now has been answered, or has failed. @type {Promise<void>} */
  answered = Promise.resolve();
  #page;
  /** Return the theme to ask for; gradio sets it while it starts. */
  #theme = coming;
  #ask = latest((/** @type {string} */ wish) => this.#fulfil(wish));
  /** @type {UnderWay | null} */
  #underWay = null;
  /** Failures in a row. */
  #failures = 0;
  /** Timers of the next try, and of an old update's end. */
  #retry = 0;
  #outdating = 0;
  #resolve = () => {};

  /** @param {Updated} page */
  constructor(page) {
    this.#page = page;
  }

  /** The route of this page's updates. */
  get route() {
    return `page/${this.#page.settings.page}`;
  }

  /** True while the server works on an update. */
  get running() {
    return this.#underWay !== null;
  }

  /** Ask for the first picture: the very question of `open`, unless something changes before. */
  ahead() {
    const asked = ofState(location.search);
    const brings = asked.includes("source=upload") || namesWeights(asked);
    if (!brings) this.#page.server.ahead(this.route, this.#question(asked));
  }

  /** Ask for the link's state; resolves when the controls' values are known. @returns {Promise<void>} */
  open() {
    this.#theme = theme;
    window.addEventListener("online", () => {
      if (this.#retry) void this.again();
    });
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void this.ask(ofState(location.search));
    });
  }

  /** Hear that the controls' values are known. */
  opened() {
    this.isOpen = true;
    this.#resolve();
  }

  /** Ask for the picture of a link; during a request only the newest wish is kept. @param {string} asked */
  ask(asked) {
    clearTimeout(this.#retry);
    this.#page.answers.unsettle();
    this.wished = asked;
    this.#outdate();
    this.answered = this.#ask(asked);
    return this.answered;
  }

  /** Return the fields of every request. @param {string} asked @param {Record<string, unknown>} more @returns {Record<string, unknown>} */
  body(asked, more = {}) {
    return {
      query: asked,
      theme: this.#theme(),
      columns: isNarrow() ? 2 : 0,
      address: location.origin + location.pathname,
      ...more,
    };
  }

  /** Return the link of the controls. */
  link() {
    const { state, settings } = this.#page;
    const page = settings.page === settings.first ? undefined : state.values.page;
    return query({ ...state.values, page, lang: state.chosenLanguage ?? undefined });
  }

  /** Ask again: for the link itself until the server has read it. */
  again() {
    const { state } = this.#page;
    return this.ask(state.canonicalValues ? this.link() : (this.wished ?? ofState(location.search)));
  }

  /** Ask again later. @param {number} failures in a row @param {string} [asked] the controls' state unless given */
  later(failures, asked) {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void (asked === undefined ? this.again() : this.ask(asked)), backOff(failures));
  }

  /** Report a problem; ask again if that may help. @param {unknown} problem @param {string} asked */
  fail(problem, asked) {
    const { state, message, figures } = this.#page;
    const final = isFinal(problem);
    if (final && !state.canonicalValues) {
      // the way out is another setting, so the controls' values count
      state.canonicalValues = state.values;
      state.chosenLanguage = new URLSearchParams(asked).get("lang");
      this.#page.controls.fit();
    }
    message.fail(problem instanceof Refusal ? problem.message : this.#page.text("live.lost"));
    for (const { root } of figures.all.values()) markFailed(root, message.error.textContent);
    if (final || asked !== this.wished) return;
    this.#failures += 1;
    this.later(this.#failures, asked);
  }

  /** @param {string} asked */
  #question(asked) {
    const { known } = this.#page.figures;
    for (const hash of [...known.keys()].slice(0, -MOST_KNOWN)) known.delete(hash);
    return this.body(asked, { known: [...known.keys()], ...this.rules.more() });
  }

  /** Cancel an old update if another is wanted; during a drag, too, if it only waits for a busy server. */
  #outdate() {
    clearTimeout(this.#outdating);
    const underWay = this.#underWay;
    if (!underWay || underWay.asked === this.wished) return;
    const still = underWay.waits ? 0 : REST;
    this.#outdating = setTimeout(
      () => underWay.controller.abort(),
      Math.max(still, underWay.began + OLD - performance.now()),
    );
  }

  /** @param {string} asked */
  async #fulfil(asked) {
    const page = this.#page;
    const controller = new AbortController();
    const { signal } = controller;
    const underWay = { asked, controller, began: performance.now(), waits: false };
    const { failures } = page.message;
    this.#underWay = underWay;
    const waits = (/** @type {string | null} */ sentence) => {
      underWay.waits = sentence !== null;
      page.message.wait(underWay, sentence);
      this.#outdate();
    };
    const busy = setTimeout(() => page.figures.busy(true), PATIENT);
    try {
      const answer = await page.server.ask(this.route, this.#question(asked), this.rules.enclosed(), { signal, waits });
      for await (const part of parts(answer.body)) {
        if (part.header.part === "error") throw refusalOf(part.header);
        await page.answers.rules.took(part, asked === this.wished);
      }
      this.#failures = 0;
      page.message.recover(failures);
    } catch (problem) {
      if (!signal.aborted) this.fail(problem, asked);
    }
    this.#underWay = null;
    clearTimeout(this.#outdating);
    clearTimeout(busy);
    if (signal.aborted) return; // the newest wish follows at once
    page.figures.busy(false);
    this.opened();
  }
}
