/**
 * A live figure of heat maps: as many panels as Python's figure has, in the grid that makes their cells largest. Python
 * defines the figure; plotly draws the same drawing in notebooks and files.
 */

import { axisKey } from "./axes.js";
import { arrange } from "./cells/arrangement.js";
import { Marks } from "./cells/marks.js";
import { point } from "./cells/pointing.js";
import { Strips, isSink } from "./cells/strips.js";
import { Titles } from "./cells/titles.js";
import { Windows } from "./cells/windows.js";
import { Words } from "./chart/words.js";
import { colourBars } from "./colour_bar.js";
import { element } from "../dom/dom.js";
import { entry } from "../link/entry.js";
import { table } from "./palette.js";
import { Panel } from "./panel.js";

/**
 * @typedef {import("../../types/plotly.js").Drawing} Drawing
 * @typedef {import("../../types/plotly.js").Layout} Layout
 * @typedef {import("../../types/plotly.js").Trace} Trace
 * @typedef {import("./cells/pointing.js").Reactions} Reactions
 */

/** Classes of the notes below the maps, by their signs. */
const LEGENDS = { "▨": "masked-legend", "⊠": "mark-legend is-broken", "⊙": "mark-legend" };

/** True of a heat map, and not of the marks over one or of the column beside it. @param {Trace} trace */
export const isPanel = (trace) => trace.type === "heatmap" && trace.meta?.kind !== "marks" && !isSink(trace);

/** Return the titles of the panels in a layout. @param {Layout} layout */
const titlesOf = ({ annotations = [] }) => annotations.filter((note) => note.name).map((note) => note.text);

export class CellsFigure {
  /** The drawing as it stands; null without one. @type {Drawing | null} */
  shown = null;
  /** Its heat maps, one a panel. @type {Trace[]} */
  traces = [];
  /** @type {Panel[]} */
  panels = [];
  /** The panels on screen, by their index. @type {number[]} */
  seen = [];
  /** How many panels are wished in a line. @type {import("./cells/arrangement.js").Lines} */
  lines = { columns: 0, group: 1, kept: 0 };
  /** The number of panels in a line. */
  across = 0;
  /** Called after every placing. @type {(() => void)[]} */
  after = [];
  /** The columns of sinks beside them. */
  strips = new Strips();
  marks = new Marks(() => [...this.panels, ...this.strips.marked]);
  windows = new Windows(
    () => [this.panels.at(this.seen[0] ?? -1)].find((panel) => panel?.box),
    () => this.#place(),
  );
  #stage;
  #bars;
  #reactions;
  #under;
  #words;
  #over;
  /** Which panels are on screen, by `meta.of`; null: all. @type {string | null} */
  #side = null;
  #built = "";
  /** @type {string[]} */
  #tokens = [];
  /** @type {Map<string, Uint32Array>} */
  #colours = new Map();
  /** The panels' places at the last time. */
  #places = "";

