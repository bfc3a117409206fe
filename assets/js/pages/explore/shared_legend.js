/**
 * While Explore is presented, one legend of all panels stands below the maps, each part with the name of its figure: type
 * for a projector leaves no panel room for its own. Elsewhere each legend stands in its figure.
 */

import { ChartFigure } from "../../figures/chart_figure.js";
import { element } from "../../dom/dom.js";
import { isNarrow, onNarrow } from "../../dom/narrow.js";

/**
 * Move the panels' legends below the maps, or back.
 * @param {import("../../page/live_page.js").LivePage} page @param {import("../../figures/cells_figure.js").CellsFigure} heatMaps
 * @param {string[]} names of the panels
 */
export function sharedLegend(page, heatMaps, names) {
  const place = element("div", { className: "legends", hidden: true, aria: { hidden: "true" } });
  const { stage } = page.figures.of("heat-maps").block;
  stage.after(place);
  const { presenter } = page;
  const charts = names.flatMap((name) => {
    const { living } = page.figures.of(name);
    const title = element("strong", {}, page.text(`figure.${name.replaceAll("-", "_")}.title`));
    return living instanceof ChartFigure ? [{ name, living, title }] : [];
  });
  let known = "";
  const show = () => {
    const { present, hide } = presenter.look;
    const alone = document.documentElement.classList.contains("focusing") || !stage.checkVisibility();
    const below = present === 1 && !isNarrow() && !alone;
    const state = JSON.stringify([below, hide, charts.map(({ living }) => living.legend.key)]);
    if (state === known) return;
    known = state;
    place.hidden = !below;
    for (const { living } of charts) living.root.prepend(living.legend.root);
    const seen = below ? charts.filter(({ name }) => !hide.includes(name)) : [];
    place.replaceChildren(...seen.map(({ title, living }) => element("div", {}, title, living.legend.root)));
  };
  presenter.after.push(show);
  onNarrow(show);
  heatMaps.after.push(show);
  for (const { living } of charts) living.after.push(show);
  show();
}
