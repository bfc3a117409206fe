/** Explore: draws the heat maps first, the panels below during the next request. */

import { Asking } from "../../asking/asking.js";
import { element, inside } from "../../dom/dom.js";
import { headerMenus } from "../../page/header_menus.js";
import { latest } from "../../server/latest.js";
import { LivePage } from "../../page/live_page.js";
import { ExplorePrints } from "./prints.js";
import { takeAway } from "./take_away.js";
import { LogSliders } from "../../controls/log_sliders.js";
import { cut, explained, plainly } from "../../reasons/reasons.js";
import { markPainted } from "../../figures/painted.js";
import { refusalOf } from "../../server/server.js";
import { swipes } from "../../figures/swipes.js";
import { typeset } from "../../words/symbols.js";
import { uploadBox } from "../../page/upload.js";
import { BROKEN, only, parts, revive } from "../../server/wire.js";
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

/** @typedef {import("../../../types/plotly.js").Drawing} Drawing */
/** @typedef {import("../../../types/wire.js").Sentence} Sentence */

/**
 * The decoded update of the panels below the heat maps.
 * @typedef {object} Below
 * @property {[string, Drawing, string][]} drawings names, figures, hashes of their structures
 * @property {[string, import("../../files/csv.js").Table, string][]} tables
 * @property {Record<string, string>} summaries
 * @property {Sentence[] | undefined} insight nothing during a drag
 * @property {Sentence[]} arithmetic
 * @property {Record<string, Sentence[]>} briefs
 * @property {import("../../../types/wire.js").Offer | undefined} offer
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
 * @property {Record<string, import("../../controls/stops.js").Scale>} scales of the logarithmic sliders
 */

/** @extends {LivePage<Explore>} */
export class Page extends LivePage {
  #below;
  /** The tabs of the pinned and the present state. @type {Sides} */
  sides;
  /** @type {Inspection} */
  #inspection;
  /** @type {LogSliders} */
  sliders;
  /** @type {import("../../paper/prints.js").Prints} */
  prints = new ExplorePrints(this, () => this.rowDetail.title.textContent);
  /** Number of heads, queries and keys on screen. @type {[number, number, number] | null} */
  shape = null;
  /** True if the last move belongs to a drag. */
  light = false;
  /** Time of the last move, and the timer of its rest. */
  #moved = -REST;
  #rest = 0;
  #before = new Before();
  /** True as soon as the panels beside the maps have been drawn. */
  #drawnBefore = false;
  /** @type {Asking} */
  questions;
  /** @type {RowDetail} */
  rowDetail;
  /** @type {FullRange} */
  fullRange;
  /** Resolves when the newest heat maps are painted. @type {Promise<void> | undefined} */
  #mapsPainted;

