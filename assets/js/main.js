/** Entry: components report themselves with `mount`, the page begins with `start`; gradio's events call the page's methods through `act`. */

/** @type {Map<string, {element: HTMLElement, trigger: Function}>} */
const mounted = new Map();
/** @type {Map<string, (place: any) => void>} */
const awaited = new Map();
/** @type {import("./shell.js").Shell | null} */
let page = null;

/** @param {string} name @param {HTMLElement} element @param {Function} trigger raises an event of the gradio component */
export function mount(name, element, trigger) {
  const place = { element: document.getElementById(name) ?? element, trigger };
  mounted.set(name, place);
  awaited.get(name)?.(place);
}

/** The place of a component, as soon as it is there. @param {string} name */
const place = (name) => mounted.get(name) ?? new Promise((resolve) => awaited.set(name, resolve));

/** @param {any} settings of the page, from Python @returns {Promise<any[]>} what the controls show */
export async function start(settings) {
  const { Page } = await import(`./${settings.page}/page.js`);
  const opening = new Page(settings);
  const places = Object.fromEntries(await Promise.all(opening.places().map(async (name) => [name, await place(name)])));
  page = opening;
  await opening.open(places);
  return opening.controlValues();
}

/** An event of a control. @param {string} method of the page @param {any[]} given fixed arguments, then the values of the inputs */
export const act = (method, ...given) => page?.[method](...given);
export const controlValues = () => page?.controlValues() ?? [];
