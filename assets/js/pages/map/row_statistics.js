/** The statistics of each query that the strips show, of all heads; they come a few queries at a time. No elements. */

export class RowStatistics {
  /** By name, head by head. @type {Record<string, Float32Array[]>} */
  #values;

  /**
   * @param {string[]} names @param {{heads: number, n_q: number}} header
   * @param {ArrayLike<number>} ceiling the largest entropy of each query, in nats
   */
  constructor(names, { heads, n_q }, ceiling) {
    this.ceiling = ceiling;
    const strip = () => Array.from({ length: heads }, () => new Float32Array(n_q).fill(NaN));
    this.#values = Object.fromEntries(names.map((name) => [name, strip()]));
  }

  /** Take some queries of all heads. @param {import("../../../types/wire.js").Strips} part */
  take({ first, last, ...values }) {
    const length = last - first;
    const rows = /** @type {Record<string, Float32Array>} */ (values);
    for (const [name, strips] of Object.entries(this.#values)) {
      strips.forEach((strip, head) => strip.set(rows[name].subarray(head * length, (head + 1) * length), first));
    }
  }

  /** Return a statistic of a head, query by query; NaN has not come. @param {string} name @param {number} head from 1 */
  of(name, head) {
    return this.#values[name][head - 1];
  }
}
