/** The experiment of a page: start, watch or cancel it, or predict its result. Some results are shipped with the page. */

import { element, inside } from "../dom/dom.js";
import { liveTakeAway } from "./live_take_away.js";
import { ExperimentPrints } from "./experiment_prints.js";
import { headerMenus } from "./header_menus.js";
import { menu } from "../dom/menu.js";
import { Predict } from "../asking/predict.js";
import { OwnOffer } from "../asking/predict_offer.js";
import { Run } from "./run.js";
import { swipes } from "../figures/swipes.js";

/**
 * @typedef {object} Kind how the experiments of pages differ
 * @property {boolean} [pausable] true if a run can be paused
 * @property {string[]} [large] the figures that are marked as a preview; without them all
 * @property {string[]} [viewing] settings that change no experiment, besides those of every page
 */

export class Experiment {
  /** @type {Predict} */
  predict;
  #page;
  #kind;
  /** @type {OwnOffer} */
  #offer;
  /** @type {Run} */
  #run;
  /** Shows the result, or how to get one, without a prediction. */
  #skip = element("button");
  /** True if this experiment's result is shipped with the page. */
  #shipped = false;
  /** True if the visitor has predicted that result. */
  #revealed = false;
  /** True if the figures show a run of this visit. */
  #live = false;
  /** True if the present run has drawn something. */
  #came = false;
  /** True if the visitor predicts once more, with the result drawn. */
  #reopened = false;
  /** The origin of the shipped result on the screen, and how it was made. @type {string[] | null} */
  #origin = null;
  /** What the page asks for before it has a result. */
  #invitation = element("p", { className: "invitation" });
  /** The sentences that tell a shipped result from one of this visit. */
  #sources = [element("p"), element("p")];
  /** The line that holds them, the second behind a sign. */
  #preview = element("div", { id: "origin", hidden: true });

