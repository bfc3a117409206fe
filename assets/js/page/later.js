/**
 * What only some visitors use: main.js loads it for a page when it is wanted, and the page gives it to all who may want it. Its
 * functions know the page, so nothing below assets/js/later names a module of it. Types alone.
 */

/**
 * @typedef {import("../lead/message.js").Lesson} Lesson
 * @typedef {import("../lead/message.js").Question} Question
 *
 * Of later/lessons.js.
 * @typedef {object} Lessons
 * @property {(sheet: HTMLElement) => unknown} open fills the menu
 * @property {() => Promise<void>} start begins the short way in
 * @property {() => unknown} help
 * @property {() => void} make adds the present state to a lesson of one's own
 * @property {(named: boolean, loads: boolean) => Promise<void>} play
 * @property {(at: Lesson | null) => Promise<boolean>} follow
 * @property {(question: Question) => Promise<import("../lead/message.js").Spoken | null>} words
 *
 * Of later/room.js.
 * @typedef {object} Room
 * @property {(root: HTMLDetailsElement, sheet: HTMLElement) => Promise<void>} ways
 * @property {(how: import("../lead/state.js").How) => Promise<void>} join
 *
 * Of later/head.js, with what it takes of the page's own bundle.
 * @typedef {object} HeadTools
 * @property {(sentence: import("../../types/wire.js").Sentence) => HTMLElement} paragraph
 * @property {(change: Record<string, import("../link/values.js").Value>) => void} go
 * @property {(more: {place: number, band?: number}) => Promise<import("../../types/wire.js").PassageRead>} passage
 * @property {(line: import("../../types/wire.js").Line, at: number, reactions: {press: () => void, point: () => void}) => HTMLButtonElement} token
 * @property {(token: HTMLElement, weight: string) => void} tell says on a token what a query gives it
 *
 * @typedef {object} Head
 * @property {(root: HTMLElement, found: import("../../types/wire.js").HeadRead, tools: HeadTools) => void} draw
 *
 * @typedef {{head: () => Promise<Head>, lessons: () => Promise<Lessons>, room: () => Promise<Room>, share: () => Promise<{open: () => Promise<void>}>}} Later
 */

export {};
