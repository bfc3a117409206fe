/** Two lines of tokens, the source above and the target below, joined by what a head of cross-attention reads. */

import { element } from "../../dom/dom.js";
import { number } from "../../figures/axes.js";
import { SoundLine } from "./sound_line.js";
import { tellWeight, tokenButton } from "./token_button.js";
import { asking, named } from "./tokens.js";
import { directionOf } from "../../words/token.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {object} Reactions
 * @property {(row: number | null) => void} point previews a query; null ends it
 * @property {(row: number, key?: number) => void} lock
 *
 * @typedef {(key: string, fields?: import("../../words/message_format.js").Fields) => string} Text
 * @typedef {{row: number} | {key: number}} Pointed a query or a key
 */

const NAMESPACE = "http://www.w3.org/2000/svg";
/** The least weight that a line stands for: this, and in a long source three times what each key would have. */
const LEAST = 0.1;
const TIMES_EVEN = 3;
/** The width of a line of the weight 1, and the least, in pixels. */
const [THICK, THIN] = [6, 0.6];
/** The darkest ground of a token, on which its letters stay legible. */
const DARKEST = 72;

export class JoinedLines {
  #reactions;
  #text;
  /** @type {HTMLButtonElement[]} */
  #keys = [];
  /** @type {HTMLButtonElement[]} */
  #queries = [];
  /** @type {Model | null} */
  #model = null;
  #built = "";
  /** @type {Pointed | null} */
  #pointed = null;
  /** Of a source that is a sound. @type {SoundLine} */
  #sound;
  #scroller = element("div", { className: "joined-scroller" });
  #source = element("div", { className: "joined-line" });
  #target = element("div", { className: "joined-line" });
  #links = document.createElementNS(NAMESPACE, "svg");
  #said = element("p", { className: "joined-said" });

  /** @param {Text} text @param {Reactions} reactions */
  constructor(text, reactions) {
    this.#text = text;
    this.#reactions = reactions;
    this.#links.setAttribute("aria-hidden", "true");
    this.#links.classList.add("joined-links");
    const inner = element("div", { className: "joined-inner" }, this.#source, this.#links, this.#target);
    this.#scroller.append(inner);
    this.root = element("div", { className: "joined", hidden: true }, this.#scroller, this.#said);
    this.#sound = new SoundLine(
      text("model.joined_sound"),
      (key) => this.#point({ key }),
      (key) => reactions.lock(this.#model?.row ?? 0, key),
    );
    for (const [line, name] of /** @type {const} */ ([
      [this.#source, "model.joined_source"],
      [this.#target, "model.joined_target"],
    ])) {
      line.setAttribute("role", "group");
      line.setAttribute("aria-label", text(name));
    }
    inner.addEventListener("pointerleave", () => this.#point(null));
    inner.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && inner.contains(relatedTarget))) this.#point(null);
    });
    new ResizeObserver(() => this.#draw()).observe(inner);
    this.#scroller.addEventListener("scroll", () => this.#draw(), { passive: true });
  }

  /** @param {Model} model */
  show(model) {
    this.#model = model;
    const { lines, between } = model;
    const built = JSON.stringify([model.heard, ...between.map((at) => lines[at])]);
    if (built !== this.#built) {
      this.#built = built;
      this.#pointed = null;
      this.#build(lines[between[0]], lines[between[1]]);
    }
    this.#draw();
  }

  /** Show what a query reads alone; null shows what is locked, or all. @param {number | null} row */
  preview(row) {
    this.#pointed = row === null ? null : { row };
    this.#draw();
  }

  /** @param {import("../../../types/wire.js").Line} target @param {import("../../../types/wire.js").Line} source */
  #build(target, source) {
    /** @param {import("../../../types/wire.js").Line} line @param {number} place @param {Pointed} at @param {() => void} press */
    const token = (line, place, at, press) => {
      const point = () => this.#point(at);
      return tokenButton(line, place, { press, point, focus: point });
    };
    const heard = source.seconds > 0;
    const { seconds, stretch } = this.#model?.heard ?? { seconds: 1, stretch: 1 };
    if (heard) this.#sound.build(source, Math.min(1, seconds / stretch));
    const most = Math.max(source.tokens.length, target.tokens.length);
    this.#scroller.style.setProperty("--tokens", String(heard ? 1000 : most));
    this.#keys = (heard ? [] : source.tokens).map((_, key) =>
      token(source, key, { key }, () => this.#reactions.lock(this.#model?.row ?? 0, key)),
    );
    this.#queries = target.tokens.map((_, row) => token(target, row, { row }, () => this.#reactions.lock(row)));
    const more = (/** @type {boolean} */ cut) => (cut ? [element("span", { className: "token-cut" }, "…")] : []);
    this.#source.dir = heard ? "ltr" : directionOf(source.tokens);
    this.#target.dir = this.#scroller.dir = directionOf(target.tokens); // a long one begins in sight
    this.#source.replaceChildren(...(heard ? [this.#sound.root] : [...this.#keys, ...more(source.cut)]));
    this.#target.replaceChildren(...this.#queries, ...more(target.cut));
  }

  /** @param {Pointed | null} at */
  #point(at) {
    this.#reactions.point(at && "row" in at ? at.row : null); // which previews that query here, too, or none
    this.#pointed = at;
    this.#draw();
  }

