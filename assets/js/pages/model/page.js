/** The Model page: a text, all heads of a model, one of them large, and why it reads a key. */

import { Asking } from "../../asking/asking.js";
import { element, inside } from "../../dom/dom.js";
import { markPainted } from "../../figures/painted.js";
import { number } from "../../figures/axes.js";
import { nearest } from "../../figures/chart/hover.js";
import { swipes } from "../../figures/swipes.js";
import { headerMenus } from "../../page/header_menus.js";
import { LivePage } from "../../page/live_page.js";
import { save } from "../../files/clipboard.js";
import { liveTakeAway } from "../../page/live_take_away.js";
import { onlyPart } from "../../page/only_part.js";
import { servedFile } from "../../page/served_file.js";
import { Run } from "../../page/run.js";
import { revive } from "../../server/wire.js";
import { MAPS, ModelPrints } from "./prints.js";
import { SmallMaps } from "./small_maps.js";
import { TextStrip } from "./text_strip.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {{viewing: string[], colours: {weights: import("../../figures/palette.js").ColourScale}}} Settings
 */

export class Page {
  /** What the newest answer shows. @type {Model | null} */
  #model = null;
  /** The model that has to be loaded first, and its size. @type {{model: string, megabytes: number} | null} */
  #lacks = null;
  /** @type {TextStrip} */
  #text;
  /** @type {SmallMaps} */
  #maps;
  /** @type {Asking} */
  #questions;
  /** @type {Run} */
  #run;
  /** @type {HTMLElement} */
  #loading;
  /** The model of the newest load. @type {unknown} */
  #loads = null;
  #said = element("p", { className: "cell-said" });
  #size = element("p", { className: "said" });
  #links = element("nav", { className: "open-in" });

