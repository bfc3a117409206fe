/** Draws what is counted of one head over texts: its measures beside those of all heads, how far away it reads, and what it joins. */

import { element } from "../dom/dom.js";
import { shape } from "../dom/svg.js";
import { typeset } from "../words/symbols.js";
import { shown } from "../words/token.js";

/**
 * @typedef {import("../../types/wire.js").HeadMeasure} HeadMeasure
 * @typedef {Extract<import("../../types/wire.js").HeadRead, {read: true}>} Found
 */

/** @param {number} value */
export const digits = (value) =>
  value === 0 ? "0" : Math.abs(value) < 0.0005 ? value.toExponential(0) : value.toPrecision(2);
/** @param {number} share */
const percent = (share) => `${share < 0.1 ? (100 * share).toPrecision(2) : Math.round(100 * share)} %`;

export class HeadNumbers {
  /**
   * @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
   * @param {(measure: string) => void} sort sorts passages by a measure
   */
  constructor(text, sort) {
    this.text = text;
    this.sort = sort;
  }

  /** @param {Found} found */
  all(found) {
    return [
      element("h3", {}, this.text("measures")),
      this.#measures(found),
      element("h3", {}, this.text("distances")),
      this.#distances(found),
      ...this.#joined(found),
    ];
  }

  /** @param {Found} found */
  #measures({ measures, by, layer, head, h }) {
    const at = (layer - 1) * h + head - 1;
    const lines = measures.map((one) => {
      const sorts = element(
        "button",
        {
          type: "button",
          className: "mute-head",
          ariaPressed: String(one.name === by),
          title: this.text("sort_by", { measure: one.label }),
          onclick: () => this.sort(one.name),
        },
        ...typeset(one.label),
      );
      const name = element("th", { scope: "row" }, sorts);
      if (one.value === null) return element("tr", {}, name, element("td", { colSpan: 5 }, this.text("no_rows")));
      return element(
        "tr",
        { className: one.is_label ? "is-label" : "" },
        name,
        element("td", {}, digits(one.value)),
        element("td", {}, one.chance === null ? "" : digits(one.chance)),
        element("td", {}, this.text("of", { rows: one.rows, of: one.of })),
        element("td", {}, String(one.more)),
        element("td", {}, strip(one, at, this.text("strip", { measure: one.label }))),
      );
    });
    const heads = ["measure", "here", "chance", "rows", "more", "all"].map((key) =>
      element("th", { scope: "col", title: this.text(`column_${key}_meaning`) }, this.text(`column_${key}`)),
    );
    return element(
      "table",
      { className: "head-measures" },
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...lines),
    );
  }

  /** @param {Found} found */
  #distances({ distances: { begins, share, even } }) {
    const most = Math.max(...share, ...even, 1e-9);
    const [wide, tall] = [Math.max(1, share.length), 100];
    const bars = [...share].map((value, bin) => {
      const fields = { from: begins[bin], share: percent(value), even: percent(even[bin]) };
      const last = bin + 1 < begins.length ? begins[bin + 1] - 1 : begins[bin];
      const said = last > begins[bin] ? this.text("bin_to", { ...fields, to: last }) : this.text("bin", fields);
      const height = (tall * value) / most;
      return shape(
        "g",
        {},
        shape("title", {}, said),
        shape("rect", { class: "hit", x: bin, y: 0, width: 1, height: tall }),
        shape("rect", { class: "bar", x: bin + 0.08, y: tall - height, width: 0.84, height }),
        shape("rect", { class: "even", x: bin, y: tall - (tall * even[bin]) / most - 0.6, width: 1, height: 1.2 }),
      );
    });
    const each = Math.max(1, Math.round(wide / 8));
    const ticks = [...share].map((_, bin) => {
      const left = wide - 1 - bin; // the last name has room beside it
      return element("span", {}, left === 0 || (bin % each === 0 && left >= each) ? this.#bin(begins, bin) : "");
    });
    return element(
      "figure",
      { className: "head-distances" },
      shape(
        "svg",
        {
          viewBox: `0 0 ${wide} ${tall}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": this.text("distances_said", {
            first: percent(share[0]),
            second: percent(share.length > 1 ? share[1] : 0),
          }),
        },
        ...bars,
      ),
      element("div", { className: "head-ticks", ariaHidden: "true" }, ...ticks),
      element(
        "figcaption",
        { className: "said" },
        this.text("distances_meaning", { most: percent(Math.max(0, ...share)) }),
      ),
    );
  }

  /** Name a bin by the distances that it holds. @param {number[]} begins @param {number} bin */
  #bin(begins, bin) {
    const last = (begins[bin + 1] ?? begins[bin] + 1) - 1;
    return last > begins[bin] ? `${begins[bin]}–${last}` : String(begins[bin]);
  }

  /** @param {Found} found */
  #joined({ keys, queries, pairs, counted }) {
    if (!counted) return [];
    /** @param {Found["keys"]} reads @param {string} title */
    const list = (reads, title) =>
      this.#table(
        title,
        ["token", "share", "in_texts", "weight"],
        reads.map(({ token, rows, of, tokens, p }) => [
          shown(token),
          percent(rows / counted),
          percent(of / Math.max(1, tokens)),
          digits(p),
        ]),
      );
    return [
      element("h3", {}, this.text("joined")),
      element("p", { className: "said" }, this.text("joined_meaning", { counted })),
      element("div", { className: "head-joined" }, list(keys, "keys"), list(queries, "queries")),
      this.#table(
        "pairs",
        ["query", "key", "share", "weight"],
        pairs.map(({ query, key, rows, p }) => [shown(query), shown(key), percent(rows / counted), digits(p)]),
      ),
    ];
  }

  /** @param {string} title @param {string[]} columns @param {string[][]} lines */
  #table(title, columns, lines) {
    const heads = columns.map((key) =>
      element("th", { scope: "col", title: this.text(`column_${key}_meaning`) }, this.text(`column_${key}`)),
    );
    return element(
      "table",
      {},
      element("caption", {}, this.text(title)),
      element("thead", {}, element("tr", {}, ...heads)),
      element(
        "tbody",
        {},
        ...lines.map((cells) =>
          element("tr", {}, ...cells.map((cell, place) => element("td", { dir: place ? "" : "auto" }, cell))),
        ),
      ),
    );
  }
}

/** Draw the values of all heads on a line, that of one head large. @param {HeadMeasure} measure @param {number} at @param {string} name */
function strip({ all, unit, chance }, at, name) {
  const finite = [...all].filter(Number.isFinite);
  const [low, high] = unit === "share" ? [0, 1] : [Math.min(0, ...finite), Math.max(1e-9, ...finite)];
  const x = (/** @type {number} */ value) => 2 + (96 * (value - low)) / (high - low);
  const marks = [...all].map((value, place) =>
    Number.isFinite(value) && place !== at ? shape("rect", { x: x(value) - 0.4, y: 4, width: 0.8, height: 8 }) : "",
  );
  const own = all[at];
  return shape(
    "svg",
    { viewBox: "0 0 100 16", class: "head-strip", role: "img", "aria-label": name, preserveAspectRatio: "none" },
    ...marks,
    ...(chance === null ? [] : [shape("rect", { class: "chance", x: x(chance) - 0.3, y: 0, width: 0.6, height: 16 })]),
    ...(Number.isFinite(own) ? [shape("rect", { class: "own", x: x(own) - 1, y: 1, width: 2, height: 14 })] : []),
  );
}
