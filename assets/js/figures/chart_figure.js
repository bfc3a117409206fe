/**
 * A live figure of curves, boxes and bars on one canvas. Python defines the figure; plotly draws the same drawing in
 * notebooks and files. A plotly graph takes 12–17 ms an update, this about one (docs/decisions/live-charts.md).
 */

import { axisLines } from "./chart/axis_lines.js";
import { panelOf, panels } from "./chart/frame.js";
import { nearest, linesOf } from "./chart/hover.js";
import { labels } from "./chart/labels.js";
import { Legend } from "./chart/legend.js";
import { paintShape, paintTrace } from "./chart/marks.js";
import { Words } from "./chart/words.js";
import { density } from "./density.js";
import { brushOf, element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/**
 * @typedef {import("../../types/plotly.js").Drawing} Drawing
 * @typedef {import("../../types/plotly.js").Trace} Trace
 * @typedef {import("./chart/frame.js").Panel} Panel
 */

/** Height in pixels of the text for which Python's figures choose the widths of lines. */
const USUAL = 12;

export class ChartFigure {
  #tip;
  #dot;
  /** @type {Drawing | null} */
  #drawing = null;

  /** @type {Panel[]} */
  panels = [];
  /** Values of moved marks, by trace. @type {Map<number, {x: ArrayLike<number>, y: ArrayLike<number>}>} */
  #moved = new Map();
  /** The name of shapes that the page draws itself. @type {string | null} */
  replaced = null;
  /** The number of panels that are painted; the others wait, with their words and numbers. */
  #painted = Infinity;
  /** Called after every painting. @type {(() => void)[]} */
  after = [];
  #colours = { grid: "#e2e8f0", line: "#64748b" };
  /**
   * The area's size and the height of its text in pixels, until the area changes: reading them between two figures'
   * writing would lay the page out each time. @type {{width: number, height: number, em: number} | null}
   */
  room = null;

  /** @param {HTMLElement} stage */
  constructor(stage) {
    this.canvas = element("canvas", { className: "chart-canvas" });
    const names = element("div", { className: "chart-legend" });
    const words = element("div", { className: "chart-words" });
    this.#dot = element("div", { className: "chart-point", hidden: true });
    this.#tip = element("div", { className: "tip", hidden: true });
    this.area = element("div", { className: "chart-area" }, this.canvas, words, this.#dot, this.#tip);
    this.root = element("div", { className: "chart", aria: { hidden: "true" } }, names, this.area);
    this.legend = new Legend(names, () => this.#paint());
    this.words = new Words(words);
    stage.append(this.root);
    new ResizeObserver(() => {
      this.room = null;
      this.#paint();
    }).observe(this.area);
    for (const kind of /** @type {const} */ (["pointermove", "pointerdown"])) {
      this.area.addEventListener(kind, (event) => this.#point(event));
    }
    for (const kind of ["pointerleave", "pointercancel"]) this.area.addEventListener(kind, () => this.#tell(null));
  }

  /** @param {Drawing} drawing @param {import("../../types/plotly.js").Template} [template] of the theme */
  draw(drawing, template) {
    const { gridcolor, linecolor } = template?.layout?.xaxis ?? {};
    this.#colours = { grid: gridcolor ?? this.#colours.grid, line: linecolor ?? this.#colours.line };
    this.#drawing = drawing;
    this.#moved.clear();
    this.#name();
    this.#paint();
  }

  /** Show nothing. */
  clear() {
    this.#drawing = null;
  }

  /** The drawing as it stands, with the moved marks. */
  get shown() {
    if (!this.#drawing) return null;
    const { data, layout } = this.#drawing;
    return { data: data.map((trace, i) => ({ ...trace, ...this.#moved.get(i) })), layout };
  }

  /**
   * Move the marks of the query row; a trace's `meta.row_of` names the quantity that it marks.
   * @param {(meta: {row_of: string, head: number}) => {x?: ArrayLike<number>, y?: ArrayLike<number>} | null} valuesOf null restores
   *   the server's mark
   */
  markRow(valuesOf) {
    if (!this.#drawing) return;
    this.#drawing.data.forEach(({ meta, x = [], y = [] }, i) => {
      if (!meta?.row_of) return;
      const values = valuesOf({ row_of: meta.row_of, head: meta.head });
      if (values) this.#moved.set(i, { x: values.x ?? x, y: values.y ?? y });
      else this.#moved.delete(i);
    });
    this.#paint();
  }

  /** The traces that are drawn, each with its panel. @returns {{panel: Panel, trace: Trace}[]} */
  get drawn() {
    return (this.shown?.data ?? []).flatMap((trace) => {
      const panel = panelOf(this.panels, trace.xaxis, trace.yaxis);
      return panel && this.#paints(panel) && this.legend.has(trace) ? [{ panel, trace }] : [];
    });
  }

  /** Paint this many panels alone. @param {number} count */
  paintOnly(count) {
    if (count === this.#painted) return;
    this.#painted = count;
    this.#tell(null);
    this.#name();
    this.#paint();
  }

  /** Name what the painted panels show. */
  #name() {
    if (!this.#drawing) return;
    this.legend.show(
      this.#drawing.data.filter((trace) => {
        const panel = panelOf(this.panels, trace.xaxis, trace.yaxis);
        return !panel || this.#paints(panel);
      }),
    );
  }

  /** @param {Panel} panel */
  #paints(panel) {
    return this.panels.indexOf(panel) < this.#painted;
  }

  /** Paint everything at the present size. */
  #paint() {
    const { shown, area, canvas } = this;
    if (!shown) return;
    this.room ??= {
      width: area.clientWidth,
      height: area.clientHeight,
      em: parseFloat(getComputedStyle(area).fontSize),
    };
    const { width, height, em } = this.room;
    if (width < 40 || height < 40) return;
    const scale = density();
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const brush = brushOf(canvas);
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.clearRect(0, 0, width, height);
    this.panels = panels(shown.layout, shown.data, { width, height }, em);
    if (this.#painted < this.panels.length) this.#name(); // a first drawing had no panels before
    const { drawn } = this;
    const there = this.panels.filter((panel) => this.#paints(panel));
    const { shapes = [] } = shown.layout;
    const layout = { ...shown.layout, shapes: shapes.filter((shape) => this.#panelOf(shape)) };
    this.words.show(labels({ layout, data: drawn.map(({ trace }) => trace) }, there, em));
    const thick = em / USUAL;
    for (const panel of there) axisLines(brush, panel, this.#colours);
    this.#shapes(brush, true, thick);
    for (const { panel, trace } of drawn) paintTrace(brush, panel, trace, thick);
    this.#shapes(brush, false, thick);
    for (const then of this.after) then();
  }

  /** @param {CanvasRenderingContext2D} brush @param {boolean} below true for those behind the traces @param {number} thick */
  #shapes(brush, below, thick) {
    for (const shape of this.#drawing?.layout.shapes ?? []) {
      if ((shape.layer === "below") !== below || (shape.name && shape.name === this.replaced)) continue;
      const panel = this.#panelOf(shape);
      if (panel) paintShape(brush, panel, shape, thick);
    }
  }

  /** Return the painted panel of a shape. @param {import("../../types/plotly.js").Shape} shape */
  #panelOf(shape) {
    const panel = panelOf(this.panels, shape.xref.split(" ")[0], shape.yref.split(" ")[0]);
    return panel && this.#paints(panel) ? panel : undefined;
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const frame = this.area.getBoundingClientRect();
    this.#tell(nearest(this.drawn, event.clientX - frame.left, event.clientY - frame.top));
  }

  /** Tell of a point. @param {ReturnType<typeof nearest>} found */
  #tell(found) {
    const { area } = this;
    const [point, tip] = [this.#dot, this.#tip];
    tip.hidden = point.hidden = !found;
    if (!found) return;
    const { x, y } = found;
    point.style.transform = `translate(${x}px, ${y}px)`;
    tip.replaceChildren(...linesOf(found).map((line) => element("span", { className: "line" }, ...typeset(line))));
    const right = x > area.clientWidth / 2;
    const lowest = Math.max(0, area.clientHeight - tip.offsetHeight);
    Object.assign(tip.style, {
      left: right ? "" : `${x + 14}px`,
      right: right ? `${area.clientWidth - x + 14}px` : "",
      top: `${Math.min(y + 12, lowest)}px`,
    });
  }
}
