/** The Cost page: a measurement that one starts, watches and may cancel. */

import { liveTakeAway } from "../live_take_away.js";
import { LivePage } from "../live_page.js";
import { Predict } from "../predict.js";
import { Run } from "../run.js";

export class Page extends LivePage {
  /** @param {Record<string, any>} places */
  build(places) {
    const start = () => this.run.start({ prediction: this.predict.prediction });
    // A measurement that came with the page answers at once; another has to be made.
    this.predict = new Predict(places.predict.element, this, () => {
      if (!this.shipped) return void start();
      this.revealed = true;
      this.live = false; // what came with the page takes its place
      this.update(this.asking());
    });
    this.run = new Run(places.run.element, this, {
      onPart: (part) => this.took(part, true),
      onStart: () => {
        this.live = true;
        this.predict.lock();
      },
      onEnd: (how) => how !== "ended" && this.predict.lock(false),
    });
    this.run.go.onclick = start;
    liveTakeAway(places["take-away"].element, this);
  }

  /** What is measured belongs to the settings it was started with. @param {Record<string, any>} values @param {boolean} tellControls */
  move(values, tellControls) {
    this.run.cancel();
    this.revealed = false;
    this.live = false;
    super.move(values, tellControls);
  }

  more() {
    return { prediction: this.predict.prediction, reveal: this.revealed ?? false, keep: this.live ?? false };
  }

  fit() {
    super.fit();
    this.predict?.fit(this.values.predict);
  }

  /** @param {Record<string, any>} values */
  meaningless(values) {
    return [values.varied];
  }

  /** @param {any} part @param {boolean} newest */
  async took(part, newest) {
    if (part.header.part === "state") this.shipped = part.header.shipped;
    if (part.header.part === "question") this.predict.ask(part.header);
    else if (part.header.part === "verdict") this.predict.judge(part);
    else await super.took(part, newest);
    if (part.header.part === "state" && this.live) this.stands();
  }
}
