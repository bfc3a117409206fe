/** The line that states the cost of a map, and the line over it: what it shows if not all fits, and how to draw it if nothing is drawn. */

import { element } from "../../dom/dom.js";
import { explained, plainly } from "../../reasons/reasons.js";

export class PlanLines {
  cost = element("p", { id: "map-plan" });
  over = element("p", { id: "map-over", role: "status", hidden: true });
  #text;

  /** @param {import("./host.js").Text} text */
  constructor(text) {
    this.#text = text;
  }

  /**
   * Write both lines; none without a plan. While a run tells the time that is left, the plan tells none.
   * @param {import("./computation.js").Computation} computation
   */
  write({ plan, model, run, isComputing }) {
    if (!plan) return;
    const sentences = plan.sentences.slice(run.running ? 1 : 0);
    this.cost.title = sentences.map(plainly).join(" ");
    this.cost.replaceChildren(...inARow(sentences));
    const over = [...(model ?? plan).cut];
    if (!model && !isComputing) over.push(this.#text("map.waits", { start: this.#text("map.start") }));
    this.over.hidden = !over.length;
    this.over.replaceChildren(...inARow(over));
  }
}

/** Return the nodes of sentences one after the other. @param {import("../../../types/wire.js").Sentence[]} sentences */
const inARow = (sentences) => sentences.flatMap((one, i) => [i ? " " : "", ...explained(one)]);
