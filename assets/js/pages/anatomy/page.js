/** The Anatomy page: Figure 2 with this configuration's shapes, its formula, and the walk through its tensors. */

import { element } from "../../dom/dom.js";
import { LivePage } from "../../page/live_page.js";
import { unused } from "../../link/entry.js";
import { headerMenus } from "../../page/header_menus.js";
import { LogSliders } from "../../controls/log_sliders.js";
import { markPainted } from "../../figures/painted.js";
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

/** @extends {LivePage<Anatomy>} */
export class Page extends LivePage {
  /** @type {Diagram} */
  diagram;
  /** @type {Formula} */
  #formula;
  /** @type {LogSliders} */
  #sliders;
  /** @type {WalkView} */
  walk;
  /** @type {Predict} */
  predict;
  /** @type {OwnOffer} */
  #offer;
  /** The walk on screen; null before the first. @type {import("./arithmetic.js").Walked | null} */
  walked = null;
  /** True if the present state has a question. */
  asked = false;
  /** True if the present step shows its answer. */
  kept = false;
  /** The question whose verdict the visitor asked for. @type {string | null} */
  #revealed = null;
  #decline = element("button");
  /** @type {import("../../paper/prints.js").Prints} */
  prints = new AnatomyPrints(this);

  /**
   * @param {import("../../page/shell.js").Settings & Anatomy} settings
   * @param {(page: LivePage) => import("../../page/later.js").Later} later
   */
  constructor(settings, later) {
    super(settings, later);
    this.updates.rules.more = () => this.#more();
    this.answers.rules.took = (part, newest) => this.#took(part, newest);
    this.controls.rules.meaningless = (values) => unused(settings.uses, values);
    this.controls.onFit(() => this.#fit());
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const stage = (/** @type {string} */ name) => {
      const { block } = this.figures.of(name);
      block.stage.replaceChildren();
      return block.stage;
    };
    this.diagram = new Diagram(stage("anatomy"), this);
    this.#formula = new Formula(this.figures.of("anatomy").block.stage, this);
    this.walk = new WalkView(stage("walk"), this);
    this.predict = new Predict(
      places.predict.element,
      this,
      () => {
        this.#revealed = this.predict.id;
        void this.updates.ask(this.updates.link());
      },
      () => {
        this.#revealed = null;
        this.#cover();
      },
    );
    this.#offer = new OwnOffer(this, (values) => {
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
      this.text("why.lift"),
    );
    keepAnatomy(places["take-away"].element, this);
    headerMenus(this, places, Object.keys(this.settings.presets), (name) => this.preset(name));
    this.#sliders = new LogSliders(this, places, this.settings.scales);
    this.controls.onTell(() => this.#sliders.show(this.state.values));
    this.telling.rules.beside = (box, tell) => this.#offer.beside(box, tell);
    this.telling.rules.arithmetic = (line) => this.#arithmetic(line);
  }

  /** @param {string | null} name null restores the defaults */
  preset(name) {
    const chosen = name ? this.settings.presets[name] : {};
    this.move({ ...this.settings.defaults, lang: this.state.values.lang, ...chosen }, true);
  }

  /** Go to another step, query, head or layer. @param {Record<string, import("../../link/values.js").Value>} change */
  go(change) {
    if (this.state.canonicalValues) {
      this.move(
        { ...this.state.values, ...change },
        Object.keys(change).some((name) => this.settings.controls.includes(name)),
      );
    }
  }

  /** Write the numbers for another look. @param {import("../../link/look.js").Look} look */
  look(look) {
    super.look(look);
    if (this.walked) this.walk.draw(this.walked);
  }

  #more() {
    const reveal = this.#revealed !== null && this.#revealed === this.predict.id;
    return { prediction: this.state.canonicalValues && this.predict.prediction, ...(reveal ? { reveal } : {}) };
  }

  #fit() {
    this.#sliders.show(this.state.values);
    this.#sliders.fit(this.controls.meaningless);
    this.predict.fit(this.state.values.predict);
    this.#offer.fit();
    this.#cover();
  }

  /** Cover what gives the answer until the visitor has predicted. */
  #cover() {
    const { predict, asked, kept } = this;
    const open = Boolean(this.state.values.predict) && predict.open;
    const covered = open && asked && kept && predict.prediction === null;
    this.figures.of("walk").root.classList.toggle("is-covered", covered);
    this.place.insight.element.classList.toggle("is-withheld", covered);
    predict.root.classList.toggle("is-covering", covered);
    if (!open) return;
    this.#offer.ways(this.#decline, covered);
    predict.form.fold(false);
  }

  /** True while the page asks and has not answered: no print and no file may answer either. */
  get pending() {
    const { predict, asked } = this;
    return Boolean(this.state.values.predict) && predict.open && asked && !predict.form.judged;
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
    const { walked } = this;
    const { columns } = this.figures.of(String(table)).block.shown ?? { columns: [] };
    if (!walked) return [];
    if (table === "anatomy") {
      const sizes = Object.entries(walked.sizes).map(([symbol, size]) => `${symbol} = ${size}`);
      return columns.map(() => sizes.join(", "));
    }
    const first = columns.findIndex(({ asked }) => asked);
    const made = resultOf(walked);
    return columns.map((_, i) => (i < first ? "" : reasonOf(this, walked, made, Number(line), i - first)[1]));
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    if (part.header.part === "question") {
      this.kept = part.header.kept === true;
      this.asked = !this.kept || this.predict.about(part.header);
      if (this.asked) this.#offer.ask(part.header);
    } else if (part.header.part === "verdict") {
      this.predict.judge(part.header, part.blocks);
    } else if (part.header.part === "walk") {
      this.#draw(revive(part.header.values, part.blocks, this.figures.known), newest);
    } else {
      if (part.header.part === "state") this.asked = this.kept = false;
      await this.answers.take(part, newest);
      if (part.header.part === "figures") {
        for (const { root } of this.figures.all.values()) void markPainted(root, this.state.present);
      }
    }
  }

  /** @param {import("./arithmetic.js").Walked} walked @param {boolean} newest */
  #draw(walked, newest) {
    if (this.state.agreed.predict && !this.asked) this.predict.close();
    this.#cover();
    walked.asks = this.pending;
    this.walked = walked;
    if (newest) this.state.values.step = walked.step; // a link may name a step that this layer lacks
    this.diagram.draw(walked);
    this.#formula.draw(walked);
    this.walk.draw(walked);
  }
}
