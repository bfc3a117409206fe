/** The colour bar above the map: the size of a cell at this zoom, and the weight of each colour. */

import { number } from "../../figures/axes.js";
import { colourBars } from "../../figures/colour_bar.js";
import { element } from "../../dom/dom.js";

/** Return the queries and keys per cell. @param {Pick<import("./cells.js").Cells, "rows" | "columns" | "extent">} cells */
export const blockOf = ({ rows, columns, extent }) => ({
  rows: Number((extent.down / rows).toFixed(1)),
  columns: Number((extent.across / columns).toFixed(1)),
});

export class ScaleBar {
  /** @param {HTMLElement} root @param {(key: string, fields?: import("../../words/message_format.js").Fields) => string} text */
  constructor(root, text) {
    this.root = root;
    this.text = text;
    this.shown = "";
  }

  /**
   * @param {import("./cells.js").Cells} cells on screen @param {import("./model.js").Look} look of the Python figure
   * @param {import("./cells.js").Pooling} pooling
   * @param {string} colour @param {[number, number]} ends @param {boolean} masked true if a mask may hide cells
   */
  draw(cells, look, pooling, colour, ends, masked) {
    const { rows, columns } = blockOf(cells);
    const single = columns === 1 && rows === 1;
    const title = single
      ? this.text("map.weight")
      : this.text("map.pooled", { quantity: look[pooling], rows, columns });
    const key = `${ends} ${colour} ${title} ${masked}`;
    if (key === this.shown) return;
    this.shown = key;
    const [cmin, cmax] = ends;
    const powers = Object.fromEntries(Array.from({ length: 48 }, (_, i) => [String(2 - i), number(10 ** (2 - i))]));
    const colorbar = { title: { text: title }, ...(colour === "log" ? { dtick: 1, labelalias: powers } : {}) };
    colourBars(
      this.root,
      { coloraxis: { cmin, cmax, colorscale: look.coloraxis.colorscale, colorbar } },
      [{ coloraxis: "coloraxis" }],
      [title],
    );
    if (masked) this.root.append(element("div", { className: "masked-legend" }, this.text("map.masked")));
  }
}
