/** The range of an axis for which the figure names none. Pure. */

/**
 * Return the range that holds all values of the traces, in powers of ten on a logarithmic axis.
 * @param {import("../../../types/plotly.js").Trace[]} traces @param {"x" | "y"} which
 * @param {import("../../../types/plotly.js").AxisLayout} [axis]
 * @returns {[number, number]}
 */
export function extent(traces, which, axis = {}) {
  const log = axis.type === "log";
  let [low, high] = [Infinity, -Infinity];
  for (const trace of traces) {
    for (const value of Array.from(trace[which] ?? [])) {
      const at = log ? Math.log10(value) : value;
      if (typeof value !== "number" || !Number.isFinite(at)) continue;
      low = Math.min(low, at);
      high = Math.max(high, at);
    }
  }
  if (low > high) return [0, 1];
  const zero = axis.rangemode === "tozero" && !log;
  if (zero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  const room = which === "y" ? 0.05 * (high - low || 1) : 0;
  return [zero && low === 0 ? 0 : low - room, high + room];
}
