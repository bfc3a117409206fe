/** The figures of a page: their blocks, what each shows, and the structures that the server need not send again. */

import { theme } from "../dom/theme.js";
import { CellsFigure } from "./cells_figure.js";
import { ChartFigure } from "./chart_figure.js";
import { FigureBlock } from "./figure_block.js";
import { markPainted, markUnpainted } from "./painted.js";

/**
 * @typedef {import("../../types/plotly.js").Drawing} Drawing
 *
 * @typedef {object} Figure
 * @property {HTMLElement} root
 * @property {FigureBlock} block
 * @property {CellsFigure | ChartFigure | null} living null if the page draws it
 *
 * @typedef {object} Drawn the content of a figure
 * @property {Drawing} drawing
 * @property {string} hash of its structure
 * @property {string} painted the state
 *
 * @typedef {object} Names of figures
 * @property {string[]} figures
 * @property {string[]} [cells] of heat maps
 * @property {string[]} [charts] of curves, boxes and bars; the page draws what is neither
 *
 * @typedef {object} Rules what a page does in its own way
 * @property {(name: string) => import("./cells/pointing.js").Reactions} reactions returns the callbacks of a figure's cells
 * @property {() => void} redraw draws again what plotly does not draw
 * @property {(name: string) => boolean} covers returns true if a figure waits for an answer although no "?" stands in its place
 */

/** What the figures show, by their names; null: not drawn by plotly. @extends {Map<string, Drawn | null>} */
class Contents extends Map {
  /** Return what a figure shows that plotly can draw. @param {string} name */
  of(name) {
    const found = this.get(name);
    if (!found) throw new Error(name);
    return found;
  }
}

export class Figures {
  /** @type {Map<string, Figure>} */
  all = new Map();
  /** Structures by their hash. @type {Map<string, unknown>} */
  known = new Map();
  /** The tokens on the axes of cells, if any. @type {string[]} */
  labels = [];
  drawn = new Contents();
  #names;
  #templates;
  /** @type {Rules} */
  rules = { reactions: () => ({}), redraw: () => {}, covers: () => false };

  /** @param {Names & {templates: Record<"light" | "dark", import("../../types/plotly.js").Template>}} settings */
  constructor({ templates, ...names }) {
    this.#names = names;
    this.#templates = templates;
  }

  /**
   * Make the blocks of the figures.
   * @param {Record<string, import("../dom/dom.js").Place>} place @param {(key: string) => string} text
   * @param {(name: string, format: string, lined: boolean) => unknown} save saves a picture
   */
  build(place, text, save) {
    const { figures, cells, charts } = this.#names;
    for (const name of figures) {
      const root = place[`figure-${name}`].element;
      const block = new FigureBlock(root, name, text, (format, lined) => void save(name, format, lined));
      const living = cells?.includes(name)
        ? new CellsFigure(block.stage, block.bars, this.rules.reactions(name))
        : charts?.includes(name)
          ? new ChartFigure(block.stage)
          : null;
      Object.assign(root, { living }); // a program finds the drawing at its element
      this.all.set(name, { root, block, living });
    }
  }

  /** Return a figure of this page. @param {string} name */
  of(name) {
    const found = this.all.get(name);
    if (!found) throw new Error(name);
    return found;
  }

  /** Return the chart of a figure. @param {string} name */
  chart(name) {
    const { living } = this.of(name);
    if (living instanceof ChartFigure) return living;
    throw new Error(name);
  }

  /** @param {string} name @param {Drawing} drawing @param {string} hash of its structure @param {string} painted its state */
  async draw(name, drawing, hash, painted) {
    this.drawn.set(name, { drawing, hash, painted });
    await this.redraw(name);
    return { painted: markPainted(this.of(name).root, painted) };
  }

  /** Empty a figure that has nothing to show in this state. @param {string} name */
  clear(name) {
    const { root, block, living } = this.of(name);
    delete root.dataset.error;
    root.classList.remove("is-stale");
    if (!this.drawn.delete(name)) return;
    block.silence();
    living?.clear();
    markUnpainted(root);
  }

  /** @param {string} name */
  async redraw(name) {
    const { drawing, hash } = this.drawn.of(name);
    const { living } = this.of(name);
    if (living instanceof ChartFigure) living.draw(drawing, this.#templates[theme()]);
    else living?.draw(drawing, `${hash} ${theme()}`, this.labels);
  }

  redrawAll() {
    for (const [name, drawn] of this.drawn) if (drawn) void this.redraw(name);
    this.rules.redraw();
  }

  /** Mark the figures during a slow update. @param {boolean} busy */
  busy(busy) {
    for (const { root } of this.all.values()) {
      root.classList.toggle("is-busy", busy);
      root.setAttribute("aria-busy", String(busy));
    }
  }

  /** Mark the figures as showing this state, which needed nothing new. @param {string} state */
  stand(state) {
    for (const [name, { root }] of this.all) {
      if (this.drawn.has(name)) void markPainted(root, state);
      else delete root.dataset.error;
    }
  }

  /** Return true if a figure, drawn or not, waits for an answer. @param {string} name */
  isCovered(name) {
    return this.of(name).root.classList.contains("is-covered") || this.rules.covers(name);
  }
}
