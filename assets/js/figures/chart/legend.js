/** The legend of a chart: a sample and a name for each kind of trace; a click hides the kind and shows it again. */

import { element } from "../../dom/dom.js";
import { typeset } from "../../words/symbols.js";

/** @typedef {import("../../../types/plotly.js").Trace} Trace */

const DASHED = /** @type {Partial<Record<string, string>>} */ ({ dash: "dashed", dot: "dotted" });

export class Legend {
  /** Names of the kinds that are hidden. @type {Set<string>} */
  hidden = new Set();
  key = "";

  /** @param {HTMLElement} root @param {() => void} changed called after a click */
  constructor(root, changed) {
    this.root = root;
    this.changed = changed;
  }

  /** Write the entries of these traces. @param {Trace[]} traces */
  show(traces) {
    const named = traces.filter(
      ({ showlegend, name, type, meta }) => (showlegend !== false || meta?.pointed) && name && type !== "heatmap",
    );
    const key = JSON.stringify(
      named.map((trace) => [labelOf(trace), trace.line?.color, trace.line?.dash, trace.marker?.symbol, trace.type]),
    );
    if (this.key === key) return;
    this.key = key;
    this.root.replaceChildren(...named.map((trace) => this.#entry(trace)));
  }

  /** Return true if a trace is drawn. @param {Trace} trace */
  has({ name = "" }) {
    return !this.hidden.has(name);
  }

  /** @param {Trace} trace */
  #entry(trace) {
    const { name = "", meta } = trace;
    const of = meta?.kind ?? meta?.measure;
    const entry = element(
      "span",
      { className: "entry", data: of ? { of } : {} },
      sample(trace),
      ...typeset(labelOf(trace)),
    );
    const look = () => entry.classList.toggle("is-hidden", this.hidden.has(name));
    entry.addEventListener("click", () => {
      if (!this.hidden.delete(name)) this.hidden.add(name);
      look();
      this.changed();
    });
    look();
    return entry;
  }
}

/** Return what an entry says: marks of a row that nobody has locked are those of the row pointed at. @param {Trace} trace */
function labelOf({ name = "", showlegend, meta }) {
  return showlegend === false ? (meta?.pointed ?? "") : name;
}

/** Return what CSS has no border for: a dash, a dot and a dash. @param {string | undefined} colour */
function dashDot(colour = "currentColor") {
  const clear = "transparent";
  return `linear-gradient(90deg, ${colour} 36%, ${clear} 36% 44%, ${colour} 44% 56%, ${clear} 56% 64%, ${colour} 64%)`;
}

/** @param {Trace} trace */
function sample({ line = {}, marker = {}, mode = "lines", type, fill, fillcolor = "currentColor" }) {
  if (type === "box") {
    const box = element("i", { className: "sample is-mark" });
    const edge = { outlineStyle: "solid", outlineWidth: "1.5px", outlineColor: line.color };
    Object.assign(box.style, { background: fillcolor, ...edge });
    return box;
  }
  const mark = type === "bar" || mode.startsWith("markers");
  if (fill) {
    const region = element("i", { className: "sample is-mark" });
    region.style.background = fillcolor;
    if (line.width) {
      Object.assign(region.style, { outlineStyle: "solid", outlineWidth: "1.5px", outlineColor: line.color });
    }
    return region;
  }
  const made = element("i", { className: mark ? "sample is-mark" : "sample" });
  if (!mark) {
    const wide = `${Math.min(3, line.width ?? 2)}px`;
    if (line.dash === "dashdot") Object.assign(made.style, { height: wide, background: dashDot(line.color) });
    else made.style.borderTop = `${wide} ${DASHED[line.dash ?? "solid"] ?? "solid"} ${line.color}`;
    return made;
  }
  const { symbol = "square", line: edge } = marker;
  const colour = typeof marker.color === "string" ? marker.color : "currentColor";
  const open = symbol.endsWith("-open");
  if (symbol.startsWith("x")) {
    made.classList.add("is-cross"); // of several colours in the chart
    made.textContent = "×";
    return made;
  }
  if (symbol.startsWith("line-ns")) {
    Object.assign(made.style, { width: "2px", background: colour });
    return made;
  }
  Object.assign(made.style, {
    background: open ? "none" : colour,
    outline: open || edge?.width ? `${open ? 1.5 : 1}px solid ${edge?.color ?? colour}` : "",
    borderRadius: symbol.startsWith("circle") ? "50%" : "",
    rotate: symbol === "diamond" ? "45deg" : "",
  });
  return made;
}