  /** @param {import("../../page/settings.js").Settings & Settings} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Settings>} */
    const page = new LivePage(settings, loading);
    this.page = page;
    page.prints = new ModelPrints(page, () => this.#model);
    page.figures.rules.reactions = (name) => (name === "head-map" ? this.#reactions() : {});
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    page.controls.rules.meaningless = ({ overview }) => (overview === "scatter" ? ["sort", "only"] : ["x", "y"]);
    page.controls.rules.changed = (name, value) => this.#changed(name, value);
    page.controls.onFit(() => this.#fit());
    page.presence.rules.leaveVerdict = () => this.#questions.leave();
    page.presence.rules.predict = () => this.#questions.predict;
    page.answers.telling.rules.beside = (box, tell) => this.#questions.offer(box, tell);
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { page } = this;
    const { figures, settings } = page;
    const text = (
      /** @type {string} */ key,
      /** @type {import("../../words/message_format.js").Fields} */ fields = {},
    ) => page.text(key, fields);
    this.#text = new TextStrip(places["model-text"].element, text("model.tokens"), {
      point: (row) => this.#preview(row),
      lock: (row) => this.#lock(row),
    });
    const overview = figures.of(MAPS);
    overview.block.stage.replaceChildren();
    this.#maps = new SmallMaps(
      overview.block.stage,
      settings.colours.weights,
      (layer, head) => this.#go({ layer, head, key: -1 }),
      (head, does) => (does ? `${text("model.head", { head })}: ${does}` : text("model.head", { head })),
    );
    const box = element("div");
    this.#loading = element("div", { className: "model-loading", hidden: true }, this.#size, box);
    places.run.element.replaceChildren(this.#loading);
    this.#run = new Run(box, page, {
      start: "model.load",
      onPart: () => {},
      onStart: () => {
        this.#loads = page.state.agreed.model;
        this.#sized("model.loading");
      },
      onEnd: (how) => {
        if (how === "ended") {
          void page.updates.again();
        } else {
          if (how === "cancelled") this.#run.say(this.#loads === page.state.agreed.model ? "model.cancelled" : null);
          this.#sized("model.unloaded");
        }
      },
    });
    const scatter = figures.chart("head-scatter");
    figures.of("head-scatter").root.classList.add("not-now"); // until the link says which of the two it is
    scatter.area.addEventListener("click", (event) => this.#pressed(scatter, event));
    figures.of("head-map").block.stage.after(element("div", { className: "below-map" }, this.#said, this.#links));
    const strip = inside(document.body, "#one-head");
    const panels = [...strip.querySelectorAll(".figure-place")].map((root) => /** @type {HTMLElement} */ (root));
    swipes(strip, panels, text("page.panels"));
    liveTakeAway(places["take-away"].element, page, (copied) => [
      [
        "snippet",
        async () => copied(await (await servedFile(page, "snippet")).blob.text(), "export.snippet_copied_model"),
      ],
      [
        "npz",
        async () => {
          const { blob, name } = await servedFile(page, "npz");
          save(blob, name);
          return text("export.saved", { name });
        },
      ],
    ]);
    headerMenus(page, places);
    this.#questions = new Asking(page, places, (more, signal) => onlyPart(page, "reveal", more, signal));
  }

  /** @returns {import("../../figures/cells/pointing.js").Reactions} */
  #reactions() {
    return {
      onCell: (found) => this.#preview(found ? found.row : null, found?.column),
      onClick: ({ row, column }) => this.#lock(row, column),
    };
  }

  /**
   * Follow a control; another text or model has other keys, another model other heads.
   * @param {string} name @param {import("../../link/values.js").Value} value
   */
  #changed(name, value) {
    const { controls, state } = this.page;
    const others = { text: { row: null, key: -1 }, model: { layer: 1, head: 1, row: null, key: -1 } };
    if (name !== "text" && name !== "model") {
      controls.follow(name, value);
    } else if (state.canonicalValues && controls.isNews(name, value)) {
      this.page.move({ ...state.values, [name]: value, ...others[name] }, false);
    }
  }

  /** Shade the text by another query while it is pointed at, and say what it gives a key. @param {number | null} row @param {number} [key] */
  #preview(row, key) {
    if (!this.#model) return;
    const { tokens, shape, weights } = this.#model;
    this.#text.shade(row ?? this.#model.row);
    const weight = row === null || key === undefined ? NaN : weights[row * shape[1] + key];
    const named = (/** @type {number} */ at) => `${at} “${tokens[at] ?? ""}”`;
    const cell = { query: named(row ?? 0), key: named(key ?? 0) };
    const locked = this.#model.locked && this.#model.key >= 0 && row === null; // −1: a question asks for it
    if (locked) {
      const { row: query, key: chosen } = this.#model;
      const at = { query: named(query), key: named(chosen) };
      const of = weights[query * shape[1] + chosen];
      this.#said.textContent = this.page.text(Number.isFinite(of) ? "model.locked" : "model.cell_forbidden", {
        ...at,
        weight: number(of),
      });
      return;
    }
    this.#said.textContent =
      row === null || key === undefined
        ? this.page.text("model.press")
        : Number.isFinite(weight)
          ? this.page.text("model.cell", { ...cell, weight: number(weight) })
          : this.page.text("model.cell_forbidden", cell);
  }

  /** Lock a query, and a key of it; the same again unlocks it. @param {number} row @param {number} key */
  #lock(row, key = -1) {
    const { values } = this.page.state;
    const again = values.row === row && (key < 0 || values.key === key);
    this.#go(again ? { row: null, key: -1 } : { row, key });
  }

  /** @param {Record<string, import("../../link/values.js").Value>} change */
  #go(change) {
    const { state } = this.page;
    if (state.canonicalValues) this.page.move({ ...state.values, ...change }, true);
  }

  /** @param {import("../../figures/chart_figure.js").ChartFigure} scatter @param {MouseEvent} event */
  #pressed(scatter, event) {
    const frame = scatter.area.getBoundingClientRect();
    const found = nearest(scatter.drawn, event.clientX - frame.left, event.clientY - frame.top);
    const layer = found?.trace.meta?.layer;
    if (found && layer) this.#go({ layer, head: found.index + 1, key: -1 });
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { answers, figures, state } = this.page;
    if (part.header.part === "model") {
      this.#model = revive(part.header.values, part.blocks, figures.known);
      figures.labels = this.#model.tokens.map((token) => token.trim() || token);
      this.#loading.hidden = true;
      this.#endOther();
      inside(document.body, "#figures").classList.remove("is-empty");
      this.#ofAnother(false);
      this.#show(this.#model);
    } else if (part.header.part === "unloaded") {
      this.#unloaded(revive(part.header.values, part.blocks, figures.known));
    } else if (part.header.part === "question") {
      this.#questions.take(part.header);
    } else {
      await answers.take(part, newest);
      if (part.header.part !== "figures") return;
      for (const [name, numbers] of Object.entries(part.header.briefs ?? {})) {
        figures.of(name).block.note(numbers[0] ?? "");
      }
      if (this.#loading.hidden) void markPainted(figures.of(MAPS).root, state.present);
    }
  }

  /** Offer to load a model; what stands stays, marked as that of another. @param {{model: string, megabytes: number}} found */
  #unloaded(found) {
    this.#lacks = found;
    this.#sized(this.#run.running ? "model.loading" : "model.unloaded");
    this.#loading.hidden = false;
    this.#endOther();
    if (!this.#run.running) this.#run.say(null);
    inside(document.body, "#figures").classList.toggle("is-empty", !this.#model);
    this.#ofAnother(true);
  }

  /** End the load of a model that the visitor has left: its progress would stand beside another's name, or nowhere. */
  #endOther() {
    if (this.#run.running && this.#loads !== this.page.state.agreed.model) this.#run.cancel();
  }

  /** Say how large the model is that is not there yet. @param {"model.unloaded" | "model.loading"} key */
  #sized(key) {
    if (this.#lacks) this.#size.textContent = this.page.text(key, this.#lacks);
  }

  /** Mark what stands as that of another model. @param {boolean} on */
  #ofAnother(on) {
    for (const { root } of this.page.figures.all.values()) root.classList.toggle("is-of-another", on);
    this.#text.root.classList.toggle("is-of-another", on);
  }

  /** @param {Model} model */
  #show(model) {
    const { figures, state } = this.page;
    for (const [name, { root, block }] of figures.all) {
      if (state.agreed.predict) block.silence(); // what was said before would answer
      const covered = model.covered.includes(name);
      root.classList.toggle("is-covered", covered);
      if (!covered) continue;
      if (name !== MAPS) figures.clear(name);
      void markPainted(root, state.present);
    }
    figures.drawn.set(MAPS, null); // a script paints it
    this.#text.show(model);
    this.#maps.show(model);
    const map = /** @type {import("../../figures/cells_figure.js").CellsFigure} */ (figures.of("head-map").living);
    map.marks.row("locked", model.locked ? model.row : null);
    this.#preview(null);
    this.#open(model);
  }

  /** Offer the head on the other pages. @param {Model} model */
  #open({ layer, head }) {
    const { state } = this.page;
    const query = new URLSearchParams({
      source: "model",
      model: String(state.agreed.model),
      layer: String(layer),
      head: String(head),
      text: String(state.agreed.text),
      ...(this.#model?.locked ? { row: String(this.#model.row) } : {}),
      ...(state.chosenLanguage ? { lang: state.chosenLanguage } : {}),
    });
    this.#links.replaceChildren(
      element("span", {}, this.page.text("model.open", { head: `${layer}.${head}` })),
      ...["explore", "anatomy", "map"].map((page) => {
        const there = new URLSearchParams(query);
        if (page !== "explore") there.set("page", page);
        const href = `${location.pathname}?${there}`;
        return element("a", { href, data: { page } }, this.page.text(`choice.page.${page}`));
      }),
    );
  }

  #fit() {
    const { page } = this;
    const { values } = page.state;
    this.#questions.fit();
    const scatter = values.overview === "scatter";
    page.figures.of(MAPS).root.classList.toggle("not-now", scatter);
    page.figures.of("head-scatter").root.classList.toggle("not-now", !scatter);
  }
}
