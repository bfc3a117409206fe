/**
 * A live figure of heat maps. plotly supplies axes, ticks and zoom; the cells are pixels under them. Python defines the
 * figure and its layout; canvases replace its heat map traces here.
 */

import { axisKey, cellAt, labelled } from "./axes.js";
import { colourBars } from "./colour_bar.js";
import { element } from "./dom.js";
import { table } from "./palette.js";
import { Panel } from "./panel.js";

/**
 * @typedef {import("../types/plotly.js").Drawing} Drawing
 * @typedef {import("../types/plotly.js").Graph} Graph
 * @typedef {import("../types/plotly.js").Layout} Layout
 * @typedef {import("../types/plotly.js").Trace} Trace
 */

/**
 * A cell of one panel; `head` counts from 1, `x` and `y` are pixels in the figure.
 * @typedef {{panel: number, head: number, row: number, column: number, x: number, y: number}} Found
 */

/**
 * Callbacks for pointing at cells.
 * @typedef {object} Reactions
 * @property {(found: Found | null) => void} [onCell] null: no cell
 * @property {(found: Found) => void} [onClick]
 * @property {(head: number) => void} [onTitle]
 * @property {() => string} [titleHint]
 */

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: "reset", scrollZoom: false };
const CLEAR = "rgba(0,0,0,0)";
const BAR_ROOM = 52;

/** @param {string} key @returns {key is import("../types/plotly.js").ColourAxisName} */
const isColourAxis = (key) => key.startsWith("coloraxis");

export class CellsFigure {
  /**
   * @param {HTMLElement} stage holds the figure
   * @param {HTMLElement} bars holds the colour bars
   * @param {Reactions} reactions
   */
  constructor(stage, bars, reactions = {}) {
    this.reactions = reactions;
    this.bars = bars;
    this.under = layer(stage, "layer under");
    /** @type {Graph} */
    this.graph = layer(stage, "graph");
    this.over = layer(stage, "layer over");
    this.graph.setAttribute("aria-hidden", "true");
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {HTMLElement[]} the panels' titles */
    this.headings = [];
    this.built = "";
    this.listening = false;
    /** @type {string[]} */
    this.tokens = [];
    /** @type {Map<string, Uint32Array>} */
    this.colours = new Map();
    /** @type {Record<"locked" | "preview", number | null>} */
    this.marks = { locked: null, preview: null };
    if (reactions.onCell) this.#listen(stage, reactions.onCell);
  }

  /**
   * @param {import("../types/plotly.js").Plotly} Plotly
   * @param {Drawing} drawing
   * @param {string} structure changes if anything but numbers changed
   * @param {object} template
   * @param {string[]} tokens
   */
  async draw(Plotly, drawing, structure, template, tokens) {
    const traces = drawing.data.filter((trace) => trace.type === "heatmap");
    this.traces = traces;
    this.drawing = drawing;
    this.Plotly = Plotly;
    this.tokens = tokens;
    if (structure !== this.built) {
      this.built = structure;
      this.panels.forEach((panel) => panel.remove());
      this.panels = traces.map((trace) => new Panel(this.under, axisKey(trace.xaxis), axisKey(trace.yaxis)));
      this.panels.forEach((panel) => panel.addMarks(this.over));
      this.#paint(traces, drawing.layout);
      await Plotly.react(this.graph, this.#carriers(traces), this.#layout(drawing.layout, template), CONFIG);
      if (!this.listening) {
        this.listening = true;
        for (const event of ["plotly_afterplot", "plotly_relayouting"]) this.graph.on?.(event, () => this.place());
        this.graph.on?.("plotly_relayout", () => this.#relabel());
      }
      this.#titles(drawing.layout, traces);
      this.place();
    } else {
      this.#paint(traces, drawing.layout);
      this.place();
    }
    const notes = drawing.layout.annotations ?? [];
    colourBars(
      this.bars,
      drawing.layout,
      traces,
      notes.filter((note) => note.name).map((note) => note.text),
    );
    const legend = notes.find((note) => !note.name)?.text;
    if (legend) this.bars.append(element("div", { className: "masked-legend" }, legend.replace(/^▨\s*/u, "")));
  }

  /** @param {Trace[]} traces @param {Layout} layout */
  #paint(traces, layout) {
    traces.forEach((trace, i) => {
      const scale = layout[trace.coloraxis].colorscale;
      const key = JSON.stringify(scale);
      const colours = this.colours.get(key) ?? table(scale);
      this.colours.set(key, colours);
      this.panels[i].colour(trace.z, colours);
    });
  }

  /** Return invisible traces that make plotly draw each panel's axes. @param {Trace[]} traces */
  #carriers(traces) {
    return traces.map((trace) => ({
      type: "scatter",
      mode: "markers",
      x: [null],
      y: [null],
      xaxis: trace.xaxis,
      yaxis: trace.yaxis,
      hoverinfo: "skip",
      showlegend: false,
    }));
  }

