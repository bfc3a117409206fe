/** The page that the parts of the Map stand on. Types alone. */

/**
 * Settings from visualiser/pages/map/layout.py.
 * @typedef {{viewing: string[], uploadLimit: number, longestText: number, scales: Record<string, import("../../controls/stops.js").Scale>}} Settings
 *
 * @typedef {import("../../page/live_page.js").LivePage<Settings>} Page
 * @typedef {(key: string, fields?: import("../../words/message_format.js").Fields) => string} Text
 */

export {};
