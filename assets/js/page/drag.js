/** Tells a drag from single moves: a second move soon after the first belongs to one, until it rests. */

/** Milliseconds without a move that end a drag. */
const REST = 180;

export class Drag {
  /** True if the last move belongs to a drag: its answer may leave out what takes long. */
  light = false;
  #rested;
  /** Time of the last move, and the timer of its rest. */
  #moved = -REST;
  #rest = 0;

  /** @param {() => void} rested called when a drag has ended: what it left out is due */
  constructor(rested) {
    this.#rested = rested;
  }

  /** Hear of a move of what can be dragged. */
  move() {
    const now = performance.now();
    this.light = now - this.#moved < REST;
    this.#moved = now;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#end(), REST);
  }

  #end() {
    if (!this.light) return;
    this.light = false;
    this.#rested();
  }
}
