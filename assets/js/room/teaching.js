/** What the parts of a teacher's tab may ask of it; each names those that it needs. Types alone. */

/**
 * @typedef {import("../lead/message.js").Message} Message
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("../lead/message.js").Truth} Truth
 *
 * The state of the class as the server takes it.
 * @typedef {{link: string, hovered: import("../lead/message.js").Hovered | null, lesson: import("../lead/message.js").Lesson | null | undefined,
 *   locked: boolean}} State
 * @typedef {Promise<boolean>} Done false if the room has refused it, which is said
 *
 * @typedef {object} Teaching
 * @property {import("../page/live_page.js").LivePage} page
 * @property {import("./line.js").Line} line to the room
 * @property {Message | null} message the newest
 * @property {(message: Message) => void} told takes a message
 * @property {Question | null} asked the question of the class
 * @property {import("./way_in.js").Text} text
 * @property {string} code of the room
 * @property {string} base the address of the page as students reach it
 * @property {string} address of the room, as students open it
 * @property {() => Promise<string>} picture returns its QR code
 * @property {(act: () => Promise<unknown>) => Done} act does what the room may refuse
 * @property {(asked: import("../lead/message.js").Asking & import("../lead/message.js").Kept & {seconds?: number}) => Done} ask
 * @property {() => Done} call
 * @property {(locked: boolean) => void} lock
 * @property {(question: Pick<Question, "id">, phase: "closed" | "discuss" | "over") => Done} phase
 * @property {() => void} reveal
 * @property {(offer: {id: string, link: string}) => Promise<void>} show
 * @property {(link: string) => Promise<boolean>} stand at the state that a question is about
 * @property {(id: string) => Done} drop
 * @property {() => Done} save
 * @property {() => Promise<void>} end
 * @property {() => void} ended
 * @property {import("../lesson/page_question.js").PageQuestion} question
 * @property {{revealed: boolean}} results
 * @property {{ask: () => Promise<boolean>}} heartbeat
 * @property {{make: () => Promise<boolean>}} opening
 * @property {{present: State, sendAll: () => void}} state
 * @property {{computes: (question: Question) => boolean, known: (question: Question) => Promise<Truth | null>,
 *   mark: (truth: Truth | null) => void, marked: Truth | null}} truths
 * @property {{root: HTMLElement, card: HTMLElement, said: HTMLElement, opened: () => void, failed: () => void,
 *   say: (sentence: string, passing?: boolean) => void}} bar
 */

export {};
