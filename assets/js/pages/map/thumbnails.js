/** Overviews of all heads as small pictures; a click chooses the head. */

import { brushOf, element } from "../../dom/dom.js";
import { pooled } from "./extremes.js";
import { limits, shade } from "./shades.js";

/** Cells per side: 256 cells on fewer pixels would lose spikes. */
const SIDE = 64;

export class Thumbnails {
  /**
   * @param {HTMLElement} root @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text
   * @param {(head: number) => void} chosen
   */
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
    this.count(model.heads);
    this.mark(head);
    const { cells, rowsThere, bins } = model.weights.overview;
    const ends = limits(Math.max(...cells.map((one) => one.top(pooling))), colour);
    cells.forEach((one, i) => {
      const small = pooled(one.weights[pooling], one.rows, one.columns, SIDE, pooling === "maximum");
      const { canvas } = this.buttons[i];
      [canvas.width, canvas.height] = [small.columns, small.rows];
      const image = new ImageData(small.columns, small.rows);
      const pixels = new Uint32Array(image.data.buffer);
      shade(small.values, ends, colour, table, pixels);
      // Masked cells let the hatching through; rows that are still to come do not look like masked ones.
      const there = Math.floor((small.rows * rowsThere) / bins.rows);
      pixels.fill(this.#ground(), there * small.columns);
      brushOf(canvas).putImageData(image, 0, 0);
    });
  }

  /** Return the colour of cells that are still to come, as a pixel. */
  #ground() {
    const found = getComputedStyle(this.root).getPropertyValue("--background-fill-secondary");
    const brush = brushOf(element("canvas", { width: 1, height: 1 }));
    brush.fillStyle = found || "#888";
    brush.fillRect(0, 0, 1, 1);
    return new Uint32Array(brush.getImageData(0, 0, 1, 1).data.buffer)[0];
  }

  /** @param {number} head */
  mark(head) {
    this.buttons.forEach(({ button }, i) => button.setAttribute("aria-pressed", String(i + 1 === head)));
  }

  /** @param {number} heads */
  count(heads) {
    if (this.buttons.length === heads) return;
    this.root.style.setProperty("--heads", String(heads));
    this.buttons = Array.from({ length: heads }, (_, i) => {
      const name = this.text("map.head", { head: i + 1 });
      const canvas = element("canvas", { className: "cells", aria: { hidden: "true" } });
      const button = element(
        "button",
        {
          type: "button",
          onclick: () => this.chosen(i + 1),
          data: { head: String(i + 1) },
          ariaLabel: name,
          title: name,
        },
        element("span", {}, String(i + 1)),
        canvas,
      );
      return { button, canvas };
    });
    this.root.replaceChildren(...this.buttons.map(({ button }) => button));
  }
}
