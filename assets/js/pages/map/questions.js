/** Asks the server about the map that it holds for this visitor, and tells the visitor if the map is gone. */

import { element } from "../../dom/dom.js";
import { backOff } from "../../server/backoff.js";
import { whenBack } from "../../page/comeback.js";
import { Refusal, isFinal, packed, refusalOf } from "../../server/server.js";
import { BROKEN, only, parts, revive } from "../../server/wire.js";

/** Milliseconds of silence after which a tile counts as lost. */
const PATIENCE = 30_000;

/** The server has dropped a map. */
class Gone extends Refusal {
  /** @param {string} message @param {import("./model.js").Model | null} model that map */
  constructor(message, model) {
    super(message);
    this.model = model;
  }
}

export class Questions {
  /** What stands on the page once the map is gone. */
  again = element("div", { className: "map-gone", hidden: true });
  #page;
  #computation;
  #back;
  #gone = false;
  #lost = false;
  /** Temporary refusals in a row. */
  #busy = 0;
  /** Stops waiting for the server. @type {(() => void) | null} */
  #stopWaiting = null;

  /**
   * @param {import("./host.js").Page} page
   * @param {Pick<import("./computation.js").Computation, "model" | "run" | "compute">} computation
   * @param {() => void} back hears that the server answers again what it could not
   */
  constructor(page, computation, back) {
    this.#page = page;
    this.#computation = computation;
    this.#back = back;
    window.addEventListener("pagehide", () => {
      if (!computation.model) return;
      navigator.sendBeacon(page.server.address("page/map/forget"), new Blob([packed(this.#body({}))]));
    });
  }

  /** True if the server still holds the map on screen; a new run replaces it at once. */
  get answers() {
    return Boolean(this.#computation.model?.ready) && !this.#gone && !this.#computation.run.running;
  }

  /** True while a question waits for the run to end. */
  get waits() {
    return this.#computation.run.running;
  }

  /** Forget earlier problems: a run has begun. */
  forgive() {
    this.#answered();
    this.#gone = false;
    this.again.hidden = true;
  }

  /**
   * Yield the parts of an answer as they come.
   * @param {string} name @param {Record<string, unknown>} more @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<import("../../../types/wire.js").Part>}
   */
  async *#parts(name, more, signal) {
    const { model } = this.#computation;
    const answer = await this.#page.server.ask(`page/map/${name}`, this.#body(more), null, {
      signal,
      patience: PATIENCE,
    });
    for await (const part of parts(answer.body)) {
      this.#answered();
      this.#busy = 0;
      const { header } = part;
      if (header.part === "error") throw header.gone ? new Gone(header.message, model) : refusalOf(header);
      yield part;
    }
  }

  /**
   * Return an answer's only part.
   * @param {string} name @param {Record<string, unknown>} more @param {AbortSignal} [signal]
   * @returns {Promise<import("../../../types/wire.js").Part>}
   */
  async ask(name, more, signal) {
    for await (const part of this.#parts(name, more, signal)) return part;
    throw new Error(name);
  }

  /** Return an answer's only part, for a file. @param {string} name @param {() => Record<string, unknown>} more called if a map exists */
  async answer(name, more) {
    if (!this.#computation.model) throw new Refusal(this.#page.text("map.none_yet"));
    try {
      return await this.ask(name, more());
    } catch (problem) {
      if (problem instanceof Gone) this.failed(problem);
      throw problem;
    }
  }

  /**
   * Yield the weights of tiles of one head and level as they come.
   * @param {import("./loader.js").Wish[]} wishes @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<import("./known_weights.js").TileWeights>}
   */
  async *tiles(wishes, signal) {
    const [{ head, address }] = wishes;
    const { level } = address;
    const fields = { head, level, tiles: wishes.map(({ address: { row, column } }) => [row, column]) };
    let came = 0;
    for await (const part of this.#parts("tiles", fields, signal)) {
      const { header, blocks } = only(part, "tile");
      came += 1;
      yield revive(header.values, blocks, this.#page.figures.known);
    }
    if (came < wishes.length) throw new Error(BROKEN);
  }

  /**
   * Return tiles of single cells; null if the server cannot answer, or if they are not wanted any more. The server holds
   * a map once its run has ended, which is painted before: wait for that.
   * @param {number} head @param {import("./tiles.js").Address[]} addresses @param {() => boolean} wanted
   */
  async singles(head, addresses, wanted) {
    const { model } = this.#computation;
    if (!model) return null;
    const missing = addresses
      .filter((address) => !model.weights.tile(head, address))
      .map((address) => ({ head, address }));
    if (missing.length) await this.#computation.run.over();
    if (!wanted() || model !== this.#computation.model || (missing.length && !this.answers)) return null;
    try {
      let came = 0;
      if (missing.length) {
        for await (const weights of this.tiles(missing)) {
          model.weights.take(head, missing[came].address, weights);
          came += 1;
        }
      }
    } catch (problem) {
      this.failedOnce(problem);
      return null;
    }
    return addresses.flatMap((address) => model.weights.tile(head, address) ?? []);
  }

  /** Tell the visitor about a problem. @param {unknown} problem @returns {boolean} true if asking again may help */
  failed(problem) {
    const page = this.#page;
    const { model, run } = this.#computation;
    if (problem instanceof Gone) {
      if (problem.model !== model || run.running) return false; // another map replaces it
      this.#gone = problem.shown = true;
      const button = element(
        "button",
        { type: "button", className: "tool", id: "map-again", onclick: () => this.#computation.compute() },
        page.text("map.again"),
      );
      this.again.replaceChildren(element("p", { role: "alert" }, problem.message), button);
      this.again.hidden = false;
      return false;
    }
    const lost = !isFinal(problem);
    page.message.fail(problem instanceof Refusal ? problem.message : page.text("map.lost"));
    this.#lost ||= lost;
    return lost;
  }

  /** Do the same for a request that is not repeated: wait for the server. @param {unknown} problem */
  failedOnce(problem) {
    if (!this.failed(problem)) return;
    this.#stopWaiting?.();
    const back = () => this.#answered();
    if (problem instanceof Refusal) {
      // it answers but is busy
      this.#busy = Math.min(9, this.#busy + 1);
      const timer = setTimeout(back, backOff(this.#busy));
      this.#stopWaiting = () => clearTimeout(timer);
    } else {
      this.#stopWaiting = whenBack(this.#page.server, back);
    }
  }

  /** Remove messages about a lost server: it has answered, this or another request. */
  #answered() {
    if (!this.#lost) return;
    this.#lost = false;
    this.#page.message.fail(null);
    if (!this.#stopWaiting) return;
    this.#stopWaiting();
    this.#stopWaiting = null;
    this.#back();
  }

  /** Return the fields of every question. @param {Record<string, unknown>} more */
  #body(more) {
    return this.#page.updates.body(this.#page.state.present, { id: this.#computation.model?.id, ...more });
  }
}
