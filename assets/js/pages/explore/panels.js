/** The figures beside and below the heat maps: drawn while the next request is under way, with the tables and sentences of all. */

import { element } from "../../dom/dom.js";
import { markPainted } from "../../figures/painted.js";
import { cut, explained, plainly } from "../../reasons/reasons.js";
import { latest } from "../../server/latest.js";
import { revive } from "../../server/wire.js";
import { OUTLINED } from "./outline.js";
import { offerNext } from "./presets.js";

/** @typedef {import("../../../types/plotly.js").Drawing} Drawing */
/** @typedef {import("../../../types/wire.js").Sentence} Sentence */

/**
 * A decoded answer.
 * @typedef {object} Below
 * @property {[string, Drawing, string][]} drawings names, figures, hashes of their structures
 * @property {[string, import("../../files/csv.js").Table, string][]} tables
 * @property {Record<string, string>} summaries
 * @property {Sentence[] | undefined} insight nothing during a drag
 * @property {Sentence[]} arithmetic
 * @property {Record<string, Sentence[]>} briefs
 * @property {import("../../../types/wire.js").Offer | undefined} offer
 * @property {string} painted the state
 *
 * @typedef {object} Around what decides about a drawing
 * @property {() => Promise<void> | undefined} mapsPainted returns what resolves when the newest heat maps are painted
 * @property {(drawing: Drawing, painted: string) => Drawing} outlined returns the scores with those before
 * @property {() => boolean} covers returns true while a question covers the figures
 */

export class Panels {
  #page;
  #around;
  /** @type {HTMLElement} */
  #arithmetic;
  /** True as soon as they have been drawn. */
  #drawnBefore = false;
  // A newer update replaces one that waits.
  #show = latest((/** @type {Below} */ update) => this.#panels(update));

  /** @param {import("../../page/live_page.js").LivePage<{ofRow: string[]}>} page @param {Around} around */
  constructor(page, around) {
    this.#page = page;
    this.#around = around;
  }

  /** @param {HTMLElement} arithmetic the place of its steps */
  build(arithmetic) {
    this.#arithmetic = arithmetic;
  }

  /** The figures beside the maps. */
  get names() {
    const { figures, ofRow } = this.#page.settings;
    return figures.filter((name) => name !== "heat-maps" && !ofRow.includes(name));
  }

  /**
   * Decode an answer at once, because the next request names its structures as known, and show it.
   * @param {import("../../../types/wire.js").Panels} header @param {ArrayBuffer} blocks
   */
  take({ drawings, tables = {}, summaries = {}, insight, arithmetic = [], briefs = {}, offer }, blocks) {
    const { figures, state } = this.#page;
    /**
     * @template Tree
     * @param {Record<string, import("../../../types/wire.js").Entry<Tree>>} entries
     * @returns {[string, Tree, string][]}
     */
    const all = (entries) =>
      Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, figures.known), entry.hash]);
    const words = { summaries, insight, arithmetic, briefs, offer, painted: state.present };
    void this.#show({ drawings: all(drawings), tables: all(tables), ...words });
  }

  /** Mark tables and sentences as older than the pictures. @param {boolean} on */
  behind(on) {
    const { answers, figures } = this.#page;
    const written = [
      answers.telling.root,
      this.#arithmetic,
      ...[...figures.all.values()].flatMap(({ block }) => [block.summary, block.table]),
    ];
    for (const one of written) {
      one.classList.toggle("is-behind", on);
      if (on) one.setAttribute("aria-busy", "true");
      else one.removeAttribute("aria-busy");
    }
  }

  /**
   * Draw at once, within the heat maps' frame if it has not ended; write when both are painted. A page that opens shows its
   * maps first.
   * @param {Below} update
   */
  async #panels(update) {
    const { updates } = this.#page;
    const { mapsPainted } = this.#around;
    try {
      if (!this.#drawnBefore) await mapsPainted();
      this.#drawnBefore = true;
      await this.#draw(update);
      if (!update.insight) return; // during a drag
      await mapsPainted();
      this.#write(update, update.insight);
    } catch (problem) {
      updates.fail(problem, updates.wished ?? "");
    }
  }

  /** @param {Below} below */
  async #draw({ drawings, briefs, painted }) {
    const { figures, settings } = this.#page;
    for (const [name, drawing, hash] of drawings) {
      const shown = name === OUTLINED ? this.#around.outlined(drawing, painted) : drawing;
      await figures.draw(name, shown, hash, painted);
      figures.of(name).root.classList.remove("is-covered");
    }
    const drawn = drawings.map(([name]) => name);
    for (const name of [...this.names, ...settings.ofRow]) {
      if (drawn.includes(name)) continue;
      figures.clear(name);
      this.#cover(name, painted);
    }
    for (const [name, numbers] of Object.entries(briefs)) figures.of(name).block.note(numbers[0] ?? "");
  }

  /** Cover a figure that would answer the question; a row that nobody locked has none. @param {string} name @param {string} painted */
  #cover(name, painted) {
    const { figures, state } = this.#page;
    const { root } = figures.of(name);
    const covered = this.names.includes(name) || (this.#around.covers() && state.agreed.row !== null);
    root.classList.toggle("is-covered", covered);
    if (covered) void markPainted(root, painted);
  }

  /** Write the words and tables around the pictures. @param {Below} below @param {Sentence[]} insight */
  #write({ tables, summaries, arithmetic, offer, painted }, insight) {
    const { answers, figures, state } = this.#page;
    if (!tables.length) figures.of("heat-maps").block.silence(); // they would answer the question
    for (const [name, table] of tables) answers.telling.tabulate(name, table, painted);
    for (const [name, sentence] of Object.entries(summaries)) figures.of(name).block.say(sentence);
    answers.telling.conclude(insight, painted);
    offerNext(this.#page, offer);
    const steps = arithmetic.map((sentence) => element("p", {}, ...unbroken(sentence)));
    this.#arithmetic.replaceChildren(element("div", { className: "arithmetic" }, ...steps));
    this.behind(painted !== state.canonical);
  }
}

/** Return the nodes of shapes and equations that break only between them: "Q: 8 × 32 × 64 · K: …". @param {Sentence} sentence */
function unbroken(sentence) {
  /** @type {HTMLElement[]} */
  const group = [];
  return cut(sentence, " · ").flatMap((part, i) => [
    i ? " · " : "",
    element("span", { className: plainly(part).length < 32 ? "unbroken" : "" }, ...explained(part, group)),
  ]);
}
