/** The map and its strips on paper: painted anew at a printer's resolution, the strips below each other on one axis. */

import { density } from "../../figures/density.js";
import { table } from "../../figures/palette.js";
import { framed } from "../../paper/figures.js";
import { inked } from "../../paper/light.js";
import { plainly } from "../../reasons/reasons.js";
import { Chart } from "./chart.js";
import { ScaleBar } from "./scale_bar.js";
import { sinkName } from "./sinks.js";
import { Strips } from "./strips.js";

/** Pixels of the map's and of the strips' axis of queries. */
const [SIDE, ALONG] = [540, 660];

const NOTHING = { hover: () => {}, click: () => {} };

/**
 * @param {import("./host.js").Page} page @param {Pick<import("./parts.js").MapParts, "sight" | "asking"> & {viewer: import("./viewer.js").Viewer}} map
 * @param {import("./model.js").Model} model
 * @returns {import("../../paper/figures.js").Printed}
 */
export function mapOnPaper(page, { sight, asking, viewer }, model) {
  const { head, view, looks, row, masked } = sight;
  const { ends } = viewer.painting;
  /** @param {string} key @param {import("../../words/message_format.js").Fields} [fields] */
  const text = (key, fields) => page.text(key, fields);
  const { coloraxis } = model.look;
  const colorscale = inked(page.settings.paper, coloraxis.colorscale);
  const [look, colours] = [{ ...model.look, coloraxis: { ...coloraxis, colorscale } }, table(colorscale)];
  const { name, title, caption: said } = framed(page, "map");
  const cut = model.cut.map(plainly);
  return {
    name,
    title: [...title, ` · ${text("map.head", { head })}`],
    caption: [...cut, ...said],
    height: null,
    draw: (stage, bars) => {
      const chart = new Chart(stage);
      const { layers, finest } = model.weights.layers(head, view);
      chart.name(model.look);
      chart.fit(SIDE, SIDE);
      const scale = ends ?? [0, 1];
      const coloured = (/** @type {import("./cells.js").Cells} */ cells) =>
        cells.canvas(looks.pooling, scale, looks.colour, colours);
      chart.paint(view, layers, coloured, model.weights.overview.queriesThere);
      chart.label(view, model.shape, model.tokens);
      chart.markSinks(view, asking.waits ? [] : model.sinksOf(head), sinkName(text));
      chart.mark(view, { row, preview: null, cell: viewer.selection.marked, centre: false });
      if (!masked) chart.canvas.style.background = "none";
      new ScaleBar(bars, text).draw(finest[0], look, looks.pooling, looks.colour, scale, masked);
    },
  };
}

/**
 * @param {import("./host.js").Page} page @param {import("./sight.js").Sight} sight @param {import("./model.js").Model} model
 * @returns {import("../../paper/figures.js").Printed}
 */
export function stripsOnPaper(page, sight, model) {
  const { head, view, looks, row } = sight;
  const { name, title, caption: said } = framed(page, "strips");
  return {
    name,
    title: [title[0]],
    caption: said,
    height: null,
    draw: (stage) => {
      const strips = new Strips(stage, NOTHING);
      strips.list(model.look.strips);
      strips.fit(false, ALONG, density());
      strips.paint(model, head, view, looks.colour);
      strips.mark(row);
    },
  };
}
