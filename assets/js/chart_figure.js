/**
 * A live figure of curves, boxes and bars on one canvas. Python defines the figure; plotly draws the same drawing in
 * notebooks and files. A plotly graph takes 12–17 ms an update, this about one (docs/decisions/live-charts.md).
 */

import { axisKey } from "./axes.js";
import { nearest, told } from "./chart/hover.js";
import { panels } from "./chart/frame.js";
import { paintShape, paintTrace } from "./chart/marks.js";
import { Words, legend } from "./chart/words.js";
import { brushOf, element } from "./dom.js";
import { typeset } from "./symbols.js";

/**
 * @typedef {import("../types/plotly.js").Drawing} Drawing
 * @typedef {import("../types/plotly.js").Layout} Layout
 * @typedef {import("./chart/frame.js").Panel} Panel
 * @typedef {import("./chart/words.js").Word} Word
 */

/** Mean width of a digit, in heights of the text. */
const DIGIT = 0.58;

export class ChartFigure {
  /** @type {Drawing | null} */
  drawing = null;
  /** @type {Panel[]} */
  panels = [];
  /** Values of moved marks, by trace. @type {Map<number, {x: ArrayLike<number>, y: ArrayLike<number>}>} */
  moved = new Map();

  /** @param {HTMLElement} stage */
  constructor(stage) {
    this.canvas = element("canvas", { className: "chart-canvas" });
    this.names = element("div", { className: "chart-legend" });
    const labels = element("div", { className: "chart-words" });
    this.tip = element("div", { className: "tip", hidden: true });
    this.area = element("div", { className: "chart-area" }, this.canvas, labels, this.tip);
    this.root = element("div", { className: "chart", aria: { hidden: "true" } }, this.names, this.area);
    this.words = new Words(labels);
    stage.append(this.root);
    new ResizeObserver(() => this.paint()).observe(this.area);
    this.area.addEventListener("pointermove", (event) => this.#point(event));
    this.area.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
  }

  /** @param {Drawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    this.moved.clear();
    legend(this.names, drawing.data);
    this.paint();
  }

  /**
   * Move the marks of the query row; a trace's `meta.row_of` names the quantity that it marks.
   * @param {(meta: {row_of: string, head: number}) => {x?: ArrayLike<number>, y?: ArrayLike<number>} | null} valuesOf null restores
   *   the server's mark
   */
  markRow(valuesOf) {
    if (!this.drawing) return;
    this.drawing.data.forEach(({ meta, x = [], y = [] }, i) => {
      if (!meta?.row_of) return;
      const values = valuesOf({ row_of: meta.row_of, head: meta.head });
      if (values) this.moved.set(i, { x: values.x ?? x, y: values.y ?? y });
      else this.moved.delete(i);
    });
    this.paint();
  }

  /** The drawing as it stands, with the moved marks. */
  get shown() {
    if (!this.drawing) return null;
    const { data, layout } = this.drawing;
    return { data: data.map((trace, i) => ({ ...trace, ...this.moved.get(i) })), layout };
  }

  /** Paint everything at the present size. */
  paint() {
    const { shown: drawing, area, canvas } = this;
    const [width, height] = [area.clientWidth, area.clientHeight];
    if (!drawing || width < 40 || height < 40) return;
    const style = getComputedStyle(area);
    const em = parseFloat(style.fontSize);
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const brush = brushOf(canvas);
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.clearRect(0, 0, width, height);
    this.panels = framed(drawing.layout, { width, height }, em);
    this.words.show(this.panels.flatMap((panel) => labels(drawing.layout, panel, em)));
    const [grid, ink] = [style.getPropertyValue("--chart-grid"), style.getPropertyValue("--chart-ink")];
    for (const panel of this.panels) axes(brush, panel, em, grid, ink);
    const thick = em / 12;
    const at = (/** @type {string} */ x, /** @type {string} */ y) =>
      this.panels.find((panel) => panel.y === y && panel.x === x) ?? this.panels.find((panel) => panel.y === y);
    for (const shape of drawing.layout.shapes ?? []) {
      const panel = at(shape.xref.split(" ")[0], shape.yref.split(" ")[0]);
      if (panel) paintShape(brush, panel, shape);
    }
    for (const trace of drawing.data) {
      const panel = at(trace.xaxis ?? "x", trace.yaxis ?? "y");
      if (panel) paintTrace(brush, panel, trace, thick);
    }
  }

  /** Tell of the point under the pointer. @param {PointerEvent} event */
  #point(event) {
    const { drawing, tip, area } = this;
    if (!drawing) return;
    const frame = area.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const drawn = drawing.data.flatMap((trace) => {
      const panel = this.panels.find((one) => one.y === (trace.yaxis ?? "y"));
      return panel ? [{ panel, trace }] : [];
    });
    const found = nearest(drawn, x, y);
    tip.hidden = !found;
    if (!found) return;
    tip.replaceChildren(...told(found).map((line) => element("span", { className: "line" }, ...typeset(line))));
    const right = x > area.clientWidth / 2;
    Object.assign(tip.style, {
      left: right ? "" : `${x + 14}px`,
      right: right ? `${area.clientWidth - x + 14}px` : "",
      top: `${Math.min(y + 12, Math.max(0, area.clientHeight - 3 * parseFloat(getComputedStyle(area).fontSize)))}px`,
    });
  }
}

