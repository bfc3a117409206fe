/** While Why is presented, the legend of the factor's curves stands below the maps: it would take their height. */

import { element } from "../dom.js";

/** @param {import("./page.js").Page} page */
export function legendBelow(page) {
  const place = element("div", { className: "legends", hidden: true, aria: { hidden: "true" } });
  page.figure("mechanism-maps").block.stage.after(place);
  const { root, legend } = page.chart("temperature");
  const { presenter } = page;
  const show = () => {
    const focusing = document.documentElement.classList.contains("focusing");
    const below = presenter.look.present === 1 && !page.narrow && !focusing;
    place.hidden = !below;
    (below ? place : root).prepend(legend.root);
  };
  presenter.after.push(show);
  page.onNarrow(show);
  show();
}
