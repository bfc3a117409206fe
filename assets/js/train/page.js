/** The Train page: an experiment that one starts, watches, pauses and may cancel. */

import { liveTakeAway } from "../live_take_away.js";
import { LivePage } from "../live_page.js";
import { Predict } from "../predict.js";
import { Run } from "../run.js";
import { revive } from "../wire.js";

// Moving these draws what is there in another way; every other control is another experiment.
const OF_THE_EYE = ["shown", "predict"];

export class Page extends LivePage {
  /** @param {Record<string, any>} places */
  build(places) {
    const start = () => this.run.start({ prediction: this.predict.prediction });
    // A training that came with the page answers at once; another has to be made.
    this.predict = new Predict(places.predict.element, this, () => {
      if (!this.shipped) return void start();
      this.revealed = true;
      this.live = false; // what came with the page takes its place
      this.update(this.asking());
    });
    this.run = new Run(places.run.element, this, {
      pausable: true,
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

  more() {
    return { prediction: this.predict.prediction, reveal: this.revealed ?? false, keep: this.live ?? false };
  }

  /** What is trained belongs to the settings it was started with. @param {Record<string, any>} values @param {boolean} tellControls */
  move(values, tellControls) {
    const another = Object.keys(values).some(
      (name) => !OF_THE_EYE.includes(name) && String(values[name]) !== String(this.values[name]),
    );
    if (another) {
      this.run.cancel();
      this.revealed = false;
      this.live = false;
    }
    super.move(values, tellControls);
    this.#showHeads();
  }

  fit() {
    super.fit();
    this.predict?.fit(this.values.predict);
    for (const [experiment, names] of Object.entries(this.settings.byExperiment)) {
      for (const name of names) {
        this.figures.get(name).root.classList.toggle("not-now", experiment !== this.values.experiment);
      }
    }
  }

  /** @param {Record<string, any>} values */
  meaningless(values) {
    return values.experiment === "heads" ? ["task", "mechanisms", "widths", "initialisation"] : this.settings.ofHeads;
  }

  /** @param {any} part @param {boolean} newest */
  async took(part, newest) {
    if (part.header.part === "state") this.shipped = part.header.shipped;
    if (part.header.part === "question") {
      this.predict.ask(part.header);
    } else if (part.header.part === "verdict") {
      this.predict.judge(part);
    } else if (part.header.part === "heads") {
      this.heads = Object.fromEntries(
        Object.entries(part.header.heads).map(([h, entries]) => [
          h,
          Object.entries(entries).map(([name, entry]) => [name, revive(entry, part.blocks, this.known), entry.hash]),
        ]),
      );
      await this.#showHeads();
    } else {
      await super.took(part, newest);
    }
    if (part.header.part === "state" && this.live) this.stands();
  }

  /** What the heads read, for the h that is chosen or else the largest that was trained. */
  async #showHeads() {
    if (this.values.experiment !== "heads" || !this.heads) return;
    const there = Object.keys(this.heads);
    const chosen = there.includes(this.values.shown) ? this.values.shown : there.at(-1);
    for (const [name, drawing, hash] of this.heads[chosen]) await this.draw(name, drawing, hash, this.canonical);
  }
}
