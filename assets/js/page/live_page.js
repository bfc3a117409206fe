/** A page that asks the server once per move: controls → link → parts → figures. */

import { ofState } from "../link/address.js";
import { backOff } from "../server/backoff.js";
import { attend, greet } from "./classroom.js";
import { query, read, tied } from "../link/values.js";
import { element } from "../dom/dom.js";
import { latest } from "../server/latest.js";
import { lookIn, lookOf, looking, valuesOf } from "../link/look.js";
import { show, showWithFigures } from "./outline.js";
import { markFailed } from "../figures/painted.js";
import { paragraph } from "../reasons/reasons.js";
import { Refusal, isFinal, refusalOf } from "../server/server.js";
import { Sentences } from "./sentences.js";
import { Shell } from "./shell.js";
import { Ways } from "./ways.js";
import { typesetIn } from "../words/symbols.js";
import { typedControl } from "../controls/typing.js";
import { parts, revive } from "../server/wire.js";

/** Age in milliseconds from which an unwanted update is cancelled, on the server as well. */
const OLD = 1000;
/** Milliseconds of rest before that: a drag over slow states then still paints some of them. */
const REST = 250;
/** Milliseconds before a figure is marked as busy: most updates are painted by then. */
const PATIENT = 250;
/** Structures kept and named to the server; it reads at most these. */
const MOST_KNOWN = 60;

/**
 * @typedef {import("../../types/wire.js").State} State
 * @typedef {import("../../types/wire.js").Part} Part
 * @typedef {import("../link/values.js").Values} Values
 * @typedef {import("./presence.js").Cell} Cell
 *
 * @typedef {object} UnderWay the update that the server is working on
 * @property {string} asked
 * @property {AbortController} controller
 * @property {number} began
 * @property {boolean} waits true while the server is busy
 */

/**
 * @template {object} [More={}] further settings of this page from Python
 * @extends {Shell<More>}
 */
export class LivePage extends Shell {
  /** @type {Sentences | undefined} */
  sentences;
  /** The upload box; null on a page that takes no files. @type {{invite: () => void} | null} */
  uploadBox = null;
  /** The wanted state; null before the page opens. @type {string | null} */
  wished = null;
  /** The state of the controls at rest. @type {string | null} */
  settled = null;
  /** @type {UnderWay | null} */
  underWay = null;
  /** Failures in a row. */
  failures = 0;
  /** Timers of the next try, of controls at rest, of an old update's end. */
  retry = 0;
  settling = 0;
  outdating = 0;
  isOpen = false;
  /** Resolves when all that was asked for until now has been answered, or has failed. @type {Promise<void>} */
  answered = Promise.resolve();
  /** Called when the controls' values are known. */
  opened = () => {};

