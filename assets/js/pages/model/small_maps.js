/** All heads of the model as small maps with what each does; a press chooses the head. */

import { brushOf, element } from "../../dom/dom.js";
import { number } from "../../figures/axes.js";
import { table } from "../../figures/palette.js";
import { gridFrame, lay } from "./picture_paint.js";

/** @typedef {import("../../../types/wire.js").Model} Model */

/** Of more maps in a line, those with a label have a ring, and numbers of layers and heads stand around them. */
const MOST_NAMED = 6;
/** Places of an outline: a stranger's configuration may state any number of heads. */
const MOST_PLACES = 2000;
/** Pixels of a small picture's longer side. */
const OVER = 160;

export class SmallMaps {
  #root;
  #choose;
  #name;
  #ringed;
  #laid = "";
  #colours;
  /** @type {{button: HTMLButtonElement, canvas: HTMLCanvasElement}[]} */
  #heads = [];
  #built = "";
  #revealed = "";

  /**
   * @param {HTMLElement} root @param {import("../../figures/palette.js").ColourScale} scale
   * @param {(layer: number, head: number) => void} choose
   * @param {(head: string, does: string, cost?: number, value?: string) => string} name says a head's name, what it does and what sorts it
   * @param {string} [ringed] says what a ring is
   */
  constructor(root, scale, choose, name, ringed = "") {
    const title = { labelledby: "title-model-heads" }; // the figure's
    this.#root = element("div", { className: "small-maps", role: "group", aria: title });
    root.append(this.#root);
    new ResizeObserver(([{ contentRect }]) => {
      this.#root.style.setProperty("--wide", `${contentRect.width}px`);
      this.#root.style.setProperty("--tall", `${contentRect.height}px`);
    }).observe(root);
    this.#choose = choose;
    this.#name = name;
    this.#ringed = ringed;
    this.#colours = table(scale);
  }

  /** Draw the places of the maps of a model that is not there yet. @param {number} layers @param {number} h */
  outline(layers, h) {
    this.#built = "";
    const length = layers * h > MOST_PLACES ? 0 : layers * h;
    this.#root.replaceChildren(...Array.from({ length }, () => element("i", { className: "small-map-place" })));
    this.#lay(h, layers, false);
  }

  /**
   * Lay the maps in lines. What stands so already is left alone: each touch would style all of them anew.
   * @param {number} across @param {number} lines @param {boolean} numbered
   */
  #lay(across, lines, numbered) {
    const laid = `${across} ${lines} ${numbered}`;
    if (laid === this.#laid) return;
    this.#laid = laid;
    this.#root.style.setProperty("--across", String(across));
    this.#root.style.setProperty("--lines", String(lines));
    this.#root.classList.toggle("is-numbered", numbered);
    this.#root.classList.toggle("is-dense", across > MOST_NAMED);
  }

  /** @param {Model} model @param {HTMLCanvasElement | null} [under] the picture of a vision model, dim */
  show(model, under = null) {
    const { heads, labels, layer, head, order, maps, sides, masked, parts, lines, reads, costs, values } = model;
    const built = JSON.stringify([heads, labels, order, parts, under !== null, [...costs], values]);
    if (built !== this.#built) {
      this.#built = built;
      this.#build(model);
    }
    const firsts = [0];
    for (const [itsLayer] of heads) {
      const [rows, columns] = sides[itsLayer - 1];
      firsts.push(firsts[firsts.length - 1] + rows * columns);
    }
    order.forEach((place, at) => {
      const { button, canvas } = this.#heads[at];
      const [itsLayer, itsHead] = heads[place];
      const [rows, columns] = sides[itsLayer - 1];
      const pressed = String(itsLayer === layer && itsHead === head);
      if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
      const codes = maps.subarray(firsts[place], firsts[place + 1]);
      if (under) {
        this.#over(canvas, under, lines[reads[itsLayer - 1]].grids[0], codes, masked, [rows, columns]);
        return;
      }
      const image = new ImageData(columns, rows);
      const pixels = new Uint32Array(image.data.buffer);
      for (let i = 0; i < pixels.length; i += 1) {
        const code = codes[i];
        pixels[i] = code === masked ? 0 : this.#colours[code + 1];
      }
      if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
      brushOf(canvas).putImageData(image, 0, 0);
    });
    const count = across(model);
    this.#lay(count, Math.ceil(order.length / count), isNumbered(model));
    requestAnimationFrame(() => this.#reveal(`${built}${layer}.${head}`));
  }

  /** Bring the chosen head into sight, once: the visitor may scroll on. @param {string} chosen */
  #reveal(chosen) {
    const button = this.#root.querySelector('[aria-pressed="true"]');
    const [frame, at] = [this.#root, button].map((one) => one?.getBoundingClientRect());
    if (this.#revealed === chosen || !frame?.height || !at?.height) return;
    this.#revealed = chosen;
    const above = this.#root.querySelector(".small-maps-part")?.clientHeight ?? 0;
    this.#root.scrollTop += beyond([at.top, at.bottom], [frame.top + above, frame.bottom]);
    this.#root.scrollLeft += beyond([at.left, at.right], [frame.left, frame.right]);
  }

  /**
   * Paint what a head reads over the picture.
   * @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} under @param {import("../../../types/wire.js").PatchGrid} grid
   * @param {Uint8Array} codes @param {number} masked @param {[number, number]} side
   */
  #over(canvas, under, grid, codes, masked, [rows, columns]) {
    const share = OVER / Math.max(under.width, under.height);
    Object.assign(canvas, { width: Math.round(share * under.width), height: Math.round(share * under.height) });
    canvas.style.aspectRatio = `${canvas.width} / ${canvas.height}`;
    const brush = brushOf(canvas);
    brush.drawImage(under, 0, 0, canvas.width, canvas.height);
    const frame = gridFrame(grid, { left: 0, top: 0, width: canvas.width, height: canvas.height });
    lay(brush, frame, this.#colours, (at) => (codes[at] === masked ? NaN : codes[at] / 254), { rows, columns });
  }

  /** @param {Model} model */
  #build(model) {
    const { heads, labels, order, parts, costs, values } = model;
    const numbered = isNumbered(model);
    const most = costs.reduce((found, one) => Math.max(found, Math.abs(one) || 0), 0);
    this.#heads = order.map((place) => {
      const [layer, head] = heads[place];
      const canvas = element("canvas", { className: "cells", aria: { hidden: "true" } });
      const called = `${layer}.${head}`;
      const caption = element(
        "span",
        { className: "small-map-name" },
        element("span", {}, called),
        ...(place in values ? [element("em", {}, values[place][0])] : []),
        ...(labels[place] ? [element("b", {}, labels[place])] : []),
      );
      const button = element(
        "button",
        {
          type: "button",
          className: labels[place] ? "has-label" : "",
          data: { head: called },
          onclick: () => this.#choose(layer, head),
          title: this.#name(called, labels[place], costs[place], values[place]?.[1]),
        },
        canvas,
        ...(place in costs ? [costBar(costs[place], most)] : []),
        caption,
      );
      return { button, canvas };
    });
    const inOrder = order.every((place, at) => at === 0 || place > order[at - 1]);
    const headed = new Set();
    const ringed = across(model) > MOST_NAMED && this.#ringed && order.some((place) => labels[place]);
    this.#root.replaceChildren(
      ...(numbered ? [element("i", { className: "small-map-number of-head", aria: { hidden: "true" } })] : []),
      ...(numbered ? Array.from({ length: across(model) }, (_, at) => numberOf("head", at + 1)) : []),
      ...order.flatMap((place, at) => {
        const [layer, head] = heads[place];
        const part = inOrder ? parts.findLast(([, first]) => layer >= first) : undefined;
        const own = [...(numbered && head === 1 ? [numberOf("layer", layer)] : []), this.#heads[at].button];
        if (!part || headed.has(part)) return own;
        headed.add(part);
        return [element("p", { className: "small-maps-part" }, part[0]), ...own];
      }),
      ...(ringed ? [element("p", { className: "small-maps-ringed" }, element("i", {}), this.#ringed)] : []),
    );
  }
}

/** Return the bar of what a head costs, as long as its share of the largest. @param {number} nats @param {number} most */
function costBar(nats, most) {
  const bar = element("i", { className: nats < 0 ? "is-less" : "" });
  bar.style.width = `${(100 * (Math.abs(nats) || 0)) / (most || 1)}%`;
  return element("span", { className: "small-map-cost" }, bar, element("em", {}, number(nats)));
}

/** Return the number of a head above its column, or of a layer beside its row; a map is called by both. @param {string} of @param {number} at */
const numberOf = (of, at) =>
  element("i", { className: `small-map-number of-${of}`, aria: { hidden: "true" } }, String(at));

/** Return by how much a span lies before or behind another: 0 within. @param {[number, number]} of @param {[number, number]} within */
const beyond = ([first, last], [from, to]) => (first < from ? first - from : Math.max(0, last - to));

/** Return true if the maps stand in a line a layer, too many to be named one by one. @param {Model} model */
const isNumbered = (model) => inLayers(model) && across(model) > MOST_NAMED;

/** Return true if each line of maps has the heads of a layer. @param {Model} model */
function inLayers({ heads, order }) {
  const h = Math.max(...heads.map(([, head]) => head));
  return order.length === heads.length && order.every((place, at) => place === at) && h <= 16;
}

/** Return how many maps stand in a line: a layer's heads while they keep their order, else what is about a square. @param {Model} model */
function across(model) {
  const { heads, order, layers } = model;
  const h = Math.max(...heads.map(([, head]) => head));
  if (inLayers(model)) return h;
  return Math.max(1, Math.min(16, Math.ceil(Math.sqrt((order.length * h) / Math.max(1, layers)))));
}
