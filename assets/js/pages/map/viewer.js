/** Exploration of the map: keeps window, cells, strips and heads in step. The page decides about computations. */

import { element, inside } from "../../dom/dom.js";
import { markPainted } from "../../figures/painted.js";
import { table } from "../../figures/palette.js";
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

/** Milliseconds of rest after which the window is written to the link. */
const REST = 200;
/** Visible keys around a typed position. */
const CLOSE = 32;
/** As in assets/css/map.css. */
const WIDE = "(min-width: 821px)";
/** Least width of an open row's panel beside the map, in pixels. */
const ROW = 200;
/** A figure narrower than this, in heights of its type, has no room for its title beside its colour bar. */
const NARROW = 42;
/** Pixels of the next strip that a phone shows. */
const PEEK = 22;
/** Fits after which two sides that lead to each other are known as such. */
const FITS = 8;

export class Viewer {
  /** @type {import("./model.js").Model | null} */
  model = null;
  /** The visible window. @type {import("./view.js").View} */
  view = { left: 0, top: 0, across: 1, down: 1 };
  /** The ends of the colour scale; null before the first choice. @type {[number, number] | null} */
  ends = null;
  /** The head, pooling, colour and rows behind `ends`. */
  scale = "";
  /** The colour of each code. */
  colours = new Uint32Array(256);
  /** The last head on screen. */
  chosenHead = 0;
  /** The next frame. @type {number | null} */
  frame = null;
  headsToo = false;
  /** The timer of a moving window. @type {number | null} */
  resting = null;

