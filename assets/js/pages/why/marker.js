/** The vertical line at a control's value on every panel of a chart with a logarithmic axis, moved by pointer or keys. */

import { number } from "../../figures/axes.js";
import { panelOf } from "../../figures/chart/frame.js";
import { meet, sides } from "../../figures/chart/naming.js";
import { width } from "../../figures/chart/width.js";
import { element } from "../../dom/dom.js";
import { hearDrag } from "../../dom/drag.js";
import { fitting, keyed } from "../../controls/stops.js";

const NAME = "present";

export class Marker {
  /** The value of the control. @type {number | null} */
  value = null;
  /** One line per panel. @type {HTMLElement[]} */
  lines = [];

  /**
   * @param {HTMLElement} stage of the figure
   * @param {import("../../figures/chart_figure.js").ChartFigure} chart in it
   * @param {import("../../controls/stops.js").Scale} scale
   * @param {string} label name of the control, for screen readers
   * @param {(value: number) => void} moved
   */
  constructor(stage, chart, scale, label, moved) {
    this.chart = chart;
    this.scale = scale;
    this.label = label;
    this.moved = moved;
    this.sign = element("span", { className: "marker-value", aria: { hidden: "true" } });
    this.layer = element("div", { className: "markers" });
    stage.append(this.layer);
    chart.replaced = NAME;
    chart.after.push(() => this.place());
  }

  /** The figure's own lines, which these replace. */
  get shapes() {
    return (this.chart.shown?.layout.shapes ?? []).filter((shape) => shape.name === NAME);
  }

  /** Return the shapes of a static figure, with the lines at the present value. @param {import("../../../types/plotly.js").Shape[]} shapes */
  standing(shapes) {
    const { value } = this;
    return shapes.map((shape) => (shape.name === NAME && value !== null ? { ...shape, x0: value, x1: value } : shape));
  }

  /**
   * Move another control from now on.
   * @param {import("../../controls/stops.js").Scale} scale @param {string} label @param {(value: number) => void} moved
   */
  stand(scale, label, moved) {
    Object.assign(this, { scale, label, moved, lines: [], value: null });
    this.layer.replaceChildren();
  }

  /** @param {number} value */
  show(value) {
    this.value = value;
    this.place();
  }

  /** Put the lines where the panels are now. */
  place() {
    const { value, chart, shapes } = this;
    if (value === null) return;
    if (this.lines.length !== shapes.length) this.#build(shapes.length);
    this.layer.style.top = `${chart.area.offsetTop}px`;
    this.lines.forEach((line, i) => {
      const panel = this.#panel(i);
      line.hidden = true;
      if (!panel) return;
      const { left, right, top, bottom } = panel.box;
      const at = panel.across.pixel(value);
      line.hidden = !(at >= left - 0.5 && at <= right + 0.5);
      Object.assign(line.style, { left: `${at}px`, top: `${top}px`, height: `${bottom - top}px` });
    });
    const written = number(value);
    this.sign.textContent = `◂ ${this.scale.whole ? value : written} ▸`;
    const first = this.lines.at(0);
    first?.setAttribute("aria-valuenow", String(value));
    first?.setAttribute("aria-valuetext", written);
    this.#uncover();
  }

  /** Keep the value within its panel, and take away the ticks and the axis's name that it is written over. */
  #uncover() {
    const { chart, sign, value } = this;
    const panel = this.#panel(0);
    if (!panel || value === null || !chart.room) return;
    const { em } = chart.room;
    const { box, outer } = panel;
    const [mark, low] = [panel.across.pixel(value), box.bottom];
    const wide = (width(sign.textContent) / 2 + 1) * em;
    const at = Math.max(outer.left + wide, Math.min(outer.right - wide, mark));
    sign.style.translate = `calc(-50% + ${at - mark}px) 0`;
    const half = sign.checkVisibility() ? wide : -Infinity;
    const taken = { left: at - half, right: at + half, top: low + 1, bottom: low + 2 * em };
    chart.words.shown.forEach((word, i) => {
      const place = /** @type {HTMLElement | undefined} */ (chart.words.root.children[i]);
      const under =
        (word.kind === "tick" || word.kind === "title") && word.y > low - em && meet(sides(word, em), taken);
      if (place) place.style.visibility = under ? "hidden" : "";
    });
  }

  /** Return the panel of a line. @param {number} i */
  #panel(i) {
    const { xref, yref } = this.shapes[i] ?? {};
    return xref ? panelOf(this.chart.panels, xref, yref.split(" ")[0]) : undefined;
  }

  /** Make one line per panel; only the first is a slider for the keyboard. @param {number} count */
  #build(count) {
    this.lines = Array.from({ length: count }, (_, i) => {
      const line = element("div", {
        className: "marker",
        ...(i
          ? { aria: { hidden: "true" } }
          : {
              tabIndex: 0,
              role: "slider",
              ariaLabel: this.label,
              aria: { valuemin: this.scale.low, valuemax: this.scale.high },
            }),
      });
      this.#hear(line, i);
      if (i === 0) line.addEventListener("keydown", (event) => this.#key(event));
      return line;
    });
    this.lines.at(0)?.append(this.sign);
    this.layer.replaceChildren(...this.lines);
  }

  /** Let a line be dragged. @param {HTMLElement} line @param {number} i */
  #hear(line, i) {
    hearDrag(line, {
      begin: (event) => {
        event.preventDefault();
        this.layer.classList.add("is-dragged");
        if (i === 0) line.focus({ preventScroll: true });
      },
      move: (event) => {
        const panel = this.#panel(i);
        if (!panel) return;
        const { left, right } = panel.box;
        const at = event.clientX - this.chart.area.getBoundingClientRect().left;
        const value = fitting(this.scale, panel.across.value(Math.min(right, Math.max(left, at))));
        if (value !== this.value) this.#move(value);
      },
      end: () => this.layer.classList.remove("is-dragged"),
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.value === null) return;
    const value = keyed(this.scale, this.value, event.key);
    if (value === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#move(value);
  }

  /** @param {number} value */
  #move(value) {
    this.show(value);
    this.moved(value);
  }
}
