/** One row in detail: the column beside the maps while a query is locked, with its title and the way to close it. */

import { named } from "../../figures/cells/labels.js";
import { element, inside } from "../../dom/dom.js";

export class RowDetail {
  /** @param {import("../../page/live_page.js").LivePage} page @param {import("./maps.js").Maps} maps @param {HTMLElement} place of the title */
  constructor(page, maps, place) {
    this.page = page;
    this.maps = maps;
    this.title = element("h2", { id: "title-row" });
    const label = page.text("row.close");
    const close = element(
      "button",
      { type: "button", id: "row-close", title: label, ariaLabel: label, onclick: () => this.close() },
      "×",
    );
    place.replaceChildren(this.title, close);
    const root = inside(document.body, "#row-detail");
    root.setAttribute("role", "region");
    root.setAttribute("aria-labelledby", "title-row");
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
  }

  /** Let go of the row: its space goes back to the maps, and the keyboard to where rows are chosen. */
  close() {
    this.maps.lockRow(null);
    this.page.figures.of("heat-maps").block.stage.focus({ preventScroll: true });
  }

  /** Show the column if a row is locked, and name the row. */
  fit() {
    const { page } = this;
    const { row, head } = page.state.agreed;
    document.getElementById("explore")?.classList.toggle("has-row", typeof page.state.values.row === "number");
    if (typeof row !== "number") return;
    this.title.textContent = page.text("row.title", { query: named(row, page.figures.labels), head: head || 1 });
  }
}
