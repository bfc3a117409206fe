/** The tokens of the text, shaded by what the query reads; a token that is pointed at becomes the query, a pressed one stays. */

import { element } from "../../dom/dom.js";
import { positionsOf } from "./picture_views.js";
import { tellWeight, tokenButton } from "./token_button.js";
import { directionOf } from "../../words/token.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {object} Reactions
 * @property {(row: number | null) => void} point previews a query; null ends it
 * @property {(row: number) => void} lock
 */

/** The darkest ground of a token, on which its letters stay legible. */
const DARKEST = 72;

export class TextStrip {
  #reactions;
  /** The buttons of tokens, by position. @type {Map<number, HTMLButtonElement>} */
  #tokens = new Map();
  /** What stands for the patches of a picture. @type {{chip: HTMLElement, positions: Set<number>, first: number, last: number}[]} */
  #chips = [];
  /** @type {Model | null} */
  #model = null;
  #more = element("span", { className: "token-cut", hidden: true });
  #end = element("span", { hidden: true }, "…");

  #nameGrids;

  /**
   * @param {HTMLElement} root @param {string} name what a screen reader calls it @param {Reactions} reactions
   * @param {(grids: import("../../../types/wire.js").PatchGrid[]) => string} nameGrids says what stands for a picture's
   *   patches
   */
  constructor(root, name, reactions, nameGrids) {
    this.#reactions = reactions;
    this.#nameGrids = nameGrids;
    this.root = element("div", { className: "token-strip", role: "group", ariaLabel: name });
    root.replaceChildren(this.root);
    this.root.addEventListener("pointerleave", () => reactions.point(null));
  }

  /** @param {Model} model */
  show(model) {
    const before = this.#model && queries(this.#model);
    this.#model = model;
    if (JSON.stringify(before) !== JSON.stringify(queries(model))) this.#build(queries(model));
    this.shade(model.row);
  }

  /** @param {import("../../../types/wire.js").Line} line */
  #build(line) {
    const { tokens, grids } = line;
    this.#tokens.clear();
    const pictures = [...new Set(grids.map(({ picture }) => picture))];
    this.#chips = pictures.map((picture) => {
      const own = grids.filter((grid) => grid.picture === picture);
      const chip = element("span", { className: "token token-grid" }, this.#nameGrids(own));
      const positions = own.flatMap(positionsOf);
      return { chip, positions: new Set(positions), first: Math.min(...positions), last: Math.max(...positions) };
    });
    const shown = tokens.flatMap((_, row) => {
      const found = this.#chips.find(({ first, last }) => row >= first && row <= last);
      if (found) return row === found.first ? [found.chip] : []; // marks between its parts are not shown
      const button = tokenButton(line, row, {
        press: () => this.#reactions.lock(row),
        point: () => this.#reactions.point(row),
      });
      button.dataset.row = String(row);
      this.#tokens.set(row, button);
      return [button];
    });
    this.root.dir = directionOf(tokens);
    this.root.replaceChildren(this.#more, ...shown, this.#end);
  }

  /** Say before the first token, where it is in sight, what is not shown; nothing for a whole text. @param {(HTMLElement | string)[]} said */
  end(said) {
    this.#more.replaceChildren(...said);
    this.#more.hidden = this.#end.hidden = !said.length;
  }

  /** Shade all tokens by the weights of a query. @param {number} row */
  shade(row) {
    if (!this.#model) return;
    const { weights, shape } = this.#model;
    const [, keys] = shape;
    const chosen = this.#model.locked && row === this.#model.row ? this.#model.key : -1;
    this.#tokens.forEach((token, key) => {
      const weight = weights[row * keys + key];
      const there = Number.isFinite(weight);
      token.classList.toggle("is-query", key === row);
      token.classList.toggle("is-key", chosen === key);
      token.classList.toggle("is-forbidden", !there);
      token.setAttribute("aria-pressed", String(key === row));
      token.style.setProperty("--share", there ? `${DARKEST * Math.sqrt(Math.min(1, weight))}%` : "0%");
      tellWeight(token, there ? weight.toPrecision(3) : "");
    });
    for (const { chip, positions } of this.#chips) {
      let sum = 0;
      for (const key of positions) sum += weights[row * keys + key] || 0;
      chip.classList.toggle("is-key", positions.has(chosen));
      chip.style.setProperty("--share", `${DARKEST * Math.sqrt(Math.min(1, sum))}%`);
      chip.title = sum.toPrecision(3);
    }
  }
}

/** Return the line that the chosen layer attends from. @param {Model} model */
const queries = ({ lines, between }) => lines[between[0]];
