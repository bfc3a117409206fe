/** Explore: draws the heat maps first, the panels below during the next request. */

import { Asking } from "../asking.js";
import { query } from "../controls.js";
import { element, inside } from "../dom.js";
import { headerMenus } from "../header_menus.js";
import { latest } from "../latest.js";
import { LivePage } from "../live_page.js";
import { served, takeAway } from "./take_away.js";
import { LogSliders } from "../log_sliders.js";
import { cut, explained, plainly } from "../reasons.js";
import { markPainted } from "../painted.js";
import { refusalOf } from "../server.js";
import { swipes } from "../swipes.js";
import { typeset } from "../symbols.js";
import { uploadBox } from "../upload.js";
import { BROKEN, only, parts, revive } from "../wire.js";
import { Before } from "./before.js";
import { fit } from "./fitting.js";
import { paintEarly } from "./early.js";
import { FullRange } from "./full_range.js";
import { Inspection } from "./inspection.js";
import { RowDetail } from "./row_detail.js";
import { sharedLegend } from "./shared_legend.js";
import { Sides } from "./sides.js";

/** Milliseconds without a change that end a drag. */
const REST = 180;

/** The figures beside the maps. */
const PANELS = ["score-distribution", "entropy", "gradient"];

/** @typedef {import("../shell.js").Drawing} Drawing */
/** @typedef {import("../../types/wire.js").Sentence} Sentence */

/**
 * The decoded update of the panels below the heat maps.
 * @typedef {object} Below
 * @property {[string, Drawing, string][]} drawings names, figures, hashes of their structures
 * @property {[string, import("../csv.js").Table, string][]} tables
 * @property {Record<string, string>} summaries
 * @property {Sentence[] | undefined} insight nothing during a drag
 * @property {Sentence[]} arithmetic
 * @property {Record<string, Sentence[]>} briefs
 * @property {import("../../types/wire.js").Offer | undefined} offer
 * @property {string} painted the state
 */

/**
 * Settings from visualiser/pages/explore/layout.py.
 * @typedef {object} Explore
 * @property {Record<string, Record<string, unknown>>} presets
 * @property {string[]} ofRow figures of the locked row
 * @property {string[]} viewing settings that change no number
 * @property {string[]} takeAway
 * @property {number} uploadLimit
 * @property {Record<string, import("../stops.js").Scale>} scales of the logarithmic sliders
 */

/** @extends {LivePage<Explore>} */
export class Page extends LivePage {
  /** The tabs of the pinned and the present state. @type {Sides} */
  sides;
  /** @type {Inspection} */
  inspection;
  /** @type {LogSliders} */
  sliders;
  /** Number of heads, queries and keys on screen. @type {[number, number, number] | null} */
  shape = null;
  /** True if the last move belongs to a drag. */
  light = false;
  /** Time of the last move, and the timer of its rest. */
  moved = -REST;
  rest = 0;
  before = new Before();
  /** True as soon as the panels beside the maps have been drawn. */
  drawnBefore = false;
  /** @type {Asking} */
  questions;
  /** @type {RowDetail} */
  rowDetail;
  /** @type {FullRange} */
  fullRange;
  /** Resolves when the newest heat maps are painted. @type {Promise<void> | undefined} */
  mapsPainted;

