/** A map on the browser's side: what the server said of it, the weights and statistics that have come. No elements, no requests. */

import { KnownWeights } from "./known_weights.js";
import { Overview } from "./overview.js";
import { RowStatistics } from "./row_statistics.js";

/**
 * A statistic of each query, from the server's list, with its formula and section.
 * @typedef {{name: string, unit: string, label: string, asked: [string, string]}} Strip
 *
 * The look of the Python figure: titles and colours.
 * @typedef {object} Look
 * @property {{title: {text: string}}} xaxis
 * @property {{title: {text: string}}} yaxis
 * @property {import("../../../types/plotly.js").ColourAxis} coloraxis
 * @property {Strip[]} strips
 * @property {string} average name of an averaged cell
 * @property {string} maximum
 */

export class Model {
  /** True once its run has ended: the server holds it. */
  ready = false;
  /** Once its run has ended. @type {import("../../../types/wire.js").Sink[]} */
  sinks = [];

  /**
   * @param {import("./overview.js").Header} header
   * @param {import("../../words/token.js").Vocabulary & {tokens?: string[] | null, look: Look, ceiling: ArrayLike<number>}} values of the same part
   * @param {string} [subject] the page's name for the computation
   */
  constructor(header, { tokens, look, ceiling, ...vocabulary }, subject = "") {
    this.subject = subject;
    this.id = header.id;
    this.heads = header.heads;
    this.tokens = tokens ?? null;
    /** What a model knows the tokens by. @type {import("../../words/token.js").Vocabulary} */
    this.vocabulary = vocabulary;
    this.look = look;
    this.shape = { rows: header.n_q, columns: header.n_k };
    this.weights = new KnownWeights(new Overview(header, this.shape), this.shape);
    this.statistics = new RowStatistics(
      look.strips.map(({ name }) => name),
      header,
      ceiling,
    );
    /** What it says if it does not show all tokens. @type {import("../../../types/wire.js").Sentence[]} */
    this.cut = header.cut;
  }

  /** Return the sinks of a head. @param {number} head from 1 @returns {import("./sinks.js").Sink[]} */
  sinksOf(head) {
    return this.sinks.flatMap(({ key, shares }) =>
      shares.filter(([at]) => at === head).map(([, share]) => ({ key, share })),
    );
  }
}
