/** Paints what is on screen of a map: cells, strips and heads in one scale of colours, and every mark. Once a frame. */

import { markPainted } from "../../figures/painted.js";
import { table } from "../../figures/palette.js";
import { limits } from "./shades.js";
import { sinkName } from "./sinks.js";
import { isWhole, written } from "./view.js";

/**
 * What is painted.
 * @typedef {object} Parts
 * @property {import("./chart.js").Chart} chart
 * @property {import("./strips.js").Strips} strips
 * @property {import("./thumbnails.js").Thumbnails} heads
 * @property {import("./scale_bar.js").ScaleBar} bar
 *
 * What points at cells and chooses them.
 * @typedef {object} Pointed
 * @property {() => void} refresh points again: other weights are there
 * @property {() => {preview: number | null, cell: import("./overview.js").Block | null, centre: boolean}} marks
 */

export class Painting {
  /** The ends of the colour scale; null before the first choice. @type {[number, number] | null} */
  ends = null;
  #page;
  #map;
  #parts;
  #pointed;
  /** The head, pooling, colour and rows behind `ends`. */
  #scale = "";
  /** The colour of each code. */
  #colours = new Uint32Array(256);
  /** The next frame. @type {number | null} */
  #frame = null;
  #headsToo = false;

  /**
   * @param {import("./host.js").Page} page
   * @param {Pick<import("./parts.js").MapParts, "sight" | "link" | "computation" | "asking">} map
   * @param {Parts} parts @param {Pointed} pointed
   */
  constructor(page, map, parts, pointed) {
    this.#page = page;
    this.#map = map;
    this.#parts = parts;
    this.#pointed = pointed;
  }

  /** Begin anew with the colours of a map. @param {import("./model.js").Look} look */
  open(look) {
    this.ends = null;
    this.#colours = table(look.coloraxis.colorscale);
  }

  /** Paint in the next frame. @param {boolean} [heads] true: the small pictures of all heads, too */
  soon(heads = false) {
    this.#headsToo ||= heads;
    if (this.#frame !== null) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = null;
      const { model, head, looks } = this.#map.sight;
      if (this.#headsToo && model) {
        this.#parts.heads.draw(model, head, looks.pooling, looks.colour, this.#colours);
      }
      this.#headsToo = false;
      this.paint();
    });
  }

  paint() {
    const page = this.#page;
    const { sight, asking, computation, link } = this.#map;
    const { chart, strips, bar } = this.#parts;
    const { model, view, head, masked } = sight;
    if (!model) return;
    const { pooling, colour } = sight.looks;
    const { layers, finest, ...known } = model.weights.layers(head, view);
    const { rowsThere, queriesThere } = model.weights.overview;
    const exact = known.exact && model.ready;
    // The colours follow the visible weights only once all are there.
    const scale = `${head} ${pooling} ${colour} ${rowsThere}`;
    const kept = !exact && this.#scale === scale ? this.ends : null;
    const ends = kept ?? limits(Math.max(...finest.map((cells) => cells.top(pooling))), colour);
    this.ends = ends;
    this.#scale = scale;
    chart.paint(view, layers, (cells) => cells.canvas(pooling, ends, colour, this.#colours), queriesThere);
    chart.label(view, model.shape, model.tokens);
    chart.markSinks(
      view,
      asking.waits ? [] : model.sinksOf(head),
      sinkName((key, fields) => page.text(key, fields)),
    );
    strips.paint(model, head, view, colour);
    this.#pointed.refresh();
    this.mark();
    bar.draw(finest[0], model.look, pooling, colour, ends, masked);
    chart.cells.classList.toggle("is-whole", isWhole(view, model.shape));
    const { figures } = page;
    figures.of("map").root.classList.toggle("has-mask", masked);
    if (!exact || !computation.current) return;
    const painted = link.of(written(view, model.shape));
    for (const name of ["map", "strips"]) void markPainted(figures.of(name).root, painted);
  }

  /** Place every mark. */
  mark() {
    const { model, view, row } = this.#map.sight;
    if (!model) return;
    const { chart, strips } = this.#parts;
    const marks = this.#pointed.marks();
    chart.mark(view, { row, ...marks });
    strips.mark(marks.preview ?? row);
  }
}
