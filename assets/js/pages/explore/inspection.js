/** Inspection of one query row: hovering or walking previews it in every panel; a click or Enter locks it. */

import { number } from "../../figures/axes.js";
import { named } from "../../figures/cells/labels.js";
import { element } from "../../dom/dom.js";
import { entry } from "../../link/entry.js";
import { ChartFigure } from "../../figures/chart_figure.js";
import { latest } from "../../server/latest.js";
import { walk } from "./row_walk.js";
import { parts, revive } from "../../server/wire.js";
import { aloud, knownAt } from "../../words/token.js";

/**
 * The cell under the pointer or the keyboard; `spoken`: say it to screen readers; `late`: a class points there, which asks one
 * after the other.
 * @typedef {Omit<import("../../figures/cells/pointing.js").Found, "x" | "y">
 *   & {x?: number, y?: number, spoken?: boolean, late?: boolean}} At
 *
 * One row of every head, as the server sent it.
 * @typedef {Record<string, ArrayLike<number> | undefined>} Statistics
 * @typedef {{stage: Float32Array, pinned?: Float32Array, scores: Float32Array, sink?: Float32Array, pinned_sink?: Float32Array,
 *   hidden?: ArrayLike<number>, marks?: ArrayLike<number>}} Cells
 * @typedef {Cells & Statistics} Row
 */

/** The marks of a number format, by their codes: `MARKS` of attention_core/exact/formats.py. */
const MARKS = { 1: "infinite", 2: "not_a_number", 3: "lost", 4: "subnormal" };

/** Milliseconds in which a class asks for a row that its teacher points at: not all at once. */
const SPREAD = 400;

/** Write a value of a cell; a NaN is one. @param {number} value */
const written = (value) => (Number.isNaN(value) ? "NaN" : number(value));

export class Inspection {
  /** @param {import("../../page/live_page.js").LivePage} page @param {import("./maps.js").Maps} maps */
  constructor(page, maps) {
    this.page = page;
    this.maps = maps;
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    /** @type {At | null} */
    this.at = null;
    /** @type {number | null} */
    this.locked = null;
    this.frame = 0;
    this.fetch = latest((/** @type {{row: number, state: string}} */ wish) => this.#load(wish));
    const { block } = page.figures.of("heat-maps");
    this.tip = element("div", { className: "tip", hidden: true, aria: { hidden: "true" } });
    block.stage.append(this.tip);
    Object.assign(block.stage, { tabIndex: 0 });
    block.stage.setAttribute("role", "application");
    block.stage.setAttribute("aria-label", page.text("live.walk"));
    block.stage.addEventListener("keydown", (event) => this.#key(event));
    block.stage.addEventListener("blur", () => this.hover(null));
    block.stage.classList.add("can-walk");
  }

  /** Forget the rows of the old state. @param {number | null} locked */
  stateChanged(locked) {
    this.rows.clear();
    this.locked = locked;
    if (this.at) this.#show(this.at);
  }

  /** @param {At | null} found the cell under the pointer, or null */
  hover(found) {
    const same =
      found && this.at && found.row === this.at.row && found.column === this.at.column && found.panel === this.at.panel;
    if (same) return;
    this.at = found;
    const { figure } = this.maps;
    figure.marks.row("preview", found ? found.row : null);
    figure.marks.cell(found ? found.row : null, found ? found.column : null);
    if (found) {
      this.#show(found);
    } else {
      this.tip.hidden = true;
      this.#marks(null);
    }
    this.page.presence.pointed(
      found && { figure: "heat-maps", head: found.head, row: found.row, column: found.column },
    );
  }

  /** Point at a cell of the first panel in sight that shows this head. @param {import("../../page/presence.js").Cell | null} at */
  pointAt(at) {
    const { figure, shape } = this.maps;
    const { head = 1, row = 0, column = 0 } = at ?? {};
    const seen = figure.seen.find((i) => (figure.traces[i].meta?.head ?? 0) === head) ?? figure.seen.at(0) ?? 0;
    const inside = at?.figure === "heat-maps" && shape !== null && row < shape[1] && column < this.#columns(seen);
    this.hover(inside ? { panel: seen, head, row, column, ...this.#place(row, column, seen), late: true } : null);
  }

  /** The panels have moved: the pointer is over another cell until it moves, the keyboard's cell is where it is now. */
  moved() {
    const { at } = this;
    if (!at?.spoken) return this.hover(null);
    this.at = null;
    this.hover({ ...at, ...this.#place(at.row, at.column) });
  }

  /** Return the number of columns of a panel: its keys, and a sink. @param {number} index */
  #columns(index) {
    const { figure, shape } = this.maps;
    return (shape?.[2] ?? 0) + Number(figure.strips.of(index) !== undefined);
  }

  /** Return the place of a cell in a panel. @param {number} row @param {number} column @param {number} [index] @returns {{x?: number, y?: number}} */
  #place(row, column, index = this.maps.figure.seen[0] ?? 0) {
    const { figure, shape } = this.maps;
    const keys = shape?.[2] ?? 1;
    const panel = column < keys ? figure.panels.at(index) : figure.strips.of(index);
    const [box, lies] = [panel?.box, panel?.rowAt(row)];
    const across = column < keys ? (column + 0.5) / keys : 0.5;
    return box && lies ? { x: box.left + across * box.width, y: lies.top } : {};
  }

  /** @param {{row: number, column: number}} found */
  click(found) {
    this.maps.lockRow(this.locked === found.row ? null : found.row);
  }

  /** @param {At} at */
  #show(at) {
    const known = this.rows.get(at.row);
    this.#tell(at, known);
    const load = () => void this.fetch({ row: at.row, state: this.page.state.present });
    if (known) this.#marks(known);
    else if (at.late) setTimeout(() => this.at === at && load(), SPREAD * Math.random());
    else load();
  }

  /** @param {{row: number, state: string}} wish */
  async #load({ row, state }) {
    try {
      const { page } = this;
      const answer = await page.server.ask("page/explore/row", page.updates.body(state, { row }), page.state.upload);
      for await (const { header, blocks } of parts(answer.body)) {
        if (header.part !== "row" || state !== page.state.canonical) return;
        this.rows.set(row, revive(header.row, blocks, new Map()));
      }
      if (this.at?.row === row) this.#show(this.at);
    } catch {
      // Not reported here: the next update tells of a lost server.
    }
  }

  /** Show head, query, key and the true value beside the pointer. @param {At} at @param {Row | undefined} known */
  #tell(at, known) {
    const { page, tip } = this;
    const fields = {
      head: at.head,
      query: named(at.row, page.figures.labels),
      key: named(at.column, page.figures.labels),
      value: known ? this.#value(known, at) : "…",
    };
    const place = page.text(at.column === this.maps.shape?.[2] ? "live.cell_sink" : "live.cell", fields);
    const { vocabulary } = this.maps;
    const lines = knownAt(vocabulary, [at.row, at.column]).map((line) => element("div", {}, line));
    tip.replaceChildren(element("strong", {}, fields.value), element("span", {}, place), ...lines);
    tip.hidden = false;
    if (at.x !== undefined && at.y !== undefined) {
      const wide = tip.parentElement?.clientWidth ?? 0;
      const right = at.x > wide - 200;
      Object.assign(tip.style, {
        left: right ? "" : `${at.x + 14}px`,
        right: right ? `${wide - at.x + 14}px` : "",
        top: `${at.y + 14}px`,
      });
    }
    if (known && at.spoken) page.message.speak(aloud(`${place} ${fields.value}`, vocabulary, [at.row, at.column]));
  }

  /** @param {Row} known @param {At} at */
  #value(known, { head, column }) {
    const { page } = this;
    const keys = this.maps.shape?.[2] ?? 0;
    if (column === keys) return sunk(known, head);
    const shown = (/** @type {Float32Array} */ table) => {
      const value = table.at((head - 1) * keys + column);
      return value === undefined ? "–" : known.hidden?.[column] ? page.text("live.masked") : written(value);
    };
    const mark = known.marks?.[(head - 1) * keys + column];
    const words = mark ? ` · ${page.text(`figure.marks.${entry(MARKS, String(mark))}`)}` : "";
    if (!known.pinned) return shown(known.stage) + words;
    const difference = known.stage[(head - 1) * keys + column] - known.pinned[(head - 1) * keys + column];
    return `A ${shown(known.pinned)} · B ${shown(known.stage)} · B − A ${written(difference)}${words}`;
  }

