/** The Model page: a text, all heads of a model, one of them large, and why it reads a key. */

import { Asking } from "../../asking/asking.js";
import { element, inside } from "../../dom/dom.js";
import { markPainted } from "../../figures/painted.js";
import { nearest } from "../../figures/chart/hover.js";
import { swipes } from "../../figures/swipes.js";
import { headerMenus } from "../../page/header_menus.js";
import { LivePage } from "../../page/live_page.js";
import { onlyPart } from "../../page/only_part.js";
import { revive } from "../../server/wire.js";
import { ModelList } from "./model_list.js";
import { ModelLoading } from "./model_loading.js";
import { enclosed } from "./own_file.js";
import { cellSaid } from "./cell_said.js";
import { ChangesPanel } from "./changes_panel.js";
import { HeadCosts, tileSaid, unpatched } from "./head_costs.js";
import { HeadMeasuring } from "./head_measuring.js";
import { HeadOrder } from "./head_order.js";
import { HeadPage } from "./head_page.js";
import { goesOn, openIn } from "./open_in.js";
import { Pictured } from "./pictured.js";
import { MAPS, ModelPrints } from "./prints.js";
import { ReadLines } from "./read_lines.js";
import { unread } from "./unread.js";
import { SmallMaps } from "./small_maps.js";
import { SoundControl } from "./sound_control.js";
import { modelTakeAway } from "./take_away.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {import("./pictures_control.js").Settings} PictureSettings
 * @typedef {import("./sound_control.js").Settings} Heard
 * @typedef {import("./changes_panel.js").Settings} Kinds
 * @typedef {import("./head_costs.js").Settings} Examples
 * @typedef {{viewing: string[], colours: {weights: import("../../figures/palette.js").ColourScale}} & PictureSettings & Heard & Kinds & Examples} Settings
 */

const OVERVIEWS = [MAPS, "head-scatter"];
/** Whether a model has it is known with the figures, once the heads are painted. */
const SAYS = "model-says";

export class Page {
  /** What the newest answer shows. @type {Model | null} */
  #model = null;
  /** @type {ReadLines} */
  #text;
  /** @type {Pictured} */
  #pictured;
  /** @type {SoundControl} */
  #sound;
  /** @type {SmallMaps} */
  #maps;
  /** @type {ChangesPanel} */
  #changes;
  /** @type {Asking} */
  #questions;
  /** @type {ModelLoading} */
  #loading;
  /** @type {HeadCosts} */
  #costs;
  #order;
  /** @type {HeadMeasuring} */
  #measuring;
  /** @type {HeadPage} */
  #head;
  /** @type {ModelList} */
  #list;
  /** What is chosen for the model of the link. @type {"text" | "other"} */
  #reads = "text";
  #said = element("p", { className: "cell-said" });
  #links = element("nav", { className: "open-in" });

