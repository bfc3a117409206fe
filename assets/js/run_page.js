/** A page of one experiment: predict its result, start, watch or cancel it. Some results are shipped with the page. */

import { liveTakeAway } from "./live_take_away.js";
import { LivePage } from "./live_page.js";
import { Predict } from "./predict.js";
import { Run } from "./run.js";

/**
 * @template {object} [More={}] further settings of this page from Python
 * @extends {LivePage<More>}
 */
export class RunPage extends LivePage {
  /** @type {Predict} */
  predict;
  /** @type {Run} */
  run;
  /** True if this experiment's result is shipped with the page. */
  shipped = false;
  /** True if the visitor has asked for that result. */
  revealed = false;
  /** True if the figures show a run of this visit. */
  live = false;

  /** True if a run of this page can be paused. */
  get pausable() {
    return false;
  }

  /** @param {Record<string, import("./main.js").Place>} places */
  build(places) {
    const start = () => void this.run.start({ prediction: this.predict.prediction });
    // A shipped result answers at once; others need a run.
    this.predict = new Predict(places.predict.element, this, () => {
      if (!this.shipped) {
        start();
        return;
      }
      this.revealed = true;
      this.live = false; // the shipped result replaces it
      void this.update(this.asking());
    });
    this.run = new Run(places.run.element, this, {
      pausable: this.pausable,
      onPart: (part) => this.took(part, true),
      onStart: () => {
        this.live = true;
        this.predict.lock();
      },
      onEnd: (how) => {
        if (how !== "ended") this.predict.lock(false);
      },
    });
    this.run.go.onclick = start;
    liveTakeAway(places["take-away"].element, this);
  }

  more() {
    return { prediction: this.predict.prediction, reveal: this.revealed, keep: this.live };
  }

  /** Drop the old settings' run and result: another experiment is wanted. */
  forsake() {
    this.run.cancel();
    this.revealed = false;
    this.live = false;
  }

  fit() {
    super.fit();
    this.predict.fit(this.values.predict);
  }

  /** @param {import("../types/wire.js").Part} part @param {boolean} newest */
  async took(part, newest) {
    if (part.header.part === "state") this.shipped = part.header.shipped === true;
    if (part.header.part === "question") this.predict.ask(part.header);
    else if (part.header.part === "verdict") this.predict.judge(part.header, part.blocks);
    else await super.took(part, newest);
    if (part.header.part === "state" && this.live) this.stands();
  }
}
