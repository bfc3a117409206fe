/** The shape of a lesson: docs/lessons.md tells of the format. Types alone. */

/**
 * @typedef {Partial<Record<string, string>>} Text in each language
 * @typedef {"mean" | "sum" | "smallest" | "largest" | "first" | "last" | "line_of_largest"} Take
 *
 * Lines of the table behind a figure, counted from 1.
 * @typedef {{column: number, is?: string | number, nth?: number}} Where a cell, or the nth of a column's different cells
 * @typedef {{lines?: [number, number], where?: Where}} Lines
 * @typedef {Lines & {figure: string, column: number, take?: Take}} Quantity a number in that table
 *
 * A quantity, over another, or over itself before the reveal.
 * @typedef {{of: Quantity, over?: Quantity, before?: boolean}} Truth
 * @typedef {{text: Text, from?: number, below?: number, right?: boolean}} Answer right if the truth lies in its range, or marked
 * @typedef {Lines & {figure: string, x: number, y: number, points: number[], low: number, high: number, log_x?: boolean,
 *   x_label?: Text, y_label?: Text}} Curve
 * @typedef {object} Question the page's own prediction, answers, or a curve
 * @property {string} [prediction]
 * @property {Text} [text]
 * @property {Answer[]} [answers]
 * @property {Curve} [curve]
 * @property {Truth} [truth]
 * @property {string} [reveal] link of the state that answers
 * @property {Text} [because] said beside the truth
 *
 * @typedef {object} Step
 * @property {string} link
 * @property {string} [focus] figure
 * @property {Text} text
 * @property {number} [minutes]
 * @property {Text} [note] for the teacher
 * @property {Question} [question]
 * @property {boolean} [answers] true if its picture answers what an earlier step asks: the handout for the class leaves it out
 * @property {{of: Quantity, over?: Quantity, from?: number, below?: number}[]} [holds] what the text says of the figures
 *
 * @typedef {object} Lesson
 * @property {1} format
 * @property {string} name
 * @property {Text} title
 * @property {Text} [about]
 * @property {number} minutes
 * @property {Text} [note] for the teacher
 * @property {Step[]} steps
 */

/** @typedef {import("../page/live_page.js").LivePage} Page */

export {};
