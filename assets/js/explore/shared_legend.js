/** While Explore is presented, one legend of its panels stands below the maps: large type leaves none of them room for its own. */

import { ChartFigure } from "../chart_figure.js";
import { element } from "../dom.js";

/**
 * Move the legends below the maps while the page is presented on a wide screen, and back.
 * @param {import("./page.js").Page} page @param {string[]} names of the figures
 */
export function sharedLegend(page, names) {
  const place = element("div", { className: "legends", hidden: true, aria: { hidden: "true" } });
  page.figure("heat-maps").block.stage.after(place);
  const { presenter } = page;
  const show = () => {
    const { present, hide } = presenter.look;
    const shared = present === 1 && !page.narrow && !document.documentElement.classList.contains("focusing");
    place.replaceChildren();
    place.hidden = !shared;
    for (const name of names) {
      const { living } = page.figure(name);
      if (!(living instanceof ChartFigure)) continue;
      const title = element("b", {}, page.text(`figure.${name.replaceAll("-", "_")}.title`));
      if (!shared) living.root.prepend(living.legend.root);
      else if (!hide.includes(name)) place.append(title, living.legend.root);
    }
  };
  presenter.after.push(show);
  page.onNarrow(show);
  show();
}
