/**
 * One legend of all panels below the maps, where their grid leaves room: beside each other, legends cost the panels half
 * their height. Presented, it always stands there, since large type leaves no panel room for its own.
 */

import { ChartFigure } from "../chart_figure.js";
import { element } from "../dom.js";

/**
 * Move the panels' legends below the maps, or back.
 * @param {import("./page.js").Page} page @param {string[]} names of the panels
 */
export function sharedLegend(page, names) {
  const place = element("div", { className: "legends", hidden: true, aria: { hidden: "true" } });
  const { stage } = page.figure("heat-maps").block;
  const { presenter, heatMaps } = page;
  const charts = names.flatMap((name) => {
    const { living } = page.figure(name);
    const title = element("strong", {}, page.text(`figure.${name.replaceAll("-", "_")}.title`));
    return living instanceof ChartFigure ? [{ name, living, title }] : [];
  });
  let known = "";
  const gather = () => {
    const seen = charts.filter(({ name }) => !presenter.look.hide.includes(name));
    place.replaceChildren(...seen.map(({ title, living }) => element("div", {}, title, living.legend.root)));
    place.hidden = false;
  };
  const show = () => {
    const { present, hide } = presenter.look;
    const { spare } = heatMaps;
    const alone = document.documentElement.classList.contains("focusing") || !stage.checkVisibility();
    const possible = !page.narrow && !alone;
    const state = JSON.stringify([
      present,
      hide,
      possible,
      spare,
      stage.clientWidth,
      charts.map(({ living }) => living.legend.key),
    ]);
    if (state === known) return;
    known = state;
    const presented = present === 1;
    if (presented) stage.after(place);
    else stage.append(place);
    place.classList.toggle("is-in-spare", !presented);
    place.style.top = `${stage.clientHeight - spare}px`; // in its place among the others it has none
    if (possible) {
      gather();
      if (presented || place.offsetHeight <= spare) return;
    }
    place.hidden = true;
    for (const { living } of charts) living.root.prepend(living.legend.root);
    place.replaceChildren();
  };
  presenter.after.push(show);
  page.onNarrow(show);
  heatMaps.after.push(show);
  for (const { living } of charts) living.after.push(show);
  show();
}
