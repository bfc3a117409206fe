/** One tensor, or a row of it: a table if the numbers fit, else a heat map. */

import { number, rounded } from "../../figures/axes.js";
import { forPaper } from "../../figures/density.js";
import { brushOf, element } from "../../dom/dom.js";
import { table } from "../../figures/palette.js";
import { inked } from "../../paper/light.js";
import { answersIn } from "../../reasons/reasons.js";
import { typeset } from "../../words/symbols.js";
import { axes, POSITIVE } from "./symbols.js";
import { reasonOf } from "./tip.js";
import { known, shown as called } from "../../words/token.js";

/**
 * @typedef {import("./arithmetic.js").Walked} Walked
 * @typedef {import("./steps.js").Piece} Piece
 */

/**
 * One number and its place in the tensor.
 * @typedef {{row: number, column: number, value: number}} Cell
 *
 * The part of a tensor that a piece shows: its cells line by line, its true size, and the numbers per cell.
 * @typedef {{lines: Cell[][], true: {rows: number, columns: number}, block: [number, number]}} Shown
 */

/** The part of a tensor on each canvas. @type {WeakMap<Element, Shown>} */
const shownOn = new WeakMap();

/** Return what a heat map shows, if the element is one. @param {Element} canvas */
export const shownBy = (canvas) => shownOn.get(canvas);

const WIDEST = 16;
/** Rows and columns that an arrow key goes. @type {Record<string, [number, number] | undefined>} */
const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
/** Significant digits of a number; fewer, in larger type, where a class reads it. */
const [DIGITS, PRESENTED] = [3, 2];
/** Longest side of a heat map, and the side of its largest cell, in heights of the type. */
const [BOX, CELL] = [19, 2];

/**
 * @param {import("./host.js").Page} page @param {Walked} walked @param {import("./steps.js").Piece} piece
 * @returns {HTMLElement}
 */
export function matrix(page, walked, piece) {
  const tensor = tensorIn(walked, piece.tensor);
  const shown = cut(tensor, piece);
  const { rows, columns } = shown.true;
  const caption = element(
    "figcaption",
    {},
    element("span", { className: "symbol" }, ...typeset(piece.symbol)),
    element("span", { className: "shape" }, `${rows} × ${columns}`),
  );
  const fits = walked.fits && Math.max(rows, columns) <= WIDEST;
  const body = fits ? numbers(page, walked, piece, shown) : heatMap(page, piece, shown);
  const made = element("figure", { className: "tensor", data: { tensor: piece.tensor } }, caption, body);
  made.classList.toggle("is-result", Boolean(piece.result));
  return made;
}

/**
 * Return the cell at a place of a heat map, if any.
 * @param {Pick<Shown, "lines">} shown
 * @param {number} x @param {number} y fractions of the map
 * @returns {Cell | undefined}
 */
export function cellIn({ lines }, x, y) {
  return lines.slice(Math.max(0, Math.floor(y * lines.length))).at(0)?.[Math.floor(x * lines[0].length)];
}

/** @param {Walked} walked @param {string} name */
function tensorIn(walked, name) {
  const found = walked.tensors[name];
  if (!found) throw new Error(name);
  return found;
}

/**
 * Return the part of a tensor that a piece shows, each number with its place.
 * @param {import("./arithmetic.js").Tensor} tensor
 * @param {Pick<Piece, "row" | "columns" | "turned">} piece
 * @returns {Shown}
 */
export function cut(tensor, piece) {
  const [across, down] = [Math.ceil(tensor.columns / tensor.block[1]), Math.ceil(tensor.rows / tensor.block[0])];
  /** @param {number} count */
  const all = (count) => Array.from({ length: count }, (_, i) => i);
  const block = tensor.block;
  const rows = piece.row === undefined ? all(down) : [Math.floor(piece.row / block[0])];
  const [first, end] = piece.columns ?? [0, tensor.columns];
  const columns = all(across).filter((c) => c * block[1] >= first && c * block[1] < end);
  const size = {
    rows: piece.row === undefined ? tensor.rows : 1,
    columns: end - first,
  };
  const lines = rows.map((row) =>
    columns.map((column) => ({ row, column, value: tensor.values[row * across + column] })),
  );
  if (!piece.turned) return { lines, true: size, block };
  return {
    lines: columns.map((_, c) => lines.map((line) => line[c])),
    true: { rows: size.columns, columns: size.rows },
    block: [block[1], block[0]],
  };
}

/**
 * Make a grid of numbers; the keyboard walks it cell by cell.
 * @param {import("./host.js").Page} page @param {Walked} walked @param {Piece} piece @param {Shown} shown
 */
