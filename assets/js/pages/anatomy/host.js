/** What the parts of Anatomy need: the page, and the walk on it. Types alone. */

/**
 * Settings from visualiser/pages/anatomy/layout.py.
 * @typedef {{mostLayers: number, colours: Record<string, import("../../figures/palette.js").ColourScale>,
 *   scales: Record<string, import("../../controls/stops.js").Scale>, formulas: Record<string, [string, string] | undefined>}} Anatomy
 *
 * @typedef {import("../../page/live_page.js").LivePage<Anatomy>} Page
 *
 * @typedef {object} Walks
 * @property {import("./arithmetic.js").Walked | null} walked the walk on screen; null before the first
 * @property {boolean} pending true while the page asks and has not answered: no print and no file may answer either
 * @property {() => string[]} steps those that may be shown all at once
 * @property {(change: Record<string, import("../../link/values.js").Value>) => void} go to another step, query, head or layer
 */

export {};
