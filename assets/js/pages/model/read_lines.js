/** What the model reads: one text, or a source and a target that are joined. */

import { JoinedLines } from "./joined_lines.js";
import { TextStrip } from "./text_strip.js";
import { isJoined } from "./tokens.js";

/** @typedef {import("../../../types/wire.js").Model} Model */

export class ReadLines {
  #text;
  #joined;
  /** @type {Model | null} */
  #model = null;

  /**
   * @param {HTMLElement} root @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
   * @param {import("./joined_lines.js").Reactions} reactions
   */
  constructor(root, text, reactions) {
    this.#text = new TextStrip(root, text("model.tokens"), reactions, (grids) => {
      const [{ picture, rows, columns }] = grids;
      const patches = grids.reduce((sum, grid) => sum + grid.rows * grid.columns, 0);
      return grids.length === 1
        ? text("model.grid_chip", { picture: picture + 1, rows, columns })
        : text("model.tiles_chip", { picture: picture + 1, patches, grids: grids.length });
    });
    this.#joined = new JoinedLines(text, reactions);
    root.append(this.#joined.root);
  }

  /** @param {Model} model @param {(HTMLElement | string)[]} end what is said of a text that goes on */
  show(model, end) {
    this.#model = model;
    const joined = isJoined(model);
    this.#text.root.hidden = joined;
    this.#joined.root.hidden = !joined;
    if (joined) this.#joined.show(model);
    else this.#text.show(model);
    this.#text.end(end);
  }

  /** Show what another query reads; null ends it. @param {number | null} row */
  preview(row) {
    if (!this.#model) return;
    if (isJoined(this.#model)) this.#joined.preview(row);
    else this.#text.shade(row ?? this.#model.row);
  }

  /** Mark what stands as that of another model. @param {boolean} on */
  ofAnother(on) {
    for (const { root } of [this.#text, this.#joined]) root.classList.toggle("is-of-another", on);
  }
}
