/** Entry: components report themselves with `mount`, the page begins with `start`; gradio's events call the functions below. */

import { Page } from "./page.js";

/** @type {Map<string, {element: HTMLElement, trigger: Function}>} */
const mounted = new Map();
/** @type {Map<string, (place: any) => void>} */
const awaited = new Map();
/** @type {Page | null} */
let page = null;

/** @param {string} name @param {HTMLElement} element @param {Function} trigger raises an event of the gradio component */
export function mount(name, element, trigger) {
  const place = { element: document.getElementById(name) ?? element, trigger };
  mounted.set(name, place);
  awaited.get(name)?.(place);
}

/** The place of a component, as soon as it is there. @param {string} name */
const place = (name) => mounted.get(name) ?? new Promise((resolve) => awaited.set(name, resolve));

/** @param {any} settings @returns {Promise<any[]>} what the controls show */
export async function start(settings) {
  const names = ["masthead", "message", "insight", "arithmetic", "upload", "take-away", "messenger", ...settings.figures.map((name) => `figure-${name}`)];
  page = new Page(settings);
  const places = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await place(name)])));
  await page.open(places);
  return page.controlValues();
}

/** A visitor moved a control. @param {string} name @param {any[]} values its one value */
export const changed = (name, [value]) => page?.changed(name, value);
/** @param {string} name */
export const preset = (name) => page?.preset(name);
export const reset = () => page?.preset(null);
export const newDraw = () => page?.newDraw();
export const togglePin = () => page?.togglePin();
export const controlValues = () => page?.controlValues() ?? [];
