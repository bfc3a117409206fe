/** The map and its strips on paper: painted anew at a printer's resolution, the strips below each other on one axis. */

import { density } from "../../figures/density.js";
import { table } from "../../figures/palette.js";
import { framed } from "../../paper/figures.js";
import { inked } from "../../paper/light.js";
import { plainly } from "../../reasons/reasons.js";
import { Chart } from "./chart.js";
import { ScaleBar } from "./scale_bar.js";
import { Strips } from "./strips.js";

/** Pixels of the map's and of the strips' axis of queries. */
const [SIDE, ALONG] = [540, 660];

const NOTHING = { hover: () => {}, click: () => {} };

/**
 * @param {import("./host.js").Page & Pick<import("./host.js").Mapped, "covers" | "masked" | "sinkName">
 *   & {viewer: import("./viewer.js").Viewer}} page
 * @param {import("./model.js").Model} model
 * @returns {import("../../paper/figures.js").Printed}
 */
export function mapOnPaper(page, model) {
  const { viewer } = page;
  const { head, view, looks, ends } = viewer;
  const { coloraxis } = model.look;
  const colorscale = inked(page.settings.paper, coloraxis.colorscale);
  const [look, colours] = [{ ...model.look, coloraxis: { ...coloraxis, colorscale } }, table(colorscale)];
  const { name, title, said } = framed(page, "map");
  const cut = model.cut.map(plainly);
  return {
    name,
    title: [...title, ` · ${page.text("map.head", { head })}`],
    said: [...cut, ...said],
    height: null,
    draw: (stage, bars) => {
      const chart = new Chart(stage);
      const { layers, finest } = model.layers(head, view);
      chart.name(model.look);
      chart.fit(SIDE, SIDE);
      const scale = ends ?? [0, 1];
      const coloured = (/** @type {import("./cells.js").Cells} */ cells) =>
        cells.canvas(looks.pooling, scale, looks.colour, colours);
      chart.paint(view, layers, coloured, model.queriesThere);
      chart.label(view, model.shape, model.tokens);
      chart.markSinks(view, page.covers ? [] : model.sinksOf(head), (sink) => page.sinkName(sink));
      const { row = null } = page.state.values;
      chart.mark(view, { row, preview: null, cell: viewer.selection.marked, centre: false });
      if (!page.masked) chart.canvas.style.background = "none";
      new ScaleBar(bars, (key, fields) => page.text(key, fields)).draw(
        finest[0],
        look,
        looks.pooling,
        looks.colour,
        scale,
        page.masked,
      );
    },
  };
}

/**
 * @param {import("./host.js").Page & Pick<import("./host.js").Mapped, "covers" | "masked" | "sinkName">
 *   & {viewer: import("./viewer.js").Viewer}} page
 * @param {import("./model.js").Model} model
 * @returns {import("../../paper/figures.js").Printed}
 */
export function stripsOnPaper(page, model) {
  const { head, view, looks } = page.viewer;
  const { name, title, said } = framed(page, "strips");
  return {
    name,
    title: [title[0]],
    said,
    height: null,
    draw: (stage) => {
      const strips = new Strips(stage, NOTHING);
      strips.list(model.look.strips);
      strips.fit(false, ALONG, density());
      strips.paint(model, head, view, looks.colour);
      strips.mark(page.state.values.row ?? null);
    },
  };
}
