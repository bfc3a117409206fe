/** A page whose every move is one question to the server: controls → link → parts → figures. */

import { backOff } from "./backoff.js";
import { query, tied } from "./controls.js";
import { element } from "./dom.js";
import { latest } from "./latest.js";
import { markFailed, markPainted } from "./painted.js";
import { Refusal, isFinal, refusalOf } from "./server.js";
import { Shell } from "./shell.js";
import { typedControl } from "./typing.js";
import { parts, revive } from "./wire.js";

/** Milliseconds from which an update that nobody wants any more is ended: the server stops its work as well. */
const OLD = 1000;
/** Milliseconds that the controls have to rest for it: while one drags over slow states, some of them are painted. */
const REST = 250;
/** Milliseconds before a figure shows that it is being computed: most updates are painted by then. */
const PATIENT = 250;
/** Structures kept and named to the server; it reads no more. */
const MOST_KNOWN = 60;

/**
 * What the server made of a link.
 * @typedef {{query: string, controls: Values, notices: string[]}} State
 * @typedef {import("./wire.js").Part} Part
 * @typedef {import("./controls.js").Values} Values
 * @typedef {object} UnderWay the update that the server is working on
 * @property {string} asked
 * @property {AbortController} controller
 * @property {number} began
 * @property {boolean} waits for a busy server
 */

/**
 * @template {object} [More={}] what Python tells this page's script besides
 * @extends {Shell<More>}
 */
export class LivePage extends Shell {
  /** The box that takes own files; null on a page that takes none. @type {{invite: () => void} | null} */
  uploadBox = null;
  /** What the server made of the link; null before it has read one. @type {import("./controls.js").Values | null} */
  canonicalValues = null;
  /** The state that is wanted; null before the page opens. @type {string | null} */
  wished = null;
  /** The language of the link, where it names one. @type {string | null} */
  chosenLanguage = null;
  /** The state at which the controls came to rest. @type {string | null} */
  settled = null;
  /** @type {UnderWay | null} */
  underWay = null;
  /** Failures in a row. */
  failures = 0;
  /** Timers: of the next try, of controls at rest, of the end of an old update. */
  retry = 0;
  settling = 0;
  outdating = 0;
  isOpen = false;
  /** Called when the controls' values are known. */
  opened = () => {};

  /** @param {import("./shell.js").Settings & More} settings */
  constructor(settings) {
    super(settings);
    this.ask = latest((/** @type {string} */ wish) => this.#fulfil(wish));
  }

  /** What the server made of the link; the controls' values until it has read one. */
  get agreed() {
    return this.canonicalValues ?? this.values;
  }

  /** Fills the page and asks for the link's state; done when the controls' values are known. @param {Record<string, any>} places */
  async open(places) {
    await this.prepare(places);
    this.build(places);
    this.onNarrow(() => void this.update(this.wished ?? location.search.slice(1)));
    window.addEventListener("online", () => {
      if (this.retry) void this.again();
    });
    /** @type {Promise<void>} */
    const opened = new Promise((resolve) => {
      this.opened = () => {
        this.isOpen = true;
        resolve();
      };
    });
    void this.update(location.search.slice(1));
    await opened;
  }

  /** What one page adds before its first picture. @param {Record<string, any>} _places */
  build(_places) {}

  /** @param {string} name @param {any} value */
  changed(name, value) {
    if (!this.canonicalValues || !this.isNews(name, value)) return;
    const before = /** @type {Values} */ ({ ...this.values, [name]: value });
    const after = "tie" in this.settings.defaults ? tied(before, name) : before;
    this.move(
      after,
      ["d_k", "tie"].some((key) => after[key] !== before[key]),
    );
  }

  /** Takes another seed. */
  newDraw() {
    this.move({ ...this.values, seed: Math.floor(Math.random() * this.settings.seedMaximum) }, true);
  }

  /** @param {Values} values @param {boolean} tellControls whether gradio's controls have to be moved as well */
  move(values, tellControls) {
    this.values = values;
    clearTimeout(this.settling); // what the last answer found is no longer what is asked
    if (tellControls) this.tellControls();
    this.fit();
    // A page that takes files computes nothing until one is there; on every other page `source` means nothing.
    if (values.source === "upload" && !this.upload && this.uploadBox) this.uploadBox.invite();
    else void this.update(this.asking());
  }

  /** Asks once more; until the server has read the link, for the link itself. */
  again() {
    return this.update(this.canonicalValues ? this.asking() : (this.wished ?? location.search.slice(1)));
  }

  /** The link that the controls make. */
  asking() {
    return query({ ...this.values, lang: this.chosenLanguage ?? undefined });
  }

  /** Shows the controls that mean something now; a page says which do not. */
  fit() {
    const hidden = this.meaningless(this.values);
    for (const name of this.settings.controls) {
      document.getElementById(`control-${name}`)?.classList.toggle("not-now", hidden.includes(name));
    }
  }

  /** @param {Values} _values @returns {string[]} names of controls */
  meaningless(_values) {
    return [];
  }

  /** Asks for the picture of a link; only the newest wish is kept while one is under way. @param {string} asked */
  update(asked) {
    clearTimeout(this.retry);
    clearTimeout(this.settling);
    this.wished = asked;
    this.#outdate();
    return this.ask(asked);
  }

  /** Where the server is asked. */
  get route() {
    return `page/${this.settings.page}`;
  }

  /** What this page tells the server besides its state. @returns {Record<string, any>} */
  more() {
    return {};
  }

  /** Ends the update under way if it is old and another one is wanted; one that only waits for a busy server is ended during a drag as well. */
  #outdate() {
    clearTimeout(this.outdating);
    const { underWay } = this;
    if (!underWay || underWay.asked === this.wished) return;
    const still = underWay.waits ? 0 : REST;
    this.outdating = setTimeout(
      () => underWay.controller.abort(),
      Math.max(still, underWay.began + OLD - performance.now()),
    );
  }

