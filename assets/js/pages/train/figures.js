/** The figures of Train: the curve that the visitor drew stands beside the one that came. */

import { Figures } from "../../figures/figures.js";

/** The line of what the visitor expects, as in assets/css/headlight.css. */
const EXPECTED = { color: "#8b5cf6", width: 2.5, dash: "dash" };

/** @typedef {import("../../../types/plotly.js").Drawing} Drawing */

export class TrainFigures extends Figures {
  #page;

  /**
   * @param {import("../../page/shell.js").Settings} settings
   * @param {{text: (key: string) => string, predict: import("../../asking/predict.js").Predict}} page
   */
  constructor(settings, page) {
    super(settings);
    this.#page = page;
  }

  /** @param {string} name @param {Drawing} drawing @param {string} hash @param {string} painted */
  async draw(name, drawing, hash, painted) {
    return super.draw(name, name === "heads-accuracy" ? this.#withExpected(drawing) : drawing, hash, painted);
  }

  /** Add the curve that the visitor drew to the one that came. @param {Drawing} drawing */
  #withExpected(drawing) {
    const { prediction, shown } = this.#page.predict;
    const answer = prediction?.answer;
    if (!shown || shown.choices || !Array.isArray(answer)) return drawing;
    /** @type {Partial<import("../../../types/plotly.js").Trace>} */
    const expected = {
      type: "scatter",
      mode: "lines",
      x: shown.curve.x,
      y: answer,
      name: this.#page.text("predict.curve.drawn"),
      line: EXPECTED,
      hoverinfo: "skip",
    };
    const own = /** @type {import("../../../types/plotly.js").Trace} */ (expected);
    return { ...drawing, data: [...drawing.data, own] };
  }
}