/**
 * Return the panels with room for their words.
 * @param {Layout} layout @param {{width: number, height: number}} size @param {number} em
 */
function framed(layout, size, em) {
  /** @param {string} y */
  const own = (y) => {
    const rough = panels(layout, size, { left: 0, top: 0, right: 0, bottom: 0 }, () => NONE).filter(
      (panel) => panel.y === y || layout[axisKey(panel.y)].overlaying === y,
    );
    const room = (/** @type {Panel | undefined} */ panel) =>
      panel ? 8 + em * DIGIT * Math.max(1, ...panel.up.ticks(em * 1.8).map(({ text }) => [...text].length)) : 4;
    const left = room(rough.find(({ beside }) => !beside));
    const right = rough.some(({ beside }) => beside) ? room(rough.find(({ beside }) => beside)) : em * 0.7;
    return { left, right, top: em * 1.75, bottom: em * 1.6 };
  };
  const cached = new Map();
  return panels(layout, size, NONE, (y) => {
    const host = layout[axisKey(y)].overlaying ?? y;
    if (!cached.has(host)) cached.set(host, own(host));
    return cached.get(host);
  });
}

const NONE = { left: 0, top: 0, right: 0, bottom: 0 };

/** Return the words around a panel. @param {Layout} layout @param {Panel} panel @param {number} em @returns {Word[]} */
function labels(layout, { x, y, across, up, box, beside }, em) {
  /** @type {Word[]} */
  const words = [];
  const title = up.layout.title?.text;
  const above = box.top - em * 0.75;
  const heading = (layout.annotations ?? []).find((note) => note.xref === `${x} domain` && note.yref === `${y} domain`);
  if (heading) words.push({ text: heading.text, x: box.left - em * 1.2, y: above, align: "start", kind: "heading" });
  if (title && !heading) {
    words.push({
      text: title,
      x: beside ? box.right : box.left,
      y: above,
      align: beside ? "end" : "start",
      kind: "title",
    });
  }
  for (const { at, text } of up.ticks(em * 1.8)) {
    words.push({
      text,
      x: beside ? box.right + 6 : box.left - 6,
      y: at,
      align: beside ? "start" : "end",
      kind: "tick",
    });
  }
  if (beside) return words;
  const below = box.bottom + em * 0.95;
  const name = across.layout.title?.text ?? "";
  const until = name ? box.right - [...name].length * em * 0.52 - em : Infinity;
  const ticks = across.ticks(em * 2.6).filter(({ at }) => at < until);
  for (const { at, text } of ticks) words.push({ text, x: at, y: below, align: "middle", kind: "tick" });
  if (name) words.push({ text: name, x: box.right, y: below, align: "end", kind: "title" });
  return words;
}

/**
 * Paint grid and axis lines.
 * @param {CanvasRenderingContext2D} brush @param {Panel} panel @param {number} em @param {string} grid @param {string} ink
 */
function axes(brush, { across, up, box, beside }, em, grid, ink) {
  if (beside) return;
  brush.setLineDash([]);
  brush.lineWidth = 1;
  brush.strokeStyle = grid || "#e2e8f0";
  brush.beginPath();
  if (up.layout.showgrid !== false) {
    for (const { at } of up.ticks(em * 1.8)) {
      brush.moveTo(box.left, Math.round(at) + 0.5);
      brush.lineTo(box.right, Math.round(at) + 0.5);
    }
  }
  if (across.layout.showgrid !== false) {
    for (const { at } of across.ticks(em * 2.6)) {
      brush.moveTo(Math.round(at) + 0.5, box.top);
      brush.lineTo(Math.round(at) + 0.5, box.bottom);
    }
  }
  brush.stroke();
  brush.strokeStyle = ink || "#64748b";
  brush.beginPath();
  brush.moveTo(box.left, box.bottom + 0.5);
  brush.lineTo(box.right, box.bottom + 0.5);
  brush.stroke();
}