  /** Mark the row in the panels below; null restores the marks of the locked row. @param {Row | null} known */
  #marks(known) {
    const { page } = this;
    const keys = this.maps.shape?.[2] ?? 0;
    /** @param {{row_of: string, head: number}} mark */
    const valuesOf = ({ row_of: quantity, head }) => {
      if (!known) return null;
      if (quantity !== "scores") return { y: Array.from(known[quantity] ?? []) };
      const scores = Array.from(known.scores.slice((head - 1) * keys, head * keys)).filter(Number.isFinite);
      return { x: scores, y: scores.map(() => 0) };
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      for (const { living } of page.figures.all.values()) if (living instanceof ChartFigure) living.markRow(valuesOf);
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const { maps, page } = this;
    const rows = maps.shape?.[1] ?? 0;
    const columns = Math.max(...maps.figure.seen.slice(0, 1).map((i) => this.#columns(i)), maps.shape?.[2] ?? 0);
    /** @type {At} */
    const from = this.at ?? { row: this.locked ?? -1, column: 0, panel: 0, head: page.state.values.head || 1 };
    const wish = walk(event.key, from, { rows, columns });
    if (!wish || (wish.release && !this.at && this.locked === null)) return;
    event.preventDefault();
    if (wish.at) {
      const [index = 0] = maps.figure.seen;
      const place = this.#place(wish.at.row, wish.at.column);
      this.hover({ ...from, ...wish.at, ...place, panel: index, spoken: true });
    } else if (wish.lock && this.at) {
      this.click(this.at);
    } else if (wish.release) {
      this.hover(null);
      if (this.locked !== null) maps.lockRow(null);
    } else if (wish.zoom !== undefined) {
      maps.figure.windows.zoom(wish.zoom, from.row, from.column);
    }
  }
}

/** Return the weight of the sink in a row, of A and of B if A is pinned; a side without a sink has none. @param {Row} known @param {number} head */
function sunk(known, head) {
  const [a, b] = [known.pinned_sink, known.sink].map((weights) => weights?.[head - 1]);
  const shown = (/** @type {number | undefined} */ value) => (value === undefined ? "–" : written(value));
  if (!known.pinned) return shown(b);
  return `A ${shown(a)} · B ${shown(b)} · B − A ${shown(a === undefined || b === undefined ? undefined : b - a)}`;
}
