/** The vertical line at a control's value on every panel of a figure with a logarithmic axis, moved by pointer or keys. */

import { axisKey, number } from "../axes.js";
import { element } from "../dom.js";
import { fitting, keyed } from "../stops.js";

/**
 * @typedef {import("../../types/plotly.js").Graph} Graph
 * @typedef {import("../../types/plotly.js").Shape} Shape
 * @typedef {Record<string, import("../../types/plotly.js").Axis | undefined>} FullLayout
 */

export class Marker {
  /**
   * @param {HTMLElement} stage of the figure
   * @param {Graph} graph plotly's element in it
   * @param {import("../stops.js").Scale} scale
   * @param {string} label name of the control, for screen readers
   * @param {(value: number) => void} moved
   */
  constructor(stage, graph, scale, label, moved) {
    this.graph = graph;
    this.scale = scale;
    this.label = label;
    this.moved = moved;
    /** @type {number | null} */
    this.value = null;
    /** @type {HTMLElement[]} one per panel */
    this.lines = [];
    /** @type {Shape[]} plotly's own lines, replaced by these */
    this.shapes = [];
    this.attached = false;
    this.layer = element("div", { className: "markers" });
    stage.append(this.layer);
    window.addEventListener("resize", () => this.place());
  }

  /**
   * Remove plotly's own lines from a drawing; downloads get them back at the present value.
   * @param {import("../../types/plotly.js").Drawing} drawing
   */
  take(drawing) {
    const all = drawing.layout.shapes ?? [];
    this.shapes = all.filter((shape) => shape.name === "present");
    return { ...drawing, layout: { ...drawing.layout, shapes: all.filter((shape) => shape.name !== "present") } };
  }

  /** Return the lines as shapes of a static figure. */
  standing() {
    const { value } = this;
    return value === null ? [] : this.shapes.map((shape) => ({ ...shape, x0: value, x1: value }));
  }

  /** Follow plotly's axes; call this after every drawing. */
  attach() {
    if (!this.attached) {
      this.attached = true;
      for (const event of ["plotly_afterplot", "plotly_relayouting"]) this.graph.on?.(event, () => this.place());
    }
    if (this.lines.length !== this.shapes.length) this.#build();
    this.place();
  }

  /** @param {number} value */
  show(value) {
    this.value = value;
    this.place();
  }

  place() {
    const layout = this.graph._fullLayout;
    const { value } = this;
    if (!layout || value === null) return;
    this.lines.forEach((line, i) => {
      const [x, y] = this.#axes(i, layout);
      line.hidden = true;
      if (!x?._length || !y?._length) return;
      const at = x.d2p(value);
      line.hidden = !(at >= -0.5 && at <= x._length + 0.5);
      Object.assign(line.style, { left: `${x._offset + at}px`, top: `${y._offset}px`, height: `${y._length}px` });
    });
    const first = this.lines.at(0);
    first?.setAttribute("aria-valuenow", String(value));
    first?.setAttribute("aria-valuetext", number(value));
  }

  /** Return the axes of a panel. @param {number} i @param {FullLayout} layout */
  #axes(i, layout) {
    const { xref, yref } = this.shapes[i];
    return [layout[axisKey(xref)], layout[axisKey(yref.replace(" domain", ""))]];
  }

  /** Make one line per panel; only the first is a slider for the keyboard. */
  #build() {
    this.lines = this.shapes.map((_, i) => {
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
      line.addEventListener("pointerdown", (event) => this.#drag(event, i));
      if (i === 0) line.addEventListener("keydown", (event) => this.#key(event));
      return line;
    });
    this.layer.replaceChildren(...this.lines);
  }

  /** @param {PointerEvent} event @param {number} i */
  #drag(event, i) {
    event.preventDefault();
    const line = this.lines[i];
    line.setPointerCapture(event.pointerId);
    this.layer.classList.add("is-dragged");
    const follow = (/** @type {PointerEvent} */ move) => {
      const [x] = this.#axes(i, this.graph._fullLayout ?? {});
      if (!x) return;
      const left = this.graph.getBoundingClientRect().left + x._offset;
      const value = fitting(this.scale, x.p2d(Math.min(x._length, Math.max(0, move.clientX - left))));
      if (value !== this.value) this.#move(value);
    };
    const end = () => {
      line.removeEventListener("pointermove", follow);
      this.layer.classList.remove("is-dragged");
    };
    line.addEventListener("pointermove", follow);
    for (const kind of ["pointerup", "pointercancel"]) line.addEventListener(kind, end, { once: true });
    if (i === 0) line.focus({ preventScroll: true });
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