  /**
   * @param {import("../../page/shell.js").Settings & Explore} settings
   * @param {(page: LivePage) => import("../../page/later.js").Later} later
   */
  constructor(settings, later) {
    super(settings, later);
    this.figures.reactions = (name) => (name === "heat-maps" ? this.#reactions() : {});
    this.updates.rules.more = () => ({
      previous: this.presence.plain ? null : (this.answers.settled ?? null),
      ...(this.light ? { light: true } : {}),
    });
    this.updates.rules.enclosed = () => this.state.upload; // always: the pinned or the last state may need it
    this.answers.rules.took = (part, newest) => this.#took(part, newest);
    this.answers.rules.rested = () => {
      this.figures.of("score-distribution").root.dataset.rested = this.answers.settled ?? "";
    };
    this.controls.rules.changed = (name, value) => this.#changed(name, value);
    this.controls.onFit(() => this.#fit());
    this.presence.rules.pointAt = (at) => this.#inspection.pointAt(at);
    this.presence.rules.leaveVerdict = () => this.questions.leave();
    this.presence.onForget((plain) => this.#forget(plain));
    // A newer update replaces one that waits.
    this.#below = latest((/** @type {Below} */ wish) => this.#panels(wish));
  }

  /** Paint the first maps before gradio has mounted their place. @param {string} css */
  ahead(css) {
    const reading = super.ahead(css);
    paintEarly(this, reading, css).catch(() => null); // the page paints them anyway
    return reading;
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    this.sides = new Sides(
      (key) => this.text(key),
      () => this.#showSide(),
    );
    inside(places["figure-heat-maps"].element, "header").after(this.sides.root);
    takeAway(places["take-away"].element, this);
    this.sliders = new LogSliders(this, places, this.settings.scales);
    this.controls.onTell(() => this.sliders.show(this.state.values));
    this.telling.rules.beside = (box, tell) => this.questions.offer(box, tell);
    headerMenus(this, places, Object.keys(this.settings.presets), (name) => this.preset(name));
    const side = inside(document.body, "#side");
    const panels = [...side.querySelectorAll(".figure-place")].map((root) => /** @type {HTMLElement} */ (root));
    swipes(side, panels, this.text("page.panels"));
    this.uploadBox = uploadBox(places.upload.element, this);
    this.#inspection = new Inspection(this);
    this.rowDetail = new RowDetail(this, places["row-title"].element);
    this.fullRange = new FullRange(this);
    sharedLegend(this, this.panels);
    this.questions = new Asking(this, places, (more, signal) => this.#verdict(more, signal));
  }

  /**
   * Treat a second change soon after the first as a drag: until it rests, ask for pictures only.
   * @param {string} name @param {import("../../link/values.js").Value} value
   */
  #changed(name, value) {
    if (!this.state.canonicalValues || !this.controls.isNews(name, value)) return;
    const now = performance.now();
    this.light = now - this.#moved < REST;
    this.#moved = now;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#finish(), REST);
    this.controls.follow(name, value);
  }

  /** Ask for what a drag left out: tables and sentences. */
  #finish() {
    if (!this.light) return;
    this.light = false;
    this.move(this.state.values, false);
  }

  /** Mark tables and sentences as older than the pictures. @param {boolean} on */
  #behind(on) {
    const { insight, arithmetic } = this.place;
    const told = [
      insight.element,
      arithmetic.element,
      ...[...this.figures.all.values()].flatMap(({ block }) => [block.summary, block.table]),
    ];
    for (const one of told) {
      one.classList.toggle("is-behind", on);
      if (on) one.setAttribute("aria-busy", "true");
      else one.removeAttribute("aria-busy");
    }
  }

  /** The figures beside the maps. */
  get panels() {
    return this.settings.figures.filter((name) => name !== "heat-maps" && !this.settings.ofRow.includes(name));
  }

  /** The question and its verdict, for a sheet of paper. */
  get predict() {
    return this.questions.predict;
  }

  get heatMaps() {
    return /** @type {import("../../figures/cells_figure.js").CellsFigure} */ (this.figures.of("heat-maps").living);
  }

  /** @returns {import("../../figures/cells/pointing.js").Reactions} */
  #reactions() {
    return {
      onCell: (found) => this.#inspection.hover(found),
      onMoved: () => this.#inspection.moved(),
      onClick: (found) => this.#inspection.click(found),
      onTitle: (head) => this.chooseHead(head),
      titleHint: () => this.text("live.enlarge"),
    };
  }

  /** Choose a preset beside a pinned A, unless it brings its own. @param {string | null} name null restores the defaults, without a pin */
  preset(name) {
    const chosen = name ? this.settings.presets[name] : {};
    // The example sentence is in the visitor's language.
    const text = chosen.source === "text" ? this.text("preset.text") : this.settings.defaults.text;
    const pin = name ? this.state.values.pin : "";
    if (chosen.pin) this.sides.chosen = "all"; // it promises a comparison
    this.move({ ...this.settings.defaults, lang: this.state.values.lang, text, pin, ...chosen }, true);
  }

  /** Pin the present state as A, or unpin A. */
  togglePin() {
    if (!this.state.canonicalValues) return;
    const pin = this.state.values.pin ? "" : this.state.canonical || "?";
    this.move({ ...this.state.values, pin }, false);
  }

