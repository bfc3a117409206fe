/** The Why √d_k page: a sweep drawn as it comes, a marker that moves d_k, and the effect of one d_k and one factor. */

import { inside } from "../../dom/dom.js";
import { isNarrow } from "../../dom/narrow.js";
import { entry } from "../../link/entry.js";
import { headerMenus } from "../../page/header_menus.js";
import { LivePage } from "../../page/live_page.js";
import { liveTakeAway } from "../../page/live_take_away.js";
import { markFailed, markPainted } from "../../figures/painted.js";
import { Predict } from "../../asking/predict.js";
import { OwnOffer } from "../../asking/predict_offer.js";
import { Refusal, isFinal } from "../../server/server.js";
import { only, revive } from "../../server/wire.js";
import { LogSlider } from "../../controls/log_slider.js";
import { swipes } from "../../figures/swipes.js";
import { Marker } from "./marker.js";
import { WhyPrints } from "./prints.js";
import { SweepStream } from "./sweep_stream.js";
import { PredictionCover } from "./prediction_cover.js";
import { legendBelow } from "./legend_below.js";
import { tabs } from "./tabs.js";

const REST = 180;

/** @typedef {import("../../controls/stops.js").Scale} Scale */
/** @typedef {import("../../../types/wire.js").Sentence} Sentence */

/** Return a state's factor on the scores. @param {import("../../link/values.js").Values} values */
export function factorOf({ scaling, d_k, scale }) {
  const factors = { sqrt_d_k: 1 / Math.sqrt(Number(d_k)), none: 1, d_k: 1 / Number(d_k), custom: Number(scale) };
  return entry(factors, String(scaling));
}

