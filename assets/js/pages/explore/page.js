/** Explore: draws the heat maps first, the panels below during the next request. */

import { Asking } from "../../asking/asking.js";
import { inside } from "../../dom/dom.js";
import { Drag } from "../../page/drag.js";
import { headerMenus } from "../../page/header_menus.js";
import { LivePage } from "../../page/live_page.js";
import { onlyPart } from "../../page/only_part.js";
import { ExplorePrints } from "./prints.js";
import { takeAway } from "./take_away.js";
import { LogSliders } from "../../controls/log_sliders.js";
import { swipes } from "../../figures/swipes.js";
import { uploadBox } from "../../page/upload.js";
import { only } from "../../server/wire.js";
import { unused } from "../../link/entry.js";
import { fit } from "./fitting.js";
import { fitLayers, masked } from "./layers.js";
import { paintEarly } from "./early.js";
import { FullRange } from "./full_range.js";
import { Inspection } from "./inspection.js";
import { Maps } from "./maps.js";
import { Outline, OUTLINED } from "./outline.js";
import { Panels } from "./panels.js";
import { choosePreset, togglePin } from "./presets.js";
import { RowDetail } from "./row_detail.js";
import { sharedLegend } from "./shared_legend.js";

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

export class Page {
  #maps;
  #panels;
  #outline;
  /** The end of a drag is no wish of its own: its visitor may follow the class again by then. */
  #drag = new Drag(() => this.page.leader.guide(() => this.page.move(this.page.state.values, false)));
  /** @type {Inspection} */
  #inspection;
  /** @type {LogSliders} */
  #sliders;
  /** @type {Asking} */
  #questions;
  /** @type {RowDetail} */
  #rowDetail;
  /** @type {FullRange} */
  #fullRange;
  /** @type {import("./layers.js").Trained} */
  #trained = null;

  /** @param {import("../../page/settings.js").Settings & Explore} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Explore>} */
    const page = new LivePage(settings, loading);
    this.page = page;
    const covers = () => this.#questions.covers;
    this.#maps = new Maps(page);
    this.#outline = new Outline(page, covers);
    this.#panels = new Panels(page, {
      mapsPainted: () => this.#maps.painted,
      outlined: (drawing, painted) => this.#outline.around(drawing, painted),
      covers,
    });
    page.prints = new ExplorePrints(page, () => this.#rowDetail.title.textContent);
    page.figures.rules.reactions = (name) => (name === "heat-maps" ? this.#reactions() : {});
    page.updates.rules.more = () => ({
      previous: page.presence.plain ? null : (page.answers.settled ?? null),
      ...(this.#drag.light ? { light: true } : {}),
    });
    page.updates.rules.enclosed = () => page.state.upload; // always: the pinned or the last state may need it
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    page.answers.rules.rested = () => {
      page.figures.of(OUTLINED).root.dataset.rested = page.answers.settled ?? "";
    };
    page.controls.rules.meaningless = (values) => {
      const own = values.source === "model" ? masked(this.#trained) : [];
      return [...unused(page.settings.uses, values), ...own];
    };
    page.controls.rules.changed = (name, value) => this.#changed(name, value);
    page.controls.onPress("pin", () => togglePin(page));
    page.controls.onFit(() => this.#fit());
    page.presence.rules.pointAt = (at) => this.#inspection.pointAt(at);
    page.presence.rules.leaveVerdict = () => this.#questions.leave();
    page.presence.rules.predict = () => this.#questions.predict;
    page.presence.onForget((plain) => this.#outline.forget(plain));
  }

  /** Paint the first maps before gradio has mounted their place. @type {NonNullable<import("../../page/opening.js").Own["ahead"]>} */
  ahead(reading, css) {
    paintEarly(this.page, reading, css).catch(() => null); // the page paints them anyway
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { page } = this;
    const { settings, state } = page;
    this.#maps.build(places["figure-heat-maps"].element);
    this.#panels.build(places.arithmetic.element);
    takeAway(places["take-away"].element, page);
    this.#sliders = new LogSliders(page, places, settings.scales);
    page.controls.onTell(() => this.#sliders.show(state.values));
    page.answers.telling.rules.beside = (box, tell) => this.#questions.offer(box, tell);
    headerMenus(page, places, (name) => choosePreset(page, this.#maps.sides, name));
    const side = inside(document.body, "#side");
    const panels = [...side.querySelectorAll(".figure-place")].map((root) => /** @type {HTMLElement} */ (root));
    swipes(side, panels, page.text("page.panels"));
    uploadBox(places.upload.element, page, (file) => this.#useUpload(file));
    this.#inspection = new Inspection(page, this.#maps);
    this.#rowDetail = new RowDetail(page, this.#maps, places["row-title"].element);
    this.#fullRange = new FullRange(page);
    sharedLegend(page, this.#maps.figure, this.#panels.names);
    this.#questions = new Asking(page, places, (more, signal) => onlyPart(page, "reveal", more, signal));
  }

  /**
   * Treat a second change soon after the first as a drag: until it rests, ask for pictures only.
   * @param {string} name @param {import("../../link/values.js").Value} value
   */
  #changed(name, value) {
    const { controls, state } = this.page;
    if (!state.canonicalValues || !controls.isNews(name, value)) return;
    this.#drag.move();
    controls.follow(name, value);
  }

  /** @returns {import("../../figures/cells/pointing.js").Reactions} */
  #reactions() {
    return {
      onCell: (found) => this.#inspection.hover(found),
      onMoved: () => this.#inspection.moved(),
      onClick: (found) => this.#inspection.click(found),
      onTitle: (head) => this.#maps.chooseHead(head),
      titleHint: () => this.page.text("live.enlarge"),
    };
  }

  /** Use the tensors of a file that the server has checked. @param {Uint8Array} file */
  #useUpload(file) {
    const { leader, state } = this.page;
    if (!leader.allows("move")) return;
    state.upload = file;
    this.#questions.renew();
    const pin = state.values.pin?.includes("source=upload") ? "" : state.values.pin;
    this.page.move({ ...state.values, source: "upload", pin, row: null, head: 0 }, true);
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { header, blocks } = part;
    if (header.part === "cells") await this.#cells(header, blocks, newest);
    else if (header.part === "question") this.#questions.take(header);
    else this.#panels.take(only(part, "panels").header, blocks);
  }

  /**
   * @param {import("../../../types/wire.js").CellsHeader} header @param {ArrayBuffer} blocks
   * @param {boolean} newest true if nothing newer was asked
   */
  async #cells(header, blocks, newest) {
    const { answers } = this.page;
    answers.accept(header);
    this.#trained = header.trained;
    fitLayers(header.trained);
    answers.settled ??= header.query; // a page that has just opened is at rest
    if (header.light) this.#panels.behind(true);
    await this.#maps.take(header, blocks);
    this.#inspection.stateChanged(header.row);
    answers.accepted(header, newest);
  }

  #fit() {
    const { page } = this;
    const { settings, state } = page;
    this.#sliders.show(state.values);
    this.#questions.fit();
    this.#rowDetail.fit();
    this.#fullRange.fit();
    fit(
      state.values,
      page.controls.meaningless,
      state.canonical ?? "",
      settings.defaults,
      (key, fields) => page.text(key, fields),
      this.#maps.sides.names,
    );
    this.#maps.showSide();
  }
}
