/** A living figure of curves, boxes and bars: one plotly graph whose data is replaced, never rebuilt. */

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: "reset" };
const CLEAR = "rgba(0,0,0,0)";

export class GraphFigure {
  /** @param {HTMLElement} stage */
  constructor(stage) {
    this.graph = document.createElement("div");
    this.graph.className = "graph";
    this.graph.setAttribute("aria-hidden", "true");
    stage.append(this.graph);
  }

  /**
   * @param {any} Plotly @param {{data: any[], layout: any}} drawing @param {string} structure @param {any} template
   */
  async draw(Plotly, drawing, structure, template) {
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
   * Moves the marks of the query row: each trace says in its `meta.row_of` of which quantity it marks the row's values.
   * @param {(trace: any) => {x?: any, y?: any} | null} valuesOf null takes the mark back to what the server sent
   */
  markRow(valuesOf) {
    if (!this.drawing) return;
    this.drawing.data.forEach((trace, i) => {
      if (!trace.meta?.row_of) return;
      const values = valuesOf(trace) ?? { x: trace.x, y: trace.y };
      this.Plotly.restyle(this.graph, { x: [values.x ?? trace.x], y: [values.y ?? trace.y] }, [i]);
    });
  }
}

/**
 * plotly takes typed arrays for data but plain ones for layout (an axis range).
 * @param {any} node
 */
export function plain(node) {
  if (ArrayBuffer.isView(node)) return Array.from(/** @type {any} */ (node));
  if (Array.isArray(node)) return node.map(plain);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, plain(child)]));
}
