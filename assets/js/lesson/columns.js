/** The columns that a question reads, held against the tables on screen: only a computed figure knows how many it has. */

/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Question} Question */
/** @typedef {import("./schema.js").Fault} Fault */

/** Yield what a question lacks on a page, in the state on screen. @param {Page} page @param {Question} question */
export const lackedOn = (page, question) =>
  columnFaults(question, (name) => page.figures.all.get(name)?.block.shown?.columns.length ?? null);

/** Return that as sentences. @param {Page} page @param {Question} question */
export const lacking = (page, question) =>
  [...lackedOn(page, question)].map(({ key, fields }) => `${page.text(`lesson.file.${key}`, fields)}.`);

/**
 * Yield the columns that a question reads and its tables do not have. Pure.
 * @param {Question} question @param {(figure: string) => number | null} columnsOf a figure's table; null if it is not there
 * @returns {Generator<Fault>}
 */
export function* columnFaults({ truth, curve }, columnsOf) {
  /** @type {[path: string, figure: string | undefined, column: number | undefined][]} */
  const read = [
    ["truth/of/column", truth?.of.figure, truth?.of.column],
    ["truth/of/where/column", truth?.of.figure, truth?.of.where?.column],
    ["truth/over/column", truth?.over?.figure, truth?.over?.column],
    ["truth/over/where/column", truth?.over?.figure, truth?.over?.where?.column],
    ["curve/x", curve?.figure, curve?.x],
    ["curve/y", curve?.figure, curve?.y],
    ["curve/where/column", curve?.figure, curve?.where?.column],
  ];
  for (const [path, figure, column] of read) {
    const columns = figure === undefined ? null : columnsOf(figure);
    if (figure === undefined || column === undefined || columns === null || column <= columns) continue;
    yield { path: `question/${path}`, key: "column", fields: { figure, column, columns } };
  }
}
