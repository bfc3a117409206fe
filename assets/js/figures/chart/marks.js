/** Paints the traces of a chart on a canvas: bars, boxes, lines, markers, shaded regions. */

import { five } from "./hover.js";

/**
 * @typedef {CanvasRenderingContext2D} Brush
 * @typedef {import("./frame.js").Panel} Panel
 * @typedef {import("../../../types/plotly.js").Trace} Trace
 */

const DASHES = /** @type {Partial<Record<string, number[]>>} */ ({
  dash: [6, 4],
  dot: [1.5, 3],
  dashdot: [6, 3, 1.5, 3],
});

/**
 * Paint a shape behind or above the traces.
 * @param {Brush} brush @param {Panel} panel @param {import("../../../types/plotly.js").Shape} shape @param {number} thick
 */
export function paintShape(brush, { across, up, box }, shape, thick = 1) {
  /** @param {string} ref @param {import("./scale.js").Scale} scale @param {number} from @param {number} to @param {number} value */
  const at = (ref, scale, from, to, value) =>
    ref.endsWith("domain") ? from + value * (to - from) : scale.pixel(value);
  const [x0, x1] = [shape.x0, shape.x1].map((x) => at(shape.xref, across, box.left, box.right, x));
  const [y0, y1] = [shape.y0 ?? 0, shape.y1 ?? 1].map((y) => at(shape.yref, up, box.bottom, box.top, y));
  brush.save();
  brush.beginPath();
  brush.rect(box.left - 1, box.top - 1, box.right - box.left + 2, box.bottom - box.top + 2);
  brush.clip();
  brush.beginPath();
  if (shape.type === "rect") {
    if (shape.fillcolor) {
      brush.fillStyle = shape.fillcolor;
      brush.fillRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
    }
    brush.rect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
  } else {
    brush.moveTo(x0, y0);
    brush.lineTo(x1, y1);
  }
  if (stroke(brush, shape.line, thick)) brush.stroke();
  brush.restore();
}

/**
 * Paint a trace inside its panel; `thick` widens every line, for a projector.
 * @param {Brush} brush @param {Panel} panel @param {Trace} trace @param {number} thick
 */
export function paintTrace(brush, panel, trace, thick = 1) {
  brush.save();
  const { left, top, right, bottom } = panel.box;
  if (trace.cliponaxis !== false) {
    brush.beginPath();
    brush.rect(left, top - 1, right - left, bottom - top + 2);
    brush.clip();
  }
  brush.globalAlpha = trace.opacity ?? 1;
  if (trace.type === "bar") {
    bars(brush, panel, trace);
  } else if (trace.type === "box") {
    boxes(brush, panel, trace, thick);
  } else {
    const mode = trace.mode ?? "lines";
    if (mode.includes("lines")) line(brush, panel, trace, thick);
    if (mode.includes("markers")) markers(brush, panel, trace, thick);
  }
  brush.restore();
}

/**
 * Prepare a line's style; return false if it has no width.
 * @param {Brush} brush @param {import("../../../types/plotly.js").Line | undefined} given @param {number} thick
 */
function stroke(brush, given, thick) {
  const width = given?.width ?? 2;
  if (!width) return false;
  brush.lineWidth = width * thick;
  brush.strokeStyle = given?.color ?? "#64748b";
  brush.setLineDash((DASHES[given?.dash ?? "solid"] ?? []).map((length) => length * Math.max(1, thick)));
  brush.lineJoin = "round";
  return true;
}

/** @param {Brush} brush @param {Panel} panel @param {Trace} trace */
function bars(brush, { across, up }, { x = [], y = [], width, marker = {} }) {
  brush.globalAlpha *= marker.opacity ?? 1;
  if (typeof marker.color === "string") brush.fillStyle = marker.color;
  const floor = up.pixel(0);
  const ends = width === undefined ? x : [0, width];
  const half = ends.length > 1 ? Math.abs(across.pixel(ends[1]) - across.pixel(ends[0])) / 2 : 4;
  for (let i = 0; i < x.length; i += 1) {
    const [middle, top] = [across.pixel(x[i]), up.pixel(y[i])];
    // whole pixels: bars without gaps show no seams
    const [left, right] = [Math.round(middle - half), Math.round(middle + half)];
    brush.fillRect(left, Math.min(top, floor), Math.max(1, right - left), Math.abs(floor - top));
  }
}

