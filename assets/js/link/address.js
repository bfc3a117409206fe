/**
 * The address of the page. It holds the state and, beside it, what belongs to this tab: gradio's theme and the signature that a
 * private Space needs, the room that is followed, the lesson that is read, whether another state stands beside it, and the name of
 * the tensors that a notebook handed over. No copied link has them.
 */

import { tellAround } from "./shared_link.js";

const REST = 400;

/** Parameters of the tab, in the order of the address. A `step` that is a number is a lesson's; Anatomy's own steps have names. */
export const OF_TAB = ["room", "lesson", "step", "aside", "held", "__theme", "__sign"];

/** Return true if a pair of a link belongs to the tab. @param {[name: string, value: string]} pair */
const isOfTab = ([name, value]) => OF_TAB.includes(name) && (name !== "step" || /^\d+$/.test(value));

/** Return what a link says of the tab. Pure. @param {string} search @returns {Record<string, string>} */
export function ofTab(search) {
  const found = Object.fromEntries([...new URLSearchParams(search)].filter(isOfTab));
  return Object.fromEntries(OF_TAB.filter((name) => name in found).map((name) => [name, found[name]]));
}

/** Return a link without what belongs to a tab, otherwise as it is written. Pure. @param {string} search */
export function ofState(search) {
  const pairs = [...new URLSearchParams(search)];
  if (!pairs.some(isOfTab)) return search.replace(/^\?/, "");
  return new URLSearchParams(pairs.filter((pair) => !isOfTab(pair))).toString();
}

/** Return a state's link with what belongs to a tab. Pure. @param {string} state @param {Record<string, string>} tab */
export function joined(state, tab) {
  return [ofState(state), new URLSearchParams(tab).toString()].filter(Boolean).join("&");
}

/**
 * Return what writes the state into the address bar, at rest only: each rewrite makes browsers fetch the favicon again.
 * @returns {(canonical: string) => void}
 */
export function addressWriter() {
  let waiting = 0;
  return (canonical) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => write(joined(canonical, ofTab(location.search))), REST);
  };
}

/** What changes of that which belongs to the tab; null removes. @typedef {Record<string, string | null>} TabChange */

/** Return what belongs to the tab after a change. @param {TabChange} change @returns {Record<string, string>} */
export function tabAfter(change) {
  const all = { ...ofTab(location.search), ...change };
  const kept = Object.entries(all).filter(/** @returns {one is [string, string]} */ (one) => one[1] !== null);
  return Object.fromEntries(kept);
}

/** Change what belongs to the tab, in the address. @param {TabChange} change */
export function keepInTab(change) {
  write(joined(location.search, tabAfter(change)));
}

/** @param {string} text the query */
function write(text) {
  if (text === location.search.slice(1)) return;
  history.replaceState(history.state, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
  tellAround(text);
}
