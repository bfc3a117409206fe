/** The words of a chart as HTML over its canvas: ticks, titles, legend. Elements are reused; text is never markup. */

import { element } from "../dom.js";
import { typeset } from "../symbols.js";

/**
 * @typedef {object} Word
 * @property {string} text
 * @property {number} x @property {number} y pixels
 * @property {"start" | "middle" | "end"} align
 * @property {"tick" | "title" | "heading" | "aside" | "upright"} kind
 * @property {boolean} [plain] true for a visitor's text, which has no symbols
 * @property {string} [colour]
 */

export class Words {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Word[]} */
    this.shown = [];
  }

  /** Show these words; only those that differ touch the page. @param {Word[]} words */
  show(words) {
    const { root, shown } = this;
    while (root.children.length > words.length) root.lastChild?.remove();
    while (root.children.length < words.length) root.append(element("span"));
    words.forEach((word, i) => {
      const place = /** @type {HTMLElement} */ (root.children[i]);
      const before = shown.at(i);
      if (before?.text !== word.text) place.replaceChildren(...(word.plain ? [word.text] : typeset(word.text)));
      if (before?.kind !== word.kind || before.align !== word.align) {
        place.className = `word ${word.kind} ${word.align}`;
      }
      if (before?.x !== word.x || before.y !== word.y) place.style.transform = `translate(${word.x}px, ${word.y}px)`;
      if (before?.colour !== word.colour) place.style.color = word.colour ?? "";
    });
    this.shown = words;
  }
}

/** The legend: a sample and the name of each trace that has an entry. @param {HTMLElement} root @param {import("../../types/plotly.js").Trace[]} traces */
export function legend(root, traces) {
  const named = traces.filter(({ showlegend, name, type }) => showlegend !== false && name && type !== "heatmap");
  const key = JSON.stringify(
    named.map(({ name, line, marker, type }) => [name, line?.color, line?.dash, marker?.symbol, type]),
  );
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  root.replaceChildren(
    ...named.map((trace) => {
      const { line = {}, marker = {}, mode = "lines", type } = trace;
      const markers = type === "bar" || mode === "markers";
      const sample = element("i", { className: markers ? "sample is-mark" : "sample" });
      if (markers) {
        sample.style.background = typeof marker.color === "string" ? marker.color : "currentColor";
        if (marker.line?.width) sample.style.outline = `1px solid ${marker.line.color ?? marker.color}`;
      } else {
        sample.style.borderTop = `${Math.min(3, line.width ?? 2)}px ${DASHED[line.dash ?? "solid"] ?? "solid"} ${line.color}`;
      }
      return element("span", {}, sample, ...typeset(trace.name ?? ""));
    }),
  );
}

const DASHED = /** @type {Partial<Record<string, string>>} */ ({ dash: "dashed", dot: "dotted" });
