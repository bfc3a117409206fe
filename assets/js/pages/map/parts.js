/** The parts of the Map that its others ask. Types alone. */

/**
 * @typedef {object} MapParts
 * @property {import("./sight.js").Sight} sight what of the map is on screen
 * @property {import("./view_link.js").ViewLink} link
 * @property {import("./computation.js").Computation} computation
 * @property {import("./questions.js").Questions} questions to the server
 * @property {{waits: boolean}} asking true while a question is open that strips, tips and sentences would answer
 */

export {};
