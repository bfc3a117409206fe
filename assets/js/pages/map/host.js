/** What the parts of the Map need of their page; each names those of its own. Types alone. */

/**
 * Settings from visualiser/pages/map/layout.py.
 * @typedef {{viewing: string[], uploadLimit: number, longestText: number, scales: Record<string, import("../../controls/stops.js").Scale>}} Settings
 *
 * @typedef {import("../../page/live_page.js").LivePage<Settings>} Page
 * @typedef {import("./model.js").Model} Model
 *
 * @typedef {object} Mapped
 * @property {Model | null} model the map on screen
 * @property {boolean} covers true while a question is open that strips, tips and sentences would answer
 * @property {boolean} current true if the map on screen matches the controls
 * @property {boolean} masked
 * @property {boolean} isComputing true while a run is under way or starts unasked
 * @property {(change: Record<string, import("../../link/values.js").Value>) => void} see changes the view of the same map
 * @property {(window: Record<string, number>) => string} linkOf
 * @property {(sink: import("./sinks.js").Sink) => string} sinkName
 * @property {() => void} compute
 */

export {};
