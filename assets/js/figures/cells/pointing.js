/** The pointer over a figure of heat maps: it previews cells, locks rows, zooms by a drag and shows everything by a double click. */

import { cellAt } from "../axes.js";
import { element } from "../../dom/dom.js";
import { hearDrag } from "../../dom/drag.js";

/**
 * @typedef {import("../panel.js").Box} Box
 * @typedef {import("../panel.js").Panel} Panel
 *
 * A cell of one panel; `head` counts from 1, `x` and `y` are pixels in the figure. The column after the last key is the sink's.
 * @typedef {{panel: number, head: number, row: number, column: number, x: number, y: number}} Found
 *
 * Callbacks for pointing at cells.
 * @typedef {object} Reactions
 * @property {(found: Found | null) => void} [onCell] null: no cell
 * @property {(found: Found) => void} [onClick]
 * @property {(head: number) => void} [onTitle]
 * @property {() => string} [titleHint]
 * @property {() => void} [onMoved] called when the panels have other places, or show other cells
 *
 * The figure under the pointer.
 * @typedef {object} CellsFigure
 * @property {Panel[]} panels
 * @property {number[]} seen the panels on screen
 * @property {import("../../../types/plotly.js").Trace[]} traces
 * @property {import("./windows.js").Windows} windows of zoomed panels
 * @property {import("./strips.js").Strips} strips the columns of sinks
 *
 * The part of a panel between a press and the pointer, in pixels of the figure.
 * @typedef {{box: Box, left: number, right: number, top: number, bottom: number}} Area
 */

/** Milliseconds within which a second click makes a double one. */
const DOUBLE = 300;
/** Pixels: a shorter way is a click, a smaller area no zoom. */
const STILL = 4;
const SMALLEST = 6;

/**
 * React to the pointer.
 * @param {CellsFigure} figure @param {HTMLElement} stage holds it @param {HTMLElement} layer holds the rectangle of a drag
 * @param {Reactions} reactions
 */
export function point(figure, stage, layer, { onCell, onClick }) {
  const mark = element("div", { className: "zoom-mark", hidden: true });
  layer.append(mark);
  let [frame, clicking] = [0, 0];
  /** @type {{x: number, y: number, found: Found | null} | null} */
  let pressed = null;

  stage.addEventListener("pointermove", (event) => {
    if (event.buttons || !onCell) return;
    const found = under(figure, stage, event);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => onCell(found));
  });
  stage.addEventListener("pointerleave", () => {
    cancelAnimationFrame(frame); // or the old frame would point at the cell just left
    onCell?.(null);
  });
  const begin = (/** @type {PointerEvent} */ event) => {
    if (/** @type {Element} */ (event.target).closest("button")) return false;
    pressed = { x: event.clientX, y: event.clientY, found: under(figure, stage, event) };
    return true;
  };
  const move = (/** @type {PointerEvent} */ event) => {
    stretch(mark, pressed && event.pointerType === "mouse" ? dragged(figure, stage, pressed.found, event) : null);
  };
  const end = (/** @type {PointerEvent} */ event, /** @type {boolean} */ done) => {
    const begun = pressed;
    pressed = null;
    stretch(mark, null);
    if (!begun || !done) return;
    if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) >= STILL) {
      if (event.pointerType === "mouse") look(figure, begun.found, dragged(figure, stage, begun.found, event));
      return;
    }
    const found = under(figure, stage, event);
    if (!found) return;
    clearTimeout(clicking);
    // While zoomed, a click may be the first half of the double click that shows everything.
    if (figure.windows.size) clicking = setTimeout(() => onClick?.(found), DOUBLE);
    else onClick?.(found);
  };
  hearDrag(stage, { begin, move, end });
  stage.addEventListener("dblclick", () => {
    clearTimeout(clicking);
    figure.windows.zoom(0, 0, 0);
  });
}

/**
 * Return the panel and cell under a pointer event, or null.
 * @param {CellsFigure} figure @param {HTMLElement} stage @param {PointerEvent} event @returns {Found | null}
 */
function under({ seen, panels, traces, strips }, stage, event) {
  const frame = stage.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  for (const i of seen) {
    const { box, rows, columns } = panels[i];
    const strip = strips.of(i);
    const beside = strip?.box && cellIn(strip.box, rows, 1, x, y);
    const cell = beside ? { row: beside.row, column: columns } : box && cellIn(box, rows, columns, x, y);
    if (cell) return { panel: i, head: traces[i].meta?.head ?? 0, ...cell, x, y };
  }
  return null;
}

/**
 * Return the cell at a place of the figure, or null.
 * @param {Box} box of the panel @param {number} rows @param {number} columns @param {number} x @param {number} y
 */
function cellIn(box, rows, columns, x, y) {
  const column = cellAt(x - box.left, box.width, box.x, columns);
  const row = cellAt(y - box.top, box.height, [box.y[1], box.y[0]], rows);
  return row === null || column === null ? null : { row, column };
}

/**
 * Return the area between the press and the pointer, held inside the panel of the press.
 * @param {CellsFigure} figure @param {HTMLElement} stage @param {Found | null} from @param {PointerEvent} event @returns {Area | null}
 */
function dragged({ panels }, stage, from, event) {
  const box = from && panels[from.panel].box;
  if (!box) return null;
  const frame = stage.getBoundingClientRect();
  const hold = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ size) =>
    Math.min(Math.max(at, low), low + size);
  const x = hold(event.clientX - frame.left, box.left, box.width);
  const y = hold(event.clientY - frame.top, box.top, box.height);
  const begun = hold(from.x, box.left, box.width); // from the sink: at the last key
  const [left, right] = [Math.min(begun, x), Math.max(begun, x)];
  const [top, bottom] = [Math.min(from.y, y), Math.max(from.y, y)];
  return { box, left, right, top, bottom };
}

/** Draw the rectangle of a drag; null hides it. @param {HTMLElement} mark @param {Area | null} area */
function stretch(mark, area) {
  mark.hidden = !area;
  if (!area) return;
  const { left, right, top, bottom } = area;
  const style = { left, top, width: right - left, height: bottom - top };
  for (const [side, pixels] of Object.entries(style)) mark.style.setProperty(side, `${pixels}px`);
}

/**
 * Zoom to the dragged cells; those in which the drag begins and ends are inside.
 * @param {CellsFigure} figure @param {Found | null} from @param {Area | null} area
 */
function look(figure, from, area) {
  if (!from || !area || area.right - area.left < SMALLEST || area.bottom - area.top < SMALLEST) return;
  const panel = figure.panels[from.panel];
  const first = cellIn(area.box, panel.rows, panel.columns, area.left, area.top);
  const last = cellIn(area.box, panel.rows, panel.columns, area.right - 1, area.bottom - 1);
  if (!first || !last) return;
  figure.windows.look(panel, { x: [first.column - 0.5, last.column + 0.5], y: [last.row + 0.5, first.row - 0.5] });
}
