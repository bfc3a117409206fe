/**
 * A live figure of heat maps: as many panels as Python's figure has, in the grid that makes their cells largest. Python
 * defines the figure; plotly draws the same drawing in notebooks and files.
 */

import { axisKey } from "./axes.js";
import { largest, lowest } from "./cells/grid.js";
import { columnLabels, isNamed, longest, rowLabels } from "./cells/labels.js";
import { point } from "./cells/pointing.js";
import { ONE_LINE, apart, depth, leads, stand, ways, wide } from "./cells/standing.js";
import { placeTitle } from "./cells/titles.js";
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
 * @typedef {import("./cells/pointing.js").Window} Window
 * @typedef {import("./cells/pointing.js").Reactions} Reactions
 */

/** Classes of the notes below the maps, by their signs. */
const LEGENDS = { "▨": "masked-legend", "⊠": "mark-legend is-broken", "⊙": "mark-legend" };

/** True of a heat map, and not of the marks over one. @param {Trace} trace */
export const isPanel = ({ type, meta }) => type === "heatmap" && meta?.kind !== "marks";

export class CellsFigure {
  /**
   * @param {HTMLElement} stage holds the figure
   * @param {HTMLElement} bars holds the colour bars
   * @param {Reactions} reactions
   */
  constructor(stage, bars, reactions = {}) {
    this.stage = stage;
    this.reactions = reactions;
    this.bars = bars;
    this.under = layer(stage, "layer under");
    const words = layer(stage, "layer chart-words");
    words.setAttribute("aria-hidden", "true");
    this.words = new Words(words);
    this.over = layer(stage, "layer over");
    /** @type {Panel[]} */
    this.panels = [];
    /** The panels on screen, by their index. @type {number[]} */
    this.seen = [];
    /** Which panels are on screen, by `meta.of`; null: all. @type {string | null} */
    this.side = null;
    /** The visitor's number of panels in a line; 0: the one that makes cells largest. */
    this.columns = 0;
    /** The number of panels that stay together in a line. */
    this.group = 1;
    /** @type {HTMLElement[]} the panels' titles */
    this.headings = [];
    /** @type {string[]} their whole texts */
    this.names = [];
    this.built = "";
    /** @type {string[]} */
    this.tokens = [];
    /** @type {Map<string, Uint32Array>} */
    this.colours = new Map();
    /** The windows of zoomed panels, by the panels' shape. @type {Map<string, Window>} */
    this.windows = new Map();
    /** @type {Record<"locked" | "preview", number | null>} */
    this.marks = { locked: null, preview: null };
    /** The panels' places at the last time. */
    this.places = "";
    /** The number of panels in a line that stays if cells lose little by it; 0: none. */
    this.kept = 0;
    /** The number of panels in a line. */
    this.across = 0;
    /** Called after every placing. @type {(() => void)[]} */
    this.after = [];
    new ResizeObserver(() => this.place()).observe(stage);
    point(this, this.over);
  }

  /**
   * @param {Drawing} drawing
   * @param {string} structure changes if anything but numbers changed
   * @param {string[]} tokens
   */
  draw(drawing, structure, tokens) {
    const traces = drawing.data.filter(isPanel);
    this.traces = traces;
    this.drawing = drawing;
    this.tokens = tokens;
    const anew = structure !== this.built;
    if (anew) {
      this.built = structure;
      this.panels.forEach((panel) => panel.remove());
      this.panels = traces.map(() => new Panel(this.under));
      this.panels.forEach((panel) => panel.addMarks(this.over));
      this.#titles(drawing.layout, traces);
    }
    this.#paint(traces, drawing.layout);
    this.place();
    this.#bars();
  }

  /** Show nothing. */
  clear() {
    this.drawing = this.traces = undefined;
    this.built = "";
    for (const panel of this.panels) panel.remove();
    for (const heading of this.headings) heading.remove();
    this.panels = [];
    this.headings = [];
    this.words.show([]);
  }

  /** The drawing as it stands. */
  get shown() {
    return this.drawing ?? null;
  }

  /** Show the panels of one side of a comparison, or of B if there is no such side. @param {string | null} side null: all */
  show(side) {
    if (side === this.side) return;
    this.side = side;
    this.place();
    this.#bars();
  }

  /** Return true if some panel shows this side. @param {string} side */
  has(side) {
    return (this.traces ?? []).some(({ meta }) => meta?.of === side);
  }

