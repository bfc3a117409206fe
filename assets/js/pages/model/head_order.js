/** The order of the small maps and which of them are shown: the choices that mean something, and a search by example. */

import { element } from "../../dom/dom.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {import("../../link/values.js").Values} Values
 * @typedef {Record<string, import("../../link/values.js").Value>} Change
 * @typedef {Pick<import("../../page/live_page.js").LivePage<never>, "state" | "text">} Page
 */

const LAYER = "layer";
const WEIGHT = "weight";

export class HeadOrder {
  #page;
  #go;
  /** What finds the heads that read the chosen key, or leaves their order. */
  find = element("button", { type: "button", className: "find-heads" });

  /** @param {Page} page @param {(change: Change) => void} go */
  constructor(page, go) {
    this.#page = page;
    this.#go = go;
  }

  /** Return the controls without a meaning. @param {Values} values @returns {string[]} */
  meaningless({ overview, sort, only }) {
    if (overview === "scatter") return ["sort", "only", "least"];
    return ["x", "y", ...(only === "least" && sort !== LAYER ? [] : ["least"])];
  }

  /** Offer the measures that such a model has, and to ask for the least of one only where one sorts. @param {string[]} measures */
  offer(measures) {
    const { sort } = this.#page.state.values;
    this.#has(["x", "y"], (value) => measures.includes(value));
    this.#has(["sort"], (value) => value === LAYER || value === WEIGHT || measures.includes(value));
    this.#has(["only"], (value) => value !== "least" || sort !== LAYER);
  }

  /** @param {string[]} names of controls @param {(value: string) => boolean} has tells which choices they have */
  #has(names, has) {
    for (const name of names) {
      for (const input of document.querySelectorAll(`#control-${name} input`)) {
        const { value } = /** @type {HTMLInputElement} */ (input);
        input.closest("label")?.classList.toggle("not-now", !has(value));
      }
    }
  }

  /**
   * Return what else changes with another order: heads are compared by one cell, which stays.
   * @param {Model | null} model @param {string} name @param {unknown} value @returns {Change}
   */
  keeps(model, name, value) {
    return name === "sort" && value === WEIGHT && model && model.key >= 0 ? { row: model.row, key: model.key } : {};
  }

  /**
   * Return what chooses a head: its own key, or the one by which heads are compared.
   * @param {number} layer @param {number} head @returns {Change}
   */
  choice(layer, head) {
    return { layer, head, ...(this.#page.state.values.sort === WEIGHT ? {} : { key: -1 }) };
  }

  /** Offer to look for heads by the chosen key, unless a question asks for it. @param {Model} model */
  show({ row, key }) {
    const found = this.#page.state.values.sort === WEIGHT;
    this.find.hidden = key < 0;
    this.find.onclick = () =>
      this.#go(found ? { sort: LAYER, only: "all" } : { overview: "grid", sort: WEIGHT, only: "least", row, key });
    this.find.textContent = this.#page.text(found ? "model.sorted.leave" : "model.sorted.find");
    this.find.title = this.#page.text(found ? "model.sorted.leave" : "model.sorted.find_hint");
  }
}
