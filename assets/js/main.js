/** Entry: components register with `mount`; `start` begins the page; gradio's events call its methods through `act`. */

/**
 * @typedef {object} Place of one of gradio's components
 * @property {HTMLElement} element
 * @property {(event: string) => void} trigger raises an event on the component
 */

/** @type {Map<string, Place>} */
const mounted = new Map();
/** @type {Map<string, (place: Place) => void>} */
const awaited = new Map();
/** @type {import("./live_page.js").LivePage | null} */
let page = null;

/** @param {string} name @param {HTMLElement} element @param {Place["trigger"]} trigger */
export function mount(name, element, trigger) {
  const place = { element: document.getElementById(name) ?? element, trigger };
  mounted.set(name, place);
  awaited.get(name)?.(place);
}

/** Return the place of a component, as soon as it is mounted. @param {string} name @returns {Place | Promise<Place>} */
const place = (name) => mounted.get(name) ?? new Promise((resolve) => awaited.set(name, resolve));

/** @param {import("./shell.js").Settings} settings from Python @returns {Promise<import("./controls.js").Value[]>} the controls' values */
export async function start(settings) {
  const { Page } = await import(`./${settings.page}/page.js`);
  /** @type {import("./live_page.js").LivePage} */
  const opening = new Page(settings);
  const places = Object.fromEntries(
    await Promise.all(opening.places().map(async (name) => /** @type {const} */ ([name, await place(name)]))),
  );
  page = opening;
  await opening.open(places);
  return opening.controlValues();
}

/**
 * Pass an event of a control to the page.
 * @param {string} method of the page: Python names it
 * @param {unknown[]} given fixed arguments, then the values of the inputs
 */
export function act(method, ...given) {
  const named = /** @type {Record<string, (...given: unknown[]) => unknown> | null} */ (/** @type {unknown} */ (page));
  return named?.[method](...given);
}
export const controlValues = () => page?.controlValues() ?? [];
