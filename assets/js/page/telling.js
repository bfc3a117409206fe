/** What an answer shows and says: the figures with their tables, and the sentences above them. */

import { greet } from "./classroom.js";
import { element } from "../dom/dom.js";
import { paragraph } from "../reasons/reasons.js";
import { parts, revive } from "../server/wire.js";
import { Sentences } from "./sentences.js";

/**
 * @typedef {import("../../types/wire.js").Sentence} Sentence
 *
 * The page that tells.
 * @typedef {object} Page
 * @property {import("../figures/figures.js").Figures} figures
 * @property {import("../server/server.js").Server} server
 * @property {Pick<import("./updates.js").Updates, "route" | "body"> & {rules: {enclosed: () => Uint8Array | null}}} updates
 * @typedef {Page & import("./classroom.js").Taught} Teller
 *
 * @typedef {object} Rules what a page does in its own way
 * @property {(box: HTMLElement, tell: () => void) => void} beside shows a box of sentences with what stands beside it
 * @property {(line: Record<string, unknown>, state: string) => Promise<string[]>} arithmetic returns the arithmetic of one line of a table
 * @property {(sentences: Sentence[]) => Sentence[]} all returns all that is said with an answer's sentences
 * @property {() => void} after follows what has been said
 */

export class Telling {
  /** @type {Rules} */
  rules = {
    beside: (_, tell) => tell(),
    arithmetic: (line, state) => this.#arithmetic(line, state),
    all: (sentences) => sentences,
    after: () => {},
  };
  /** The place of the sentences. @type {HTMLElement} */
  root;
  #page;
  /** @type {Sentences} */
  #sentences;

  /** @param {Teller} page */
  constructor(page) {
    this.#page = page;
  }

  /** @param {HTMLElement} root */
  build(root) {
    this.root = root;
    this.#sentences = new Sentences(root, (key) => this.#page.text(key));
  }

  /**
   * Paint the figures of a part.
   * @param {import("../../types/wire.js").Figures} header @param {ArrayBuffer} blocks @param {string} painted their state
   */
  async show(header, blocks, painted) {
    const { figures } = this.#page;
    for (const [name, entry] of Object.entries(header.drawings)) {
      await figures.draw(name, revive(entry, blocks, figures.known), entry.hash, painted);
    }
    for (const [name, entry] of Object.entries(header.tables)) {
      this.tabulate(name, revive(entry, blocks, figures.known), painted);
    }
    for (const [name, sentence] of Object.entries(header.summaries)) figures.of(name).block.say(sentence);
    if (header.insight) this.conclude(header.insight, painted);
  }

  /**
   * Show a figure's table, whose numbers can be asked.
   * @param {string} name @param {import("../files/csv.js").Table} table @param {string} state of the table
   */
  tabulate(name, table, state) {
    const { columns } = table;
    this.#page.figures
      .of(name)
      .block.tabulate(table, (line) =>
        columns.some(({ made }) => made)
          ? Promise.resolve(columns.map(({ made = [] }) => made.at(made.length === 1 ? 0 : line) ?? ""))
          : this.rules.arithmetic({ table: name, line }, state),
      );
  }

  /** Write the sentences about the figures. @param {Sentence[]} sentences @param {string} painted their state */
  conclude(sentences, painted) {
    this.tell(element("div", { className: "insight" }, ...this.rules.all(sentences).map(paragraph)));
    this.root.dataset.painted = painted;
    this.rules.after();
  }

  /** Show a box of sentences above the figures. @param {HTMLElement} box */
  tell(box) {
    this.rules.beside(box, () => {
      greet(this.#page, box);
      this.#sentences.show(box);
    });
  }

  /** Add sentences to those that stand there. @param {Sentence[]} sentences */
  add(sentences) {
    this.#sentences.add(sentences.map(paragraph));
  }

  /** @param {Record<string, unknown>} line @param {string} state @returns {Promise<string[]>} */
  async #arithmetic(line, state) {
    const page = this.#page;
    const answer = await page.server.ask(
      `${page.updates.route}/arithmetic`,
      page.updates.body(state, line),
      page.updates.rules.enclosed(),
    );
    for await (const { header } of parts(answer.body)) if (header.part === "arithmetic") return header.made;
    return [];
  }
}
