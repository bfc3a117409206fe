/** What each head costs, where that takes a run of its own: with its price, progress, place in line, and cancel. */

import { element } from "../../dom/dom.js";
import { Run } from "../../page/run.js";

export class HeadCosts {
  #page;
  #run;
  #root;
  #said = element("p", { className: "said" });
  #box = element("div");
  /** The state of the newest run, as its link. @type {string} */
  #of = "";

  /** @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage} page */
  constructor(place, page) {
    this.#page = page;
    this.#root = element("div", { className: "head-costs", hidden: true }, this.#said, this.#box);
    place.replaceChildren(this.#root);
    this.#run = new Run(this.#box, page, {
      name: "costs",
      start: "muting.run",
      more: () => ({ costs: true }),
      onPart: () => {},
      onStart: () => {
        this.#of = this.#now;
      },
      onEnd: (how) => {
        if (how === "ended") void page.updates.again();
        else if (how === "cancelled") this.#run.say(this.#of === this.#now ? "muting.cancelled" : null);
      },
    });
  }

  /** @returns {string} what the costs are of: what is read, and what is changed */
  get #now() {
    const { model, text, target, pictures, sound, changes } = this.#page.state.agreed;
    return JSON.stringify([model, text, target, pictures, sound, changes]);
  }

  /** Offer the run for costs that are lacking. @param {import("../../../types/wire.js").Model["costing"]} lacking */
  offer(lacking) {
    if (this.#run.running && this.#of !== this.#now) this.#run.cancel();
    this.#root.hidden = lacking === null;
    if (lacking === null) return;
    this.#box.hidden = lacking.seconds === 0;
    const [key, seconds] = lacking.seconds ? ["muting.price", Math.ceil(lacking.seconds)] : ["muting.nothing", 0];
    this.#said.textContent = this.#page.text(key, { heads: lacking.heads, seconds });
    if (!this.#run.running && this.#of !== this.#now) this.#run.say(null);
  }
}
