/** The tables and sentences of the map on screen; none of them while they would answer a question. */

import { revive } from "../../server/wire.js";

/**
 * @typedef {object} Words
 * @property {[string, import("../../files/csv.js").Table][]} tables
 * @property {Record<string, string>} summaries
 * @property {import("../../../types/wire.js").Sentence[]} insight
 */

export class Told {
  #page;
  #asking;
  /** @type {Words | null} */
  #words = null;

  /** @param {import("./host.js").Page} page @param {{waits: boolean}} asking */
  constructor(page, asking) {
    this.#page = page;
    this.#asking = asking;
  }

  /** @param {import("../../../types/wire.js").Figures} header @param {ArrayBuffer} blocks */
  take({ tables, summaries, insight }, blocks) {
    const { known } = this.#page.figures;
    /** @type {Words["tables"]} */
    const all = Object.entries(tables).map(([name, entry]) => [name, revive(entry, blocks, known)]);
    this.#words = { tables: all, summaries, insight: insight ?? [] };
    this.write();
  }

  /** Write them, or take them away. */
  write() {
    if (!this.#words) return;
    const { tables, summaries, insight } = this.#words;
    const { figures, answers, state } = this.#page;
    const { telling } = answers;
    const { waits } = this.#asking;
    for (const name of ["map", "strips"]) figures.of(name).block.silence();
    if (!waits) {
      for (const [name, table] of tables) telling.tabulate(name, table, state.present);
      for (const [name, sentence] of Object.entries(summaries)) figures.of(name).block.say(sentence);
    }
    telling.conclude(waits ? [] : insight, state.present);
  }
}
