/**
 * The covers over what holds the answer of a prediction: all panels of the sweep but those that give nothing away, and the
 * other figures, which their class covers with their tables and pictures. A covered panel is not painted: neither an end of a
 * curve nor a number of its axes stands beside the cover. Files that hold the numbers wait as well.
 */

import { element } from "../../dom/dom.js";
import { holdFiles } from "../../files/download_buttons.js";
import { typeset } from "../../words/symbols.js";

/** Pixels between two covers. */
const GAP = 8;

export class PredictionCover {
  covered = false;
  /** Panels in front that stay open. */
  open = 1;

  /**
   * @param {HTMLElement[]} roots of all figures
   * @param {HTMLElement} stage of the sweep
   * @param {import("../../figures/chart_figure.js").ChartFigure} chart in it
   * @param {HTMLElement} takes the downloads of the page
   * @param {(key: string) => string} text
   * @param {() => void} lift called if the visitor skips the prediction
   */
  constructor(roots, stage, chart, takes, text, lift) {
    this.roots = roots;
    this.takes = takes;
    this.why = text("predict.files_wait");
    this.chart = chart;
    this.sheets = element("div", { className: "prediction-covers", hidden: true });
    const why = element("p", { className: "spoken", id: "prediction-cover-why" }, text("why.covered"));
    this.skip = element(
      "button",
      {
        type: "button",
        className: "tool",
        id: "prediction-cover-lift",
        title: text("why.covered"),
        aria: { describedby: why.id },
        onclick: lift,
      },
      text("why.lift"),
    );
    stage.append(this.sheets, why);
    chart.after.push(() => this.#place());
  }

  /** @param {boolean} covered */
  show(covered) {
    this.covered = covered;
    for (const root of this.roots) root.classList.toggle("is-covered", covered);
    this.sheets.hidden = !covered;
    holdFiles(this.takes, covered ? this.why : null);
    this.chart.paintOnly(covered ? this.open : Infinity);
    this.#place();
  }

  #place() {
    const { chart, covered } = this;
    if (!covered) return;
    this.sheets.style.top = `${chart.area.offsetTop}px`;
    this.sheets.replaceChildren(
      ...chart.panels.slice(this.open).map(({ outer: { left, top, right, bottom }, heading }) => {
        const name = element("span", { className: "prediction-cover-name" }, ...typeset(heading));
        const sheet = element("div", { className: "prediction-cover", aria: { hidden: "true" } }, name, "?");
        Object.assign(sheet.style, {
          left: `${left + GAP / 2}px`,
          top: `${top}px`,
          width: `${right - left - GAP / 2}px`,
          height: `${bottom - top - GAP / 2}px`,
        });
        return sheet;
      }),
    );
  }
}
