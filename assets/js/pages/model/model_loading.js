/**
 * What a chosen model lacks: it is fetched from the Hub, then loaded, each as a run with progress that can be cancelled. What
 * is light, or the owner's own, begins by itself.
 */

import { element } from "../../dom/dom.js";
import { Run } from "../../page/run.js";

/** @typedef {import("../../../types/wire.js").Unloaded} Unloaded */

export class ModelLoading {
  #page;
  #run;
  /** The model that is not there yet. @type {Unloaded | null} */
  #lacks = null;
  /** The model of the newest run. @type {unknown} */
  #loads = null;
  /** The models whose load has begun by itself: a second one waits for a press. @type {Set<string>} */
  #begun = new Set();
  /** True if the run that has just ended only waited for another's. */
  #again = false;
  #size = element("p", { className: "said" });
  #facts = element("p", { className: "model-facts" });
  #root;

  /** @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage} page */
  constructor(place, page) {
    this.#page = page;
    const box = element("div");
    this.#root = element("div", { className: "model-loading", hidden: true }, this.#size, this.#facts, box);
    place.replaceChildren(this.#root);
    this.#run = new Run(box, page, {
      start: "model.load",
      waiting: (atOnce) => (this.#fetches ? "hub.waiting" : atOnce === 1 ? "model.waiting" : "run.waiting"),
      more: () => (this.#fetches ? { fetch: true } : {}),
      onPart: ({ header }) => {
        if (header.part !== "ended") return;
        this.#again = header.again === true;
        if (header.megabytes && this.#lacks) this.#lacks.megabytes = header.megabytes;
      },
      onStart: () => {
        this.#loads = page.state.agreed.model;
        this.#sized(this.#under);
      },
      onEnd: (how) => this.#ended(how),
    });
  }

  /** True if nothing has to be loaded. */
  get hidden() {
    return this.#root.hidden;
  }

  /** Offer to load a model. @param {Unloaded} found */
  offer(found) {
    this.#lacks = found;
    this.#sized(this.#run.running ? this.#under : found.key);
    this.#run.call(this.#fetches ? "hub.fetch" : "model.load");
    this.#facts.textContent = this.#told(found);
    this.#root.hidden = false;
    this.#endOther();
    if (this.#run.running) return;
    this.#run.say(null);
    if (found.auto && !this.#begun.has(found.model)) {
      this.#begun.add(found.model);
      void this.#run.start();
    }
  }

  /** Tell what is known of a model before it is there. @param {Unloaded} found @returns {string} */
  #told({ takes, layers, h, licence }) {
    const text = (/** @type {string} */ key, fields = {}) => this.#page.text(key, fields);
    const facts = [
      takes && text(`hub.takes.${takes}`),
      layers && h ? text("model.layers_heads", { layers, h }) : "",
      licence,
    ];
    return facts.filter(Boolean).join(" · ");
  }

  /** Leave: the model of the link is there. */
  leave() {
    this.#root.hidden = true;
    this.#endOther();
  }

  get #fetches() {
    return this.#lacks?.here === false;
  }

  get #under() {
    return this.#fetches ? "hub.fetching" : "model.loading";
  }

  /** @param {import("../../page/run.js").State} how */
  #ended(how) {
    const of = this.#loads === this.#page.state.agreed.model;
    if (how === "ended" && this.#again && of) {
      void this.#run.start();
    } else if (how === "ended" && this.#fetches && this.#lacks && of) {
      this.#lacks = { ...this.#lacks, here: true, key: "model.unloaded" };
      this.#run.call("model.load");
      void this.#run.start();
    } else if (how === "ended") {
      void this.#page.updates.again();
    } else {
      if (how === "cancelled") this.#run.say(of ? "model.cancelled" : null);
      if (this.#lacks) this.#sized(this.#lacks.key);
    }
  }

  /** End the run of a model that the visitor has left: its progress would stand beside another's name, or nowhere. */
  #endOther() {
    if (this.#run.running && this.#loads !== this.#page.state.agreed.model) this.#run.cancel();
  }

  /** Say how large the model is that is not there yet. @param {string} key */
  #sized(key) {
    if (this.#lacks) this.#size.textContent = this.#page.text(key, this.#lacks);
  }
}
