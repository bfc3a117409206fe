/** Looking around on the map: window, cells, strips and heads in step, whichever way the visitor moves. What is computed is the page's business. */

import { element } from "../dom.js";
import { markPainted } from "../painted.js";
import { table } from "../palette.js";
import { Chart } from "./chart.js";
import { Loader } from "./loader.js";
import { Pointing } from "./pointing.js";
import { ScaleBar } from "./scale_bar.js";
import { Selection } from "./selection.js";
import { limits } from "./shades.js";
import { Strips } from "./strips.js";
import { Thumbnails } from "./thumbnails.js";
import { nameOf } from "./tiles.js";
import { toolbar } from "./toolbar.js";
import { around, isWhole, named, whole, written } from "./view.js";

/** Milliseconds after which a window counts as chosen and the link is rewritten. */
const REST = 200;
/** Keys across when a typed position is shown. */
const CLOSE = 32;
const WIDE = "(min-width: 1000px)";

export class Viewer {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    const [map, strips] = ["map", "strips"].map((name) => page.figures.get(name));
    for (const { living } of [map, strips]) living.graph.remove();
    this.block = map.block;
    this.resting = null;
    const text = (key, fields) => page.text(key, fields);
    this.heads = new Thumbnails(element("div"), text, (head) => page.see({ head }));
    this.tools = toolbar(text, {
      zoom: (factor) => this.pointing.zoom(factor),
      whole: () => this.model && this.move(whole(this.model.shape)),
      go: (row, column) => this.go(row, column),
    });
    map.block.bars.after(this.heads.root, this.tools.root);
    this.chart = new Chart(map.block.stage, () => this.#resized());
    this.strips = new Strips(strips.block.stage, text, {
      hover: (row) => this.pointing.preview(row),
      click: (row) => this.model && page.see({ row }),
    });
    this.bar = new ScaleBar(map.block.bars, text);
    this.pointing = new Pointing(this, map.block.stage);
    this.selection = new Selection(this);
    map.block.stage.after(this.selection.root);
    this.loader = new Loader(
      (wishes, signal) => page.questions.tiles(wishes, signal),
      ({ head, address }, weights) => this.#took(head, address, weights),
      (problem) => page.questions.failed(problem),
    );
    const heights = new ResizeObserver(() => this.#align());
    for (const { root } of [map, strips]) heights.observe(root);
    matchMedia(WIDE).addEventListener("change", () => this.#resized());
  }

  /** A new map, at the window that the page's values name. @param {import("./model.js").Model} model */
  open(model) {
    this.settle();
    this.model = model;
    this.view = named(this.page.values, model.shape);
    this.ends = null;
    this.loader.want([]);
    this.selection.clear();
    this.chart.name(model.look);
    this.tools.bound(model.shape);
    this.colours = table(model.look.coloraxis.colorscale);
    this.#resized();
  }

  /** The page's values have changed: head, pooling, colour, or the window. */
  follow() {
    if (!this.model) return;
    // A window that has not come to rest is newer than what the values say.
    if (this.resting === null) this.view = named(this.page.values, this.model.shape);
    if (this.head !== this.chosenHead) this.selection.again();
    this.chosenHead = this.head;
    this.changed();
  }

  get head() {
    return Math.min(Math.max(1, this.page.values.head), this.model.heads);
  }

  /** @param {import("./view.js").View} view */
  move(view) {
    this.view = view;
    this.#want();
    this.#soon();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.settle(), REST);
  }

  /** A window that is still moving counts as chosen. */
  settle() {
    if (this.resting === null) return;
    clearTimeout(this.resting);
    this.resting = null;
    const window = written(this.view, this.model.shape);
    this.view = named(window, this.model.shape); // what the link says is what is shown
    this.page.see(window);
  }

  /** More has come, or looks otherwise. */
  changed() {
    this.#want();
    this.#soon(true);
  }

  /** Shows a cell and those around it. @param {number} row @param {number} column */
  go(row, column) {
    if (!this.model) return;
    const { rows, columns } = this.model.shape;
    const cell = {
      row: Math.min(Math.max(0, Math.floor(row)), rows - 1),
      column: Math.min(Math.max(0, Math.floor(column)), columns - 1),
    };
    this.move(around(cell, Math.min(CLOSE, this.view.across), this.model.shape));
    this.selection.chooseCell(cell);
  }

  /** Chooses nothing and closes the row. */
  release() {
    this.selection.clear();
    this.page.see({ row: null });
  }

  /** The pointer rests elsewhere: something else is likely to be wanted next. */
  foresee() {
    this.#want();
  }

  /** Asks for what the window lacks; the figure says which link it is about to show. */
  #want() {
    if (!this.model) return;
    this.block.root.dataset.wanted = this.page.linkOf(written(this.view, this.model.shape));
    if (!this.page.questions.answers) return;
    const { model, head, view } = this;
    const missing = (addresses) =>
      addresses.filter((address) => !model.tile(head, address)).map((address) => ({ head, address }));
    this.loader.want(missing(model.needed(view)), missing(model.ahead(view, this.pointing.at)));
  }

  #took(head, address, weights) {
    this.model.takeTile(head, address, weights);
    const name = nameOf(head, address);
    if (!this.model.needed(this.view).some((one) => nameOf(this.head, one) === name)) return;
    // Tiles come several at a time, and the last of them changes the colours of all: one picture a frame until then.
    if (this.model.layers(this.head, this.view).exact) this.paint();
    else this.#soon();
    this.selection.refresh();
  }