/** @extends {LivePage<{scales: Record<"d_k" | "scale", Scale>}>} */
export class Page extends LivePage {
  /** @type {Record<"d_k" | "scale", LogSlider>} */
  #sliders;
  /** The marker of each figure. @type {Partial<Record<string, Marker>>} */
  #markers = {};
  /** @type {import("../../paper/prints.js").Prints} */
  prints = new WhyPrints(this, () => this.#markers);
  /** @type {Predict} */
  predict;
  /** @type {OwnOffer} */
  #offer;
  /** @type {PredictionCover} */
  #cover;
  /** @type {SweepStream} */
  #stream;
  /** True once the visitor has predicted, until the page asks no more. */
  #lifted = false;
  /** The sentences about one d_k, and those about the sweep, which follow them. @type {Record<"point" | "swept", Sentence[]>} */
  #told = { swept: [], point: [] };
  /** The prediction not judged yet. @type {Predict["prediction"]} */
  #predicting = null;
  /** Failures of the sweep in a row. */
  #sweepFailures = 0;
  /** True if the last move belongs to a drag. */
  light = false;
  /** Time of the last drag's move, and the timer of its rest. */
  #dragged = -REST;
  #rest = 0;

  /**
   * @param {import("../../page/shell.js").Settings & {scales: Record<"d_k" | "scale", Scale>}} settings
   * @param {(page: LivePage) => import("../../page/later.js").Later} later
   */
  constructor(settings, later) {
    super(settings, later);
    this.updates.rules.more = () => ({ light: this.light });
    this.answers.rules.took = (part, newest) => this.#took(part, newest);
    this.controls.rules.changed = (name, value) => this.#changed(name, value);
    this.controls.onFit(() => this.#fit());
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { d_k, scale } = this.settings.scales;
    this.figures.labels = []; // positions are no tokens here
    /** @param {string} key @param {import("../../words/message_format.js").Fields} [fields] */
    const text = (key, fields) => this.text(key, fields);
    this.#sliders = {
      d_k: new LogSlider(places["control-d_k"].element, "d_k", d_k, [], text, (value) =>
        this.controls.changed("d_k", value),
      ),
      scale: new LogSlider(places["control-scale"].element, "scale", scale, [], text, (value) =>
        this.controls.changed("scale", value),
      ),
    };
    this.#markers = {
      sweep: this.#marker("sweep", d_k, "d_k"),
      temperature: this.#marker("temperature", scale, "scale"),
    };
    this.predict = new Predict(
      places.predict.element,
      this,
      () => this.#reveal(),
      () => this.#askAgain(),
    );
    this.#offer = new OwnOffer(this);
    this.telling.rules.beside = (box, tell) => this.#offer.beside(box, tell);
    this.telling.rules.all = (sentences) => this.#all(sentences);
    const sweep = this.figures.of("sweep");
    const roots = this.settings.figures.map((name) => this.figures.of(name).root);
    const takes = places["take-away"].element;
    this.#cover = new PredictionCover(roots, sweep.block.stage, this.figures.chart("sweep"), takes, text, () =>
      this.#lift(),
    );
    this.#stream = new SweepStream(this, {
      took: (part) => this.#tookSweep(part),
      busy: (busy) => sweep.root.classList.toggle("is-busy", busy),
      failed: (problem) => this.#sweepFailed(problem),
    });
    const shared = ["temperature", "numerics"];
    tabs(
      places.tabs.element,
      shared.map((name) => this.figures.of(name)),
      shared.map((name) => this.text(`why.tab.${name}`)),
    );
    legendBelow(this);
    const strip = inside(document.body, "#panels");
    const panels = this.settings.figures.filter((name) => name !== "sweep").map((name) => this.figures.of(name).root);
    swipes(strip, panels, this.text("page.panels"));
    liveTakeAway(places["take-away"].element, this);
    headerMenus(this, places);
  }

  /** Set a control: d_k is not tied here, and a moved factor becomes custom. @param {string} name @param {import("../../link/values.js").Value} value */
  #changed(name, value) {
    if (!this.state.canonicalValues) return;
    const factor = name === "scale";
    if (factor ? value === factorOf(this.state.values) : !this.controls.isNews(name, value)) return;
    const dragged = factor || name === "d_k";
    this.light = dragged && performance.now() - this.#dragged < REST;
    if (dragged) {
      this.#dragged = performance.now();
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => this.#finish(), REST);
    }
    const own = factor && this.state.values.scaling !== "custom";
    this.move({ ...this.state.values, [name]: value, ...(factor ? { scaling: "custom" } : {}) }, own);
  }

  /** Ask for what a drag left out. */
  #finish() {
    if (!this.light) return;
    this.light = false;
    void this.updates.ask(this.updates.link());
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    switch (part.header.part) {
      case "state":
        await this.answers.take(part, newest);
        if (newest) this.#follow();
        break;
      case "question":
        this.#offer.ask(part.header);
        this.#coverAnswers();
        break;
      default:
        await this.answers.take(part, newest);
    }
  }

  /** Say of the sweep what its verdict says, whether somebody has predicted or not. @param {Sentence[]} sentences */
  #all(sentences) {
    this.#told.point = sentences;
    return [...sentences, ...(this.#judged ? [] : this.#told.swept)];
  }

  /** True while the verdict on the sweep stands, which says the same. */
  get #judged() {
    return Boolean(this.state.values.predict) && this.predict.form.judged;
  }

  #fit() {
    this.predict.fit(this.state.values.predict);
    this.#offer.fit();
    if (!this.state.values.predict) this.#lifted = false;
    const [d_k, scale] = [Number(this.state.values.d_k), factorOf(this.state.values)];
    this.#sliders.d_k.show(d_k);
    this.#sliders.scale.show(scale);
    this.#markers.sweep?.show(d_k);
    this.#markers.temperature?.show(scale);
    for (const name of ["mechanism-maps", "mechanism-scores"]) {
      this.figures
        .of(name)
        .block.note([
          "d_k = ",
          [
            String(d_k),
            this.text("reason.formula.size"),
            this.text("reason.made.control", { name: "d_k" }),
            "attention",
          ],
        ]);
    }
    this.#coverAnswers();
  }

  /** @param {string} figure @param {Scale} scale @param {string} name */
  #marker(figure, scale, name) {
    const { stage } = this.figures.of(figure).block;
    return new Marker(stage, this.figures.chart(figure), scale, this.text(`control.${name}.label`), (value) =>
      this.controls.changed(name, value),
    );
  }

  /** Follow a new state: start its sweep if it is another one, else move the marker. */
  #follow() {
    const { n, seed, seeds } = this.state.agreed;
    const key = JSON.stringify([n, seed, seeds, isNarrow()]);
    if (this.#stream.key !== key) this.#told.swept = [];
    if (this.#stream.key === key && this.#stream.done) {
      void markPainted(this.figures.of("sweep").root, this.state.present);
    }
    void this.#stream.want(key, this.state.present, { prediction: this.#predicting });
  }

  /** @param {import("../../../types/wire.js").Part} part */
  async #tookSweep(part) {
    const { header, blocks } = part;
    if (header.part === "verdict") {
      this.predict.judge(header, blocks);
      this.#predicting = null;
      return;
    }
    const figures = only(part, "figures").header;
    if (figures.done) {
      this.#sweepFailures = 0;
      await this.telling.show({ ...figures, insight: null }, blocks, this.state.present);
      const before = this.#told.swept;
      this.#told.swept = figures.insight ?? [];
      const { painted } = this.place.insight.element.dataset;
      if (painted === undefined || JSON.stringify(before) === JSON.stringify(this.#told.swept)) return;
      if (before.length || this.#judged) this.telling.conclude(this.#told.point, painted);
      else this.telling.add(this.#told.swept);
      return;
    }
    for (const [name, entry] of Object.entries(figures.drawings)) {
      this.figures.drawn.set(name, {
        drawing: revive(entry, blocks, this.figures.known),
        hash: entry.hash,
        painted: this.state.present,
      });
      await this.figures.redraw(name);
    }
  }

  /** @param {unknown} problem */
  #sweepFailed(problem) {
    const { root } = this.figures.of("sweep");
    this.message.fail(problem instanceof Refusal ? problem.message : this.text("live.lost"));
    this.predict.lock(false);
    markFailed(root, this.message.error.textContent);
    if (!isFinal(problem)) {
      this.#sweepFailures += 1;
      this.updates.later(this.#sweepFailures);
    }
  }

  /** Cover the answer until the visitor has predicted or declined. */
  #coverAnswers() {
    const { predict } = this;
    const covered = Boolean(this.state.values.predict) && predict.open && !this.#lifted && !predict.form.judged;
    this.#cover.show(covered);
    if (predict.open) {
      this.#offer.ways(this.#cover.skip, covered);
      predict.form.fold(!covered && this.#predicting === null);
    }
    this.place.insight.element.classList.toggle("not-now", covered);
  }

  #lift() {
    this.#offer.close();
    if (this.state.values.predict) return; // who leads the page decides
    /** @type {HTMLElement | null} */
    const slider = this.figures.of("sweep").root.querySelector("[role=slider]");
    slider?.focus({ preventScroll: true });
  }

  #askAgain() {
    this.#lifted = false;
    this.#coverAnswers();
  }

  #reveal() {
    this.#predicting = this.predict.prediction;
    this.predict.lock();
    this.#lifted = true;
    this.#coverAnswers();
    this.#stream.key = null; // again, now with a prediction to judge
    this.#follow();
  }
}
