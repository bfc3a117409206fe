/** The Why √d_k page: a sweep drawn as it comes, a marker that moves d_k, and the effect of one d_k and one factor. */

import { inside } from "../../dom/dom.js";
import { isNarrow } from "../../dom/narrow.js";
import { entry } from "../../link/entry.js";
import { Drag } from "../../page/drag.js";
import { headerMenus } from "../../page/header_menus.js";
import { LivePage } from "../../page/live_page.js";
import { liveTakeAway } from "../../page/live_take_away.js";
import { markFailed, markPainted, markUnpainted } from "../../figures/painted.js";
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

/** @typedef {import("../../controls/stops.js").Scale} Scale */
/**
 * What the curves compare: the control of their axis, the settings they depend on, the panels that a question leaves open.
 * @typedef {{axis: "d_k" | "n", reads: string[], open: number}} Comparison
 */
/** @typedef {{scales: Record<"d_k" | "scale" | "n", Scale>, comparisons: Record<string, Comparison>}} Why */
/** @typedef {import("../../../types/wire.js").Sentence} Sentence */

/** Return a state's factor on the scores. @param {import("../../link/values.js").Values} values */
export function factorOf({ scaling, d_k, scale }) {
  const factors = { sqrt_d_k: 1 / Math.sqrt(Number(d_k)), none: 1, d_k: 1 / Number(d_k), custom: Number(scale) };
  return entry(factors, String(scaling));
}

export class Page {
  /** @type {Record<"d_k" | "scale", LogSlider>} */
  #sliders;
  /** The marker of each figure. @type {Partial<Record<string, Marker>>} */
  #markers = {};
  /** The control of the axis of the drawn curves. @type {Comparison["axis"]} */
  #axis = "d_k";
  /** @type {Predict} */
  #predict;
  /** @type {OwnOffer} */
  #offer;
  /** @type {PredictionCover} */
  #cover;
  /** @type {SweepStream} */
  #stream;
  /** True once the visitor has predicted, until the page asks no more. */
  #lifted = false;
  /** The sentences about one d_k, and those about the sweep, which follow them. @type {Record<"point" | "swept", Sentence[]>} */
  #sentences = { swept: [], point: [] };
  /** The prediction not judged yet. @type {Predict["prediction"]} */
  #predicting = null;
  /** Failures of the sweep in a row. */
  #sweepFailures = 0;
  #drag = new Drag(() => void this.page.updates.ask(this.page.updates.link()));

