/** All heads of the model as small maps with what each does; a press chooses the head. */

import { brushOf, element } from "../../dom/dom.js";
import { table } from "../../figures/palette.js";

/** @typedef {import("../../../types/wire.js").Model} Model */

/** Of more maps in a line only those with a label have a mark of it; each still says its name when it is pointed at. */
const MOST_NAMED = 6;

export class SmallMaps {
  #root;
  #choose;
  #name;
  #colours;
  /** @type {{button: HTMLButtonElement, canvas: HTMLCanvasElement}[]} */
  #heads = [];
  #built = "";

  /**
   * @param {HTMLElement} root @param {import("../../figures/palette.js").ColourScale} scale
   * @param {(layer: number, head: number) => void} choose @param {(head: string, does: string) => string} name says a head's name
   */
  constructor(root, scale, choose, name) {
    const title = { labelledby: "title-model-heads" }; // the figure's
    this.#root = element("div", { className: "small-maps", role: "group", aria: title });
    root.append(this.#root);
    this.#choose = choose;
    this.#name = name;
    this.#colours = table(scale);
  }

  /** @param {Model} model */
  show(model) {
    const { heads, labels, layer, head, order, maps, side, masked } = model;
    const built = JSON.stringify([heads, labels, order]);
    if (built !== this.#built) {
      this.#built = built;
      this.#build(model);
    }
    const [rows, columns] = side;
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    order.forEach((place, at) => {
      const { button, canvas } = this.#heads[at];
      for (let i = 0; i < pixels.length; i += 1) {
        const code = maps[place * pixels.length + i];
        pixels[i] = code === masked ? 0 : this.#colours[code + 1];
      }
      if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
      brushOf(canvas).putImageData(image, 0, 0);
      const [itsLayer, itsHead] = heads[place];
      button.setAttribute("aria-pressed", String(itsLayer === layer && itsHead === head));
    });
    const count = across(model);
    this.#root.style.setProperty("--across", String(count));
    this.#root.style.setProperty("--lines", String(Math.ceil(order.length / count)));
    this.#root.classList.toggle("is-dense", count > MOST_NAMED);
  }

  /** @param {Model} model */
  #build({ heads, labels, order }) {
    this.#heads = order.map((place) => {
      const [layer, head] = heads[place];
      const canvas = element("canvas", { className: "cells", aria: { hidden: "true" } });
      const called = `${layer}.${head}`;
      const caption = element(
        "span",
        { className: "small-map-name" },
        element("span", {}, called),
        ...(labels[place] ? [element("b", {}, labels[place])] : []),
      );
      const button = element(
        "button",
        {
          type: "button",
          className: labels[place] ? "has-label" : "",
          data: { head: called },
          onclick: () => this.#choose(layer, head),
          title: this.#name(called, labels[place]),
        },
        canvas,
        caption,
      );
      return { button, canvas };
    });
    this.#root.replaceChildren(...this.#heads.map(({ button }) => button));
  }
}

/** Return how many maps stand in a line: a layer's heads while they keep their order, else what is about a square. @param {Model} model */
function across({ heads, order, layers }) {
  const h = Math.max(...heads.map(([, head]) => head));
  if (order.length === heads.length && order.every((place, at) => place === at) && h <= 16) return h;
  return Math.max(1, Math.min(16, Math.ceil(Math.sqrt((order.length * h) / Math.max(1, layers)))));
}
