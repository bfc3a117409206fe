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
 * @typedef {{first: Distribution, second: Distribution | null, truth: number | number[] | null}} Results
 *
 * What is asked.
 * @typedef {object} Asking
 * @property {"choice" | "curve"} kind
 * @property {string} text
 * @property {string[]} [answers]
 * @property {number[]} [x] places on the axis
 * @property {string} [x_label] @property {string} [y_label]
 * @property {{page: string, name: string}} [prediction] the question of a page
 * @property {boolean} [holds] pages stay with the class's until the reveal: a control would answer
 *
 * @typedef {Asking & {id: string, phase: Phase, round: 1 | 2, results?: Results}} Question
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
 * @property {[number, number]} [answered] the teacher's alone
 * @property {{id: string, link: string}[]} [offers] the teacher's alone
 */

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
  const [a, b] = [one, other].map(({ kind, holds = false, prediction = null, text, answers = [] }) =>
    JSON.stringify([kind, holds, prediction, ...[text, ...answers].map((said) => said.trim())]),
  );
  return a === b;
}

/** Return true if two links show the same, whatever their language. @param {string} a @param {string} b */
export function alike(a, b) {
  const [one, other] = [a, b].map((link) => {
    const said = new URLSearchParams(link);
    for (const name of ["lang", "theme", "columns", "present"]) said.delete(name);
    said.sort();
    return said.toString();
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
