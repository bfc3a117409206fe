/** A cover over the panels of the sweep that hold the answer; the first panel, the variance, stays visible. */

import { element } from "../dom.js";

const KEPT = 1;

export class PredictionCover {
  /**
   * @param {import("../shell.js").Figure} figure
   * @param {(key: string) => string} text
   * @param {() => void} lift called if the visitor skips the prediction
   */
  constructor({ root, block, living }, text, lift) {
    this.root = root;
    this.graph = living.graph;
    this.covered = false;
    this.listening = false;
    this.sheets = element("div", { className: "prediction-covers", hidden: true });
    this.note = element(
      "div",
      { className: "prediction-cover-note", hidden: true },
      element("p", {}, text("why.covered")),
      element(
        "button",
        { type: "button", className: "tool", id: "prediction-cover-lift", onclick: lift },
        text("why.lift"),
      ),
    );
    block.stage.append(this.sheets);
    block.stage.before(this.note);
    new ResizeObserver(() => this.#place()).observe(living.graph);
  }

  /** @param {boolean} covered */
  show(covered) {
    this.covered = covered;
    this.root.classList.toggle("is-covered", covered);
    this.sheets.hidden = !covered;
    this.note.hidden = !covered;
    if (covered && !this.listening && this.graph.on) {
      this.listening = true;
      this.graph.on("plotly_afterplot", () => this.#place());
    }
    this.#place();
  }

  #place() {
    const layout = this.graph._fullLayout;
    if (!this.covered || !layout) return;
    if (!this.listening && this.graph.on) this.show(true);
    const panels = Object.keys(layout)
      .filter((key) => /^xaxis\d*$/.test(key))
      .slice(KEPT);
    this.sheets.replaceChildren(
      ...panels.map((key) => {
        const [x, y] = [layout[key], layout[key.replace("x", "y")]];
        const sheet = element("div", { className: "prediction-cover", aria: { hidden: "true" } }, "?");
        Object.assign(sheet.style, {
          left: `${x._offset}px`,
          top: `${y._offset}px`,
          width: `${x._length}px`,
          height: `${y._length}px`,
        });
        return sheet;
      }),
    );
  }
}
