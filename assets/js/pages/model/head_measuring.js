/** Measuring a loaded model's heads over the corpus: a run that begins by itself, with its progress and cancel. */

import { element } from "../../dom/dom.js";
import { Run } from "../../page/run.js";

export class HeadMeasuring {
  #page;
  #run;
  #root;
  #said = element("p", { className: "said" });
  #box = element("div");
  /** The models whose measuring has begun by itself. @type {Set<unknown>} */
  #begun = new Set();
  /** The model of the newest run. @type {unknown} */
  #of = null;
  /** True if the run that has just ended only waited for another's. */
  #again = false;

  /** @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage} page */
  constructor(place, page) {
    this.#page = page;
    this.#root = element("div", { className: "head-measuring", hidden: true }, this.#said, this.#box);
    place.replaceChildren(this.#root);
    this.#run = new Run(this.#box, page, {
      name: "measure",
      start: "model.measure",
      waiting: (atOnce) => (atOnce === 1 ? "model.waiting" : "run.waiting"),
      more: () => ({ measure: true }),
      onPart: ({ header }) => {
        if (header.part === "ended") this.#again = header.again === true;
      },
      onStart: () => {
        this.#of = this.#now;
        this.#said.textContent = page.text("model.measuring");
      },
      onEnd: (how) => this.#ended(how),
    });
  }

  get #now() {
    return this.#page.state.agreed.model;
  }

  /** Measure the heads of the model that is shown, or say why not; null if there is nothing to measure. @param {string | null} why */
  offer(why) {
    if (this.#run.running && this.#of !== this.#now) this.#run.cancel();
    this.#root.hidden = why === null;
    this.#box.hidden = Boolean(why);
    if (why) this.#said.textContent = this.#page.text("model.not_measurable", { why });
    if (why !== "" || this.#run.running) return;
    this.#said.textContent = this.#page.text("model.heads_not_measured");
    if (this.#begun.has(this.#now)) return;
    this.#begun.add(this.#now);
    void this.#run.start();
  }

  /** @param {import("../../page/run.js").State} how */
  #ended(how) {
    if (this.#of !== this.#now) return;
    if (how === "ended" && this.#again) {
      void this.#run.start();
    } else if (how === "ended") {
      void this.#page.updates.again();
    } else {
      this.#said.textContent = this.#page.text("model.heads_not_measured");
      if (how === "cancelled") this.#run.say(null);
    }
  }
}
