/** Figures on paper: drawn anew from the same drawings, in light colours, as wide as a page of A4 and of Letter. */

import { CellsFigure, isPanel } from "../figures/cells_figure.js";
import { ChartFigure } from "../figures/chart_figure.js";
import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";
import { lightened } from "./light.js";

/**
 * What is printed of a page.
 * @typedef {object} Source
 * @property {{page: string, figures: string[], controls: string[], scales?: Record<string, unknown>, plotly: string,
 *   templates: Record<"light" | "dark", import("../../types/plotly.js").Template>,
 *   paper: Record<string, import("../figures/palette.js").ColourScale>}} settings
 * @property {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
 * @property {{agreed: import("../link/values.js").Values}} state
 * @property {import("../figures/figures.js").Figures} figures
 * @property {Printing} prints
 * @property {{fileOrigin: () => import("../files/origin.js").Origin}} ways
 * @property {{sentenceOf: (problem: unknown, text: (key: string) => string) => string | null}} server
 * @property {{fail: (sentence: string | null) => void}} message
 * @property {{rules: {predict: () => import("../asking/predict.js").Predict | null}}} presence
 *
 * @typedef {object} Printing
 * @property {(name: string) => import("../../types/plotly.js").Drawing} onPaper a figure's drawing
 * @property {(name: string) => boolean} withholds true if it waits for a prediction
 * @property {() => string[]} withheld the titles of those
 * @property {() => Printed[]} printed
 *
 * A figure on paper.
 * @typedef {object} Printed
 * @property {string} name of the figure
 * @property {(Node | string)[]} title
 * @property {string[]} caption sentences below it
 * @property {boolean} [present] true for the one of several in sequence that is on the screen
 * @property {number | null} height of the drawing in pixels; null: as high as it becomes
 * @property {(stage: HTMLElement, bars: HTMLElement) => void} draw called once both are on the paper
 */

/** Pixels: the width between the margins of both papers, and the height that leaves room for a title and a caption. */
export const [WIDE, HIGH] = [690, 700];
/** Pixels around the panels of heat maps: beside and below all, between two, and above each. */
const [BESIDE, BELOW, BETWEEN, ABOVE] = [42, 36, 9, 22];
/** The largest height of one panel alone, and the usual height of a chart. */
const [ALONE, USUAL] = [330, 320];
/** The height of a chart on paper, as part of its height in a notebook, and the largest. */
const [PART, TALL] = [0.65, 365];

/** Return true if a figure has no place on the page now. @param {Source} page @param {string} name */
export function isAway(page, name) {
  const { classList } = page.figures.of(name).root;
  return ["is-out", "not-now"].some((kind) => classList.contains(kind));
}

/**
 * Return true if a figure has something to print: it is drawn, shown, and gives no answer away.
 * @param {Source} page @param {string} name
 */
export function isPrinted(page, name) {
  return page.figures.drawn.has(name) && !isAway(page, name) && !page.prints.withholds(name);
}

/** Return a chart or heat maps of this page on paper. @param {Source} page @param {string} name @returns {Printed} */
export function printed(page, name) {
  const { living } = page.figures.of(name);
  const drawing = lightened(page.prints.onPaper(name), page.settings.paper);
  const { layout, data } = drawing;
  if (page.figures.of(name).root.classList.contains("is-said")) return { ...framed(page, name), height: 0, draw() {} };
  if (living instanceof CellsFigure) {
    const panels = data.filter(isPanel).length;
    return {
      ...framed(page, name),
      height: highOfCells(panels, living.lines.columns, Number(layout.height ?? ALONE)),
      draw: (stage, bars) => {
        const cells = new CellsFigure(stage, bars);
        cells.lines = { ...living.lines, kept: 0 };
        cells.draw(drawing, "paper", page.figures.labels);
        cells.marks.row("locked", living.marks.rows.locked);
      },
    };
  }
  return {
    ...framed(page, name),
    height: Math.min(TALL, Math.round(PART * Number(layout.height ?? USUAL))),
    draw: (stage) => new ChartFigure(stage).draw(drawing, page.settings.templates.light),
  };
}

/** Return a figure's title and sentences. @param {Source} page @param {string} name */
export function framed(page, name) {
  const { block } = page.figures.of(name);
  const key = `figure.${name.replaceAll("-", "_")}`;
  const brief = [...block.brief.childNodes].map((node) => node.cloneNode(true));
  return {
    name,
    title: [...typeset(page.text(`${key}.title`)), ...(brief.length ? [" ", element("small", {}, ...brief)] : [])],
    caption: [block.summary.textContent, page.text(`${key}.hint`)].filter(Boolean),
  };
}

/**
 * Return the height of panels in lines.
 * @param {number} panels @param {number} wished number of panels in a line; 0: as many as look well
 * @param {number} alone the height of a single panel
 */
function highOfCells(panels, wished, alone) {
  if (panels === 1) return Math.min(ALONE, alone);
  const across = Math.min(panels, wished || (panels > 16 ? 6 : panels % 3 ? 4 : 3));
  const lines = Math.ceil(panels / across);
  const side = (WIDE - BESIDE - (across - 1) * BETWEEN) / across;
  return Math.min(HIGH, Math.round(BELOW + lines * (side + ABOVE)));
}