  /** @param {Layout} given @param {object} template */
  #layout(given, template) {
    /** @type {Layout} */
    const layout = {
      ...given,
      template,
      paper_bgcolor: CLEAR,
      plot_bgcolor: CLEAR,
      shapes: [],
      images: [],
      hovermode: false,
    };
    let below = 0; // room for a horizontal colour bar on a narrow screen
    for (const key of Object.keys(layout)) {
      if (!isColourAxis(key)) continue;
      if (layout[key].colorbar?.orientation === "h") below = BAR_ROOM;
      delete layout[key];
    }
    // Titles become buttons; the legend of the hatching is beside the colour bars.
    layout.annotations = [];
    layout.margin = { ...given.margin, r: 10, b: (given.margin?.b ?? 0) - below };
    if (given.height !== undefined) layout.height = given.height - below;
    return layout;
  }

  /** Place the panel titles as buttons, in place of the static figure's annotations. @param {Layout} layout @param {Trace[]} traces */
  #titles(layout, traces) {
    this.headings.forEach((heading) => heading.remove());
    const { onTitle, titleHint } = this.reactions;
    const texts = (layout.annotations ?? []).filter((note) => note.name).map((note) => note.text);
    this.headings = traces.map(({ meta }, i) => {
      const text = texts[i] ?? "";
      if (!onTitle || !meta) return element("span", { className: "panel-title" }, text);
      const { head } = meta;
      const title = titleHint?.() ?? "";
      const onclick = () => onTitle(head);
      return element("button", { className: "panel-title", type: "button", title, onclick }, text);
    });
    this.over.append(...this.headings);
  }

  /** Align canvases, titles and marks with plotly's axes. */
  place() {
    const layout = this.graph._fullLayout;
    if (!layout) return;
    this.panels.forEach((panel, i) => {
      panel.place(layout);
      const heading = this.headings.at(i);
      if (heading && panel.box) {
        Object.assign(heading.style, {
          left: `${panel.box.left}px`,
          top: `${panel.box.top}px`,
          maxWidth: `${panel.box.width}px`,
        });
      }
    });
    this.mark("locked", this.marks.locked);
    this.mark("preview", this.marks.preview);
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

  /** Show as many token labels as fit after a zoom. */
  #relabel() {
    if (!this.tokens.length) return;
    const layout = this.graph._fullLayout;
    if (!layout) return;
    /** @type {Record<string, unknown>} */
    const change = {};
    for (const { axes, box } of this.panels) {
      if (!box) continue;
      for (const { name, pixels } of [
        { name: axes.x, pixels: box.width },
        { name: axes.y, pixels: box.height },
      ]) {
        const alias = this.drawing?.layout[name]?.labelalias;
        if (!alias || !layout[name].showticklabels) continue;
        const at = labelled(layout[name].range, this.tokens.length, Math.max(2, Math.floor(pixels / 17)));
        if (String(at) === String(Array.from(layout[name].tickvals ?? []))) continue;
        change[`${name}.tickvals`] = at;
        change[`${name}.ticktext`] = at.map((i) => alias[i] ?? String(i));
      }
    }
    if (Object.keys(change).length) void this.Plotly?.relayout(this.graph, change);
  }

  /**
   * Zoom by a factor around a row, for the keyboard; 0 shows everything.
   * @param {number} factor @param {number} row @param {number} column
   */
  zoom(factor, row, column) {
    const first = this.panels.at(0);
    const layout = this.graph._fullLayout;
    if (!first?.box || !layout) return;
    /** @type {Record<string, number[]>} */
    const change = {};
    for (const { name, centre, count, flip } of [
      { name: first.axes.x, centre: column, count: first.columns, flip: false },
      { name: first.axes.y, centre: row, count: first.rows, flip: true },
    ]) {
      const { range } = layout[name];
      const size = factor ? Math.min(count, Math.max(4, Math.abs(range[1] - range[0]) * factor)) : count;
      const low = Math.min(Math.max(centre - size / 2, -0.5), count - 0.5 - size);
      change[`${name}.range`] = flip ? [low + size, low] : [low, low + size];
    }
    void this.Plotly?.relayout(this.graph, change);
  }

  /** Return the panel and cell under a pointer event, or null. @param {PointerEvent} event @returns {Found | null} */
  #at(event) {
    const frame = this.graph.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    for (const [i, panel] of this.panels.entries()) {
      const { box } = panel;
      if (!box) continue;
      const column = cellAt(x - box.left, box.width, box.x, panel.columns);
      // plotly's range begins at the lower end; pixels count from the top.
      const row = cellAt(y - box.top, box.height, [box.y[1], box.y[0]], panel.rows);
      if (row !== null && column !== null) {
        return { panel: i, head: this.traces?.[i].meta?.head ?? 0, row, column, x, y };
      }
    }
    return null;
  }

  /** @param {HTMLElement} stage @param {(found: Found | null) => void} onCell */
  #listen(stage, onCell) {
    let frame = 0;
    /** @type {{x: number, y: number} | null} */
    let pressed = null;
    stage.addEventListener("pointermove", (event) => {
      if (event.buttons) return;
      const found = this.#at(event);
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => onCell(found));
    });
    stage.addEventListener("pointerleave", () => {
      cancelAnimationFrame(frame); // or the old frame would point at the cell just left
      onCell(null);
    });
    stage.addEventListener(
      "pointerdown",
      (event) => {
        pressed = { x: event.clientX, y: event.clientY };
      },
      true,
    );
    // plotly's drag layer swallows clicks, so a press without a move counts as one. On the window: plotly covers the page in a drag.
    window.addEventListener(
      "pointerup",
      (event) => {
        if (!pressed) return;
        const still = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4;
        pressed = null;
        const found = still ? this.#at(event) : null;
        if (found) this.reactions.onClick?.(found);
      },
      true,
    );
  }
}

/** @param {HTMLElement} parent @param {string} className */
function layer(parent, className) {
  const made = element("div", { className });
  parent.append(made);
  return made;
}
