/** Entry: components register with `mount`; `start` begins the page; gradio's events call its methods through `act`. */

import { holdFast } from "./dom/drag.js";
import { leadsAway } from "./lesson/own_link.js";
import { dressed } from "./page/later_style.js";
import { Opening } from "./page/opening.js";
import { late, show } from "./page/outline.js";
import { Texts } from "./page/texts.js";
import { typesetIn } from "./words/symbols.js";

/**
 * @typedef {import("./dom/dom.js").Place} Place
 * @typedef {import("./page/live_page.js").LivePage} LivePage
 */

/** @type {Map<string, Place>} */
const mounted = new Map();
/** @type {Map<string, (place: Place) => void>} */
const awaited = new Map();
/** @type {LivePage | null} */
let page = null;
/** The page that asks ahead. @type {Promise<Opening> | null} */
let opening = null;

const START = /\.start\((\{.*\})\)$/s;

holdFast();

/** @param {string} name @param {HTMLElement} element @param {Place["trigger"]} trigger */
export function mount(name, element, trigger) {
  const place = { element: document.getElementById(name) ?? element, trigger };
  mounted.set(name, place);
  awaited.get(name)?.(place);
}

/** Return the place of a component, as soon as it is mounted. @param {string} name @returns {Place | Promise<Place>} */
const place = (name) => mounted.get(name) ?? new Promise((resolve) => awaited.set(name, resolve));

/** @param {import("./page/settings.js").Settings} settings */
async function made(settings) {
  const { Page } = await import(`./pages/${settings.page}/page.js`);
  const texts = new Texts(settings.locales);
  return new Opening(new Page(settings, { texts, later }), texts);
}

/**
 * @template Module
 * @typedef {{[Name in keyof Module]: Module[Name] extends (page: LivePage, ...more: infer More) => infer Result ? (...more: More) => Result : never}} Given
 */

/**
 * Return the functions of a module of later/, which take the page first, for this page. @template {object} Module
 * @param {LivePage} page @param {Module} module
 */
const given = (page, module) =>
  /** @type {Given<Module>} */ (
    Object.fromEntries(Object.entries(module).map(([name, work]) => [name, work.bind(null, page)]))
  );

/** Return what loads for a page what only some visitors use. @param {LivePage} page @returns {import("./page/later.js").Later} */
const later = (page) => ({
  lessons: async () => given(page, await dressed("lesson", import("./later/lessons.js"))),
  room: async () => given(page, await dressed("class", import("./later/room.js"))),
  head: async () => given(page, await dressed("head", import("./later/head.js"))),
  share: async () => given(page, await dressed("share", import("./later/share.js"))),
});

/**
 * Ask for the page's texts and its first picture while gradio still starts. The settings are those of gradio's load event.
 * @param {{dependencies?: {js: unknown}[], css?: string} | undefined} config gradio's
 */
export function ahead(config) {
  const found = config?.dependencies?.map(({ js }) => START.exec(String(js))).find(Boolean);
  if (!found) {
    show(); // gradio's own page, as that of a login
    return;
  }
  if (opening) return;
  const outline = document.getElementById("outline");
  if (outline) typesetIn(outline);
  const settings = JSON.parse(found[1]);
  if (leadsAway(settings.page, Object.keys(settings.reach.bounds))) {
    opening = new Promise(() => {}); // this page is being left
    return;
  }
  const making = made(settings);
  opening = making;
  making.then(
    (one) => one.ahead(String(config?.css ?? "")),
    () => (opening = null), // `start` tries again, and its failure is heard
  );
}

/** @param {import("./page/settings.js").Settings} settings from Python @returns {Promise<import("./link/values.js").Value[]>} the controls' values */
export async function start(settings) {
  const starting = await (opening ?? made(settings));
  const places = Object.fromEntries(
    await Promise.all(starting.places().map(async (name) => /** @type {const} */ ([name, await place(name)]))),
  );
  page = starting.page;
  try {
    await starting.open(places);
  } catch (problem) {
    late();
    throw problem;
  }
  return page.controls.values();
}

/**
 * Pass an event of a control to the page.
 * @param {string} method of the page's parts as "PART.METHOD": Python names it
 * @param {unknown[]} given fixed arguments, then the values of the inputs
 */
export function act(method, ...given) {
  if (!page) return undefined;
  /** @typedef {Record<string, unknown>} Part */
  let owner = /** @type {Part} */ (/** @type {unknown} */ (page));
  const path = method.split(".");
  const name = path.pop() ?? "";
  for (const part of path) owner = /** @type {Part} */ (owner[part]);
  return /** @type {(...given: unknown[]) => unknown} */ (owner[name]).apply(owner, given);
}
export const controlValues = () => page?.controls.values() ?? [];