  /** @param {import("../shell.js").Settings & Explore} settings */
  constructor(settings) {
    super(settings);
    // A newer update replaces one that waits.
    this.below = latest((/** @type {Below} */ wish) => this.#panels(wish));
  }

  /** Paint the first maps before gradio has mounted their place. @param {string} css */
  ahead(css) {
    super.ahead(css);
    paintEarly(this, css).catch(() => null); // the page paints them anyway
  }

  /** @param {Record<string, import("../main.js").Place>} places */
  build(places) {
    this.sides = new Sides(
      (key) => this.text(key),
      () => this.#showSide(),
    );
    inside(places["figure-heat-maps"].element, "header").after(this.sides.root);
    takeAway(places["take-away"].element, this);
    this.sliders = new LogSliders(this, places, this.settings.scales);
    headerMenus(this, places, Object.keys(this.settings.presets), (name) => this.preset(name));
    const side = inside(document.body, "#side");
    const panels = [...side.querySelectorAll(".figure-place")].map((root) => /** @type {HTMLElement} */ (root));
    swipes(side, panels, this.text("page.panels"));
    this.uploadBox = uploadBox(places.upload.element, this);
    this.inspection = new Inspection(this);
    this.rowDetail = new RowDetail(this, places["row-title"].element);
    this.fullRange = new FullRange(this);
    sharedLegend(this, PANELS);
    this.questions = new Asking(this, places, (more, signal) => this.#verdict(more, signal));
  }

  /**
   * Treat a second change soon after the first as a drag: until it rests, ask for pictures only.
   * @param {string} name @param {import("../controls.js").Value} value
   */
  changed(name, value) {
    if (!this.canonicalValues || !this.isNews(name, value)) return;
    const now = performance.now();
    this.light = now - this.moved < REST;
    this.moved = now;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.#rest(), REST);
    super.changed(name, value);
  }

  /** Ask for what a drag left out: tables and sentences. */
  #rest() {
    if (!this.light) return;
    this.light = false;
    this.move(this.values, false);
  }

  /** Mark tables and sentences as older than the pictures. @param {boolean} on */
  #behind(on) {
    const { insight, arithmetic } = this.place;
    const told = [
      insight.element,
      arithmetic.element,
      ...[...this.figures.values()].flatMap(({ block }) => [block.summary, block.table]),
    ];
    for (const one of told) {
      one.classList.toggle("is-behind", on);
      if (on) one.setAttribute("aria-busy", "true");
      else one.removeAttribute("aria-busy");
    }
  }

  /** The question and its verdict, for a sheet of paper. */
  get predict() {
    return this.questions.predict;
  }

  get heatMaps() {
    return /** @type {import("../cells_figure.js").CellsFigure} */ (this.figure("heat-maps").living);
  }

  /** Return the figure with true values: cells travel as bytes for colours. @param {string} name */
  standing(name) {
    return served(this, name);
  }

  /** Name the row above its figures. @param {string} name */
  figureOnPaper(name) {
    const figure = super.figureOnPaper(name);
    if (!this.settings.ofRow.includes(name)) return figure;
    return { ...figure, title: [`${this.rowDetail.title.textContent} · `, ...figure.title] };
  }

  /** @param {string} name @returns {import("../cells_figure.js").Reactions} */
  reactions(name) {
    return name === "heat-maps"
      ? {
          onCell: (found) => this.inspection.hover(found),
          onMoved: () => this.inspection.moved(),
          onClick: (found) => this.inspection.click(found),
          onTitle: (head) => this.chooseHead(head),
          titleHint: () => this.text("live.enlarge"),
        }
      : {};
  }

  /** Choose a preset beside a pinned A, unless it brings its own. @param {string | null} name null restores the defaults, without a pin */
  preset(name) {
    const chosen = name ? this.settings.presets[name] : {};
    // The example sentence is in the visitor's language.
    const text = chosen.source === "text" ? this.text("preset.text") : this.settings.defaults.text;
    const pin = name ? this.values.pin : "";
    if (chosen.pin) this.sides.chosen = "all"; // it promises a comparison
    this.move({ ...this.settings.defaults, lang: this.values.lang, text, pin, ...chosen }, true);
  }

  /** Pin the present state as A, or unpin A. */
  togglePin() {
    if (!this.canonicalValues) return;
    const pin = this.values.pin ? "" : this.canonical || "?";
    this.move({ ...this.values, pin }, false);
  }

  /** Show one head large, or all again. @param {number} head */
  chooseHead(head) {
    this.move({ ...this.values, head: this.values.head === head ? 0 : head }, true);
  }

  /** @param {import("../live_page.js").Cell | null} at */
  pointAt(at) {
    this.inspection.pointAt(at);
  }

  /** No outline and no sentence of the state before; once the class has answered, the outline that was kept back. @param {boolean} plain */
  forget(plain) {
    if (plain === this.plain) return;
    super.forget(plain);
    if (!plain) {
      this.#outline();
      return;
    }
    this.before.forget();
    if (this.isOpen) void this.again();
  }

