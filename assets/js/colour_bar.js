/** Colour bars as HTML: moved at every update, where moving plotly's own would lay the whole graph out again. Their scale and title are the figure's. */

import { number, ticks } from "./axes.js";
import { gradient } from "./palette.js";

/**
 * One bar for each colour axis that the traces use; with one axis a head, the bars name the head.
 * @param {HTMLElement} place @param {any} layout @param {any[]} traces @param {string[]} titles of the traces' panels
 */
export function colourBars(place, layout, traces, titles) {
  const used = [...new Set(traces.map((trace) => trace.coloraxis))];
  while (place.children.length > used.length || place.querySelector(".masked-legend")) place.lastChild.remove();
  while (place.children.length < used.length) place.append(empty());
  used.forEach((name, i) => {
    const { cmin, cmax, colorscale, colorbar } = layout[name];
    const bar = place.children[i];
    const alone = used.length > 2;
    const title = colorbar?.title?.text ?? titles[traces.findIndex((trace) => trace.coloraxis === name)] ?? "";
    bar.querySelector(".name").textContent = title;
    bar.querySelector(".strip").style.background = gradient(colorscale, "to right");
    const marks = bar.querySelector(".ticks");
    const at = colorbar?.dtick ? ticks(cmin, cmax, cmax - cmin) : ticks(cmin, cmax, alone ? 2 : 5);
    marks.replaceChildren(
      ...at.map((value) => {
        const label = document.createElement("span");
        label.textContent = colorbar?.labelalias?.[String(value)] ?? number(value);
        label.style.left = `${(100 * (value - cmin)) / (cmax - cmin)}%`;
        return label;
      }),
    );
  });
}

function empty() {
  const bar = document.createElement("div");
  bar.className = "colour-bar";
  for (const name of ["name", "strip", "ticks"]) {
    const part = document.createElement("div");
    part.className = name;
    bar.append(part);
  }
  return bar;
}