  /** @param {import("./live_page.js").LivePage} page @param {Kind} [kind] */
  constructor(page, kind = {}) {
    this.#page = page;
    this.#kind = kind;
    page.prints = new ExperimentPrints(page, () => this.#asksAgain);
    page.updates.rules.more = () => ({
      prediction: page.state.canonicalValues && this.predict.prediction,
      reveal: this.#revealed,
      keep: this.#live,
    });
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    page.presence.rules.revealsAtOnce = () => this.#shipped; // others need a run
    page.presence.rules.predict = () => this.predict;
    page.controls.rules.moving = (values) => this.#moving(values);
    page.controls.onFit(() => this.#fit());
  }

  /** True while the visitor predicts a result that is there. */
  get #asksAgain() {
    return this.#reopened && !this.predict.root.hidden;
  }

  /** @param {Record<string, import("../dom/dom.js").Place>} places */
  build(places) {
    const page = this.#page;
    const start = () => void this.#run.start({ prediction: this.predict.prediction });
    // A shipped result answers at once; others need a run.
    const reveal = () => {
      if (!this.#shipped) {
        start();
        return;
      }
      this.#revealed = true;
      this.#live = false; // the shipped result replaces it
      this.#reopened = false;
      void page.updates.ask(page.updates.link());
    };
    this.predict = new Predict(places.predict.element, page, reveal, () => {
      this.#revealed = false;
      this.#reopened = true;
      this.#arrange();
    });
    this.#offer = new OwnOffer(page, this.predict, (values) => {
      this.#revealed = false;
      this.#reopened = this.#live && this.#came; // a result of this visit waits
      return values;
    });
    page.answers.telling.rules.beside = (box, tell) => this.#offer.beside(box, tell);
    this.#skip = element(
      "button",
      { type: "button", className: "tool", id: "predict-skip", onclick: () => this.#offer.close() },
      page.text("predict.skip"),
    );
    this.#run = new Run(places.run.element, page, {
      pausable: this.#kind.pausable,
      onPart: (part) => page.answers.rules.took(part, true),
      onStart: () => {
        this.#live = true;
        this.#came = this.#reopened = false;
        this.predict.lock();
        this.#arrange();
      },
      onEnd: (how) => {
        if (how !== "ended") this.predict.lock(false);
        if (!this.#came) this.#live = false;
        this.#arrange();
      },
    });
    this.#run.go.onclick = () => {
      if (page.leader.allows("reveal")) start();
    };
    inside(places.run.element, ".run").prepend(this.#invitation);
    const [source, made] = this.#sources;
    const sign = page.text("run.preview");
    this.#preview.append(menu("pill", sign, sign, made), source);
    inside(places.run.element, ".run").append(this.#preview);
    this.#invitation.textContent = page.text(`invitation.${page.settings.page}`);
    const panels = inside(document.body, "#panels");
    swipes(panels, [...panels.querySelectorAll(".figure-place")].filter(isPlace), page.text("page.panels"));
    liveTakeAway(places["take-away"].element, page);
    headerMenus(page, places);
  }

  /** @param {import("../link/values.js").Values} values */
  #moving(values) {
    const viewing = ["predict", ...(this.#kind.viewing ?? [])];
    const { state } = this.#page;
    const another = Object.keys(values).some(
      (name) => !viewing.includes(name) && String(values[name]) !== String(state.values[name]),
    );
    if (another) this.#forsake();
    if (!values.predict) this.#reopened = false;
  }

  /** Drop the old settings' run and result: another experiment is wanted. */
  #forsake() {
    this.#run.cancel();
    this.#revealed = false;
    this.#live = false;
    this.#reopened = false;
  }

  #fit() {
    const { state } = this.#page;
    this.predict.fit(state.values.predict);
    if (state.canonical !== null) this.#arrange();
  }

  /** @param {import("../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { header } = part;
    const { answers, figures, state } = this.#page;
    if (header.part === "state") {
      this.#shipped = header.shipped === true;
      if (!this.#live) this.#origin = header.origin ?? null; // a run of this visit keeps the screen
    }
    if (header.part === "figures" && this.#live) {
      this.#came = true;
      this.#origin = null;
      this.#arrange();
    }
    if (header.part === "question") this.#offer.ask(header);
    else if (header.part === "verdict") this.predict.judge(header, part.blocks);
    else await answers.take(part, newest);
    if (header.part === "question") this.#arrange();
    if (header.part === "state" && this.#live) figures.stand(state.present);
  }

  /**
   * Give the room to the question, or to the way to begin, until there is a result, then to the figures. One thing is to be done
   * at a time: while the page asks, its answer, which runs what is not shipped.
   */
  #arrange() {
    const { predict } = this;
    const [page, run, offer] = [this.#page, this.#run, this.#offer];
    const [live, came, origin, skip] = [this.#live, this.#came, this.#origin, this.#skip];
    const invites = !run.running && ((!(live && came) && origin === null) || this.#asksAgain);
    const asks = invites && !predict.root.hidden && !predict.form.judged;
    run.go.classList.toggle("not-now", asks);
    run.call(origin === null ? "run.start" : "run.here");
    predict.form.go.textContent = page.text(this.#shipped ? "predict.reveal" : "predict.run");
    offer.fit(run.running);
    offer.ways(skip, asks);
    page.answers.telling.root.classList.toggle("is-withheld", this.#asksAgain);
    inside(document.body, ".page").classList.toggle("is-inviting", invites);
    if (predict.open) predict.form.fold(!invites && predict.prediction === null, !run.running);
    this.#preview.hidden = origin === null || invites || run.running;
    this.#sources.forEach((source, i) => {
      source.textContent = origin?.[i] ?? "";
    });
    for (const name of this.#kind.large ?? page.settings.figures) {
      const { block } = page.figures.of(name);
      block.note(origin === null ? "" : page.text("run.preview"));
      block.brief.classList.toggle("is-pill", origin !== null);
    }
  }
}

/** @param {Element} one @returns {one is HTMLElement} */
const isPlace = (one) => one instanceof HTMLElement;