function numbers(page, walked, piece, shown) {
  const digits = page.presenter.look.present ? PRESENTED : DIGITS;
  const along = axes(piece.tensor);
  const [rowsNamed, columnsNamed] = piece.turned ? [along.columns, along.rows] : [along.rows, along.columns];
  /** @param {number} position */
  const name = (position) => (position in walked.tokens ? called(walked.tokens[position]) : String(position));
  /** @param {number} position */
  const titled = (position) => {
    const title = known(walked, position);
    return title ? { title } : {};
  };
  const positions = (/** @type {Cell} */ cell) => (piece.turned ? cell.column : cell.row);
  const others = (/** @type {Cell} */ cell) => (piece.turned ? cell.row : cell.column);
  const largest = Math.max(
    ...Array.from(tensorIn(walked, piece.tensor).values, (value) => (Number.isFinite(value) ? Math.abs(value) : 0)),
    1e-12,
  );
  /** @param {Cell[]} line @param {number} r */
  const cells = (line, r) =>
    line.map((cell, c) => {
      const share = Number.isFinite(cell.value) ? Math.round((40 * Math.abs(cell.value)) / largest) : 0;
      const made = element(
        "td",
        { tabIndex: r + c ? -1 : 0, role: "gridcell", data: { row: cell.row, column: cell.column } },
        rounded(cell.value, digits),
      );
      made.classList.add("asked", cell.value < 0 ? "is-negative" : "is-positive");
      made.style.setProperty("--share", `${share}%`);
      return made;
    });
  const heads =
    columnsNamed && shown.true.columns > 1
      ? [
          element(
            "tr",
            { role: "row" },
            ...(rowsNamed ? [element("td", { role: "gridcell" })] : []),
            ...shown.lines[0].map((cell) =>
              element("th", { role: "columnheader", scope: "col", ...titled(others(cell)) }, name(others(cell))),
            ),
          ),
        ]
      : [];
  const lines = shown.lines.map((line, r) =>
    element(
      "tr",
      { role: "row" },
      ...(rowsNamed
        ? [element("th", { role: "rowheader", scope: "row", ...titled(positions(line[0])) }, name(positions(line[0])))]
        : []),
      ...cells(line, r),
    ),
  );
  const grid = element(
    "table",
    { role: "grid", aria: { label: `${piece.symbol}, ${shown.true.rows} × ${shown.true.columns}` } },
    ...heads,
    ...lines,
  );
  answersIn(grid, {
    reasoned: (cell) => {
      const { row, column } = cell.dataset;
      return [cell.textContent, ...reasonOf(page, walked, piece.tensor, Number(row), Number(column))];
    },
    later: () => null,
    beside: (cell, key) => besideIn(grid, cell, key),
  });
  return element("div", { className: "numbers" }, grid);
}

/** Return the number beside another one in a grid, by an arrow key. @param {HTMLElement} grid @param {HTMLElement} cell @param {string} key */
function besideIn(grid, cell, key) {
  const lines = [...grid.querySelectorAll("tr")]
    .map((line) => /** @type {HTMLElement[]} */ ([...line.querySelectorAll(".asked")]))
    .filter((line) => line.length);
  const row = lines.findIndex((line) => line.includes(cell));
  const column = lines[row].indexOf(cell);
  const [down, across] = WAYS[key] ?? [0, 0];
  const last = lines[row].length - 1;
  const at = { Home: 0, End: last }[key] ?? column + across;
  const there = row + down < 0 ? undefined : lines.at(row + down);
  return at < 0 ? null : (there?.at(at) ?? null);
}

/** Draw the numbers as colours: 32 × 512 numbers are unreadable. @param {import("./host.js").Page} page @param {Piece} piece @param {Shown} shown */
function heatMap(page, piece, shown) {
  const values = shown.lines.flat().map((cell) => cell.value);
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const positive = POSITIVE.includes(piece.tensor);
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const [from, to] = positive ? [0, high || 1] : [-reach, reach];
  const scale = page.settings.colours[positive ? "weights" : "signed"];
  const colours = table(forPaper() ? inked(page.settings.paper, scale) : scale);
  const [down, across] = [shown.lines.length, shown.lines[0].length];
  const canvas = element("canvas", { width: across, height: down });
  const image = new ImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  values.forEach((value, k) => {
    pixels[k] = Number.isFinite(value) ? colours[1 + Math.round((254 * (value - from)) / (to - from))] : 0;
  });
  brushOf(canvas).putImageData(image, 0, 0);
  // Every cell takes a pixel or more; all longer sides are equal; the shorter side stays visible.
  const side = Math.min(CELL, BOX / Math.max(down, across));
  Object.assign(canvas.style, {
    width: `${Math.max(1, across * side)}em`,
    height: `${Math.max(1, down * side)}em`,
  });
  const fields = {
    name: piece.symbol,
    rows: shown.true.rows,
    columns: shown.true.columns,
    low: number(low),
    high: number(high),
  };
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", page.text("anatomy.map", fields));
  shownOn.set(canvas, shown);
  const notes = [`${number(low)} … ${number(high)}`];
  if (shown.block[0] * shown.block[1] > 1) {
    notes.push(page.text("anatomy.pooled", { rows: shown.block[0], columns: shown.block[1] }));
  }
  return element("div", { className: "map" }, canvas, ...notes.map((note) => element("p", {}, note)));
}
