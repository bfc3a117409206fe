/** Explore: the heat maps first, everything below them beside the next request. */

import { query } from "../controls.js";
import { element } from "../dom.js";
import { latest } from "../latest.js";
import { LivePage } from "../live_page.js";
import { served, takeAway } from "../take_away.js";
import { uploadBox } from "../upload.js";
import { revive } from "../wire.js";
import { fit } from "./fitting.js";
import { Inspection } from "./inspection.js";

/** Milliseconds without a change after which a drag rests. */
const REST = 180;

export class Page extends LivePage {
  /** @param {any} settings from visualiser/pages/explore/layout.py */
  constructor(settings) {
    super(settings);
    // The panels are drawn beside the next request, so that a drag is never slower than the heat maps.
    this.below = latest((wish) => this.#panels(wish));
  }

  build(places) {
    this.pinned = element("p", { className: "pinned", hidden: true });
    places["figure-heat-maps"].element.querySelector("header").after(this.pinned);
    this.takeAway = takeAway(places["take-away"].element, this);
    this.uploadBox = uploadBox(places.upload.element, this);
    this.inspection = new Inspection(this);
  }

  /** A second change soon after the first is a drag: until it rests, only what one can follow is asked for. @param {string} name @param {any} value */
  changed(name, value) {
    if (!this.canonicalValues || !this.isNews(name, value)) return;
    const now = performance.now();
    this.light = now - (this.moved ?? -REST) < REST;
    this.moved = now;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.#rest(), REST);
    super.changed(name, value);
  }

  /** What a drag left out: tables and sentences. */
  #rest() {
    if (!this.light) return;
    this.light = false;
    this.move(this.values, false);
  }

  /** Tables and sentences are of another state than the pictures, until they come. @param {boolean} on */
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

  get heatMaps() {
    return this.figures.get("heat-maps").living;
  }

  /** Cells travel as bytes for colours; a picture takes the true values. @param {string} name */
  standing(name) {
    return served(this, name);
  }

  /** @param {string} name */
  reactions(name) {
    return name === "heat-maps"
      ? {
          onCell: (found) => this.inspection.hover(found),
          onClick: (found) => this.inspection.click(found),
          onTitle: (head) => this.chooseHead(head),
          titleHint: () => this.text("live.enlarge"),
        }
      : {};
  }

  /** @param {string | null} name null: back to the defaults */
  preset(name) {
    const chosen = name ? this.settings.presets[name] : {};
    // The example sentence is in the visitor's language.
    const text = chosen.source === "text" ? this.text("preset.text") : this.settings.defaults.text;
    this.move({ ...this.settings.defaults, lang: this.values.lang, text, ...chosen }, true);
  }

  /** Keeps the present state as A, or lets A go. */
  togglePin() {
    if (!this.canonicalValues) return;
    const pin = this.values.pin ? "" : this.canonical || "?";
    this.move({ ...this.values, pin }, false);
  }

  /** Shows one head large, or all of them again. @param {number} head */
  chooseHead(head) {
    this.move({ ...this.values, head: this.values.head === head ? 0 : head }, true);
  }

  /** @param {number | null} row */
  lockRow(row) {
    this.move({ ...this.values, row }, true);
  }

  /** The tensors of a file that the server has checked. @param {Uint8Array} file */
  useUpload(file) {
    this.upload = file;
    const pin = this.values.pin.includes("source=upload") ? "" : this.values.pin;
    this.move({ ...this.values, source: "upload", pin, row: null, head: 0 }, true);
  }

  asking() {
    return query({ ...this.values, lang: this.chosenLanguage ?? undefined, page: undefined });
  }

  get route() {
    return "frame";
  }

  more() {
    return { previous: this.settled ?? null, ...(this.light ? { light: true } : {}) };
  }

  /** A pinned state or the last one may need the file when the present one does not. */
  enclosed() {
    return this.upload;
  }

  async took(part, newest) {
    if (part.header.part === "cells") await this.#cells(part, newest);
    else this.below(this.#revived(part, this.canonical));
  }

  /** @param {any} part @param {boolean} newest whether nothing else was asked for since */
  async #cells({ header, blocks }, newest) {
    this.accept(header);
    this.settled ??= header.query; // a page that has just opened is at rest
    this.shape = header.shape;
    if (header.light) this.#behind(true);
    this.labels = revive(header.labels, blocks, this.known).tokens;
    const entry = header.drawings["heat-maps"];
    const drawn = await this.draw("heat-maps", revive(entry, blocks, this.known), entry.hash, header.query);
    this.mapsPainted = drawn.painted;
    this.heatMaps.mark("locked", header.row);
    this.inspection.stateChanged(header.row);
    this.accepted(header, newest);
  }

  async #panels(update) {
    // The eye follows the heat maps: they are on the screen before anything below them is drawn.
    await this.mapsPainted;
    try {
      await this.#drawBelow(update);
    } catch (problem) {
      this.failed(problem, this.wished);
    }
  }

  /** What came for the panels, decoded at once: a structure must be known before the next request says so. */
  #revived({ header, blocks }, painted) {
    const all = (entries) =>
      Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, this.known), entry.hash]);
    return { ...header, drawings: all(header.drawings), tables: all(header.tables ?? {}), painted };
  }

  async #drawBelow({ drawings, tables, summaries, insight, arithmetic, painted }) {
    for (const [name, drawing, hash] of drawings) {
      await this.draw(name, drawing, hash, painted);
      await new Promise((resolve) => setTimeout(resolve)); // lets newer heat maps through
    }
    if (!insight) return; // in a drag
    for (const [name, table] of tables) this.figures.get(name).block.tabulate(table);
    for (const [name, sentence] of Object.entries(summaries)) this.figures.get(name).block.say(sentence);
    this.place.insight.element.replaceChildren(
      element("div", { className: "insight" }, ...insight.map((sentence) => element("p", {}, sentence))),
    );
    this.place.arithmetic.element.replaceChildren(
      element("div", { className: "arithmetic" }, ...arithmetic.map((sentence) => element("p", {}, sentence))),
    );
    this.place.insight.element.dataset.painted = painted;
    this.#behind(painted !== this.canonical);
  }

  fit() {
    fit(this.values, this.canonical ?? "", (key, fields) => this.text(key, fields), this.pinned);
  }
}
