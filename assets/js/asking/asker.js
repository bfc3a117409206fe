/** What a question needs of the page that asks it. Types alone. */

/**
 * @typedef {import("../link/values.js").Values} Values
 *
 * @typedef {object} Asker
 * @property {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
 * @property {{allows: (wish: "move" | "reveal") => boolean, guide: (work: () => void) => void}} leader of the page: is asked for a wish
 *   and refuses aloud; changes the page as a program does that may
 *
 * A page whose values say whether it asks.
 * @typedef {object} Opening
 * @property {import("../link/state.js").State} state
 * @property {(values: Values, tellControls: boolean) => void} move
 *
 * A page that keeps its verdict beside a state.
 * @typedef {object} Judging
 * @property {{viewing: string[]}} settings names that change no number
 * @property {{fail: (sentence: string | null) => void, speak: (sentence: string) => void}} message
 */

export {};