  /** Tell of the colours of the panels on screen. */
  #bars() {
    const { drawing, traces, seen } = this;
    if (!drawing || !traces) return;
    const notes = drawing.layout.annotations ?? [];
    const titles = notes.filter((note) => note.name).map((note) => note.text);
    const at = (/** @type {number} */ i) => titles[i];
    colourBars(
      this.bars,
      drawing.layout,
      seen.map((i) => traces[i]),
      seen.map(at),
    );
    for (const { text } of notes.filter((note) => !note.name)) {
      this.bars.append(element("div", { className: entry(LEGENDS, text[0]) }, text.slice(1).trim()));
    }
  }

  /** @param {Trace[]} traces @param {Layout} layout */
  #paint(traces, layout) {
    const marked = this.drawing?.data.filter(({ meta }) => meta?.kind === "marks") ?? [];
    traces.forEach((trace, i) => {
      const scale = layout[trace.coloraxis].colorscale;
      const key = JSON.stringify(scale);
      const colours = this.colours.get(key) ?? table(scale);
      this.colours.set(key, colours);
      const marks = marked.find(({ meta }) => meta?.panel === trace.meta?.panel);
      this.panels[i].colour(trace.z, colours, marks && { codes: marks.z, scale: layout[marks.coloraxis].colorscale });
    });
  }

  /** Make the panels' titles, buttons if they react. @param {Layout} layout @param {Trace[]} traces */
  #titles(layout, traces) {
    this.headings.forEach((heading) => heading.remove());
    const { onTitle, titleHint } = this.reactions;
    const texts = (layout.annotations ?? []).filter((note) => note.name).map((note) => note.text);
    this.names = traces.map((_trace, i) => texts[i] ?? "");
    this.headings = traces.map(({ meta }) => {
      if (!onTitle || !meta) return element("span", { className: "panel-title" });
      const { head } = meta;
      const title = titleHint?.() ?? "";
      const onclick = () => onTitle(head);
      return element("button", { className: "panel-title", type: "button", title, onclick });
    });
    this.over.append(...this.headings);
  }

  /** Return the visible cells of a panel. @param {Panel} panel @returns {Window} */
  #window({ rows, columns }) {
    return this.windows.get(`${rows}×${columns}`) ?? { x: [-0.5, columns - 0.5], y: [rows - 0.5, -0.5] };
  }

  /** Lay the panels out in the present room, with their titles, labels and marks. */
  place() {
    const { drawing, traces, stage } = this;
    const room = { width: stage.clientWidth, height: stage.clientHeight };
    if (!drawing || !traces) return;
    const side = this.side && !this.has(this.side) ? "b" : this.side;
    this.seen = this.panels
      .map((_panel, i) => i)
      .filter((i) => !side || !traces[i].meta?.of || traces[i].meta.of === side);
    if (room.width < 40 || room.height < 40) return; // out of sight, as beside an enlarged figure
    const style = getComputedStyle(stage);
    const { font, fontSize } = style;
    const em = parseFloat(fontSize);
    // a title that is a button is as high as what a finger meets
    const target = this.reactions.onTitle ? parseFloat(style.getPropertyValue("--title-target")) || 0 : 0;
    const windows = this.panels.map((panel) => this.#window(panel));
    const axes = this.seen.map((i) => ({ i, x: this.#axis(i, "xaxis"), y: this.#axis(i, "yaxis") }));
    const gap = {
      x: em * 0.8,
      y: em * 0.35,
      above: this.names.some(Boolean) ? Math.max(em * 1.5, target + 1) : em * 0.4,
    };
    const shape = Math.max(...this.seen.map((i) => ratio(windows[i])));
    const group = side || !this.has("difference") ? this.group : 3;
    const cellOf = (/** @type {number} */ width) =>
      Math.min(...this.seen.map((i) => width / Math.abs(windows[i].x[1] - windows[i].x[0])));
    /** Return the grid beside names that stand so. @param {import("./cells/standing.js").Standing} way */
    const laid = (way) => {
      const { lines, letters } = way;
      const row = Math.max(...axes.map(({ i, y }) => longest(y, this.panels[i].rows, letters)));
      const column = Math.max(
        ...axes.map(({ i, x }) => (isNamed(x) ? longest(x, this.panels[i].columns, letters) : 0)),
      );
      const beside = em * 2 + depth(axes.some(({ y }) => isNamed(y)) ? lines : 1, row, em);
      const fitted = (/** @type {number} */ below) => {
        const inner = { width: room.width - beside - 2, height: room.height - below };
        return { below, inner, grid: largest(this.seen.length, inner, gap, shape, this.columns, group, this.kept) };
      };
      // names stand upright where their columns are too narrow for them
      const level = fitted(em * 2.7);
      const upright = wide(column, em) + em * 0.6 > cellOf(level.grid.width);
      const found = column && upright ? fitted(em * 1.9 + depth(lines, column, em)) : level;
      const cell = cellOf(found.grid.width);
      /** Return how all names of an axis stand. @param {number} length of the longest */
      const names = (length) =>
        stand(way, cell, em)
          ? { ...way, apart: apart(length, em), tokens: this.tokens, led: leads(way, cell, em) }
          : undefined;
      return { ...found, beside, upright, cell, ofRows: names(row), ofColumns: names(column) };
    };
    const one = laid(ONE_LINE);
    const named = axes.some(({ x, y }) => isNamed(x) || isNamed(y));
    const more = named ? ways(one.cell, em).map(laid) : [];
    const { below, inner, grid, beside, upright, ofRows, ofColumns } = more.find(({ ofRows: all }) => all) ?? one;
    const across = grid.columns * grid.width + (grid.columns - 1) * gap.x;
    const down = grid.lines * (grid.height + gap.above) + (grid.lines - 1) * gap.y;
    const left = beside + (inner.width - across) / 2;
    // below the header, not apart from it: what is left over stands together
    const top = Math.min(em * 0.3, Math.max(0, (inner.height - down) / 2));
    this.across = grid.columns;
    /** @type {import("./chart/words.js").Word[]} */
    const words = [];
    this.panels.forEach((panel, i) => {
      const at = this.seen.indexOf(i);
      panel.shown(at >= 0);
      this.headings[i].hidden = at < 0;
      if (at < 0) return;
      const [column, line] = [at % grid.columns, Math.floor(at / grid.columns)];
      const box = {
        left: Math.round(left + column * (grid.width + gap.x)),
        top: Math.round(top + line * (grid.height + gap.y + gap.above) + gap.above),
        width: Math.round(grid.height * ratio(windows[i])),
        height: grid.height,
        ...windows[i],
      };
      panel.place(box);
      placeTitle(this.headings[i], this.names[i], box, grid.width, font);
      if (column === 0) words.push(...rowLabels(this.#axis(i, "yaxis"), panel.rows, box, em, ofRows));
      if (lowest(grid, at, this.seen.length)) {
        words.push(...columnLabels(this.#axis(i, "xaxis"), panel.columns, box, em, upright, ofColumns));
      }
    });
    const first = this.panels[this.seen[0]]?.box;
    const [x, y] = [this.#axis(this.seen[0], "xaxis"), this.#axis(this.seen[0], "yaxis")];
    if (first && y?.title?.text) {
      words.push({
        text: y.title.text,
        x: left - beside + em * 0.7,
        y: top + down / 2,
        align: "middle",
        kind: "aside",
      });
    }
    const last = this.#axis(this.seen.at(-1) ?? 0, "xaxis")?.title?.text ?? x?.title?.text;
    if (first && last) {
      words.push({
        text: last,
        x: left + across / 2,
        y: top + down + below - em * 0.85,
        align: "middle",
        kind: "title",
      });
    }
    this.words.show(words);
    for (const then of this.after) then();
    this.mark("locked", this.marks.locked);
    this.mark("preview", this.marks.preview);
    const places = JSON.stringify(this.seen.map((i) => this.panels[i].box));
    if (places === this.places) return;
    this.places = places;
    this.reactions.onMoved?.();
  }

  /** Return a panel's axis in the layout. @param {number} i @param {"xaxis" | "yaxis"} which */
  #axis(i, which) {
    const trace = this.traces?.[i];
    return trace ? this.drawing?.layout[axisKey(trace[which] ?? which[0])] : undefined;
  }

  /** @param {"locked" | "preview"} which @param {number | null} row */
  mark(which, row) {
    this.marks[which] = row;
    for (const panel of this.panels) panel.markRow(which, row);
  }

  /** @param {number | null} row @param {number | null} column */
  markCell(row, column) {
    for (const panel of this.panels) panel.markCell(row, column);
  }

  /**
   * Zoom by a factor around a row, for the keyboard; 0 shows everything.
   * @param {number} factor @param {number} row @param {number} column
   */
  zoom(factor, row, column) {
    const first = this.panels.at(this.seen[0] ?? -1);
    if (!first?.box) return;
    const { x, y } = first.box;
    /** @param {[number, number]} range @param {number} centre @param {number} count @returns {[number, number]} */
    const closer = (range, centre, count) => {
      const size = factor ? Math.min(count, Math.max(4, Math.abs(range[1] - range[0]) * factor)) : count;
      const low = Math.min(Math.max(centre - size / 2, -0.5), count - 0.5 - size);
      return [low, low + size];
    };
    const [low, high] = closer(y, row, first.rows);
    this.look(first, { x: closer(x, column, first.columns), y: [high, low] });
  }

  /** Show a window in all panels of one shape. @param {Panel} panel @param {Window} window */
  look({ rows, columns }, window) {
    const whole = Math.abs(window.x[1] - window.x[0]) >= columns && Math.abs(window.y[1] - window.y[0]) >= rows;
    if (whole) this.windows.delete(`${rows}×${columns}`);
    else this.windows.set(`${rows}×${columns}`, window);
    this.place();
  }
}

/** Return a window's width for a height of 1, so that cells are square, within what can still be seen. @param {Window} window */
const ratio = ({ x, y }) => Math.min(3, Math.max(1 / 3, Math.abs(x[1] - x[0]) / Math.abs(y[1] - y[0])));

/** @param {HTMLElement} parent @param {string} className */
function layer(parent, className) {
  const made = element("div", { className });
  parent.append(made);
  return made;
}
