/** While Why is presented, the legend of the factor's curves stands below the maps: it would take their height. */

import { element } from "../../dom/dom.js";
import { isNarrow, onNarrow } from "../../dom/narrow.js";

/** @param {import("../../page/live_page.js").LivePage} page */
export function legendBelow(page) {
  const place = element("div", { className: "legends", hidden: true, aria: { hidden: "true" } });
  const { stage } = page.figures.of("mechanism-maps").block;
  stage.after(place);
  const { root, legend, after } = page.figures.chart("temperature");
  const { presenter } = page;
  const show = () => {
    const alone = document.documentElement.classList.contains("focusing") || !stage.checkVisibility();
    const below = presenter.look.present === 1 && !isNarrow() && !alone;
    place.hidden = !below;
    const wanted = below ? place : root;
    if (legend.root.parentElement !== wanted) wanted.prepend(legend.root);
  };
  presenter.after.push(show);
  after.push(show);
  onNarrow(show);
  show();
}