  #soon(heads = false) {
    this.headsToo ||= heads;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.headsToo) {
        this.heads.draw(this.model, this.head, this.page.values.pooling, this.page.values.colour, this.colours);
      }
      this.headsToo = false;
      this.paint();
    });
  }

  paint() {
    const { model, view, head, chart, page } = this;
    if (!model) return;
    const { pooling, colour } = page.values;
    const { layers, exact, finest } = model.layers(head, view);
    // While something is missing the colours stay as they are: they follow what is visible once all of it is there.
    const scale = `${head} ${pooling} ${colour} ${model.rowsThere}`;
    if (exact || !this.ends || this.scale !== scale) {
      this.ends = limits(Math.max(...finest.map((cells) => cells.top(pooling))), colour);
    }
    this.scale = scale;
    chart.paint(view, layers, (cells) => cells.canvas(pooling, this.ends, colour, this.colours), model.queriesThere);
    chart.label(view, model.shape, model.tokens);
    this.strips.paint(model, head, view, colour);
    this.pointing.refresh();
    this.mark();
    this.bar.draw(finest[0], model.look, pooling, colour, this.ends, page.masked);
    chart.cells.classList.toggle("is-whole", isWhole(view, model.shape));
    if (!exact || !page.current) return;
    const link = page.linkOf(written(view, model.shape));
    for (const name of ["map", "strips"]) markPainted(page.figures.get(name).root, link);
  }

  /** Brings every mark to where it belongs. */
  mark() {
    if (!this.model) return;
    const { row } = this.page.values;
    this.chart.mark(this.view, {
      row,
      preview: this.pointing.row,
      cell: this.selection.marked,
      centre: this.pointing.walking,
    });
    this.strips.mark(this.pointing.row ?? row);
  }

  #resized() {
    this.strips.fit(matchMedia(WIDE).matches, this.chart.side, this.chart.scale);
    if (this.model) this.changed();
    this.#align();
  }

  /** Beside the map, the strips begin at the height of its first query. */
  #align() {
    requestAnimationFrame(() => {
      const { root } = this.strips;
      root.style.paddingTop = "0px";
      if (!this.strips.beside) return;
      const apart =
        this.chart.cells.getBoundingClientRect().top - this.strips.strips[0].box.getBoundingClientRect().top;
      root.style.paddingTop = `${Math.max(0, apart)}px`;
    });
  }
}