/** @param {Brush} brush @param {Panel} panel @param {Trace} trace @param {number} thick */
function boxes(brush, { across, up }, trace, thick) {
  const { x = [], width = 0.6, fillcolor = "transparent", line: style } = trace;
  const half = Math.abs(across.pixel(width) - across.pixel(0)) / 2;
  for (let i = 0; i < x.length; i += 1) {
    const middle = across.pixel(x[i]);
    const [most, high, centre, low, least] = five(trace, i).map((value) => up.pixel(value));
    brush.fillStyle = fillcolor;
    brush.fillRect(middle - half, high, 2 * half, low - high);
    if (!stroke(brush, style, thick)) continue;
    brush.beginPath();
    brush.rect(middle - half, high, 2 * half, low - high);
    for (const [end, edge] of [
      [least, low],
      [most, high],
    ]) {
      brush.moveTo(middle, edge);
      brush.lineTo(middle, end);
      brush.moveTo(middle - half / 2, end);
      brush.lineTo(middle + half / 2, end);
    }
    brush.stroke();
    brush.lineWidth *= 1.4;
    brush.beginPath();
    brush.moveTo(middle - half, centre);
    brush.lineTo(middle + half, centre);
    brush.stroke();
  }
}

/** @param {Brush} brush @param {Panel} panel @param {Trace} trace @param {number} thick */
function line(brush, { across, up }, { x = [], y = [], line: style, fill, fillcolor }, thick) {
  const steps = style?.shape === "hvh";
  brush.beginPath();
  let before = NaN;
  for (let i = 0; i < x.length; i += 1) {
    const [here, height] = [across.pixel(x[i]), up.pixel(y[i])];
    if (Number.isNaN(here) || Number.isNaN(height)) {
      before = NaN;
    } else {
      if (Number.isNaN(before)) {
        brush.moveTo(here, height);
      } else if (steps) {
        const edge = (before + here) / 2;
        brush.lineTo(edge, up.pixel(y[i - 1]));
        brush.lineTo(edge, height);
        brush.lineTo(here, height);
      } else {
        brush.lineTo(here, height);
      }
      before = here;
    }
  }
  if (fill === "toself" && fillcolor) {
    brush.fillStyle = fillcolor;
    brush.fill();
  }
  if (stroke(brush, style, thick)) brush.stroke();
  if (fill !== "tozeroy" || !fillcolor || !x.length) return;
  // the path is closed after it is drawn: along zero there is no line
  brush.lineTo(across.pixel(x[x.length - 1]), up.pixel(0));
  brush.lineTo(across.pixel(x[0]), up.pixel(0));
  brush.fillStyle = fillcolor;
  brush.fill();
}

/** @param {Brush} brush @param {Panel} panel @param {Trace} trace @param {number} thick */
function markers(brush, { across, up }, { x = [], y = [], marker = {} }, thick) {
  const { symbol = "circle", size = 6, line: style } = marker;
  const reach = (size / 2) * Math.sqrt(thick);
  const open = symbol.endsWith("-open");
  for (let i = 0; i < x.length; i += 1) {
    const [here, height] = [across.pixel(x[i]), up.pixel(y[i])];
    if (Number.isNaN(here) || Number.isNaN(height)) continue;
    const colour = typeof marker.color === "string" ? marker.color : (marker.color?.[i] ?? "#64748b");
    brush.beginPath();
    outline(brush, symbol.replace("-open", ""), here, height, reach);
    if (!open) {
      brush.fillStyle = colour;
      brush.fill();
    }
    if (!open && !style?.width) continue;
    stroke(brush, { width: style?.width ?? 1.5, color: open ? colour : style?.color }, thick);
    brush.stroke();
  }
}

/** Trace a symbol's outline. @param {Brush} brush @param {string} symbol @param {number} x @param {number} y @param {number} reach */
function outline(brush, symbol, x, y, reach) {
  if (symbol === "diamond") {
    brush.moveTo(x, y - reach);
    for (const [across, down] of [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]) {
      brush.lineTo(x + across * reach, y + down * reach);
    }
  } else if (symbol === "square") {
    brush.rect(x - reach, y - reach, 2 * reach, 2 * reach);
  } else if (symbol === "line-ns") {
    brush.moveTo(x, y - reach);
    brush.lineTo(x, y + reach);
  } else if (symbol === "x" || symbol === "cross") {
    const [a, b] = symbol === "x" ? [reach, reach] : [reach, 0];
    for (const [dx, dy] of symbol === "x"
      ? [
          [a, b],
          [a, -b],
        ]
      : [
          [a, 0],
          [0, a],
        ]) {
      brush.moveTo(x - dx, y - dy);
      brush.lineTo(x + dx, y + dy);
    }
  } else if (symbol.startsWith("triangle")) {
    const side = symbol === "triangle-down" ? 1 : -1;
    brush.moveTo(x - reach, y - side * reach * 0.7);
    brush.lineTo(x + reach, y - side * reach * 0.7);
    brush.lineTo(x, y + side * reach);
    brush.closePath();
  } else {
    brush.arc(x, y, reach, 0, 2 * Math.PI);
  }
}
