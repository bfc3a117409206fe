/** Exploration of the map: keeps window, cells, strips and heads in step, and fetches what is missing in sight. */

import { element, inside } from "../../dom/dom.js";
import { Chart } from "./chart.js";
import { Layout } from "./layout.js";
import { Loader } from "./loader.js";
import { Painting } from "./painting.js";
import { Pointing } from "./pointing.js";
import { ScaleBar } from "./scale_bar.js";
import { Selection } from "./selection.js";
import { Strips } from "./strips.js";
import { Thumbnails } from "./thumbnails.js";
import { nameOf } from "./tiles.js";
import { toolbar } from "./toolbar.js";
import { around, whole, written } from "./view.js";

/** Visible keys around a typed position. */
const CLOSE = 32;

export class Viewer {
  #map;
  /** Around the map. */
  #root;
  #chart;
  #heads;
  #layout;
  #loader;
  /** The last head on screen. */
  #chosenHead = 0;

  /** @param {import("./host.js").Page} page @param {import("./parts.js").MapParts} map */
  constructor(page, map) {
    const { sight, link, questions } = map;
    this.#map = map;
    const [{ block }, strips] = [page.figures.of("map"), page.figures.of("strips")];
    for (const { stage } of [block, strips.block]) stage.replaceChildren(); // drawn here, as pixels
    this.#root = block.root;
    /** @param {string} key @param {import("../../words/message_format.js").Fields} [fields] */
    const text = (key, fields) => page.text(key, fields);
    this.#heads = new Thumbnails(element("div"), text, (head) => link.see({ head }));
    this.tools = toolbar(text, {
      zoom: (factor) => this.pointing.zoom(factor),
      whole: () => {
        if (sight.model) this.move(whole(sight.model.shape));
      },
      go: (row, column) => this.go(row, column),
    });
    block.stage.before(this.tools.root);
    block.stage.append(this.#heads.root);
    this.#chart = new Chart(block.stage);
    this.strips = new Strips(strips.block.stage, {
      hover: (row) => this.pointing.preview(row),
      click: (row) => {
        if (sight.model) link.see({ row });
      },
    });
    const legend = page.text("map.strips_legend");
    strips.block.stage.append(element("p", { className: "strips-legend" }, legend));
    this.strips.root.title = legend;
    const parts = {
      chart: this.#chart,
      strips: this.strips,
      heads: this.#heads,
      bar: new ScaleBar(block.bars, text),
    };
    this.painting = new Painting(page, map, parts, {
      refresh: () => this.pointing.refresh(),
      marks: () => ({ preview: this.pointing.row, cell: this.selection.marked, centre: this.pointing.walking }),
    });
    const mark = () => this.painting.mark();
    this.pointing = new Pointing(page, map, parts.chart, block.stage, {
      mark,
      move: (view) => this.move(view),
      click: (cell) => void this.selection.click(cell),
      open: (cell) => void this.selection.openAt(cell),
      release: () => this.#release(),
      rest: () => this.#want(),
    });
    this.selection = new Selection(page, map, mark);
    block.stage.after(this.selection.root);
    this.#loader = new Loader(
      (wishes, signal) => questions.tiles(wishes, signal),
      ({ head, address }, weights) => this.#took(head, address, weights),
      (problem) => questions.failed(problem),
    );
    const room = { ...parts, figures: inside(document.body, "#figures"), block, heads: this.#heads.root };
    this.#layout = new Layout(room, sight, () => {
      if (!sight.model) return;
      this.#want();
      this.painting.paint(); // at once: a canvas of another size is empty
    });
  }

  /** Show a new map at the window of the link. @param {import("./model.js").Model} model */
  open(model) {
    const { sight } = this.#map;
    sight.open(model);
    this.painting.open(model.look);
    this.#loader.want([]);
    this.#chosenHead = sight.head;
    this.selection.again();
    this.#chart.name(model.look);
    this.strips.list(model.look.strips);
    this.#heads.count(model.heads);
    this.tools.bound(model.shape);
    this.#layout.fit();
  }

  /** Follow the link: head, pooling, colour, window. */
  follow() {
    const { sight } = this.#map;
    if (!sight.model) return;
    sight.follow();
    if (sight.head !== this.#chosenHead) this.selection.again();
    this.#chosenHead = sight.head;
    this.#layout.fit(); // a row may have been opened or closed
    this.changed();
  }

  /** @param {import("./view.js").View} view */
  move(view) {
    this.#map.sight.move(view);
    this.#want();
    this.painting.soon();
  }

  /** Paint again: weights or looks have changed. */
  changed() {
    this.#want();
    this.painting.soon(true);
  }

  /** Show a cell and its surroundings. @param {number} row @param {number} column */
  go(row, column) {
    const { model, view } = this.#map.sight;
    if (!model) return;
    const { rows, columns } = model.shape;
    const cell = {
      row: Math.min(Math.max(0, Math.floor(row)), rows - 1),
      column: Math.min(Math.max(0, Math.floor(column)), columns - 1),
    };
    this.move(around(cell, Math.min(CLOSE, view.across), model.shape));
    void this.selection.chooseCell(cell);
  }

  /** Clear the choice and close the row. */
  #release() {
    this.selection.clear();
    this.#map.link.see({ row: null });
  }

  /** Ask for the window's missing tiles, then for those likely to be wanted next; name the coming link on the figure. */
  #want() {
    const { sight, link, questions } = this.#map;
    const { model, head, view } = sight;
    if (!model) return;
    this.#root.dataset.wanted = link.of(written(view, model.shape));
    if (!questions.answers) return;
    const { weights } = model;
    /** @param {import("./tiles.js").Address[]} addresses */
    const missing = (addresses) =>
      addresses.filter((address) => !weights.tile(head, address)).map((address) => ({ head, address }));
    this.#loader.want(missing(weights.needed(view)), missing(weights.ahead(view, this.pointing.at)));
  }

  /** @param {number} head @param {import("./tiles.js").Address} address @param {import("./known_weights.js").TileWeights} came */
  #took(head, address, came) {
    const { sight } = this.#map;
    if (!sight.model) return;
    const { weights } = sight.model;
    weights.take(head, address, came);
    const name = nameOf(head, address);
    if (!weights.needed(sight.view).some((one) => nameOf(sight.head, one) === name)) return;
    // Tiles come several at a time and the last changes all colours: paint once a frame until then.
    if (weights.layers(sight.head, sight.view).exact) this.painting.paint();
    else this.painting.soon();
    this.selection.refresh();
  }
}