  /** Draw the scores with those before: the page has both. */
  #outline() {
    const shown = this.drawn.get("score-distribution");
    if (!shown) return;
    const drawing = this.#beside(shown.drawing, shown.painted);
    if (drawing !== shown.drawing) void this.draw("score-distribution", drawing, shown.hash, shown.painted);
  }

  /** Return the scores with those before, unless they would answer a question. @param {Drawing} drawing @param {string} painted */
  #beside(drawing, painted) {
    const both = this.before.take(drawing, painted, this.settled);
    return this.questions.covers || this.plain ? drawing : both;
  }

  leaveVerdict() {
    this.questions.leave();
  }

  /** @param {number | null} row */
  lockRow(row) {
    // the heads stay where they were beside the row that opens
    if (this.values.row === null) this.heatMaps.kept = this.heatMaps.across;
    if (row === null) this.heatMaps.kept = 0;
    this.move({ ...this.values, row }, true);
  }

  /** Use the tensors of a file that the server has checked. @param {Uint8Array} file */
  useUpload(file) {
    if (!this.allows("move")) return;
    this.upload = file;
    this.questions.renew();
    const pin = this.values.pin?.includes("source=upload") ? "" : this.values.pin;
    this.move({ ...this.values, source: "upload", pin, row: null, head: 0 }, true);
  }

  asking() {
    return query({ ...this.values, lang: this.chosenLanguage ?? undefined, page: undefined });
  }

  more() {
    return { previous: this.plain ? null : (this.settled ?? null), ...(this.light ? { light: true } : {}) };
  }

  /** Return the upload, always: the pinned or the last state may need it. */
  enclosed() {
    return this.upload;
  }

  /** @param {import("../../types/wire.js").Part} part @param {boolean} newest */
  async took(part, newest) {
    const { header, blocks } = part;
    if (header.part === "cells") await this.#cells(header, blocks, newest);
    else if (header.part === "question") this.questions.take(header);
    else void this.below(this.#revived(only(part, "panels").header, blocks, this.present));
  }

  /**
   * @param {import("../../types/wire.js").CellsHeader} header @param {ArrayBuffer} blocks
   * @param {boolean} newest true if nothing newer was asked
   */
  async #cells(header, blocks, newest) {
    this.accept(header);
    this.settled ??= header.query; // a page that has just opened is at rest
    this.shape = header.shape;
    if (header.light) this.#behind(true);
    this.labels = revive(header.labels, blocks, this.known).tokens;
    const entry = header.drawings["heat-maps"];
    this.heatMaps.columns = Number(this.agreed.columns);
    const drawn = await this.draw("heat-maps", revive(entry, blocks, this.known), entry.hash, header.query);
    this.mapsPainted = drawn.painted;
    this.heatMaps.mark("locked", header.row);
    this.inspection.stateChanged(header.row);
    this.accepted(header, newest);
  }

  /** Ask for the verdict on the visitor's answer. @param {Record<string, unknown>} more @param {AbortSignal} signal */
  async #verdict(more, signal) {
    const answer = await this.server.ask("page/explore/reveal", this.said(this.present, more), this.upload, { signal });
    for await (const part of parts(answer.body)) {
      if (part.header.part === "error") throw refusalOf(part.header);
      return part;
    }
    throw new Error(BROKEN);
  }

  /** @param {HTMLElement} box */
  tell(box) {
    this.questions.offer(box, () => super.tell(box));
  }

  /**
   * Draw at once, within the heat maps' frame if it has not ended; write when both are painted. A page that opens shows its
   * maps first.
   * @param {Below} update
   */
  async #panels(update) {
    try {
      if (!this.drawnBefore) await this.mapsPainted;
      this.drawnBefore = true;
      await this.#drawBelow(update);
      if (!update.insight) return; // during a drag
      await this.mapsPainted;
      this.#write(update, update.insight);
    } catch (problem) {
      this.failed(problem, this.wished ?? "");
    }
  }

  /**
   * Decode an update at once: the next request names its structures as known.
   * @param {import("../../types/wire.js").Panels} header @param {ArrayBuffer} blocks @param {string} painted
   * @returns {Below}
   */
  #revived({ drawings, tables = {}, summaries = {}, insight, arithmetic = [], briefs = {}, offer }, blocks, painted) {
    /**
     * @template Tree
     * @param {Record<string, import("../../types/wire.js").Entry<Tree>>} entries
     * @returns {[string, Tree, string][]}
     */
    const all = (entries) =>
      Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, this.known), entry.hash]);
    return { drawings: all(drawings), tables: all(tables), summaries, insight, arithmetic, briefs, offer, painted };
  }

  /** @param {Below} below */
  async #drawBelow({ drawings, briefs, painted }) {
    for (const [name, drawing, hash] of drawings) {
      const shown = name === "score-distribution" ? this.#beside(drawing, painted) : drawing;
      await this.draw(name, shown, hash, painted);
      this.figure(name).root.classList.remove("is-covered");
    }
    const drawn = drawings.map(([name]) => name);
    for (const name of [...PANELS, ...this.settings.ofRow]) {
      if (drawn.includes(name)) continue;
      this.clear(name);
      this.#cover(name, painted);
    }
    for (const [name, numbers] of Object.entries(briefs)) this.figure(name).block.note(numbers[0] ?? "");
  }

  /** Cover a figure that would answer the question; a row that nobody locked has none. @param {string} name @param {string} painted */
  #cover(name, painted) {
    const { root } = this.figure(name);
    const covered = PANELS.includes(name) || (this.questions.covers && this.agreed.row !== null);
    root.classList.toggle("is-covered", covered);
    if (covered) void markPainted(root, painted);
  }

  /** Write the words and tables around the pictures. @param {Below} below @param {Sentence[]} insight */
  #write({ tables, summaries, arithmetic, offer, painted }, insight) {
    if (!tables.length) this.figure("heat-maps").block.silence(); // they would answer the question
    for (const [name, table] of tables) this.tabulate(name, table, painted);
    for (const [name, sentence] of Object.entries(summaries)) this.figure(name).block.say(sentence);
    this.conclude(insight, painted);
    this.#offer(offer);
    const steps = arithmetic.map((sentence) => element("p", {}, ...unbroken(sentence)));
    this.place.arithmetic.element.replaceChildren(element("div", { className: "arithmetic" }, ...steps));
    this.#behind(painted !== this.canonical);
  }

  /** Show the chosen side of A and B, or B if there is no such side. */
  #showSide() {
    const pinned = Boolean(this.values.pin);
    this.sides.fit(pinned, !pinned || this.heatMaps.has("difference") || !this.heatMaps.has("a"));
    const { chosen } = this.sides;
    this.heatMaps.show(pinned && chosen !== "all" ? chosen : null);
  }

  rested() {
    this.figure("score-distribution").root.dataset.rested = this.settled ?? "";
  }

  /** Offer the next thing to try. @param {Below["offer"]} offer */
  #offer(offer) {
    const { element: place } = this.place.insight;
    place.querySelector(".offer")?.remove();
    if (!offer) return;
    const { pin, ...change } = offer.change;
    const onclick = () =>
      this.move({ ...this.values, ...change, ...(pin ? { pin: this.canonical || "?" } : {}) }, true);
    const button = element("button", { type: "button", className: "offer", onclick }, ...typeset(offer.text), " →");
    inside(place, ".insight").append(button);
  }

  tellControls() {
    super.tellControls();
    this.sliders.show(this.values);
  }

  fit() {
    this.sliders.show(this.values);
    this.questions.fit();
    this.rowDetail.fit();
    this.fullRange.fit();
    const { uses, defaults } = this.settings;
    fit(this.values, uses, this.canonical ?? "", defaults, (key, fields) => this.text(key, fields), this.sides.names);
    this.#showSide();
  }
}

/** Return the nodes of shapes and equations that break only between them: "Q: 8 × 32 × 64 · K: …". @param {Sentence} sentence */
function unbroken(sentence) {
  /** @type {HTMLElement[]} */
  const group = [];
  return cut(sentence, " · ").flatMap((part, i) => [
    i ? " · " : "",
    element("span", { className: plainly(part).length < 32 ? "unbroken" : "" }, ...explained(part, group)),
  ]);
}
