/** What the page Model shows of pictures: their choice, a vision model's picture, and a text's pictures as a token reads them. */

import { element, inside } from "../../dom/dom.js";
import { markPainted } from "../../figures/painted.js";
import { PatchReads } from "./patch_reads.js";
import { dimmed } from "./picture_paint.js";
import { PictureView } from "./picture_view.js";
import { PicturesControl } from "./pictures_control.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {import("./pictures_control.js").Settings & {colours: {weights: import("../../figures/palette.js").ColourScale}}} Settings
 * @typedef {object} Reactions
 * @property {(row: number, key?: number) => void} lock
 * @property {(change: Record<string, import("../../link/values.js").Value>) => void} go
 */

export class Pictured {
  #page;
  #go;
  #picture;
  #patches;
  #control;
  /** What is shown now. @type {Model | null} */
  #model = null;
  /** The pictures on the screen, and the same dim. @type {{address: string, image: HTMLImageElement, dim: HTMLCanvasElement}[]} */
  #images = [];

  /**
   * @param {import("../../page/live_page.js").LivePage<Settings>} page @param {HTMLElement} place of the choice
   * @param {Reactions} reactions
   */
  constructor(page, place, { lock, go }) {
    this.#page = page;
    this.#go = go;
    const text = page.text.bind(page);
    const { figures } = page;
    const given = { lock, text, scale: page.settings.colours.weights };
    this.#picture = new PictureView(figures.of("head-picture").block.stage, given);
    const layer = (/** @type {number} */ number) => go({ layer: number, key: -1 });
    this.#patches = new PatchReads(figures.of("picture-reads").block.stage, { ...given, layer });
    this.#control = new PicturesControl(place, page, (name) => this.#choose(name));
    for (const name of ["head-picture", "picture-reads"]) this.#control.dropped(figures.of(name).root);
  }

  /** Load the pictures that the model reads, before anything of them is shown. @param {string[]} names */
  async seen(names) {
    const there = new Map(this.#images.map((one) => [one.address, one]));
    try {
      this.#images = await Promise.all(
        names.map(async (name) => {
          const address = await this.#control.address(name);
          const known = there.get(address);
          if (known) return known;
          const image = element("img", { src: address, alt: "" });
          await image.decode();
          return { address, image, dim: dimmed(image) };
        }),
      );
    } catch {
      this.#images = []; // the connection has gone: the next answer tries again
    }
  }

  /** Show what a model reads of pictures. Returns the picture, dim, of one that reads nothing else. @param {Model} model */
  show(model) {
    this.#model = model;
    const { figures, state } = this.#page;
    const mixed = !model.absent.includes("picture-reads");
    const alone = model.pictures.length > 0 && !mixed && this.#images[0];
    inside(document.body, "#model").classList.toggle("has-picture", Boolean(alone));
    this.#control.show(model.pictures, mixed);
    if (alone) {
      figures.drawn.set("head-picture", null);
      this.#picture.show(model, alone.image);
      void markPainted(figures.of("head-picture").root, state.present);
      return alone.dim;
    }
    if (mixed && model.readMean.length && this.#images.length) {
      figures.drawn.set("picture-reads", null);
      const images = this.#images.map(({ image }) => image);
      this.#patches.show(model, images);
      void markPainted(figures.of("picture-reads").root, state.present);
    }
    return null;
  }

  /** Offer the choice of pictures before the model is there; none for a model of texts. @param {string[]} names */
  offer(names) {
    this.#control.show(names, false);
  }

  /** Return a copy of the picture as it is painted, without the room beside it. */
  copy() {
    return this.#picture.copy();
  }

  /** The line below the pictures; null for a text alone. */
  get below() {
    if (!this.#model?.pictures.length) return null;
    return this.#model.absent.includes("picture-reads") ? this.#picture.below : this.#patches.below;
  }

  /** Take a picture; a model of a text and pictures takes it besides, or leaves it, if it has another. @param {string} name */
  #choose(name) {
    const { pictures = [], absent = [] } = this.#model ?? {};
    const others = pictures.filter((one) => one !== name);
    const several = others.length < pictures.length ? others : [...pictures, name];
    const next = absent.includes("picture-reads") ? [name] : several;
    if (next.length) this.#go({ pictures: next.join(","), row: null, key: -1 });
  }
}
