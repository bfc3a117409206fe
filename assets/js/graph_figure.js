/** A live figure of curves, boxes and bars: one plotly graph; its data is replaced, the graph never rebuilt. */

import { element } from "./dom.js";

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: "reset" };
const CLEAR = "rgba(0,0,0,0)";

export class GraphFigure {
  /** @param {HTMLElement} stage */
  constructor(stage) {
    /** @type {import("../types/plotly.js").Graph} */
    this.graph = element("div", { className: "graph", aria: { hidden: "true" } });
    stage.append(this.graph);
  }

  /** The drawing as it stands, with the moved marks. */
  get shown() {
    const { data, layout } = this.graph;
    return data && layout ? { data, layout } : null;
  }

  /**
   * @param {import("../types/plotly.js").Plotly} Plotly
   * @param {import("../types/plotly.js").Drawing} drawing
   * @param {object} template
   */
  async draw(Plotly, drawing, template) {
    this.Plotly = Plotly;
    this.drawing = drawing;
    const layout = { ...plain(drawing.layout), template, paper_bgcolor: CLEAR, plot_bgcolor: CLEAR };
    await Plotly.react(
      this.graph,
      drawing.data.map((trace) => ({ ...trace })),
      layout,
      CONFIG,
    );
  }

  /**
   * Move the marks of the query row; a trace's `meta.row_of` names the quantity that it marks.
   * @param {(meta: {row_of: string, head: number}) => {x?: ArrayLike<number>, y?: ArrayLike<number>} | null} valuesOf null restores
   *   the server's mark
   */
  markRow(valuesOf) {
    const { Plotly, drawing } = this;
    if (!Plotly || !drawing) return;
    drawing.data.forEach(({ meta, x, y }, i) => {
      if (!meta?.row_of) return;
      const values = valuesOf({ row_of: meta.row_of, head: meta.head });
      void Plotly.restyle(this.graph, { x: [values?.x ?? x], y: [values?.y ?? y] }, [i]);
    });
  }
}

/**
 * Replace typed arrays by plain ones: plotly takes typed arrays as data, not in a layout.
 * @template Tree
 * @param {Tree} node
 * @returns {Tree}
 */
export function plain(node) {
  return /** @type {Tree} */ (untyped(node));
}

/** @param {unknown} node @returns {unknown} */
function untyped(node) {
  if (ArrayBuffer.isView(node)) return Array.from(/** @type {Float32Array} */ (node)); // of any type
  if (Array.isArray(node)) return node.map(untyped);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, untyped(child)]));
}
