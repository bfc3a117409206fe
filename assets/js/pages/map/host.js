/** What the parts of the Map share; each names those of its own. Types alone. */

/**
 * Settings from visualiser/pages/map/layout.py.
 * @typedef {{viewing: string[], uploadLimit: number, longestText: number, scales: Record<string, import("../../controls/stops.js").Scale>}} Settings
 *
 * @typedef {import("../../page/live_page.js").LivePage<Settings>} Page
 * @typedef {(key: string, fields?: import("../../words/message_format.js").Fields) => string} Text
 *
 * The parts that the others ask.
 * @typedef {object} MapParts
 * @property {import("./sight.js").Sight} sight what of the map is on screen
 * @property {import("./view_link.js").ViewLink} link
 * @property {import("./computation.js").Computation} computation
 * @property {import("./questions.js").Questions} questions to the server
 * @property {{waits: boolean}} asking true while a question is open that strips, tips and sentences would answer
 */

export {};
