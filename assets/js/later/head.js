/**
 * Draws the page of one head: the passages in which it is strongest, a sample of others, its measures beside those of all heads, what
 * it joins, and how far away it reads.
 */

import { element } from "../dom/dom.js";
import { shape } from "../dom/svg.js";
import { typeset } from "../words/symbols.js";
import { directionOf, shown as shownToken } from "../words/token.js";

/**
 * @typedef {import("../../types/wire.js").HeadRead} HeadRead
 * @typedef {import("../../types/wire.js").HeadMeasure} HeadMeasure
 * @typedef {import("../../types/wire.js").HeadPassage} HeadPassage
 * @typedef {import("../../types/wire.js").PassageRead} PassageRead
 * @typedef {Extract<HeadRead, {read: true}>} Found
 * @typedef {import("../page/live_page.js").LivePage} LivePage
 * @typedef {import("../page/later.js").HeadTools} Tools
 */

/** The darkest ground of a token, on which its letters stay legible. */
const DARKEST = 72;
/** Passages of a band that stand there at once. */
const EACH = 4;

/** @param {number} value */
const digits = (value) =>
  value === 0 ? "0" : Math.abs(value) < 0.0005 ? value.toExponential(0) : value.toPrecision(2);
/** @param {number} share */
const percent = (share) => `${share < 0.1 ? (100 * share).toPrecision(2) : Math.round(100 * share)} %`;

/**
 * Draw the page into its place.
 * @param {LivePage} page @param {HTMLElement} root @param {HeadRead} found @param {Tools} tools
 */
export function draw(page, root, found, tools) {
  const drawing = new Drawing(page, found, tools);
  root.replaceChildren(drawing.top(), ...(found.read ? drawing.all(found) : []));
}

class Drawing {
  /** Asks for passages one after the other. @type {Promise<unknown>} */
  #line = Promise.resolve();
  /** Hears which passages come into sight. @type {IntersectionObserver} */
  #seen;
  /** What is to be done with a passage once it is in sight. @type {WeakMap<Element, () => void>} */
  #waiting = new WeakMap();

