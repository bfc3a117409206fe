/** The room's message and its question, as docs/room.md states them. Pure. */

/**
 * @typedef {Partial<Record<string, string>>} Text in each language
 * @typedef {{title: Text, text: Text, steps: number, focus?: string}} Words what a step says, of a lesson that the teacher alone has
 * @typedef {{name: string, step: number, words?: Words | null}} Lesson
 * @typedef {{figure?: string, head?: number, row?: number, column?: number}} Hovered
 * @typedef {"open" | "closed" | "discuss" | "reveal"} Phase
 *
 * A round's distribution; too few answers have none.
 * @typedef {{answers: number, counts?: number[] | null, band?: Record<string, number[]> | null}} Distribution
 * Who moved between the votes, as numbers of those who answered both.
 * @typedef {"wrong_wrong" | "wrong_right" | "right_wrong" | "right_right"} Move
 * @typedef {Record<Move, number>} Flow
 * @typedef {{first: Distribution, second: Distribution | null, truth: number | number[] | null, flow?: Flow}} Results
 *
 * The numbers of a curve's axes: the value at each x, and the ends of y. A teacher's own curve may have those of one axis alone.
 * @typedef {{x?: number[], low?: number, high?: number, log_x?: boolean, log_y?: boolean}} Axes
 *
 * What is asked.
 * @typedef {object} Asking
 * @property {"choice" | "curve"} kind
 * @property {string} text
 * @property {string[]} [answers]
 * @property {number[]} [x] places on the axis
 * @property {string} [x_label] @property {string} [y_label]
 * @property {Axes} [axes]
 * @property {{page: string, name: string}} [prediction] the question of a page
 * @property {boolean} [holds] pages stay with the class's until the reveal: a control would answer
 * @property {{lesson: string, step: number}} [from] the step of a lesson that asks it
 * @property {string} [figure] its picture, of the state that the class sees
 *
 * An answer, as it is right: an index, or a place on the axis for each x.
 * @typedef {number | number[]} Truth
 *
 * What the teacher's tab keeps to itself until the reveal: the right answer's place, and why it is so.
 * @typedef {{right?: number, because?: Text}} Kept
 *
 * What is asked, in the visitor's language, with the page's own axes if it asks the same.
 * @typedef {{text: string, answers: string[], curve: import("../../types/wire.js").Curve | null,
 *   labels?: {x_label?: string, y_label?: string}}} Spoken
 *
 * `clock`: when the vote or the talk should end; `revealed`: when it was revealed; both by the server's time.
 * @typedef {Asking & {id: string, phase: Phase, round: 1 | 2, results?: Results, because?: Text, clock?: number, revealed?: number}} Question
 *
 * What a remote asks the teacher's page to do, and what that page tells it.
 * @typedef {"next" | "back" | "ask" | "close" | "again" | "reveal" | "over" | "blank"} Command
 * @typedef {{done: number, lesson: {title: Text, step: number, steps: number} | null, note: Text | null, can: Command[], blank: boolean,
 *   said: string}} Shown
 * @typedef {{revision: number, count: number, follow: number, answered: [number, number], question: Question | null,
 *   shown: Shown | null}} RemoteMessage
 *
 * @typedef {object} Message
 * @property {number} revision
 * @property {string} life changes when the room had to be made again
 * @property {string} link @property {string} page
 * @property {Hovered | null} hovered
 * @property {Lesson | null} lesson
 * @property {boolean} locked
 * @property {number} calls
 * @property {number} count
 * @property {Question | null} question
 * @property {{right: string, commands: {number: number, do: Command}[]} | null} [remote] the teacher's alone
 * @property {number} [follow] how many of them follow; the teacher's alone
 * @property {[number, number]} [answered] the teacher's alone
 * @property {[number, number]} [gone] the teacher's alone: answers of tabs that are not here
 * @property {{id: string, link: string}[]} [offers] the teacher's alone
 */

/** Answers of pages that have gone which a class may well have. */
const FEW_GONE = 10;

/** Return how many answers of a round are of pages that have gone, if they are suspiciously many; else 0. @param {Message} message @param {number} round */
export function suspicious({ answered, gone }, round) {
  const [all = 0, away = 0] = [answered?.[round - 1], gone?.[round - 1]];
  return away > FEW_GONE && 2 * away > all ? away : 0;
}

/** True while a round takes answers. @param {Question} question */
export const takes = ({ phase }) => phase === "open" || phase === "discuss";

/** True of the state of a file that its teacher's page alone has. @param {string} link */
export const isOwnFile = (link) => new URLSearchParams(link).get("source") === "upload";

/** True if this question must be covered on a page: its answer is there. @param {Question | null} question @param {string} page */
export const covers = (question, page) =>
  question !== null && question.prediction?.page === page && question.phase !== "reveal";

/**
 * Return the question as a room that is made again takes it: with its results if it was revealed; else open, since the answers
 * are lost and come again by themselves, in the second round those of the first as well.
 * @param {Question | null} question @param {number} first how many had answered the first round
 * @returns {Question & {first?: number} | null}
 */
export function again(question, first) {
  if (!question || question.phase === "reveal") return question;
  return question.round === 2 ? { ...question, phase: "discuss", first } : { ...question, phase: "open" };
}

/**
 * Return true if two questions ask the same in the same words, as the server keeps them.
 * @param {Asking} one @param {Asking} other
 */
export function sameText(one, other) {
  const [a, b] = [one, other].map(({ kind, holds = false, prediction = null, from = null, text, answers = [] }) =>
    JSON.stringify([
      kind,
      holds,
      prediction,
      from?.lesson,
      from?.step,
      ...[text, ...answers].map((part) => part.trim()),
    ]),
  );
  return a === b;
}

/** Return true if two links show the same, whatever their language. @param {string} a @param {string} b */
export function alike(a, b) {
  const [one, other] = [a, b].map((link) => {
    const given = new URLSearchParams(link);
    for (const name of ["lang", "theme", "columns", "present"]) given.delete(name);
    if (given.get("page") === "explore") given.delete("page");
    given.sort();
    return given.toString();
  });
  return one === other;
}

/**
 * Return a room's link for this page: the layout stays the visitor's.
 * @param {string} link @param {{columns?: unknown, present?: unknown}} own
 */
export function withOwn(link, { columns, present }) {
  const to = new URLSearchParams(link);
  if (Number(columns)) to.set("columns", String(columns));
  if (Number(present)) to.set("present", "1");
  return to.toString();
}
