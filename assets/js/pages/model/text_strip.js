/** The tokens of the text, shaded by what the query reads; a token that is pointed at becomes the query, a pressed one stays. */

import { element } from "../../dom/dom.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {object} Reactions
 * @property {(row: number | null) => void} point previews a query; null ends it
 * @property {(row: number) => void} lock
 */

/** The darkest ground of a token, on which its letters stay legible. */
const DARKEST = 72;
/** White space of a token as its reader sees it. @type {Record<string, string>} */
const VISIBLE = { "\n": "⏎", "\t": "⇥" };

export class TextStrip {
  #reactions;
  /** @type {HTMLButtonElement[]} */
  #tokens = [];
  /** @type {Model | null} */
  #model = null;

  /** @param {HTMLElement} root @param {string} name what a screen reader calls it @param {Reactions} reactions */
  constructor(root, name, reactions) {
    this.#reactions = reactions;
    this.root = element("div", { className: "token-strip", role: "group", ariaLabel: name });
    root.replaceChildren(this.root);
    this.root.addEventListener("pointerleave", () => reactions.point(null));
  }

  /** @param {Model} model */
  show(model) {
    const before = this.#model?.tokens;
    this.#model = model;
    if (JSON.stringify(before) !== JSON.stringify(model.tokens)) this.#build(model);
    this.shade(model.row);
  }

  /** @param {Model} model */
  #build({ tokens, cut }) {
    this.#tokens = tokens.map((token, row) =>
      element(
        "button",
        {
          type: "button",
          className: "token",
          data: { row },
          onclick: () => this.#reactions.lock(row),
          onpointerenter: (/** @type {PointerEvent} */ event) => {
            if (event.pointerType === "mouse") this.#reactions.point(row);
          },
        },
        token.replace(/[\n\t]/g, (sign) => VISIBLE[sign]) || "␀",
      ),
    );
    this.root.replaceChildren(...this.#tokens, ...(cut ? [element("span", { className: "token-cut" }, "…")] : []));
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
      token.title = there ? weight.toPrecision(3) : "";
    });
  }
}
