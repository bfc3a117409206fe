/** The state of who leads a page, the events that change it, and what is to be done. Types alone. */

/**
 * @typedef {import("./message.js").Message} Message
 *
 * What a visitor wants of the page: to change its state (a control, a preset, a pin, a link opened here), to see a figure large or
 * hide one, to turn to another page, to open a lesson or a step, to see the answer of a question.
 * @typedef {"move" | "look" | "turn" | "lesson" | "reveal"} Wish
 *
 * @typedef {{name: string, step: number}} Place a step of a lesson
 * @typedef {Partial<Record<number, number | number[]>>} Answers by round
 * @typedef {{question: string, answers: Answers, kept: Answers, life: string}} Given `kept`: what the room of this `life` has
 * @typedef {"computing" | "telling" | "restoring" | "waiting"} Stage of a reveal: the truth is computed, told to the room; it could not be
 *   told, and the page goes back; the server is away
 *
 * @typedef {object} Lead
 * @property {"visitor" | "student" | "teacher"} role
 * @property {string} page that is loaded
 * @property {string | null} screen link on screen; null before the first answer
 * @property {boolean} fresh true until somebody leads this page elsewhere
 * @property {Place | null} lesson the visitor's own
 * @property {boolean} named true until the lesson of the address has been opened
 * @property {Message | null} heard newest message of the room
 * @property {boolean} held true if the room held this page when it was heard last: it does until it is heard again
 * @property {boolean} left true if the student does not follow
 * @property {number | null} calls the teacher's calls that were heard
 * @property {string | null} obeyed link of the room that this page shows, or is on its way to
 * @property {string} spent the room's command for which a page was loaded last
 * @property {boolean} turning true from a load to the arrival
 * @property {boolean} concluding true while the page reveals what was asked
 * @property {Given | null} given the student's answers to the present question
 * @property {string} folded the card that the visitor has folded
 * @property {boolean} silent true while the room does not answer
 * @property {{id: string, stage: Stage, again: boolean} | null} reveal under way on the teacher's page; `again`: it is to be tried again
 * @property {string} reminded the vote of which the teacher was reminded: one more press ends it
 *
 * What outlives the page, in the tab's memory.
 * @typedef {Pick<Lead, "held" | "left" | "calls" | "spent" | "turning" | "given">} Kept
 *
 * @typedef {{type: "wish", wish: Wish, place?: Place | null}} Wished what the visitor wants
 * @typedef {{type: "enter", role: "student" | "teacher", kept: Kept, how: How, lesson: Place | null}} Entered this page takes part in a room
 * @typedef {"led" | "visitor"} How a page was loaded: by the room or a lesson, or by its visitor (reload, back, an address)
 * @typedef {Wished | Entered | {type: "back"} | {type: "screen", link: string} | {type: "message", message: Message}
 *   | {type: "follow"} | {type: "renewed"} | {type: "unlesson"} | {type: "over"} | {type: "concluding", on: boolean} | {type: "fold", on: boolean}
 *   | {type: "answer", answer: number | number[]} | {type: "kept", question: string, round: number, answer: number | number[]}
 *   | {type: "refused", question: string, round: number, counted: number | number[] | null}
 *   | {type: "silent"} | {type: "answering"} | {type: "reveal"} | {type: "computed", id: string} | {type: "uncomputed", id: string, final: boolean}
 *   | {type: "restored"} | {type: "told", id: string} | {type: "untold", id: string, final: boolean} | {type: "press", by: 1 | -1}} Event
 *
 * @typedef {{do: "show", link: string} | {do: "load", link: string} | {do: "play", loads: boolean} | {do: "unplay"} | {do: "aside"} | {do: "say", key: string}
 *   | {do: "answer", question: string, round: number, answer: number | number[]} | {do: "conclude", question: string}
 *   | {do: "compute", id: string} | {do: "tell", id: string} | {do: "close", id: string} | {do: "restore"} | {do: "step", by: 1 | -1} | {do: "remind"}} Act
 * @typedef {[Lead, Act[]]} Next
 */

export {};
