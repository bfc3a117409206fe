/** What a query of a vision model gives each position, and what each query gives one: rows and columns, window or not. */

/** @typedef {import("../../../types/wire.js").Model} Model */

export class PictureRows {
  #model;
  #length;
  /** The window and the place in it of each position. @type {Map<number, [number, number]>} */
  #where = new Map();

  /** @param {Model} model */
  constructor(model) {
    this.#model = model;
    this.#length = model.lines[model.between[1]].tokens.length;
    const [, n] = model.shape;
    model.windows?.forEach((position, at) => {
      if (position >= 0) this.#where.set(position, [Math.floor(at / n), at % n]);
    });
  }

  /** Return the weights of a query on every position, NaN for what it may not read. @param {number} query */
  row(query) {
    return this.#line(query, (weights, start, place, n, key) => weights[start + place * n + key]);
  }

  /** Return the weights of all queries on one position. @param {number} key */
  column(key) {
    return this.#line(key, (weights, start, place, n, query) => weights[start + query * n + place]);
  }

  /**
   * @param {number} position
   * @param {(weights: Float32Array, start: number, place: number, n: number, other: number) => number} at
   */
  #line(position, at) {
    const { weights, shape, windows } = this.#model;
    const [, n] = shape;
    const found = new Float32Array(this.#length).fill(NaN);
    if (!windows) {
      for (let other = 0; other < n; other += 1) found[other] = at(weights, 0, position, n, other);
      return found;
    }
    const [window, place] = this.#where.get(position) ?? [0, 0];
    for (let other = 0; other < n; other += 1) {
      const there = windows[window * n + other];
      if (there >= 0) found[there] = at(weights, window * n * n, place, n, other);
    }
    return found;
  }
}

/** Return the place of the largest number; NaN is none. @param {Float32Array} line */
export function largest(line) {
  let best = -1;
  line.forEach((value, at) => {
    if (value > (best < 0 ? -Infinity : line[best])) best = at;
  });
  return best;
}