  /**
   * @param {HTMLElement} stage holds the figure
   * @param {HTMLElement} bars holds the colour bars
   * @param {Reactions} reactions
   */
  constructor(stage, bars, reactions = {}) {
    this.#stage = stage;
    this.#reactions = reactions;
    this.#bars = bars;
    this.#under = layer(stage, "layer under");
    const words = layer(stage, "layer chart-words");
    words.setAttribute("aria-hidden", "true");
    this.#words = new Words(words);
    this.#over = layer(stage, "layer over");
    this.titles = new Titles(this.#over, reactions);
    new ResizeObserver(() => this.#place()).observe(stage);
    point(this, stage, this.#over, reactions);
  }

  /**
   * @param {Drawing} drawing
   * @param {string} structure changes if anything but numbers changed
   * @param {string[]} tokens
   */
  draw(drawing, structure, tokens) {
    this.shown = drawing;
    this.traces = drawing.data.filter(isPanel);
    this.#tokens = tokens;
    if (structure !== this.#built) {
      this.#built = structure;
      this.panels.forEach((panel) => panel.remove());
      this.panels = this.traces.map(() => new Panel(this.#under));
      this.panels.forEach((panel) => panel.addMarks(this.#over));
      this.strips.build(drawing.data.filter(isSink), this.#under, this.#over);
      this.titles.show(titlesOf(drawing.layout), this.traces);
    }
    this.#paint(drawing);
    this.#place();
    this.#tellColours();
  }

  /** Show nothing. */
  clear() {
    this.shown = null;
    this.traces = [];
    this.#built = "";
    for (const panel of this.panels) panel.remove();
    this.panels = [];
    this.seen = [];
    this.strips.clear();
    this.titles.clear();
    this.#words.show([]);
  }

  /** Show the panels of one side of a comparison, or of B if there is no such side. @param {string | null} side null: all */
  show(side) {
    if (side === this.#side) return;
    this.#side = side;
    this.#place();
    this.#tellColours();
  }

  /** Return true if some panel shows this side. @param {string} side */
  has(side) {
    return this.traces.some(({ meta }) => meta?.of === side);
  }

  /** Tell of the colours of the panels on screen. */
  #tellColours() {
    if (!this.shown) return;
    const { layout } = this.shown;
    const titles = titlesOf(layout);
    const at = (/** @type {number} */ i) => titles[i];
    colourBars(
      this.#bars,
      layout,
      this.seen.map((i) => this.traces[i]),
      this.seen.map(at),
    );
    for (const { text } of (layout.annotations ?? []).filter((note) => !note.name)) {
      this.#bars.append(element("div", { className: entry(LEGENDS, text[0]) }, text.slice(1).trim()));
    }
  }

  /** @param {Drawing} drawing */
  #paint({ data, layout }) {
    const marked = data.filter(({ meta }) => meta?.kind === "marks");
    this.traces.forEach((trace, i) => {
      const marks = marked.find(({ meta }) => meta?.panel === trace.meta?.panel);
      const signs = marks && { codes: marks.z, scale: layout[marks.coloraxis].colorscale };
      this.panels[i].colour(trace.z, this.#coloursOf(layout, trace), signs);
    });
    const colours = (/** @type {Trace} */ trace) => this.#coloursOf(layout, trace);
    this.strips.paint(data.filter(isSink), colours, (i) => this.panels[i].columns);
  }

  /** Return the colour table of a trace's axis. @param {Layout} layout @param {Trace} trace */
  #coloursOf(layout, { coloraxis }) {
    const scale = layout[coloraxis].colorscale;
    const key = JSON.stringify(scale);
    const colours = this.#colours.get(key) ?? table(scale);
    this.#colours.set(key, colours);
    return colours;
  }

  /** Lay the panels out in the present room, with their titles, labels and marks. */
  #place() {
    if (!this.shown) return;
    const { traces, panels } = this;
    const { clientWidth: width, clientHeight: height } = this.#stage;
    const side = this.#side && !this.has(this.#side) ? "b" : this.#side;
    this.seen = panels.map((_panel, i) => i).filter((i) => !side || !traces[i].meta?.of || traces[i].meta.of === side);
    if (width < 40 || height < 40) return; // out of sight, as beside an enlarged figure
    const style = getComputedStyle(this.#stage);
    const em = parseFloat(style.fontSize);
    // a title that is a button is as high as what a finger meets
    const target = this.#reactions.onTitle ? parseFloat(style.getPropertyValue("--title-target")) || 0 : 0;
    const above = this.titles.any ? Math.max(em * 1.5, target + 1) : em * 0.4;
    const group = side || !this.has("difference") ? this.lines.group : 3;
    const on = this.seen.map((i) => {
      const { rows, columns } = panels[i];
      return {
        rows,
        columns,
        window: this.windows.of(panels[i]),
        x: this.#axis(i, "xaxis"),
        y: this.#axis(i, "yaxis"),
        sink: this.#sinkOf(i),
      };
    });
    const arranged = arrange(on, { width, height, em, above }, { ...this.lines, group }, this.#tokens);
    this.across = arranged.across;
    panels.forEach((panel, i) => {
      const at = this.seen.indexOf(i);
      panel.shown(at >= 0);
      if (at >= 0) panel.place(arranged.boxes[at]);
      this.strips.place(i, arranged.strips[at] ?? null);
      this.titles.place(i, at < 0 ? null : arranged.boxes[at], arranged.width, style.font);
    });
    this.#words.show(arranged.words);
    for (const then of this.after) then();
    this.marks.follow();
    const places = JSON.stringify(arranged.boxes);
    if (places === this.#places) return;
    this.#places = places;
    this.#reactions.onMoved?.();
  }

  /** Return the name of the column beside a panel; null without one. @param {number} i */
  #sinkOf(i) {
    const trace = this.strips.traceOf(i);
    return trace ? (this.shown?.layout[axisKey(trace.xaxis ?? "x")].ticktext?.[0] ?? "") : null;
  }

  /** Return a panel's axis in the layout. @param {number} i @param {"xaxis" | "yaxis"} which */
  #axis(i, which) {
    return this.shown?.layout[axisKey(this.traces[i][which] ?? which[0])];
  }
}

/** @param {HTMLElement} parent @param {string} className */
function layer(parent, className) {
  const made = element("div", { className });
  parent.append(made);
  return made;
}
