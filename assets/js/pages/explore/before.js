/**
 * The scores before the last change, as an outline behind the present ones, on one axis. Python's figure has the outline
 * without points (visualiser/drawing/pinned_overlay.py, whose rule for the axes this repeats); its numbers are those that the
 * page has shown before, so no state is computed twice.
 */

/** @typedef {import("../../../types/plotly.js").Drawing} Drawing */
/** @typedef {import("../../../types/plotly.js").Trace} Trace */

/** Highest range of the densities, and how far the axis of the scores may grow on either side, in ranges of the present ones. */
const [HIGHEST, FARTHEST] = [1.5, 0.75];

/** @param {Drawing} drawing @param {string} kind */
const traceOf = ({ data }, kind) => data.find(({ meta }) => meta?.kind === kind);

/**
 * Return the present figure with the outline of the one before; the present one alone if nothing would differ.
 * @param {Drawing | null} before @param {Drawing} now
 * @returns {Drawing}
 */
export function beside(before, now) {
  const [old, bars, outline] = [before && traceOf(before, "pooled"), traceOf(now, "pooled"), traceOf(now, "before")];
  if (!before || !old || !bars || !outline || (same(old.x, bars.x) && same(old.y, bars.y))) return now;
  const { xaxis, yaxis, shapes = [] } = now.layout;
  const [x, y] = [Array.from(xaxis.range ?? []), Array.from(yaxis.range ?? [])];
  const [oldX, oldY] = [Array.from(before.layout.xaxis.range ?? []), Array.from(before.layout.yaxis.range ?? [])];
  const reach = FARTHEST * (x[1] - x[0]);
  const across = [Math.min(x[0], Math.max(oldX[0], x[0] - reach)), Math.max(x[1], Math.min(oldX[1], x[1] + reach))];
  const up = [y[0], Math.max(y[1], Math.min(oldY[1], HIGHEST * y[1]))];
  const name = isBeyond(old, across) ? (outline.meta?.beyond ?? outline.name) : outline.name;
  const data = now.data.map((trace) =>
    trace === outline ? { ...trace, name, x: old.x, y: old.y, showlegend: true } : trace,
  );
  const layout = {
    ...now.layout,
    xaxis: { ...xaxis, range: across },
    yaxis: { ...yaxis, range: up },
    shapes: shapes.map((shape) => (shape.name === "saturated" ? { ...shape, x0: across[0] } : shape)),
  };
  return { ...now, data, layout };
}

/** Return true if some of the bars stand beside the axis. @param {Trace} bars @param {number[]} axis */
function isBeyond({ x = [], y = [] }, [low, high]) {
  const places = Array.from(x, Number);
  return places.some((place, i) => (place < low || place > high) && Number(y[i]) > 0);
}

/** @param {ArrayLike<number>} [a] @param {ArrayLike<number>} [b] */
const same = (a = [], b = []) => a.length === b.length && Array.from(a).every((value, i) => value === b[i]);

/** The scores at rest before the last change, kept from what the page has drawn. */
export class Before {
  /** @type {Drawing | null} */
  rested = null;
  /** @type {{drawing: Drawing, painted: string} | null} */
  last = null;

  /** Know nothing of the states before the present one. */
  forget() {
    this.rested = null;
  }

  /**
   * Return what to draw for the state `painted`.
   * @param {Drawing} drawing @param {string} painted @param {string | null} settled the state at rest
   */
  take(drawing, painted, settled) {
    if (this.last && this.last.painted === settled && painted !== settled) this.rested = this.last.drawing;
    this.last = { drawing, painted };
    return beside(this.rested, drawing);
  }
}