  /** @param {import("../../page/settings.js").Settings & Why} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Why>} */
    const page = new LivePage(settings, loading);
    this.page = page;
    page.prints = new WhyPrints(page, () => this.#markers);
    page.updates.rules.more = () => ({ light: this.#drag.light });
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    page.presence.rules.predict = () => this.#predict;
    page.controls.rules.changed = (name, value) => this.#changed(name, value);
    page.controls.onFit(() => this.#fit());
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { page } = this;
    const { figures, settings } = page;
    const { d_k, scale } = settings.scales;
    figures.labels = []; // positions are no tokens here
    /** @param {string} key @param {import("../../words/message_format.js").Fields} [fields] */
    const text = (key, fields) => page.text(key, fields);
    this.#sliders = {
      d_k: new LogSlider(places["control-d_k"].element, "d_k", d_k, [], text, (value) =>
        page.controls.changed("d_k", value),
      ),
      scale: new LogSlider(places["control-scale"].element, "scale", scale, [], text, (value) =>
        page.controls.changed("scale", value),
      ),
    };
    this.#markers = {
      sweep: this.#marker("sweep", d_k, "d_k"),
      temperature: this.#marker("temperature", scale, "scale"),
    };
    this.#predict = new Predict(
      places.predict.element,
      page,
      () => this.#reveal(),
      () => this.#askAgain(),
    );
    this.#offer = new OwnOffer(page, this.#predict);
    page.answers.telling.rules.beside = (box, tell) => this.#offer.beside(box, tell);
    page.answers.telling.rules.all = (sentences) => this.#all(sentences);
    const sweep = figures.of("sweep");
    const roots = settings.figures.map((name) => figures.of(name).root);
    const takes = places["take-away"].element;
    this.#cover = new PredictionCover(roots, sweep.block.stage, figures.chart("sweep"), takes, text, () =>
      this.#lift(),
    );
    this.#stream = new SweepStream(page, {
      took: (part) => this.#tookSweep(part),
      busy: (busy) => sweep.root.classList.toggle("is-busy", busy),
      failed: (problem) => this.#sweepFailed(problem),
    });
    const shared = ["temperature", "numerics"];
    tabs(
      places.tabs.element,
      shared.map((name) => figures.of(name)),
      shared.map((name) => text(`why.tab.${name}`)),
    );
    legendBelow(page);
    const strip = inside(document.body, "#panels");
    const panels = settings.figures.filter((name) => name !== "sweep").map((name) => figures.of(name).root);
    swipes(strip, panels, text("page.panels"));
    liveTakeAway(takes, page);
    headerMenus(page, places);
  }

  /** Set a control: d_k is not tied here, and a moved factor becomes custom. @param {string} name @param {import("../../link/values.js").Value} value */
  #changed(name, value) {
    const { page } = this;
    const { values, canonicalValues } = page.state;
    if (!canonicalValues) return;
    const factor = name === "scale";
    if (factor ? value === factorOf(values) : !page.controls.isNews(name, value)) return;
    if (factor || name === "d_k") this.#drag.move();
    else this.#drag.light = false;
    const own = factor && values.scaling !== "custom";
    page.move({ ...values, [name]: value, ...(factor ? { scaling: "custom" } : {}) }, own);
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    switch (part.header.part) {
      case "state":
        await this.page.answers.take(part, newest);
        if (newest) this.#follow();
        break;
      case "question":
        this.#offer.ask(part.header);
        this.#coverAnswers();
        break;
      default:
        await this.page.answers.take(part, newest);
    }
  }

  /** Say of the sweep what its verdict says, whether somebody has predicted or not. @param {Sentence[]} sentences */
  #all(sentences) {
    this.#sentences.point = sentences;
    return [...sentences, ...(this.#judged ? [] : this.#sentences.swept)];
  }

  /** True while the verdict on the sweep stands, which says the same. */
  get #judged() {
    return Boolean(this.page.state.values.predict) && this.#predict.form.judged;
  }

  #fit() {
    const { page } = this;
    const { values } = page.state;
    this.#predict.fit(values.predict);
    this.#offer.fit();
    if (!values.predict) this.#lifted = false;
    const [d_k, scale] = [Number(values.d_k), factorOf(values)];
    this.#sliders.d_k.show(d_k);
    this.#sliders.scale.show(scale);
    this.#markers.sweep?.show(Number(values[this.#axis]));
    this.#markers.temperature?.show(scale);
    const made = [page.text("reason.formula.size"), page.text("reason.made.control", { name: "d_k" })];
    for (const name of ["mechanism-maps", "mechanism-scores"]) {
      page.figures.of(name).block.note(["d_k = ", [String(d_k), made[0], made[1], "attention"]]);
    }
    this.#coverAnswers();
  }

  /** @param {string} figure @param {Scale} scale @param {string} name */
  #marker(figure, scale, name) {
    const { page } = this;
    const { stage } = page.figures.of(figure).block;
    return new Marker(stage, page.figures.chart(figure), scale, page.text(`control.${name}.label`), (value) =>
      page.controls.changed(name, value),
    );
  }

  /** Return what the curves of a state compare. @param {import("../../link/values.js").Values} values */
  #compared(values) {
    return entry(this.page.settings.comparisons, String(values.curves));
  }

  /** Let the marker of the curves move the control of their axis. */
  #mark() {
    const { page } = this;
    const { axis } = this.#compared(page.state.agreed);
    if (axis === this.#axis) return;
    this.#axis = axis;
    const marker = this.#markers.sweep;
    marker?.stand(page.settings.scales[axis], page.text(`control.${axis}.label`), (value) =>
      page.controls.changed(axis, value),
    );
    marker?.show(Number(page.state.values[axis]));
  }

  /** Follow a new state: start its sweep if it is another one, else move the marker. */
  #follow() {
    const { figures, state } = this.page;
    const { agreed } = state;
    const { reads } = this.#compared(agreed);
    const key = JSON.stringify([agreed.curves, ...reads.map((name) => agreed[name]), isNarrow()]);
    const { root } = figures.of("sweep");
    if (this.#stream.key !== key) {
      this.#sentences.swept = [];
      if (root.dataset.drawn === state.present) markUnpainted(root); // its curves grow once more
    } else if (this.#stream.done) {
      void markPainted(root, state.present);
    }
    void this.#stream.want(key, state.present, { prediction: this.#predicting });
  }

  /** @param {import("../../../types/wire.js").Part} part */
  async #tookSweep(part) {
    const { header, blocks } = part;
    const { answers, figures, state } = this.page;
    const { telling } = answers;
    if (header.part === "verdict") {
      this.#predict.judge(header, blocks);
      this.#predicting = null;
      return;
    }
    const swept = only(part, "figures").header;
    this.#mark();
    if (swept.done) {
      this.#sweepFailures = 0;
      await telling.show({ ...swept, insight: null }, blocks, state.present);
      const before = this.#sentences.swept;
      this.#sentences.swept = swept.insight ?? [];
      const { painted } = telling.root.dataset;
      if (painted === undefined || JSON.stringify(before) === JSON.stringify(this.#sentences.swept)) return;
      if (before.length || this.#judged) telling.conclude(this.#sentences.point, painted);
      else telling.add(this.#sentences.swept);
      return;
    }
    for (const [name, entry] of Object.entries(swept.drawings)) {
      const drawing = revive(entry, blocks, figures.known);
      figures.drawn.set(name, { drawing, hash: entry.hash, painted: state.present });
      await figures.redraw(name);
    }
  }

  /** @param {unknown} problem */
  #sweepFailed(problem) {
    const { page } = this;
    const { root } = page.figures.of("sweep");
    page.message.fail(problem instanceof Refusal ? problem.message : page.text("live.lost"));
    this.#predict.lock(false);
    markFailed(root, page.message.error.textContent);
    if (!isFinal(problem)) {
      this.#sweepFailures += 1;
      page.updates.later(this.#sweepFailures);
    }
  }

  /** Cover the answer until the visitor has predicted or declined. */
  #coverAnswers() {
    const predict = this.#predict;
    const covered = Boolean(this.page.state.values.predict) && predict.open && !this.#lifted && !predict.form.judged;
    this.#cover.open = this.#compared(this.page.state.values).open;
    this.#cover.show(covered);
    if (predict.open) {
      this.#offer.ways(this.#cover.skip, covered);
      predict.form.fold(!covered && this.#predicting === null);
    }
    this.page.answers.telling.root.classList.toggle("not-now", covered);
  }

  #lift() {
    this.#offer.close();
    if (this.page.state.values.predict) return; // who leads the page decides
    /** @type {HTMLElement | null} */
    const slider = this.page.figures.of("sweep").root.querySelector("[role=slider]");
    slider?.focus({ preventScroll: true });
  }

  #askAgain() {
    this.#lifted = false;
    this.#coverAnswers();
  }

  #reveal() {
    this.#predicting = this.#predict.prediction;
    this.#predict.lock();
    this.#lifted = true;
    this.#coverAnswers();
    this.#stream.key = null; // again, now with a prediction to judge
    this.#follow();
  }
}
