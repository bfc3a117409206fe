/** The computation of a map: its plan, its run, which starts unasked if it is short, and the map that comes. */

import { Run } from "../../page/run.js";
import { save } from "../../files/clipboard.js";
import { revive } from "../../server/wire.js";
import { subject } from "./link.js";
import { Model } from "./model.js";

/** Shorter runs, in seconds and with their wait, start unasked. */
const AT_ONCE = 5;
/** Milliseconds of rest before a short run starts unasked. */
const REST = 500;

/** @typedef {import("../../../types/wire.js").Part} Part */

/**
 * @typedef {object} Rules what follows on the page
 * @property {() => void} began
 * @property {(model: Model) => void} opened a map has come, without weights
 * @property {() => void} grown weights have come
 * @property {(header: import("../../../types/wire.js").Figures, blocks: ArrayBuffer) => void} told its words and tables have come
 * @property {(ended: boolean) => void} over the run is over; false: it did not come to its end
 */

export class Computation {
  /** The map on screen. @type {Model | null} */
  model = null;
  /** The newest plan. @type {import("../../../types/wire.js").Plan | null} */
  plan = null;
  #page;
  #version;
  /** The map on screen when the run began. @type {Model | null} */
  #replaced = null;
  /** The subject of the newest run. */
  #computing = "";
  /** The timer of a run that starts unasked. @type {number | null} */
  #starting = null;

  /**
   * @param {HTMLElement} root @param {import("./host.js").Page} page
   * @param {() => number} version of what the visitor brought: links do not distinguish it
   * @param {Rules} rules
   */
  constructor(root, page, version, rules) {
    this.#page = page;
    this.#version = version;
    this.run = new Run(root, page, {
      start: "map.start",
      onPart: (part) => this.#take(part, rules),
      onStart: () => {
        this.#computing = this.subject;
        this.#replaced = this.model;
        rules.began();
      },
      onEnd: (how) => rules.over(how === "ended"),
    });
    this.run.go.addEventListener(
      "click",
      (event) => {
        event.stopImmediatePropagation();
        this.compute();
      },
      true,
    );
  }

  /** Name of the computation that the link means; equal for equal maps. */
  get subject() {
    const { state, settings } = this.#page;
    return `${subject(state.present, settings.viewing)}#${this.#version()}`;
  }

  /** True if the map on screen matches the controls. */
  get current() {
    return this.model?.subject === this.subject;
  }

  /** True if the map on screen is of other settings. */
  get isOld() {
    return this.model !== null && !this.current;
  }

  /** True if the newest run has not brought its map. */
  get isKept() {
    return this.model !== null && this.model === this.#replaced;
  }

  /** True while a run is under way or starts unasked. */
  get isComputing() {
    return this.run.running || this.#starting !== null;
  }

  /** Follow a plan: end a run that is not wanted any more, start a short one. @param {import("../../../types/wire.js").Plan} plan */
  follow(plan) {
    const { run, subject: wanted } = this;
    const first = !this.plan;
    this.plan = plan;
    this.#stay();
    const busy = run.running && this.#computing === wanted;
    if (this.#computing !== wanted) run.cancel();
    if (!run.running && !run.lost) run.say(this.isOld ? "map.not_computed" : null);
    const alike = plan.expected_seconds * (1 + plan.before); // if the runs ahead are as long as this one
    if (this.current || busy || run.lost || alike > AT_ONCE) return;
    this.#starting = setTimeout(
      () => {
        this.#starting = null;
        if (this.subject === wanted) this.compute();
      },
      first ? 0 : REST,
    );
  }

  /** Start no run unasked. */
  #stay() {
    clearTimeout(this.#starting ?? undefined);
    this.#starting = null;
  }

  compute() {
    this.#stay();
    void this.run.start({ replaces: this.model?.id ?? null });
  }

  /** Have every head's numbers of the whole text made as a file, as a run of its own. */
  heads() {
    this.#stay();
    void this.run.start({ wanted: "heads" });
  }

  /** Take a part of the run's answer. @param {Part} part @param {Rules} rules */
  #take({ header, blocks }, rules) {
    const { known } = this.#page.figures;
    const { model } = this;
    if (header.part === "map") {
      this.model = new Model(header, revive(header.values, blocks, known), this.#computing);
      rules.opened(this.model);
    } else if (header.part === "overview") {
      model?.weights.overview.take(revive(header.values, blocks, known));
      rules.grown();
    } else if (header.part === "strips") {
      model?.statistics.take(revive(header.values, blocks, known));
    } else if (header.part === "figures") {
      if (model) model.sinks = header.sinks ?? [];
      rules.told(header, blocks);
    } else if (header.part === "file") {
      const { name, bytes } = revive(header.values, blocks, known);
      save(new Blob([bytes]), name);
    } else if (header.part === "ended" && model) {
      model.ready = true;
    }
  }
}