  /**
   * @param {import("./host.js").Page
   *   & Pick<import("./host.js").Mapped, "covers" | "current" | "masked" | "isComputing" | "see" | "linkOf" | "sinkName">
   *   & {questions: import("./questions.js").Questions}} page
   */
  constructor(page) {
    this.page = page;
    const [map, strips] = [page.figures.of("map"), page.figures.of("strips")];
    for (const { block } of [map, strips]) block.stage.replaceChildren(); // drawn here, as pixels
    this.figures = inside(document.body, "#figures");
    this.block = map.block;
    /** @param {string} key @param {import("../../words/message_format.js").Fields} [fields] */
    const text = (key, fields) => page.text(key, fields);
    this.heads = new Thumbnails(element("div"), text, (head) => page.see({ head }));
    this.tools = toolbar(text, {
      zoom: (factor) => this.pointing.zoom(factor),
      whole: () => {
        if (this.model) this.move(whole(this.model.shape));
      },
      go: (row, column) => this.go(row, column),
    });
    map.block.stage.before(this.tools.root);
    map.block.stage.append(this.heads.root);
    this.chart = new Chart(map.block.stage);
    this.strips = new Strips(strips.block.stage, {
      hover: (row) => this.pointing.preview(row),
      click: (row) => {
        if (this.model) page.see({ row });
      },
    });
    const legend = page.text("map.strips_legend");
    strips.block.stage.append(element("p", { className: "strips-legend" }, legend));
    this.strips.root.title = legend;
    this.bar = new ScaleBar(map.block.bars, text);
    this.pointing = new Pointing(this, map.block.stage);
    this.selection = new Selection(this);
    map.block.stage.after(this.selection.root);
    this.loader = new Loader(
      (wishes, signal) => page.questions.tiles(wishes, signal),
      ({ head, address }, weights) => this.#took(head, address, weights),
      (problem) => page.questions.failed(problem),
    );
    const sizes = new ResizeObserver(() => this.#resized());
    for (const one of [this.figures, map.block.stage, strips.block.stage, this.heads.root]) sizes.observe(one);
    window.addEventListener("resize", () => this.#resized()); // another resolution at the same size
  }

  /** Show a new map at the window of the page's values. @param {import("./model.js").Model} model */
  open(model) {
    this.settle();
    this.model = model;
    this.view = named(this.page.state.values, model.shape);
    this.ends = null;
    this.loader.want([]);
    this.chosenHead = this.head;
    this.selection.again();
    this.chart.name(model.look);
    this.strips.list(model.look.strips);
    this.heads.count(model.heads);
    this.tools.bound(model.shape);
    this.colours = table(model.look.coloraxis.colorscale);
    this.#resized();
  }

  /** Follow the page's values: head, pooling, colour, window. */
  follow() {
    if (!this.model) return;
    // A moving window is newer than the values.
    if (this.resting === null) this.view = named(this.page.state.values, this.model.shape);
    if (this.head !== this.chosenHead) this.selection.again();
    this.chosenHead = this.head;
    this.#resized(); // a row may have been opened or closed
    this.changed();
  }

  /** The pooling of blocks and the colour scale. */
  get looks() {
    const { pooling = "average", colour = "linear" } = this.page.state.values;
    return { pooling, colour };
  }

  /** The head on screen, from 1. */
  get head() {
    return Math.min(Math.max(1, this.page.state.values.head ?? 1), this.model?.heads ?? 1);
  }

  /** @param {import("./view.js").View} view */
  move(view) {
    this.view = view;
    this.#want();
    this.#soon();
    clearTimeout(this.resting ?? undefined);
    this.resting = setTimeout(() => this.settle(), REST);
  }

  /** Choose a window even if it still moves. */
  settle() {
    if (this.resting === null || !this.model) return;
    clearTimeout(this.resting);
    this.resting = null;
    const window = written(this.view, this.model.shape);
    this.view = named(window, this.model.shape); // show exactly the link's window
    this.page.see(window);
  }

  /** Paint again: weights or looks have changed. */
  changed() {
    this.#want();
    this.#soon(true);
  }

  /** Show a cell and its surroundings. @param {number} row @param {number} column */
  go(row, column) {
    if (!this.model) return;
    const { rows, columns } = this.model.shape;
    const cell = {
      row: Math.min(Math.max(0, Math.floor(row)), rows - 1),
      column: Math.min(Math.max(0, Math.floor(column)), columns - 1),
    };
    this.move(around(cell, Math.min(CLOSE, this.view.across), this.model.shape));
    void this.selection.chooseCell(cell);
  }

  /** Clear the choice and close the row. */
  release() {
    this.selection.clear();
    this.page.see({ row: null });
  }

  /** Fetch ahead for the pointer's new place. */
  foresee() {
    this.#want();
  }

  /** Ask for the window's missing tiles; name the coming link on the figure. */
  #want() {
    if (!this.model) return;
    this.block.root.dataset.wanted = this.page.linkOf(written(this.view, this.model.shape));
    if (!this.page.questions.answers) return;
    const { model, head, view } = this;
    /** @param {import("./tiles.js").Address[]} addresses */
    const missing = (addresses) =>
      addresses.filter((address) => !model.tile(head, address)).map((address) => ({ head, address }));
    this.loader.want(missing(model.needed(view)), missing(model.ahead(view, this.pointing.at)));
  }

  /** @param {number} head @param {import("./tiles.js").Address} address @param {import("./model.js").TileWeights} weights */
  #took(head, address, weights) {
    if (!this.model) return;
    this.model.takeTile(head, address, weights);
    const name = nameOf(head, address);
    if (!this.model.needed(this.view).some((one) => nameOf(this.head, one) === name)) return;
    // Tiles come several at a time and the last changes all colours: paint once a frame until then.
    if (this.model.layers(this.head, this.view).exact) this.paint();
    else this.#soon();
    this.selection.refresh();
  }

