/**
 * Draws the page of one head: the passages in which it is strongest, a sample of others, its measures beside those of all heads, what
 * it joins, and how far away it reads.
 */

import { element } from "../dom/dom.js";
import { HeadNumbers, digits } from "../head/numbers.js";
import { directionOf } from "../words/token.js";

/**
 * @typedef {import("../../types/wire.js").HeadRead} HeadRead
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
    const other = found.choices.every(([value]) => value !== texts);
    if (other) select.append(element("option", { value: texts, selected: true, disabled: true }, "–"));
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
    const numbers = new HeadNumbers(this.text, (by) => this.tools.go({ by }));
    return [
      element("div", { className: "head-said" }, ...found.said.map(this.tools.paragraph)),
      element(
        "div",
        { className: "head-columns" },
        element("div", { className: "head-passages" }, ...this.#passages(found)),
        element("div", { className: "head-numbers" }, ...numbers.all(found)),
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
