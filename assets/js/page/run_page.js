/** A page of one experiment: start, watch or cancel it, or predict its result. Some results are shipped with the page. */

import { element, inside } from "../dom/dom.js";
import { liveTakeAway } from "./live_take_away.js";
import { LivePage } from "./live_page.js";
import { headerMenus } from "./header_menus.js";
import { menu } from "../dom/menu.js";
import { Predict } from "../asking/predict.js";
import { OwnOffer } from "../asking/predict_offer.js";
import { Run } from "./run.js";
import { RunPrints } from "./run_prints.js";
import { swipes } from "../figures/swipes.js";

/**
 * @template {object} [More={}] further settings of this page from Python
 * @extends {LivePage<More & {presets: Record<string, object>}>}
 */
export class RunPage extends LivePage {
  /** @type {Predict} */
  predict;
  /** @type {OwnOffer} */
  offer;
  /** Shows the result, or how to get one, without a prediction. */
  #skip = element("button");
  /** @type {Run} */
  run;
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

  /** @type {import("../paper/prints.js").Prints} */
  prints = new RunPrints(this, () => this.#asksAgain);

  /**
   * @param {import("./shell.js").Settings & More & {presets: Record<string, object>}} settings
   * @param {(page: LivePage) => import("./later.js").Later} later
   */
  constructor(settings, later) {
    super(settings, later);
    this.updates.rules.more = () => ({
      prediction: this.state.canonicalValues && this.predict.prediction,
      reveal: this.#revealed,
      keep: this.#live,
    });
    this.answers.rules.took = (part, newest) => this.#took(part, newest);
    this.presence.rules.revealsAtOnce = () => this.#shipped; // others need a run
    this.controls.onFit(() => this.#fit());
  }

  /** True if a run of this page can be paused. */
  get pausable() {
    return false;
  }

  /** True while the visitor predicts a result that is there. */
  get #asksAgain() {
    return this.#reopened && !this.predict.root.hidden;
  }

  /** The figures that are marked as a preview. @type {string[]} */
  get large() {
    return this.settings.figures;
  }

  /** @param {Record<string, import("../dom/dom.js").Place>} places */
  build(places) {
    const start = () => void this.run.start({ prediction: this.predict.prediction });
    // A shipped result answers at once; others need a run.
    const reveal = () => {
      if (!this.#shipped) {
        start();
        return;
      }
      this.#revealed = true;
      this.#live = false; // the shipped result replaces it
      this.#reopened = false;
      void this.updates.ask(this.updates.link());
    };
    this.predict = new Predict(places.predict.element, this, reveal, () => {
      this.#revealed = false;
      this.#reopened = true;
      this.#arrange();
    });
    this.offer = new OwnOffer(this, (values) => {
      this.#revealed = false;
      this.#reopened = this.#live && this.#came; // a result of this visit waits
      return values;
    });
    this.telling.rules.beside = (box, tell) => this.offer.beside(box, tell);
    this.#skip = element(
      "button",
      { type: "button", className: "tool", id: "predict-skip", onclick: () => this.offer.close() },
      this.text("predict.skip"),
    );
    this.run = new Run(places.run.element, this, {
      pausable: this.pausable,
      onPart: (part) => this.answers.rules.took(part, true),
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
    this.run.go.onclick = () => {
      if (this.leader.allows("reveal")) start();
    };
    inside(places.run.element, ".run").prepend(this.#invitation);
    const [said, made] = this.#sources;
    const sign = this.text("run.preview");
    this.#preview.append(menu("pill", sign, sign, made), said);
    inside(places.run.element, ".run").append(this.#preview);
    this.#invitation.textContent = this.text(`invitation.${this.settings.page}`);
    const panels = inside(document.body, "#panels");
    swipes(panels, [...panels.querySelectorAll(".figure-place")].filter(isPlace), this.text("page.panels"));
    liveTakeAway(places["take-away"].element, this);
    headerMenus(this, places, Object.keys(this.settings.presets), (name) => this.preset(name));
  }

  /** @param {string | null} name null restores the defaults */
  preset(name) {
    const chosen = name ? this.settings.presets[name] : {};
    this.move({ ...this.settings.defaults, lang: this.state.values.lang, ...chosen }, true);
  }

  /** Settings that change no experiment. @type {string[]} */
  get viewing() {
    return ["predict"];
  }

  /** @param {import("../link/values.js").Values} values @param {boolean} tellControls */
  move(values, tellControls) {
    const another = Object.keys(values).some(
      (name) => !this.viewing.includes(name) && String(values[name]) !== String(this.state.values[name]),
    );
    if (another) this.#forsake();
    if (!values.predict) this.#reopened = false;
    super.move(values, tellControls);
  }

  /** Drop the old settings' run and result: another experiment is wanted. */
  #forsake() {
    this.run.cancel();
    this.#revealed = false;
    this.#live = false;
    this.#reopened = false;
  }

  #fit() {
    this.predict.fit(this.state.values.predict);
    if (this.state.canonical !== null) this.#arrange();
  }

  /** @param {import("../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { header } = part;
    if (header.part === "state") {
      this.#shipped = header.shipped === true;
      if (!this.#live) this.#origin = header.origin ?? null; // a run of this visit keeps the screen
    }
    if (header.part === "figures" && this.#live) {
      this.#came = true;
      this.#origin = null;
      this.#arrange();
    }
    if (header.part === "question") this.offer.ask(header);
    else if (header.part === "verdict") this.predict.judge(header, part.blocks);
    else await this.answers.take(part, newest);
    if (header.part === "question") this.#arrange();
    if (header.part === "state" && this.#live) this.figures.stand(this.state.present);
  }

  /**
   * Give the room to the question, or to the way to begin, until there is a result, then to the figures. One thing is to be done
   * at a time: while the page asks, its answer, which runs what is not shipped.
   */
  #arrange() {
    const { predict, run, offer } = this;
    const [live, came, origin, skip] = [this.#live, this.#came, this.#origin, this.#skip];
    const invites = !run.running && ((!(live && came) && origin === null) || this.#asksAgain);
    const asks = invites && !predict.root.hidden && !predict.form.judged;
    run.go.classList.toggle("not-now", asks);
    run.call(origin === null ? "run.start" : "run.here");
    predict.form.go.textContent = this.text(this.#shipped ? "predict.reveal" : "predict.run");
    offer.fit(run.running);
    offer.ways(skip, asks);
    this.place.insight.element.classList.toggle("is-withheld", this.#asksAgain);
    inside(document.body, ".page").classList.toggle("is-inviting", invites);
    if (predict.open) predict.form.fold(!invites && predict.prediction === null, !run.running);
    this.#preview.hidden = origin === null || invites || run.running;
    this.#sources.forEach((source, i) => {
      source.textContent = origin?.[i] ?? "";
    });
    for (const name of this.large) {
      const { block } = this.figures.of(name);
      block.note(origin === null ? "" : this.text("run.preview"));
      block.brief.classList.toggle("is-pill", origin !== null);
    }
  }
}

/** @param {Element} one @returns {one is HTMLElement} */
const isPlace = (one) => one instanceof HTMLElement;
