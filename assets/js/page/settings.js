/** What Python tells a page when it starts. Types alone. */

/**
 * @typedef {import("../link/values.js").Values} Values
 * @typedef {"light" | "dark"} Theme
 */

/**
 * Settings from Python: visualiser/pages/elements.py and the page's own module.
 * @typedef {object} Settings
 * @property {string} page
 * @property {string[]} pages all of them, in the order of the navigation
 * @property {string} first the page of a link that names none
 * @property {string[]} controls in gradio's order
 * @property {string[]} texts those of them that are boxes of text
 * @property {Values} defaults of every parameter
 * @property {string[]} own parameters of this page only
 * @property {string[]} unread parameters that change nothing on this page
 * @property {import("../link/tab_memory.js").Reach} reach ranges and choices of all pages
 * @property {string[]} [leaves] parameters dropped on the way to another page
 * @property {string} prefix address of the routes, relative to the page
 * @property {string} space OWNER/NAME of the Space that serves it; empty elsewhere
 * @property {string} plotly its address
 * @property {string} unpacking address of the script of offline pages
 * @property {import("../files/origin.js").Versions} versions
 * @property {Record<string, string>} locales addresses of the texts
 * @property {Record<Theme, import("../../types/plotly.js").Template>} templates plotly's
 * @property {Record<string, import("../figures/palette.js").ColourScale>} paper the colour scales of prints, by the first colour of the screen's
 * @property {import("../link/entry.js").Uses} uses
 * @property {Record<string, string>} sections addresses of what defines the numbers
 * @property {number} seedMaximum
 * @property {Record<string, Record<string, unknown>>} [presets] values of each
 * @property {string[]} figures
 * @property {string[]} parts that a link may hide besides controls and figures
 * @property {string[]} lesson controls that stay while the page is presented
 * @property {string[]} [cells] figures of heat maps
 * @property {string[]} [charts] figures of curves, boxes and bars; the page draws what is neither
 * @property {string[]} [places] components besides those of every page
 * @property {Record<string, import("../controls/stops.js").Scale>} [scales] of the logarithmic sliders
 */

export {};