  #soon(heads = false) {
    this.headsToo ||= heads;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.headsToo && this.model) {
        const { pooling, colour } = this.looks;
        this.heads.draw(this.model, this.head, pooling, colour, this.colours);
      }
      this.headsToo = false;
      this.paint();
    });
  }

  paint() {
    const { model, view, head, chart, page } = this;
    if (!model) return;
    const { pooling, colour } = this.looks;
    const { layers, exact, finest } = model.layers(head, view);
    // The colours follow the visible weights only once all are there.
    const scale = `${head} ${pooling} ${colour} ${model.rowsThere}`;
    const kept = !exact && this.scale === scale ? this.ends : null;
    const ends = kept ?? limits(Math.max(...finest.map((cells) => cells.top(pooling))), colour);
    this.ends = ends;
    this.scale = scale;
    chart.paint(view, layers, (cells) => cells.canvas(pooling, ends, colour, this.colours), model.queriesThere);
    chart.label(view, model.shape, model.tokens);
    chart.markSinks(view, page.covers ? [] : model.sinksOf(head), (sink) => page.sinkName(sink));
    this.strips.paint(model, head, view, colour);
    this.pointing.refresh();
    this.mark();
    this.bar.draw(finest[0], model.look, pooling, colour, ends, page.masked);
    chart.cells.classList.toggle("is-whole", isWhole(view, model.shape));
    this.block.root.classList.toggle("has-mask", page.masked);
    if (!exact || !page.current) return;
    const link = page.linkOf(written(view, model.shape));
    for (const name of ["map", "strips"]) void markPainted(page.figures.of(name).root, link);
  }

  /** Place every mark. */
  mark() {
    if (!this.model) return;
    const { row = null } = this.page.state.values;
    this.chart.mark(this.view, {
      row,
      preview: this.pointing.row,
      cell: this.selection.marked,
      centre: this.pointing.walking,
    });
    this.strips.mark(this.pointing.row ?? row);
  }

  /**
   * Fit map and strips into the window: the map is the largest square that leaves strips and an open row their room. The
   * room of heads, titles and strips follows the map's side, so the fit is repeated until it changes nothing: a
   * ResizeObserver that finds a change of its own waits for the next frame with the rest, and a frame with a map that
   * does not fit would be painted.
   */
  #resized() {
    const { chart, strips, block } = this;
    const before = `${chart.side} ${chart.scale} ${strips.size}`;
    let [side, fits] = [NaN, 0];
    for (; side !== chart.side && fits < FITS; fits += 1) {
      side = chart.side;
      this.#fit();
    }
    // of two sides that lead to each other the smaller one fits
    if (side !== chart.side) this.#fit(Math.min(side, chart.side));
    if (this.model && before !== `${chart.side} ${chart.scale} ${strips.size}`) {
      this.#want();
      this.paint(); // at once: a canvas of another size is empty
    }
    this.#align();
    block.root.dataset.fitted = `${innerWidth} × ${innerHeight}`;
  }

  /** Fit map and strips once, by the room that all else takes now. @param {number} [most] pixels of the map's side */
  #fit(most = Infinity) {
    const beside = matchMedia(WIDE).matches;
    const { chart, strips, figures, block } = this;
    const gap = parseFloat(getComputedStyle(figures).columnGap) || 0;
    const row = this.page.state.values.row === null ? 0 : ROW + gap;
    const others = beside ? strips.least + gap + row : 0;
    const room = beside ? figures.clientWidth : block.stage.clientWidth;
    const { left, right, width, height } = chart.around;
    const sign = beside ? 0 : PEEK; // the next strip looks in
    chart.fit(Math.min(most, room - width - others - sign), block.stage.clientHeight - height);
    figures.style.setProperty("--map", `${Math.ceil(left + chart.side + right)}px`);
    block.root.classList.toggle("is-narrow", block.root.clientWidth < NARROW * chart.type);
    strips.stage
      .closest(".figure-place")
      ?.classList.toggle("is-narrow", strips.stage.clientWidth < (NARROW / 2) * chart.type);
    strips.fit(beside, chart.side, chart.scale);
  }

  /** Align strips beside the map with its first query. */
  #align() {
    const { root, strips, beside } = this.strips;
    root.style.paddingTop = "0px";
    if (!beside || !strips.length) return;
    const apart = this.chart.cells.getBoundingClientRect().top - strips[0].box.getBoundingClientRect().top;
    root.style.paddingTop = `${Math.max(0, apart)}px`;
  }
}
