/** The Anatomy page: Figure 2 with this configuration's shapes, its formula, and the walk through its tensors. */

import { element } from "../../dom/dom.js";
import { LivePage } from "../../page/live_page.js";
import { unused } from "../../link/entry.js";
import { headerMenus } from "../../page/header_menus.js";
import { LogSliders } from "../../controls/log_sliders.js";
import { markPainted } from "../../figures/painted.js";
import { TrainedControls } from "../../controls/trained.js";
import { Predict } from "../../asking/predict.js";
import { OwnOffer } from "../../asking/predict_offer.js";
import { revive } from "../../server/wire.js";
import { Diagram } from "./diagram.js";
import { Formula } from "./formula.js";
import { keepAnatomy } from "./keeping.js";
import { AnatomyPrints } from "./prints.js";
import { resultOf } from "./steps.js";
import { reasonOf } from "./tip.js";
import { WalkView } from "./walk_view.js";

/** @typedef {import("./host.js").Anatomy} Anatomy */

/** The first step that shows the answer; `revealed` of visualiser/pages/anatomy/steps.py says the same. */
const ANSWERS = "scores";

/** The step at which the question is asked from one that shows the answer: its sentence names that step. */
const ASKS = "queries";

export class Page {
  /** The walk on screen; null before the first. @type {import("./arithmetic.js").Walked | null} */
  walked = null;
  /** @type {Diagram} */
  #diagram;
  /** @type {Formula} */
  #formula;
  /** @type {LogSliders} */
  #sliders;
  /** @type {WalkView} */
  #walk;
  /** @type {Predict} */
  #predict;
  /** @type {OwnOffer} */
  #offer;
  /** True if the present state has a question. */
  #asked = false;
  /** True if the present step shows its answer. */
  #kept = false;
  /** The question whose verdict the visitor asked for. @type {string | null} */
  #revealed = null;
  #decline = element("button");
  #trained;