  /** @param {string} asked */
  async #fulfil(asked) {
    const controller = new AbortController();
    const underWay = { asked, controller, began: performance.now(), waits: false };
    this.underWay = underWay;
    const waits = (/** @type {string | null} */ sentence) => {
      underWay.waits = sentence !== null;
      this.message.wait(underWay, sentence);
      this.#outdate();
    };
    const busy = setTimeout(() => this.busy(true), PATIENT);
    for (const hash of [...this.known.keys()].slice(0, -MOST_KNOWN)) this.known.delete(hash);
    try {
      const said = this.said(asked, { known: [...this.known.keys()], ...this.more() });
      const answer = await this.server.ask(this.route, said, this.enclosed(), { signal: controller.signal, waits });
      for await (const part of parts(answer.body)) {
        if (part.header.part === "error") throw refusalOf(part.header);
        await this.took(part, asked === this.wished);
      }
      this.failures = 0;
      this.message.fail(null);
    } catch (problem) {
      if (!controller.signal.aborted) this.failed(problem, asked);
    }
    this.underWay = null;
    clearTimeout(this.outdating);
    clearTimeout(busy);
    if (controller.signal.aborted) return; // the newest wish follows at once
    this.busy(false);
    this.opened();
  }

  /** One part of an answer; a page takes its own kinds and leaves the rest to this. @param {Part} part @param {boolean} newest */
  async took(part, newest) {
    if (part.header.part === "state") {
      const header = /** @type {State} */ (part.header);
      this.accept(header);
      this.accepted(header, newest);
    } else if (part.header.part === "figures") {
      await this.show(part, this.present);
    }
  }

  /** Takes over the state that the server made of the wish. @param {Pick<State, "query" | "controls">} header */
  accept({ query: canonical, controls }) {
    const first = !this.canonicalValues;
    if (first) this.values = { ...controls };
    this.canonical = canonical;
    this.canonicalValues = controls;
    if (first && this.isOpen) this.tellControls(); // the page has opened without an answer, on its defaults
    this.chosenLanguage = new URLSearchParams(canonical).get("lang");
  }

  /** Tells the visitor about it. @param {Pick<State, "query" | "notices">} header @param {boolean} newest whether nothing else was asked for since */
  accepted({ query: canonical, notices }, newest) {
    this.message.notify(notices);
    this.fit();
    this.remember(canonical);
    if (newest) this.#settle();
    this.opened();
  }

  /** Paints the figures of a part. @param {Part} part @param {string} painted the state they show */
  async show({ header, blocks }, painted) {
    for (const [name, entry] of Object.entries(header.drawings)) {
      await this.draw(name, revive(entry, blocks, this.known), entry.hash, painted);
    }
    for (const [name, entry] of Object.entries(header.tables)) {
      this.figure(name).block.tabulate(revive(entry, blocks, this.known));
    }
    for (const [name, sentence] of Object.entries(header.summaries)) this.figure(name).block.say(sentence);
    if (header.insight) this.conclude(header.insight, painted);
  }

  /** Says what the figures show. @param {string[]} sentences @param {string} painted the state they speak of */
  conclude(sentences, painted) {
    const { element: place } = this.place.insight;
    const said = sentences.map((sentence) => element("p", {}, sentence));
    place.replaceChildren(element("div", { className: "insight" }, ...said));
    place.dataset.painted = painted;
  }

  /** What stands is a picture of the present state as well: nothing new was needed for it. */
  stands() {
    for (const [name, { root }] of this.figures) {
      if (this.drawn.has(name)) void markPainted(root, this.present);
      else delete root.dataset.error;
    }
  }

  /** Says what went wrong; asks again where that may help. @param {any} problem @param {string} asked */
  failed(problem, asked) {
    const refused = problem instanceof Refusal;
    const final = isFinal(problem);
    if (final && !this.canonicalValues) {
      // the way out is another setting, so the controls count as they stand
      this.canonicalValues = this.values;
      this.chosenLanguage = new URLSearchParams(asked).get("lang");
      this.fit();
    }
    this.message.fail(refused ? problem.message : this.text("live.lost"));
    for (const { root } of this.figures.values()) markFailed(root, this.message.error.textContent);
    if (final || asked !== this.wished) return;
    this.failures += 1;
    this.retry = setTimeout(() => void this.update(asked), backOff(this.failures));
  }

  /** Once a drag has come to rest, controls that show something impossible take the server's value. */
  #settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settled = this.canonical;
      const differ = this.settings.controls.filter(
        (name) => name !== "text" && name !== "lang" && String(this.values[name]) !== String(this.agreed[name]),
      );
      if (!differ.length) return;
      const typed = typedControl();
      if (typed && differ.includes(typed)) return this.#settle(); // once the box is left
      for (const name of differ) this.values[name] = this.agreed[name];
      this.tellControls();
    }, 700);
  }
}