  /** Show one head large, or all again. @param {number} head */
  chooseHead(head) {
    this.move({ ...this.state.values, head: this.state.values.head === head ? 0 : head }, true);
  }

  /** No outline and no sentence of the state before; once the class has answered, the outline that was kept back. @param {boolean} plain */
  #forget(plain) {
    if (!plain) {
      this.#outline();
      return;
    }
    this.#before.forget();
    if (this.updates.isOpen) void this.updates.again();
  }

  /** Draw the scores with those before: the page has both. */
  #outline() {
    const shown = this.figures.drawn.get("score-distribution");
    if (!shown) return;
    const drawing = this.#beside(shown.drawing, shown.painted);
    if (drawing !== shown.drawing) void this.figures.draw("score-distribution", drawing, shown.hash, shown.painted);
  }

  /** Return the scores with those before, unless they would answer a question. @param {Drawing} drawing @param {string} painted */
  #beside(drawing, painted) {
    const both = this.#before.take(drawing, painted, this.answers.settled);
    return this.questions.covers || this.presence.plain ? drawing : both;
  }

  /** @param {number | null} row */
  lockRow(row) {
    // the heads stay where they were beside the row that opens
    if (this.state.values.row === null) this.heatMaps.lines.kept = this.heatMaps.across;
    if (row === null) this.heatMaps.lines.kept = 0;
    this.move({ ...this.state.values, row }, true);
  }

  /** Use the tensors of a file that the server has checked. @param {Uint8Array} file */
  useUpload(file) {
    if (!this.leader.allows("move")) return;
    this.state.upload = file;
    this.questions.renew();
    const pin = this.state.values.pin?.includes("source=upload") ? "" : this.state.values.pin;
    this.move({ ...this.state.values, source: "upload", pin, row: null, head: 0 }, true);
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { header, blocks } = part;
    if (header.part === "cells") await this.#cells(header, blocks, newest);
    else if (header.part === "question") this.questions.take(header);
    else void this.#below(this.#revived(only(part, "panels").header, blocks, this.state.present));
  }

  /**
   * @param {import("../../../types/wire.js").CellsHeader} header @param {ArrayBuffer} blocks
   * @param {boolean} newest true if nothing newer was asked
   */
  async #cells(header, blocks, newest) {
    this.answers.accept(header);
    this.answers.settled ??= header.query; // a page that has just opened is at rest
    this.shape = header.shape;
    if (header.light) this.#behind(true);
    this.figures.labels = revive(header.labels, blocks, this.figures.known).tokens;
    const entry = header.drawings["heat-maps"];
    this.heatMaps.lines.columns = Number(this.state.agreed.columns);
    const drawn = await this.figures.draw(
      "heat-maps",
      revive(entry, blocks, this.figures.known),
      entry.hash,
      header.query,
    );
    this.#mapsPainted = drawn.painted;
    this.heatMaps.marks.row("locked", header.row);
    this.#inspection.stateChanged(header.row);
    this.answers.accepted(header, newest);
  }

  /** Ask for the verdict on the visitor's answer. @param {Record<string, unknown>} more @param {AbortSignal} signal */
  async #verdict(more, signal) {
    const answer = await this.server.ask(
      "page/explore/reveal",
      this.said(this.state.present, more),
      this.state.upload,
      { signal },
    );
    for await (const part of parts(answer.body)) {
      if (part.header.part === "error") throw refusalOf(part.header);
      return part;
    }
    throw new Error(BROKEN);
  }

  /**
   * Draw at once, within the heat maps' frame if it has not ended; write when both are painted. A page that opens shows its
   * maps first.
   * @param {Below} update
   */
  async #panels(update) {
    try {
      if (!this.#drawnBefore) await this.#mapsPainted;
      this.#drawnBefore = true;
      await this.#drawBelow(update);
      if (!update.insight) return; // during a drag
      await this.#mapsPainted;
      this.#write(update, update.insight);
    } catch (problem) {
      this.updates.fail(problem, this.updates.wished ?? "");
    }
  }

  /**
   * Decode an update at once: the next request names its structures as known.
   * @param {import("../../../types/wire.js").Panels} header @param {ArrayBuffer} blocks @param {string} painted
   * @returns {Below}
   */
  #revived({ drawings, tables = {}, summaries = {}, insight, arithmetic = [], briefs = {}, offer }, blocks, painted) {
    /**
     * @template Tree
     * @param {Record<string, import("../../../types/wire.js").Entry<Tree>>} entries
     * @returns {[string, Tree, string][]}
     */
    const all = (entries) =>
      Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, this.figures.known), entry.hash]);
    return { drawings: all(drawings), tables: all(tables), summaries, insight, arithmetic, briefs, offer, painted };
  }

  /** @param {Below} below */
  async #drawBelow({ drawings, briefs, painted }) {
    for (const [name, drawing, hash] of drawings) {
      const shown = name === "score-distribution" ? this.#beside(drawing, painted) : drawing;
      await this.figures.draw(name, shown, hash, painted);
      this.figures.of(name).root.classList.remove("is-covered");
    }
    const drawn = drawings.map(([name]) => name);
    for (const name of [...this.panels, ...this.settings.ofRow]) {
      if (drawn.includes(name)) continue;
      this.figures.clear(name);
      this.#cover(name, painted);
    }
    for (const [name, numbers] of Object.entries(briefs)) this.figures.of(name).block.note(numbers[0] ?? "");
  }

  /** Cover a figure that would answer the question; a row that nobody locked has none. @param {string} name @param {string} painted */
  #cover(name, painted) {
    const { root } = this.figures.of(name);
    const covered = this.panels.includes(name) || (this.questions.covers && this.state.agreed.row !== null);
    root.classList.toggle("is-covered", covered);
    if (covered) void markPainted(root, painted);
  }

  /** Write the words and tables around the pictures. @param {Below} below @param {Sentence[]} insight */
  #write({ tables, summaries, arithmetic, offer, painted }, insight) {
    if (!tables.length) this.figures.of("heat-maps").block.silence(); // they would answer the question
    for (const [name, table] of tables) this.telling.tabulate(name, table, painted);
    for (const [name, sentence] of Object.entries(summaries)) this.figures.of(name).block.say(sentence);
    this.telling.conclude(insight, painted);
    this.#offer(offer);
    const steps = arithmetic.map((sentence) => element("p", {}, ...unbroken(sentence)));
    this.place.arithmetic.element.replaceChildren(element("div", { className: "arithmetic" }, ...steps));
    this.#behind(painted !== this.state.canonical);
  }

  /** Show the chosen side of A and B, or B if there is no such side. */
  #showSide() {
    const pinned = Boolean(this.state.values.pin);
    this.sides.fit(pinned, !pinned || this.heatMaps.has("difference") || !this.heatMaps.has("a"));
    const { chosen } = this.sides;
    this.heatMaps.show(pinned && chosen !== "all" ? chosen : null);
  }

  /** Offer the next thing to try. @param {Below["offer"]} offer */
  #offer(offer) {
    const { element: place } = this.place.insight;
    place.querySelector(".offer")?.remove();
    if (!offer) return;
    const { pin, ...change } = offer.change;
    const onclick = () =>
      this.move({ ...this.state.values, ...change, ...(pin ? { pin: this.state.canonical || "?" } : {}) }, true);
    const button = element("button", { type: "button", className: "offer", onclick }, ...typeset(offer.text), " →");
    inside(place, ".insight").append(button);
  }

  #fit() {
    this.sliders.show(this.state.values);
    this.questions.fit();
    this.rowDetail.fit();
    this.fullRange.fit();
    const { uses, defaults } = this.settings;
    fit(
      this.state.values,
      uses,
      this.state.canonical ?? "",
      defaults,
      (key, fields) => this.text(key, fields),
      this.sides.names,
    );
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
