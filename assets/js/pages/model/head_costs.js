/** What each head costs, or carries of a second text, where that takes a run: with its price, progress, and cancel. */

import { element } from "../../dom/dom.js";
import { Run } from "../../page/run.js";

/**
 * @typedef {{text: string, other: string, answer: string}} Example
 * @typedef {{patchExamples: Record<string, Example>}} Settings
 */

const PATCHES = ["noise", "denoise"];
/** What a link takes from a second text by: without a meaning elsewhere. */
const PATCHING = ["other", "answer", "patch", "patch_at"];

/** Return the controls without a meaning. @param {import("../../link/values.js").Values} values @returns {string[]} */
export const unpatched = ({ cost }) => (PATCHES.includes(String(cost)) ? [] : PATCHING);

/**
 * Say what is on a head's map.
 * @param {import("../../page/live_page.js").LivePage<never>["text"]} text @param {unknown} cost the link's @param {number} nats
 */
export const tileSaid = (text, cost, nats) =>
  text(PATCHES.includes(String(cost)) ? `patching.tile.${cost}` : "muting.tile", { nats });

export class HeadCosts {
  #page;
  #run;
  #root;
  #said = element("p", { className: "said" });
  #box = element("div");
  #example = element("button", { type: "button", className: "tool", hidden: true });
  /** The state of the newest run, as its link. @type {string} */
  #of = "";

  /** @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage<Settings>} page */
  constructor(place, page) {
    this.#page = page;
    this.#root = element("div", { className: "head-costs", hidden: true }, this.#said, this.#example, this.#box);
    this.#example.textContent = page.text("patching.example");
    this.#example.onclick = () => page.move({ ...page.state.values, ...this.#ready, row: null, key: -1 }, true);
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
    const { model, text, target, pictures, sound, changes, cost } = this.#page.state.agreed;
    const second = PATCHING.map((name) => this.#page.state.agreed[name]);
    return JSON.stringify([model, text, target, pictures, sound, changes, cost, second]);
  }

  /** @returns {Example} two texts and an answer that the model knows */
  get #ready() {
    const { patchExamples } = this.#page.settings;
    return patchExamples[String(this.#page.state.values.model)] ?? patchExamples[""];
  }

  /** Offer the run for costs that are lacking. @param {import("../../../types/wire.js").Model["costing"]} lacking */
  offer(lacking) {
    if (this.#run.running && this.#of !== this.#now) this.#run.cancel();
    this.#root.hidden = lacking === null;
    if (lacking === null) return;
    const patches = PATCHES.includes(String(this.#page.state.agreed.cost));
    this.#run.call(patches ? "patching.run" : "muting.run");
    this.#example.hidden = !patches || !lacking.refused;
    this.#box.hidden = lacking.seconds === 0;
    const [key, seconds] = lacking.seconds ? ["muting.price", Math.ceil(lacking.seconds)] : ["muting.nothing", 0];
    this.#said.textContent = lacking.refused || this.#page.text(key, { heads: lacking.heads, seconds });
    if (!this.#run.running && this.#of !== this.#now) this.#run.say(null);
  }
}
