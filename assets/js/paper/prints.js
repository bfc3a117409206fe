/** What of a page leaves it, on paper and in files; what waits for a prediction does not. */

import { theme } from "../dom/theme.js";
import { savePicture } from "../files/picture.js";
import { plain } from "../figures/plain.js";
import { plotlyFrom } from "../figures/plotly_script.js";
import { isAway, isPrinted, printed } from "./figures.js";

/**
 * @typedef {import("../../types/plotly.js").Drawing} Drawing
 * @typedef {import("./figures.js").Printed} Printed
 */

export class Prints {
  /** @param {import("./figures.js").Source} page */
  constructor(page) {
    this.page = page;
    this.plotly = plotlyFrom(page.settings.plotly);
  }

  /** Return a figure for plotly, for a picture or a file. @param {string} name @returns {Promise<Drawing>} */
  async standing(name) {
    const { figures, settings } = this.page;
    const { drawing } = figures.drawn.of(name);
    const { width, height, ...layout } = plain(drawing.layout);
    return {
      data: plain(drawing.data),
      layout: { ...layout, height: height ?? 450, template: settings.templates[theme()] },
    };
  }

  /** Return the figures of a print, in their order. @returns {Printed[]} */
  printed() {
    const { page } = this;
    return page.settings.figures.filter((name) => isPrinted(page, name)).map((name) => this.figureOnPaper(name));
  }

  /** @param {string} name @returns {Printed} */
  figureOnPaper(name) {
    return printed(this.page, name);
  }

  /** Return the drawing of a figure on paper. @param {string} name @returns {Drawing} */
  onPaper(name) {
    return this.page.figures.drawn.of(name).drawing;
  }

  /** Return true if a figure waits for a prediction: no print and no file holds it. @param {string} name */
  withholds(name) {
    return this.page.figures.isCovered(name);
  }

  /** Return the titles of what waits for a prediction, whether it has come or not. @returns {string[]} */
  withheld() {
    const { page } = this;
    const { drawn } = page.figures;
    return page.settings.figures
      .filter(
        (name) => (drawn.has(name) || page.figures.isCovered(name)) && this.withholds(name) && !isAway(page, name),
      )
      .map((name) => page.text(`figure.${name.replaceAll("-", "_")}.title`));
  }

  /** Return what a picture of a figure says of itself. @param {string} name @param {boolean} lined */
  label(name, lined) {
    const { page } = this;
    const title = page.text(`figure.${name.replaceAll("-", "_")}.title`);
    const description = page.figures.of(name).block.summary.textContent;
    return { title, description, origin: page.ways.fileOrigin(), lined };
  }

  /**
   * Save a figure as PNG or SVG.
   * @param {string} name @param {string} format @param {boolean} lined true adds a line of the state
   * @returns {Promise<string | null>} what went wrong
   */
  async picture(name, format, lined) {
    try {
      await this.save(name, format, lined);
      return null;
    } catch (problem) {
      const sentence = this.page.server.sentenceOf(problem, (key) => this.page.text(key));
      this.page.message.fail(sentence);
      return sentence ?? "";
    }
  }

  /** @param {string} name @param {string} format @param {boolean} lined */
  async save(name, format, lined) {
    const [plotly, figure] = [await this.plotly(), await this.standing(name)];
    await savePicture(plotly, figure, `headlight-${name}`, format, this.label(name, lined));
  }
}