  /** @param {LivePage} page @param {HeadRead} found @param {Tools} tools */
  constructor(page, found, tools) {
    this.page = page;
    this.found = found;
    this.tools = tools;
    /** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
    this.text = (key, fields = {}) => page.text(`head.${key}`, fields);
    this.#seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        this.#seen.unobserve(target);
        this.#waiting.get(target)?.();
      }
    });
  }

  /** Name the head, and let one choose another one, other texts, or go back. */
  top() {
    const { page, tools, found } = this;
    const { layer, head, texts } = page.state.agreed;
    const back = element(
      "button",
      { type: "button", className: "tool head-back", onclick: () => tools.go({ texts: "" }) },
      this.text("back"),
    );
    const select = element("select", {
      id: "head-texts",
      onchange: () => tools.go({ texts: select.value }),
    });
    for (const [value, label] of found.choices) {
      select.append(element("option", { value, selected: value === texts }, label));
    }
    return element(
      "header",
      { className: "head-top" },
      back,
      element("h2", {}, this.text("title", { head: `${layer}.${head}` })),
      ...(found.read ? [this.#beside(found, -1), this.#beside(found, 1)] : []),
      element("label", { htmlFor: "head-texts" }, this.text("texts"), " ", select),
    );
  }

  /** A button to the head before, or after. @param {Found} found @param {-1 | 1} by */
  #beside({ layer, head, layers, h }, by) {
    const place = (layer - 1) * h + head - 1 + by;
    const there = place >= 0 && place < layers * h;
    const [to, of] = [Math.floor(place / h) + 1, (place % h) + 1];
    return element(
      "button",
      {
        type: "button",
        className: "tool head-beside",
        disabled: !there,
        ariaLabel: there ? this.text("go", { head: `${to}.${of}` }) : "",
        onclick: () => this.tools.go({ layer: to, head: of, key: -1 }),
      },
      by < 0 ? "‹" : "›",
    );
  }

  /** @param {Found} found */
  all(found) {
    return [
      element("div", { className: "head-said" }, ...found.said.map(this.tools.paragraph)),
      element(
        "div",
        { className: "head-columns" },
        element("div", { className: "head-passages" }, ...this.#passages(found)),
        element("div", { className: "head-numbers" }, ...this.#numbers(found)),
      ),
    ];
  }

  /** @param {Found} found */
  #passages(found) {
    const measure = found.measures.find(({ name }) => name === found.by)?.label ?? "";
    const list = (/** @type {HeadPassage[]} */ passages, /** @type {number} */ band) =>
      element("ol", {}, ...passages.map((one, place) => this.#passage(one, { place, band })));
    const strongest = element(
      "ol",
      {},
      ...found.strongest.map((one, place) => this.#passage(one, { place, band: undefined })),
    );
    const bands = found.bands.map((band, number) => {
      if (!band.length) return "";
      const ends = { high: digits(band[0].score), low: digits(band[band.length - 1].score), passages: band.length };
      return element(
        "details",
        {},
        element("summary", {}, this.text(`band_${number + 1}`, ends)),
        list(band.slice(0, EACH), number),
      );
    });
    return [
      element("h3", {}, this.text("strongest", { measure })),
      element("p", { className: "said" }, found.strongest.length ? this.text("shades") : this.text("no_passage")),
      strongest,
      element("h3", {}, this.text("sample", { measure })),
      element("p", { className: "said" }, this.text("sampled", { sampled: found.sampled, each: EACH })),
      ...bands,
    ];
  }

  /** @param {HeadPassage} one @param {{place: number, band: number | undefined}} at */
  #passage({ text, score, rows }, at) {
    const strip = element("div", { className: "token-strip is-plain", dir: "auto" }, text);
    const open = element(
      "button",
      { type: "button", className: "mute-head", onclick: () => this.tools.go({ text, texts: "", row: null, key: -1 }) },
      this.text("open_text"),
    );
    const said = element("span", {}, this.text("score", { score: digits(score), rows }));
    const item = element(
      "li",
      { className: "head-passage" },
      element("div", { className: "head-passage-said" }, said, open),
      strip,
    );
    this.#waiting.set(item, () => {
      this.#line = this.#line.then(() => this.#weigh(strip, at)).catch(() => undefined);
    });
    this.#seen.observe(item);
    return item;
  }

  /** Shade a passage by what the head reads. @param {HTMLElement} strip @param {{place: number, band: number | undefined}} at */
  async #weigh(strip, { place, band }) {
    if (!strip.isConnected) return; // another head is shown by now
    const { line, weights, shape } = await this.tools.passage(band === undefined ? { place } : { place, band });
    const [queries, keys] = shape;
    const received = Array.from({ length: keys }, (_, key) => mean(weights, key, queries, keys));
    /** The row that was pressed. @type {number | null} */
    let locked = null;
    const shade = (/** @type {number | null} */ row) =>
      buttons.forEach((button, key) => {
        const weight = row === null ? received[key] : weights[row * keys + key];
        const there = Number.isFinite(weight);
        button.classList.toggle("is-query", key === row);
        button.classList.toggle("is-forbidden", !there);
        button.setAttribute("aria-pressed", String(key === locked));
        button.style.setProperty("--share", there ? `${DARKEST * Math.sqrt(Math.min(1, weight))}%` : "0%");
        this.tools.tell(button, there ? weight.toPrecision(3) : "");
      });
    const buttons = line.tokens.map((_, row) =>
      this.tools.token(line, row, {
        press: () => {
          locked = locked === row ? null : row;
          shade(locked);
        },
        point: () => shade(row),
      }),
    );
    strip.addEventListener("pointerleave", () => shade(locked));
    strip.classList.remove("is-plain");
    strip.dir = directionOf(line.tokens);
    strip.replaceChildren(...buttons);
    shade(null);
  }

  /** @param {Found} found */
  #numbers(found) {
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
          onclick: () => this.tools.go({ by: one.name }),
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
    const ticks = [...share].map((_, bin) =>
      element(
        "span",
        {},
        bin % Math.max(1, Math.round(wide / 8)) === 0 || bin === wide - 1 ? this.#bin(begins, bin) : "",
      ),
    );
    return element(
      "figure",
      { className: "head-distances" },
      shape(
        "svg",
        {
          viewBox: `0 0 ${wide} ${tall}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": this.text("distances_said", { first: percent(share[0]), second: percent(share[1]) }),
        },
        ...bars,
      ),
      element("div", { className: "head-ticks", ariaHidden: "true" }, ...ticks),
      element("figcaption", { className: "said" }, this.text("distances_meaning", { most: percent(most) })),
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
          shownToken(token),
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
        pairs.map(({ query, key, rows, p }) => [
          shownToken(query),
          shownToken(key),
          percent(rows / counted),
          digits(p),
        ]),
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

/**
 * Return the mean weight of a key over the queries that may read it.
 * @param {Float32Array} weights @param {number} key @param {number} queries @param {number} keys
 */
function mean(weights, key, queries, keys) {
  let [sum, count] = [0, 0];
  for (let row = 0; row < queries; row += 1) {
    const weight = weights[row * keys + key];
    if (!Number.isFinite(weight)) continue;
    sum += weight;
    count += 1;
  }
  return count ? sum / count : NaN;
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
