/** Colour bars as HTML: moving plotly's own would lay out the whole graph at each update. The figure defines their scale and title. */

import { colourTicks } from "./colour_ticks.js";
import { element, inside } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";
import { gradient } from "./palette.js";

/**
 * Draw one bar per colour axis of the traces. With one axis per head, the bars name the head.
 * @param {HTMLElement} place
 * @param {import("../../types/plotly.js").Layout} layout
 * @param {Pick<import("../../types/plotly.js").Trace, "coloraxis">[]} traces
 * @param {string[]} titles of the traces' panels
 */
export function colourBars(place, layout, traces, titles) {
  const used = [...new Set(traces.map((trace) => trace.coloraxis))];
  for (const legend of [...place.querySelectorAll(".masked-legend, .mark-legend")]) legend.remove();
  while (place.children.length > used.length) place.lastChild?.remove();
  while (place.children.length < used.length) place.append(empty());
  used.forEach((name, i) => {
    /** @type {import("../../types/plotly.js").ColourAxis} */
    const axis = layout[name];
    const bar = place.children[i];
    const own = axis.colorbar?.title?.text;
    const panel = titles.at(traces.findIndex((trace) => trace.coloraxis === name)) ?? "";
    const title = own ?? panel.split(" · ")[0]; // the head alone: what is shown stands over its map
    const written = inside(bar, ".name");
    if (written.textContent !== title) written.replaceChildren(...typeset(title));
    inside(bar, ".strip").style.background = gradient(axis.colorscale, "to right");
    inside(bar, ".ticks").replaceChildren(
      ...colourTicks(axis, own === undefined ? 2 : 5).map(({ text, place: at }) => {
        const label = element("span", {}, text);
        label.style.left = `${100 * at}%`;
        return label;
      }),
    );
  });
}

function empty() {
  const parts = ["name", "strip", "ticks"].map((className) => element("div", { className }));
  return element("div", { className: "colour-bar" }, ...parts);
}
