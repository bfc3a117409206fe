/** Which numbers decide a question: a figure's table, its columns, and which of its lines. */

import { element } from "../dom/dom.js";
import { number } from "../figures/axes.js";
import { amount, put, select } from "./editor_fields.js";
import { column, quantity } from "./quantity.js";

/** @typedef {import("./shape.js").Lines} Lines */
/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Take} Take */
/** @typedef {import("./shape.js").Truth} Truth */
/** @typedef {import("./editor_fields.js").Choice} Choice */

/** @type {Take[]} */
const TAKES = ["mean", "smallest", "largest", "sum", "first", "last", "line_of_largest"];
/** Values of a column that a list offers. */
const OFFERED = 100;
/** Lines of a table, as the format bounds them. */
const MOST_LINES = 100_000;

/** Return the table that a figure shows now. @param {Page} page @param {string} figure */
export const tableOf = (page, figure) => page.figures.all.get(figure)?.block.shown ?? null;

/** Choose a figure with numbers. @param {Page} page @param {string} figure @param {(figure: string) => void} write */
export function figureChoice(page, figure, write) {
  const shown = page.settings.figures.filter((/** @type {string} */ name) => tableOf(page, name));
  const names = [...new Set([figure, ...shown])];
  const choices = names.map(
    (name) => /** @type {Choice} */ ([name, page.text(`figure.${name.replaceAll("-", "_")}.title`)]),
  );
  return select(page.text("lesson.truth_figure"), choices, figure, write);
}

/**
 * Choose a column of a figure's table.
 * @param {Page} page @param {string} name of the choice @param {string} figure @param {number} at from 1
 * @param {(at: number) => void} write
 */
export function columnChoice(page, name, figure, at, write) {
  const columns = tableOf(page, figure)?.columns ?? [];
  const choices = columns.map(({ label }, i) => /** @type {Choice} */ ([String(i + 1), label]));
  if (!columns[at - 1]) choices.push([String(at), String(at)]); // the table is not on screen, or has lost the column
  return select(name, choices, String(at), (value) => write(Number(value)));
}

/**
 * Choose some lines of a figure's table.
 * @param {Page} page @param {Lines & {figure: string}} of @param {() => void} changed @param {() => void} draw
 */
export function linesChoice(page, of, changed, draw) {
  const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
  const { where, lines = [] } = of;
  const table = tableOf(page, of.figure);
  const redo = () => {
    changed();
    draw();
  };
  /** @param {number} at @returns {(string | number)[]} */
  const valuesOf = (at) => {
    const values = Array.from(table?.columns[at - 1]?.values ?? [], (one) =>
      typeof one === "number" ? one : String(one),
    );
    return [...new Set(values)].slice(0, OFFERED);
  };
  /** Choose by a value; by the place of a text, which each language says in its own words. @param {number} at @param {number} i */
  const meet = (at, i) => {
    const value = valuesOf(at).at(i);
    const chosen = typeof value === "number" ? { column: at, is: value } : { column: at, nth: i + 1 };
    put(of, "where", at && value !== undefined ? chosen : undefined);
    redo();
  };
  /** @type {Choice[]} */
  const columns = [["0", text("lines_all")]];
  for (const [i, { label }] of (table?.columns ?? []).entries()) columns.push([String(i + 1), label]);
  if (where && !table?.columns[where.column - 1]) columns.push([String(where.column), String(where.column)]);
  const boxes = [select(text("lines_where"), columns, String(where?.column ?? 0), (value) => meet(Number(value), 0))];
  if (where) {
    const values = valuesOf(where.column).map(String);
    const at = where.nth ? where.nth - 1 : values.indexOf(String(where.is));
    const choices = values.map((one, i) => /** @type {Choice} */ ([String(i), one]));
    if (!values[at]) choices.push([String(at), String(where.is ?? where.nth)]);
    boxes.push(select(text("lines_is"), choices, String(at), (value) => meet(where.column, Number(value))));
  }
  const ends = [lines[0] ?? 1, lines[1] ?? MOST_LINES];
  for (const [i, key] of ["lines_first", "lines_last"].entries()) {
    const whole = [1, MOST_LINES][i];
    const box = amount(text(key), ends[i] === whole ? undefined : ends[i], (value) => {
      ends[i] = value ?? whole;
      const [from, to] = ends;
      put(of, "lines", from === 1 && to === MOST_LINES ? undefined : [from, to]);
      changed();
    });
    boxes.push(box);
  }
  const fold = element("details", { open: Boolean(where ?? of.lines) }, element("summary", {}, text("lines")));
  fold.className = "editor-lines";
  fold.append(element("div", { className: "editor-truth" }, ...boxes));
  return fold;
}

/** Return the first two columns that hold numbers, from 1. @param {import("../files/csv.js").Table | null} table */
export function numeric(table) {
  const found = (table?.columns ?? []).flatMap((_, i) =>
    table && column(table, i + 1, {}).some((value) => Number.isFinite(value)) ? [i + 1] : [],
  );
  return /** @type {const} */ ([found[0] ?? 1, found[1] ?? 2]);
}

/** Choose the quantity that decides. @param {Page} page @param {Truth} truth @param {() => void} changed @param {() => void} draw */
export function truthFields(page, truth, changed, draw) {
  const { of } = truth;
  const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
  const redo = () => {
    changed();
    draw();
  };
  const takes = TAKES.map((take) => /** @type {Choice} */ ([take, text(`take_${take}`)]));
  const now = number(quantity(tableOf(page, of.figure), of));
  return [
    element(
      "div",
      { className: "editor-truth" },
      figureChoice(page, of.figure, (figure) => {
        Object.assign(of, { figure, column: numeric(tableOf(page, figure))[1] });
        for (const name of /** @type {const} */ (["where", "lines"])) delete of[name];
        redo();
      }),
      columnChoice(page, text("truth_column"), of.figure, of.column, (at) => {
        of.column = at;
        redo();
      }),
      select(text("truth_take"), takes, of.take ?? "mean", (value) => {
        of.take = /** @type {Take} */ (value);
        redo();
      }),
      element("span", { className: "editor-now" }, page.text("lesson.now", { value: now })),
    ),
    linesChoice(page, of, changed, draw),
  ];
}
