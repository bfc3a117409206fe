/** Overviews of all heads as small pictures; a click chooses the head. */

import { brushOf, element } from "../dom.js";
import { pooled } from "./extremes.js";
import { limits, shade } from "./shades.js";

/** Cells per side: 256 cells on fewer pixels would lose spikes. */
const SIDE = 64;

export class Thumbnails {
  /** @param {HTMLElement} root @param {(key: string, fields?: import("../controls.js").Fields) => string} text @param {(head: number) => void} chosen */
  constructor(root, text, chosen) {
    this.root = root;
    this.text = text;
    this.chosen = chosen;
    root.className = "map-heads";
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", text("map.heads"));
    /** @type {{button: HTMLButtonElement, canvas: HTMLCanvasElement}[]} */
    this.buttons = [];
  }

  /**
   * @param {import("./model.js").Model} model @param {number} head
   * @param {import("./cells.js").Pooling} pooling @param {string} colour @param {Uint32Array} table
   */
  draw(model, head, pooling, colour, table) {
    this.#count(model.heads);
    this.mark(head);
    const ends = limits(Math.max(...model.overviews.map((overview) => overview.top(pooling))), colour);
    model.overviews.forEach((overview, i) => {
      const small = pooled(overview.weights[pooling], overview.rows, overview.columns, SIDE, pooling === "maximum");
      const { canvas } = this.buttons[i];
      [canvas.width, canvas.height] = [small.columns, small.rows];
      const image = new ImageData(small.columns, small.rows);
      shade(small.values, ends, colour, table, new Uint32Array(image.data.buffer));
      brushOf(canvas).putImageData(image, 0, 0);
    });
  }

  /** @param {number} head */
  mark(head) {
    this.buttons.forEach(({ button }, i) => button.setAttribute("aria-pressed", String(i + 1 === head)));
  }

  /** @param {number} heads */
  #count(heads) {
    if (this.buttons.length === heads) return;
    this.buttons = Array.from({ length: heads }, (_, i) => {
      const canvas = element("canvas", { className: "cells", aria: { hidden: "true" } });
      const button = element(
        "button",
        { type: "button", onclick: () => this.chosen(i + 1), data: { head: String(i + 1) } },
        canvas,
        element("span", {}, this.text("map.head", { head: i + 1 })),
      );
      return { button, canvas };
    });
    this.root.replaceChildren(...this.buttons.map(({ button }) => button));
  }
}
