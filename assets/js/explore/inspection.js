/** Looking at one query row: hovering or walking previews it everywhere at once, a click or Enter locks it. */

import { number } from "../axes.js";
import { element } from "../dom.js";
import { latest } from "../latest.js";
import { walk } from "./row_walk.js";
import { parts, revive } from "../wire.js";

const STATISTICS = ["entropy", "jacobian_norm", "jacobian_trace"];

export class Inspection {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    this.rows = new Map();
    this.at = null;
    this.locked = null;
    this.fetch = latest((wish) => this.#load(wish));
    const { block } = page.figures.get("heat-maps");
    this.tip = element("div", { className: "tip", hidden: true, aria: { hidden: "true" } });
    block.stage.append(this.tip);
    Object.assign(block.stage, { tabIndex: 0 });
    block.stage.setAttribute("role", "application");
    block.stage.setAttribute("aria-label", page.text("live.walk"));
    block.stage.addEventListener("keydown", (event) => this.#key(event));
    block.stage.addEventListener("blur", () => this.hover(null));
    block.stage.classList.add("can-walk");
  }

  /** The picture changed: rows read so far belong to another state. @param {number | null} locked */
  stateChanged(locked) {
    this.rows.clear();
    this.locked = locked;
    if (this.at) this.#show(this.at);
  }

  /** @param {any} found the cell under the pointer, or null */
  hover(found) {
    const same =
      found && this.at && found.row === this.at.row && found.column === this.at.column && found.panel === this.at.panel;
    if (same) return;
    this.at = found;
    const { heatMaps } = this.page;
    heatMaps.mark("preview", found ? found.row : null);
    heatMaps.markCell(found ? found.row : null, found ? found.column : null);
    if (found) {
      this.#show(found);
    } else {
      this.tip.hidden = true;
      this.#marks(null);
    }
  }

  /** @param {{row: number, column: number}} found */
  click(found) {
    this.page.lockRow(this.locked === found.row ? null : found.row);
  }

  #show(at) {
    const known = this.rows.get(at.row);
    this.#tell(at, known);
    if (known) this.#marks(known);
    else this.fetch({ row: at.row, state: this.page.canonical });
  }

  async #load({ row, state }) {
    try {
      const { page } = this;
      const answer = await page.server.ask("row", page.said(state, { row }), page.upload);
      for await (const { header, blocks } of parts(answer.body)) {
        if (header.part !== "row" || state !== page.canonical) return;
        this.rows.set(row, revive(header.row, blocks, new Map()));
      }
      if (this.at?.row === row) this.#show(this.at);
    } catch {
      // Hovering is a courtesy: the next update tells of a lost server, the pointer does not.
    }
  }

  /** Head, query, key and the true value beside the pointer. */
  #tell(at, known) {
    const { page, tip } = this;
    const said = {
      head: at.head,
      query: this.#name(at.row),
      key: this.#name(at.column),
      value: known ? this.#value(known, at) : "…",
    };
    tip.replaceChildren(element("strong", {}, said.value), element("span", {}, page.text("live.cell", said)));
    tip.hidden = false;
    if (at.x !== undefined) {
      const right = at.x > tip.parentElement.clientWidth - 200;
      Object.assign(tip.style, {
        left: right ? "" : `${at.x + 14}px`,
        right: right ? `${tip.parentElement.clientWidth - at.x + 14}px` : "",
        top: `${at.y + 14}px`,
      });
    }
    if (known && at.spoken) page.message.speak(`${page.text("live.cell", said)} ${said.value}`);
  }

  #value(known, { head, column }) {
    const { page } = this;
    const keys = page.shape[2];
    const shown = (table) => {
      const value = table[(head - 1) * keys + column];
      return value === undefined
        ? "–"
        : value === -Infinity || known.hidden?.[column]
          ? page.text("live.masked")
          : number(value);
    };
    if (!known.pinned) return shown(known.stage);
    const difference = known.stage[(head - 1) * keys + column] - known.pinned[(head - 1) * keys + column];
    return `A ${shown(known.pinned)} · B ${shown(known.stage)} · B − A ${number(difference)}`;
  }

  /** Marks the row in the panels below; null takes the marks back to the locked row. */
  #marks(known) {
    const { page } = this;
    const keys = page.shape?.[2];
    const valuesOf = (trace) => {
      const quantity = trace.meta.row_of;
      if (!known) return null;
      if (STATISTICS.includes(quantity)) return { y: Array.from(known[quantity]) };
      const scores = Array.from(known.scores.slice((trace.meta.head - 1) * keys, trace.meta.head * keys)).filter(
        Number.isFinite,
      );
      return { x: scores, y: scores.map(() => 0) };
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      for (const { living } of page.figures.values()) living.markRow?.(valuesOf);
    });
  }

  #name(position) {
    const token = this.page.labels?.[position];
    return token === undefined ? String(position) : `${position} “${token}”`;
  }

  #key(event) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const { page } = this;
    const [, rows, columns] = page.shape ?? [0, 0, 0];
    const from = this.at ?? { row: this.locked ?? -1, column: 0, panel: 0, head: page.values.head || 1 };
    const wish = walk(event.key, from, { rows, columns });
    if (!wish) return;
    event.preventDefault();
    if (wish.at) {
      const box = page.heatMaps.panels[0]?.box;
      const lies = page.heatMaps.panels[0]?.rowAt(wish.at.row);
      const place = box && lies ? { x: box.left + ((wish.at.column + 0.5) / columns) * box.width, y: lies.top } : {};
      this.hover({ ...from, ...wish.at, ...place, panel: 0, spoken: true });
    } else if (wish.lock && this.at) {
      this.click(this.at);
    } else if (wish.release) {
      this.hover(null);
      if (this.locked !== null) page.lockRow(null);
    } else if (wish.zoom !== undefined) {
      page.heatMaps.zoom(wish.zoom, from.row, from.column);
    }
  }
}