  /** @param {import("../../page/settings.js").Settings & Settings} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Settings>} */
    const page = new LivePage(settings, loading);
    this.page = page;
    page.prints = new ModelPrints(
      page,
      () => this.#model,
      () => this.#pictured.copy(),
    );
    page.figures.rules.reactions = (name) => (name === "head-map" ? this.#reactions() : {});
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    this.#order = new HeadOrder(page, (change) => this.#go(change));
    page.controls.rules.meaningless = (values) => [
      ...this.#order.meaningless(values),
      ...unpatched(values),
      ...unread(this.#model, this.#reads, String(values.model)),
    ];
    page.controls.rules.changed = (name, value) => this.#changed(name, value);
    page.controls.onFit(() => this.#fit());
    page.updates.rules.enclosed = () => enclosed(page.state);
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
    this.#text = new ReadLines(places["model-text"].element, text, {
      point: (row) => this.#preview(row),
      lock: (row, key) => this.#lock(row, key),
    });
    this.#pictured = new Pictured(page, places["control-pictures"].element, {
      lock: (row, key) => this.#lock(row, key),
      go: (change) => this.#go(change),
    });
    this.#sound = new SoundControl(places["control-sound"].element, page, (sound) =>
      this.#go({ sound, row: null, key: -1 }),
    );
    this.#sound.dropped(places["model-text"].element);
    this.#changes = new ChangesPanel(places["control-changes"].element, page);
    const overview = figures.of(MAPS);
    overview.block.stage.replaceChildren();
    this.#maps = new SmallMaps(
      overview.block.stage,
      settings.colours.weights,
      (layer, head) => this.#go(this.#order.choice(layer, head)),
      (head, does, cost, value) =>
        [
          does ? `${text("model.head", { head })}: ${does}` : text("model.head", { head }),
          ...(cost === undefined ? [] : [tileSaid(text, page.state.agreed.cost, cost)]),
          ...(value ? [value] : []),
        ].join(" · "),
      text("model.ringed"),
    );
    this.#costs = new HeadCosts(places["cost-run"].element, page);
    this.#measuring = new HeadMeasuring(places["measure-run"].element, page);
    this.#head = new HeadPage(places["head-page"].element, page);
    this.#loading = new ModelLoading(places.run.element, page);
    this.#list = new ModelList(places["models-place"].element, page, (model) => {
      this.#changed("model", model);
      page.controls.tell();
    });
    const scatter = figures.chart("head-scatter");
    figures.of("head-scatter").root.classList.add("not-now"); // until the link says which of the two it is
    for (const chart of [scatter, figures.chart("moved-heads")]) {
      chart.area.addEventListener("click", (event) => this.#pressed(chart, event));
    }
    figures.of("head-map").block.stage.after(element("div", { className: "below-map" }, this.#said, this.#links));
    const strip = inside(document.body, "#one-head");
    const panels = [...strip.querySelectorAll(".figure-place")].map((root) => /** @type {HTMLElement} */ (root));
    swipes(strip, panels, text("page.panels"));
    modelTakeAway(places["take-away"].element, page);
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
    const others = {
      text: { row: null, key: -1 },
      target: { row: null, key: -1 },
      model: { layer: 1, head: 1, row: null, key: -1, changes: "", against: "" },
    };
    const also = name in others ? others[/** @type {"text"} */ (name)] : this.#order.keeps(this.#model, name, value);
    if (!Object.keys(also).length) {
      controls.follow(name, value);
    } else if (state.canonicalValues && controls.isNews(name, value)) {
      this.page.move({ ...state.values, [name]: value, ...also }, false);
    }
  }

  /** Shade the text by another query while it is pointed at, and say what it gives a key. @param {number | null} row @param {number} [key] */
  #preview(row, key) {
    if (!this.#model) return;
    this.#text.preview(row);
    this.#said.textContent = cellSaid((name, fields) => this.page.text(name, fields), this.#model, row, key);
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
    if (!found) return;
    const [layer, head] = found.trace.meta?.heads?.[found.index] ?? [found.trace.meta?.layer, found.index + 1];
    if (layer) this.#go(this.#order.choice(layer, head));
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { answers, figures, state } = this.page;
    if (part.header.part === "model") {
      this.#model = revive(part.header.values, part.blocks, figures.known);
      const { lines, between, pictures } = this.#model;
      await this.#pictured.seen(pictures);
      figures.labels = lines[between[1]].tokens;
      this.#loading.leave();
      inside(document.body, "#figures").classList.remove("is-empty");
      this.#ofAnother(false);
      this.#show(this.#model);
      const painted = markPainted(figures.of(MAPS).root, state.present);
      if (!document.hidden) await painted; // the head's figures come later; nothing is painted in a hidden tab
    } else if (part.header.part === "unloaded") {
      this.#unloaded(revive(part.header.values, part.blocks, figures.known));
    } else if (part.header.part === "question") {
      this.#questions.take(part.header);
    } else {
      if (part.header.part === "figures") {
        figures.of(SAYS).root.classList.toggle("not-now", Boolean(part.header.absent?.includes(SAYS)));
      }
      await answers.take(part, newest);
      if (part.header.part !== "figures") return;
      for (const [name, numbers] of Object.entries(part.header.briefs ?? {})) {
        figures.of(name).block.note(numbers[0] ?? "", part.header.instead?.[name]);
      }
    }
  }

  /** Offer to load a model; what stands stays, marked as that of another. @param {import("../../../types/wire.js").Unloaded} found */
  #unloaded(found) {
    this.#loading.offer(found);
    this.#costs.offer(null);
    this.#measuring.offer(null);
    this.#reads = found.takes === "picture" ? "other" : "text";
    this.#pictured.offer(found.takes === "picture" ? String(this.page.state.values.pictures).split(",") : []);
    this.page.controls.fit();
    inside(document.body, "#figures").classList.toggle("is-empty", !this.#model);
    if (!this.#model) this.#maps.outline(found.layers, found.h);
    this.#ofAnother(true);
  }

  /** Mark what stands as that of another model. @param {boolean} on */
  #ofAnother(on) {
    for (const { root } of this.page.figures.all.values()) root.classList.toggle("is-of-another", on);
    this.#text.ofAnother(on);
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
    for (const [name, { root }] of figures.all) {
      if (![...OVERVIEWS, SAYS].includes(name)) root.classList.toggle("not-now", model.absent.includes(name));
    }
    const under = this.#pictured.show(model);
    this.#sound.show(model.heard);
    this.#changes.show(model);
    this.#order.offer(model.measures);
    this.#order.show(model);
    this.#costs.offer(model.costing);
    this.#measuring.offer(model.measuring);
    void this.#head.show();
    this.#reads = model.takes.includes("text") ? "text" : "other";
    this.page.controls.fit();
    const mute = this.#changes.muting(`${model.layer}.${model.head}`);
    const focused = document.activeElement;
    this.#links.replaceChildren(...openIn(this.page, model), ...this.#head.links(model), ...(model.runs ? [mute] : []));
    const { below } = this.#pictured;
    if (below) below.append(this.#order.find, this.#links);
    else this.#said.after(this.#order.find, this.#links);
    for (const button of [mute, this.#order.find]) if (button === focused) button.focus();
    if (under) {
      this.#maps.show(model, under);
      return;
    }
    this.#text.show(model, goesOn(this.page, model));
    this.#maps.show(model);
    const map = /** @type {import("../../figures/cells_figure.js").CellsFigure} */ (figures.of("head-map").living);
    map.marks.row("locked", model.locked ? model.row : null);
    this.#preview(null);
  }

  #fit() {
    const { figures, state } = this.page;
    this.#questions.fit();
    this.#changes.fit();
    this.#head.fit();
    this.#list.fit(String(state.values.model));
    const scatter = state.values.overview === "scatter";
    figures.of(MAPS).root.classList.toggle("not-now", scatter);
    figures.of("head-scatter").root.classList.toggle("not-now", !scatter);
  }
}