  /** Draw the lines, shade the tokens at their other ends, and say what is read most. */
  #draw() {
    if (!this.#model || this.root.hidden) return;
    const { shape, weights, locked, row: chosen, key, written, covered } = this.#model;
    const [n, m] = shape;
    const silent = covered.includes("head-map"); // a question asks for it
    const at = silent ? null : (this.#pointed ?? (locked ? { row: chosen } : null));
    const least = Math.min(LEAST, TIMES_EVEN / m);
    const middles = (/** @type {HTMLElement[]} */ tokens) =>
      tokens.map((token) => token.offsetLeft + token.offsetWidth / 2);
    const heard = this.#keys.length === 0;
    const inner = this.#links.parentElement;
    this.#scroller.classList.toggle("is-long", (inner?.offsetWidth ?? 0) > this.#scroller.clientWidth + 1);
    if (heard) this.#sound.root.style.width = `${this.#scroller.clientWidth}px`; // it stays while the target scrolls
    const [xs, ys] = [heard ? this.#sound.middles : middles(this.#keys), middles(this.#queries)];
    const height = this.#links.clientHeight;
    const paths = [];
    for (let q = 0; q < n; q += 1) {
      if (at && "row" in at && at.row !== q) continue;
      for (let k = 0; k < m; k += 1) {
        const weight = weights[q * m + k];
        if (!(weight >= least) || (at && "key" in at && at.key !== k)) continue;
        const path = document.createElementNS(NAMESPACE, "path");
        const [from, to] = [xs[k], ys[q]];
        path.setAttribute("d", `M${from} 0C${from} ${height / 2} ${to} ${height / 2} ${to} ${height}`);
        path.setAttribute("stroke-width", String(THIN + (THICK - THIN) * weight));
        path.setAttribute("stroke-opacity", String(0.2 + 0.8 * Math.min(1, weight)));
        path.dataset.query = String(q);
        path.dataset.key = String(k);
        paths.push(path);
      }
    }
    this.#links.replaceChildren(...paths);
    const shades = (/** @type {HTMLElement[]} */ tokens, /** @type {((i: number) => number) | null} */ of) =>
      tokens.forEach((token, i) => {
        const weight = of ? of(i) : 0;
        token.style.setProperty("--share", `${DARKEST * Math.sqrt(Math.max(0, Math.min(1, weight || 0)))}%`);
        tellWeight(token, of && Number.isFinite(weight) ? weight.toPrecision(3) : "");
      });
    const read = at && "row" in at ? (/** @type {number} */ k) => weights[at.row * m + k] : null;
    const most = read ? Math.max(...xs.map((_, k) => read(k) || 0)) : 1;
    if (heard) this.#sound.shade(read ? (k) => read(k) / most : null);
    shades(this.#keys, read);
    shades(this.#queries, at && "key" in at ? (q) => weights[q * m + at.key] : null);
    this.#queries.forEach((token, q) => {
      token.classList.toggle("is-query", q === (at && "row" in at ? at.row : chosen));
      token.setAttribute("aria-pressed", String(locked && q === chosen));
    });
    this.#keys.forEach((token, k) => token.classList.toggle("is-key", locked && k === key));
    this.#said.textContent = [
      silent ? "" : at ? this.#told(at) : this.#text("model.joined_lines", { least: number(least) }),
      written && !at ? this.#text("model.joined_written") : "",
    ].join(" ");
  }

  /** Say what a query reads most, or what reads a key most. @param {Pointed} at */
  #told(at) {
    if (!this.#model) return "";
    const { lines, between, shape, weights } = this.#model;
    const [n, m] = shape;
    const [target, source] = between.map((line) => lines[line]);
    const places = "row" in at ? [...Array(m).keys()] : [...Array(n).keys()];
    const of = (/** @type {number} */ i) => weights["row" in at ? at.row * m + i : i * m + at.key] || 0; // NaN is masked
    const most = places.reduce((best, i) => (of(i) > of(best) ? i : best), 0);
    if (!of(most)) return this.#text("model.joined_nothing");
    const [query, key] = "row" in at ? [at.row, most] : [most, at.key];
    return this.#text("row" in at ? "model.joined_of_query" : "model.joined_of_key", {
      query: asking(target, query),
      key: named(source, key),
      weight: number(of(most)),
    });
  }
}
