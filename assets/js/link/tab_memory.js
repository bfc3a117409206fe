/**
 * Each page's state in this tab, so that a visit to another page changes nothing of it (docs/decisions/page-memory.md). A tab that
 * keeps nothing carries its link alone.
 */

import { query } from "./values.js";
import { recall, keep as store } from "./tab_store.js";

/**
 * @template T
 * @typedef {Record<string, Record<string, T | undefined> | undefined>} ByPage
 */

/** @typedef {import("./values.js").Values} Values */

/**
 * @typedef {object} Memory
 * @property {Record<string, string | undefined>} links the state of each page that was left
 * @property {{page: string, values: Values} | null} arrived the state with which the present page was opened
 *
 * Ranges and choices of the pages; "" holds what pages without their own have.
 * @typedef {{bounds: ByPage<[number, number]>, choices: ByPage<string[]>}} Reach
 *
 * @typedef {object} Left the page that is left
 * @property {string} page
 * @property {string} link its state
 * @property {Values} values
 * @property {Values | null} arrived its values when it was opened
 * @property {string[]} keeps names that stay with it
 */

const KEY = "headlight-pages";
/** Written by the way itself. */
const WAY = ["page", "lang"];
/** What a class sees of any page goes along as it is (docs/decisions/present.md). */
const LOOK = ["present", "hide", "focus"];

/** Remember the values with which a page was opened, over reloads. @param {string} page @param {Values} values */
export function arrive(page, values) {
  const memory = recalled();
  if (memory.arrived?.page !== page) keep({ ...memory, arrived: { page, values } });
}

/**
 * Return what gives each page its link if the visitor went there now.
 * @param {Left} left `arrived`: for want of a memory
 * @param {Reach} reach
 * @returns {(to: string) => string}
 */
export function ways(left, reach) {
  const { links, arrived } = recalled();
  const from = { ...left, arrived: arrived?.page === left.page ? arrived.values : left.arrived };
  return (to) => linkTo(from, to, links, reach);
}

/** Remember the state of a page that is left. @param {string} page @param {string} link */
export function remember(page, link) {
  keep({ links: { ...recalled().links, [page]: link }, arrived: null });
}

/** Return what this tab remembers. @returns {Memory} */
function recalled() {
  try {
    const found = JSON.parse(recall(KEY) ?? "null");
    if (found && typeof found.links === "object") return { links: { ...found.links }, arrived: found.arrived ?? null };
  } catch {
    // Written by another version, or by somebody else.
  }
  return { links: {}, arrived: null };
}

/** @param {Memory} memory */
const keep = (memory) => store(KEY, JSON.stringify(memory));

/**
 * Return the link of another page: its own remembered state with what the visitor changed on the page that is left; on a first
 * visit, that page's state. A value out of its range stays behind. Pure.
 * @param {Left} left @param {string} to @param {Record<string, string | undefined>} links remembered @param {Reach} reach
 */
export function linkTo({ page, link, values, arrived, keeps }, to, links, reach) {
  const known = links[to];
  const here = new URLSearchParams(link);
  const next = new URLSearchParams(known ?? "");
  const carried = known === undefined || !arrived ? here : new URLSearchParams(query(changed(values, arrived)));
  for (const [name, value] of carried) {
    if (![...keeps, ...WAY, ...LOOK].includes(name) && fits(reach, to, name, value)) next.set(name, value);
  }
  if (values.source === "model" && next.get("source") === "model") {
    const before = known !== undefined && arrived?.source === "model" ? arrived : null;
    // its page's own text, with which others do not begin, is in no link
    if (String(values.text) !== String(before?.text)) next.set("text", String(values.text));
    // a head means the same on each page; 0, all of them, only where there is room for them
    if (Number(values.head) > 0 && String(values.head) !== String(before?.head)) next.set("head", String(values.head));
  }
  for (const name of [...WAY, ...LOOK]) next.delete(name);
  for (const name of LOOK) {
    const value = here.get(name);
    if (value) next.set(name, value);
  }
  const lang = here.get("lang");
  if (lang) next.set("lang", lang);
  if (to !== page) next.set("page", to);
  return next.toString();
}

/** Return the values that differ. @param {Values} now @param {Values} before */
function changed(now, before) {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => String(value) !== String(before[name])));
}

/**
 * Return what is kept under a name. A link may name what every object has, as `constructor`.
 * @template T @param {Record<string, T> | undefined} kept @param {string} name @returns {T | undefined}
 */
const own = (kept, name) => (kept && Object.hasOwn(kept, name) ? kept[name] : undefined);

/** Return true if a page has this value. @param {Reach} reach @param {string} page @param {string} name @param {string} value */
function fits({ bounds, choices }, page, name, value) {
  const range = own(own(bounds, page), name) ?? own(bounds[""], name);
  const among = own(own(choices, page), name) ?? own(choices[""], name);
  if (among && !among.includes(value)) return false;
  return !range || (Number(value) >= range[0] && Number(value) <= range[1]);
}
