/** The figures of Train: the curve that the visitor drew stands beside the one that came. */

import { Figures } from "../../figures/figures.js";

/** The line of what the visitor expects, as in assets/css/headlight.css. */
const EXPECTED = { color: "#8b5cf6", width: 2.5, dash: "dash" };

/** @typedef {import("../../../types/plotly.js").Drawing} Drawing */

export class TrainFigures extends Figures {
  #text;
  #experiment;

  /**
   * @param {import("../../page/settings.js").Settings} settings @param {(key: string) => string} text
   * @param {{predict: import("../../asking/predict.js").Predict}} experiment
   */
  constructor(settings, text, experiment) {
    super(settings);
    this.#text = text;
    this.#experiment = experiment;
  }

  /** @param {string} name @param {Drawing} drawing @param {string} hash @param {string} painted */
  async draw(name, drawing, hash, painted) {
    return super.draw(name, name === "heads-accuracy" ? this.#withExpected(drawing) : drawing, hash, painted);
  }

  /** Add the curve that the visitor drew to the one that came. @param {Drawing} drawing */
  #withExpected(drawing) {
    const { prediction, shown } = this.#experiment.predict;
    const answer = prediction?.answer;
    if (!shown || shown.choices || !Array.isArray(answer)) return drawing;
    /** @type {Partial<import("../../../types/plotly.js").Trace>} */
    const expected = {
      type: "scatter",
      mode: "lines",
      x: shown.curve.x,
      y: answer,
      name: this.#text("predict.curve.drawn"),
      line: EXPECTED,
      hoverinfo: "skip",
    };
    const own = /** @type {import("../../../types/plotly.js").Trace} */ (expected);
    return { ...drawing, data: [...drawing.data, own] };
  }
}