  /** @param {import("../../page/settings.js").Settings & Anatomy} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {import("./host.js").Page} */
    const page = new LivePage(settings, loading);
    this.page = page;
    page.prints = new AnatomyPrints(page, this);
    page.updates.rules.more = () => this.#more();
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    page.presence.rules.predict = () => this.#predict;
    this.#trained = new TrainedControls(settings.mostLayers);
    page.controls.rules.meaningless = (values) => [
      ...unused(settings.uses, values),
      ...this.#trained.meaningless(values),
    ];
    page.controls.onFit(() => this.#fit());
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { page } = this;
    const { answers, controls, figures, presenter, settings, state, updates } = page;
    const stage = (/** @type {string} */ name) => {
      const { block } = figures.of(name);
      block.stage.replaceChildren();
      return block.stage;
    };
    const go = (/** @type {Parameters<Page["go"]>[0]} */ change) => this.go(change);
    this.#diagram = new Diagram(stage("anatomy"), page, go);
    this.#formula = new Formula(figures.of("anatomy").block.stage, page);
    this.#walk = new WalkView(stage("walk"), page, go);
    this.#predict = new Predict(
      places.predict.element,
      page,
      () => {
        this.#revealed = this.#predict.id;
        void updates.ask(updates.link());
      },
      () => {
        this.#revealed = null;
        this.#cover();
      },
    );
    this.#offer = new OwnOffer(page, this.#predict, (values) => {
      const { steps = [] } = this.walked ?? {};
      const before = steps.slice(0, steps.indexOf(ANSWERS));
      return before.includes(String(values.step)) ? values : { ...values, step: ASKS };
    });
    this.#decline = element(
      "button",
      {
        type: "button",
        className: "tool",
        id: "predict-decline",
        onclick: () => this.#offer.close(),
      },
      page.text("why.lift"),
    );
    keepAnatomy(places["take-away"].element, page, this);
    headerMenus(page, places);
    this.#sliders = new LogSliders(page, places, settings.scales);
    controls.onTell(() => this.#sliders.show(state.values));
    answers.telling.rules.beside = (box, tell) => this.#offer.beside(box, tell);
    answers.telling.rules.arithmetic = (line) => this.#arithmetic(line);
    presenter.after.push(() => {
      if (this.walked) this.#walk.draw(this.walked); // its numbers are shorter while the page is presented
    });
  }

  /** Go to another step, query, head or layer. @param {Record<string, import("../../link/values.js").Value>} change */
  go(change) {
    const { settings, state } = this.page;
    if (state.canonicalValues) {
      this.page.move(
        { ...state.values, ...change },
        Object.keys(change).some((name) => settings.controls.includes(name)),
      );
    }
  }

  #more() {
    const predict = this.#predict;
    const { canonicalValues } = this.page.state;
    const reveal = this.#revealed !== null && this.#revealed === predict.id;
    return { prediction: canonicalValues && predict.prediction, ...(reveal ? { reveal } : {}) };
  }

  #fit() {
    const { controls, state } = this.page;
    this.#trained.fit(state.values, (key) => this.page.text(key));
    this.#sliders.show(state.values);
    this.#sliders.fit(controls.meaningless);
    this.#predict.fit(state.values.predict);
    this.#offer.fit();
    this.#cover();
  }

  /** Cover what gives the answer until the visitor has predicted. */
  #cover() {
    const predict = this.#predict;
    const { answers, figures, state } = this.page;
    const open = Boolean(state.values.predict) && predict.open;
    const covered = open && this.#asked && this.#kept && predict.prediction === null;
    figures.of("walk").root.classList.toggle("is-covered", covered);
    answers.telling.root.classList.toggle("is-withheld", covered);
    predict.root.classList.toggle("is-covering", covered);
    if (!open) return;
    this.#offer.ways(this.#decline, covered);
    predict.form.fold(false);
  }

  /** True while the page asks and has not answered: no print and no file may answer either. */
  get pending() {
    const predict = this.#predict;
    return Boolean(this.page.state.values.predict) && predict.open && this.#asked && !predict.form.judged;
  }

  /** Return the steps that may be shown all at once: those that do not answer the question. */
  steps() {
    const { steps = [] } = this.walked ?? {};
    return this.pending ? steps.slice(0, steps.indexOf(ANSWERS)) : steps;
  }

  /**
   * Return the arithmetic of one line of a table from the tensors that are here.
   * @param {Record<string, unknown>} line
   */
  async #arithmetic({ table, line }) {
    const { page, walked } = this;
    const { columns } = page.figures.of(String(table)).block.shown ?? { columns: [] };
    if (!walked) return [];
    if (table === "anatomy") {
      const sizes = Object.entries(walked.sizes).map(([symbol, size]) => `${symbol} = ${size}`);
      return columns.map(() => sizes.join(", "));
    }
    const first = columns.findIndex(({ asked }) => asked);
    const made = resultOf(walked);
    return columns.map((_, i) => (i < first ? "" : reasonOf(page, walked, made, Number(line), i - first)[1]));
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { answers, figures, state } = this.page;
    if (part.header.part === "question") {
      this.#kept = part.header.kept === true;
      this.#asked = !this.#kept || this.#predict.about(part.header);
      if (this.#asked) this.#offer.ask(part.header);
    } else if (part.header.part === "verdict") {
      this.#predict.judge(part.header, part.blocks);
    } else if (part.header.part === "walk") {
      this.#draw(revive(part.header.values, part.blocks, figures.known), newest);
    } else {
      if (part.header.part === "state") this.#asked = this.#kept = false;
      await answers.take(part, newest);
      if (part.header.part === "figures") {
        for (const { root } of figures.all.values()) void markPainted(root, state.present);
      }
    }
  }

  /** @param {import("./arithmetic.js").Walked} walked @param {boolean} newest */
  #draw(walked, newest) {
    const { state } = this.page;
    if (state.agreed.predict && !this.#asked) this.#predict.close();
    this.#cover();
    walked.asks = this.pending;
    this.walked = walked;
    if (this.#trained.take(walked.own ?? null)) this.page.controls.fit();
    if (newest) state.values.step = walked.step; // a link may name a step that this layer lacks
    this.#diagram.draw(walked);
    this.#formula.draw(walked);
    this.#walk.draw(walked);
  }
}