  /** @param {import("./shell.js").Settings & More} settings @param {(page: LivePage) => import("./later.js").Later} later */
  constructor(settings, later) {
    super(settings);
    this.later = later(this);
    this.ways = new Ways(this);
    this.ask = latest((/** @type {string} */ wish) => this.#fulfil(wish));
  }

  /** Ask for the first picture: the very question of `open`, unless something changes before. @param {string} css */
  ahead(css) {
    super.ahead(css);
    const asked = ofState(location.search);
    if (!asked.includes("source=upload")) this.server.ahead(this.route, this.#said(asked));
  }

  /** @param {string} asked */
  #said(asked) {
    for (const hash of [...this.figures.known.keys()].slice(0, -MOST_KNOWN)) this.figures.known.delete(hash);
    return this.said(asked, { known: [...this.figures.known.keys()], ...this.more() });
  }

  /** Fill the page and ask for the link's state; resolves when the controls' values are known. @param {Record<string, import("../dom/dom.js").Place>} places */
  async open(places) {
    await this.prepare(places);
    this.leader.onChange(() => this.pageLinks.follow());
    this.build(places);
    typesetIn(document.body);
    this.onNarrow(() => void this.update(this.wished ?? ofState(location.search)));
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
    const patience = setTimeout(show, PATIENT);
    void this.update(ofState(location.search));
    await opened;
    clearTimeout(patience);
    showWithFigures();
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) this.leader.tell({ type: "back" });
    });
    attend(this);
  }

  /** Build the page's own parts, before its first picture. @param {Record<string, import("../dom/dom.js").Place>} _places */
  build(_places) {}

  /** @param {string} name @param {import("../link/values.js").Value} value */
  changed(name, value) {
    if (!this.state.canonicalValues || !this.isNews(name, value)) return;
    const before = /** @type {Values} */ ({ ...this.state.values, [name]: value });
    const after = "tie" in this.settings.defaults ? tied(before, name) : before;
    this.move(
      after,
      ["d_k", "tie"].some((key) => after[key] !== before[key]),
    );
  }

  /** Take another seed. */
  newDraw() {
    this.move({ ...this.state.values, seed: Math.floor(Math.random() * this.settings.seedMaximum) }, true);
  }

  /**
   * Show the state of a link, as a lesson or a teacher does: on this page without loading anything, else on its own. Language,
   * theme and what belongs to the tab stay.
   * @param {string} link @param {import("../link/address.js").TabChange} [change] of what belongs to the tab, if another page is loaded
   */
  async goTo(link, change = {}) {
    const to = new URLSearchParams(link).get("page") ?? this.settings.first;
    if (to !== this.settings.page) {
      await this.ways.turnTo(link, false, change);
      return;
    }
    const lang = { lang: this.state.values.lang };
    this.leader.guide(() => {
      this.presenter.show(lookIn(link));
      this.state.values = { ...this.state.values, ...valuesOf(this.presenter.look) };
      this.adopt({ ...read(link, this.settings.defaults), ...lang });
    });
  }

  /** Take the values of a link. @param {Values} values */
  adopt(values) {
    this.move(values, true);
  }

  /** Take away a verdict that stands beside its state: a lesson has gone on. */
  leaveVerdict() {}

  /** Point at a cell as a teacher does; pages with cells override this. @param {Cell | null} _at */
  pointAt(_at) {}

  /** True if an answer is revealed without a run of minutes. */
  get revealsAtOnce() {
    return true;
  }

  /** Show another look at once; the server writes its link. @param {import("../link/look.js").Look} look */
  look(look) {
    const { focus, hide } = this.presenter.look;
    const own = focus === look.focus && String(hide) === String(look.hide); // large type is the visitor's own
    if (!own && !this.leader.allows("look")) return;
    super.look(look);
    if (this.state.canonicalValues) {
      this.state.values = { ...this.state.values, ...valuesOf(look) };
      void this.update(this.asking());
    } else {
      void this.update(looking(this.wished ?? ofState(location.search), look));
    }
  }

  /** @param {Values} values @param {boolean} tellControls true moves gradio's controls as well */
  move(values, tellControls) {
    if (!this.leader.allows("move")) {
      this.tellControls(); // they go back to the state that stays
      return;
    }
    this.state.values = { ...values, ...valuesOf(lookOf(this.state.values)) }; // no move changes what a class sees
    clearTimeout(this.settling); // the last answer is out of date
    if (tellControls) this.tellControls();
    this.fit();
    // A page that takes files computes nothing before the upload; other pages ignore `source`.
    if (values.source === "upload" && !this.state.upload && this.uploadBox) this.uploadBox.invite();
    else void this.update(this.asking());
  }

  /** Ask again: for the link itself until the server has read it. */
  again() {
    return this.update(this.state.canonicalValues ? this.asking() : (this.wished ?? ofState(location.search)));
  }

  /** Return the link of the controls. */
  asking() {
    return query({ ...this.state.values, lang: this.state.chosenLanguage ?? undefined });
  }

  /** Show the controls that have an effect; `meaningless` names the others. */
  fit() {
    const hidden = this.meaningless(this.state.values);
    for (const name of this.settings.controls) {
      document.getElementById(`control-${name}`)?.classList.toggle("not-now", hidden.includes(name));
    }
  }

  /** @param {Values} _values @returns {string[]} names of controls */
  meaningless(_values) {
    return [];
  }

  /** Ask for the picture of a link; during a request only the newest wish is kept. @param {string} asked */
  update(asked) {
    clearTimeout(this.retry);
    clearTimeout(this.settling);
    this.wished = asked;
    this.#outdate();
    this.answered = this.ask(asked);
    return this.answered;
  }

  /** The route of this page's updates. */
  get route() {
    return `page/${this.settings.page}`;
  }

  /** Return what this page sends besides its state. @returns {Record<string, unknown>} */
  more() {
    return {};
  }

  /** Cancel an old update if another is wanted; during a drag, too, if it only waits for a busy server. */
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
    const busy = setTimeout(() => this.figures.busy(true), PATIENT);
    try {
      const said = this.#said(asked);
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
    this.figures.busy(false);
    this.opened();
  }

  /** Take one part of an answer; a page overrides this for its own kinds. @param {Part} part @param {boolean} newest */
  async took(part, newest) {
    if (part.header.part === "state") {
      this.accept(part.header);
      this.accepted(part.header, newest);
    } else if (part.header.part === "figures") {
      await this.show(part.header, part.blocks, this.state.present);
    }
  }

  /** Adopt the state that the server made of the wish. @param {Pick<State, "query" | "controls">} header */
  accept({ query: canonical, controls }) {
    const first = !this.state.canonicalValues;
    if (first) {
      this.state.values = { ...controls };
      if (this.presenter.chosen) Object.assign(this.state.values, valuesOf(this.presenter.look));
      else this.presenter.show(lookOf(controls));
      this.state.arrive({ ...controls });
    }
    this.state.canonical = canonical;
    this.state.canonicalValues = controls;
    if (first && this.isOpen) this.tellControls(); // the page opened without an answer, on its defaults
    this.state.chosenLanguage = new URLSearchParams(canonical).get("lang");
  }

  /** Tell the visitor about the state. @param {Pick<State, "query" | "notices">} header @param {boolean} newest true if nothing newer was asked */
  accepted({ query: canonical, notices }, newest) {
    this.message.notify(notices);
    this.fit();
    this.presence.arrive(canonical);
    if (newest) this.#settle();
    this.opened();
  }

  /**
   * Paint the figures of a part.
   * @param {import("../../types/wire.js").Figures} header @param {ArrayBuffer} blocks @param {string} painted their state
   */
  async show(header, blocks, painted) {
    for (const [name, entry] of Object.entries(header.drawings)) {
      await this.figures.draw(name, revive(entry, blocks, this.figures.known), entry.hash, painted);
    }
    for (const [name, entry] of Object.entries(header.tables)) {
      this.tabulate(name, revive(entry, blocks, this.figures.known), painted);
    }
    for (const [name, sentence] of Object.entries(header.summaries)) this.figures.of(name).block.say(sentence);
    if (header.insight) this.conclude(header.insight, painted);
  }

  /**
   * Show a figure's table, whose numbers can be asked.
   * @param {string} name @param {import("../files/csv.js").Table} table @param {string} state of the table
   */
  tabulate(name, table, state) {
    const { columns } = table;
    this.figures
      .of(name)
      .block.tabulate(table, (line) =>
        columns.some(({ made }) => made)
          ? Promise.resolve(columns.map(({ made = [] }) => made.at(made.length === 1 ? 0 : line) ?? ""))
          : this.arithmetic({ table: name, line }, state),
      );
  }

  /** Return the arithmetic of one line of a table. @param {Record<string, unknown>} line @param {string} state */
  async arithmetic(line, state) {
    const answer = await this.server.ask(`${this.route}/arithmetic`, this.said(state, line), this.enclosed());
    for await (const { header } of parts(answer.body)) if (header.part === "arithmetic") return header.made;
    return [];
  }

  /** Write the sentences about the figures. @param {import("../../types/wire.js").Sentence[]} sentences @param {string} painted their state */
  conclude(sentences, painted) {
    const { element: place } = this.place.insight;
    this.tell(element("div", { className: "insight" }, ...sentences.map(paragraph)));
    place.dataset.painted = painted;
  }

  /** Show a box of sentences above the figures. @param {HTMLElement} box */
  tell(box) {
    this.sentences ??= new Sentences(this.place.insight.element, (key) => this.text(key));
    greet(this, box);
    this.sentences.show(box);
  }

  /** Report a problem; ask again if that may help. @param {unknown} problem @param {string} asked */
  failed(problem, asked) {
    const refused = problem instanceof Refusal;
    const final = isFinal(problem);
    if (final && !this.state.canonicalValues) {
      // the way out is another setting, so the controls' values count
      this.state.canonicalValues = this.state.values;
      this.state.chosenLanguage = new URLSearchParams(asked).get("lang");
      this.fit();
    }
    this.message.fail(refused ? problem.message : this.text("live.lost"));
    for (const { root } of this.figures.all.values()) markFailed(root, this.message.error.textContent);
    if (final || asked !== this.wished) return;
    this.failures += 1;
    this.retry = setTimeout(() => void this.update(asked), backOff(this.failures));
  }

  /** Hear that the controls rest. */
  rested() {}

  /** After a drag, give impossible controls the server's value. */
  #settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settled = this.state.canonical;
      this.rested();
      const differ = this.settings.controls.filter(
        (name) =>
          name !== "text" && name !== "lang" && String(this.state.values[name]) !== String(this.state.agreed[name]),
      );
      if (!differ.length) return;
      const typed = typedControl();
      if (typed && differ.includes(typed)) return this.#settle(); // again later: the visitor is typing there
      for (const name of differ) this.state.values[name] = this.state.agreed[name];
      this.tellControls();
    }, 700);
  }
}
