/**
 * The button beside the maps' colour bar: up to the largest cell, and back to the quantile. Each head with a scale of its own has
 * a bar of its own, and no such button.
 */

import { element } from "../../dom/dom.js";
import { icon } from "../../dom/svg.js";

/** An arrow to an end. */
export const TO_THE_END = "M3 10h10M9.5 6.5 13 10l-3.5 3.5M17 4.5v11";

export class FullRange {
  /** @param {import("../../page/live_page.js").LivePage} page */
  constructor(page) {
    this.page = page;
    this.button = element(
      "button",
      {
        type: "button",
        id: "full-range",
        title: page.text("live.full_range_hint"),
        ariaLabel: page.text("live.full_range"),
        onclick: () => page.move({ ...page.state.values, colour_range: this.#full ? "quantile" : "full" }, true),
      },
      icon(TO_THE_END),
    );
    page.figures.of("heat-maps").block.bars.after(this.button);
  }

  /** True if the colours go up to the largest cell. */
  get #full() {
    return this.page.state.values.colour_range !== "quantile";
  }

  /** Follow the page's values. */
  fit() {
    this.button.hidden = this.page.state.values.colour_range === "per_head";
    this.button.setAttribute("aria-pressed", String(this.#full));
  }
}
