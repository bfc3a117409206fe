/** Where a bare link into the teacher's own lesson leads: only this browser knows its steps (the server those of others). */

import { joined, ofState, ofTab } from "../link/address.js";
import { draft } from "./draft.js";
import { placeIn } from "../link/kept.js";
import { OWN } from "./opened.js";
import { pageIn } from "./settled.js";

/** What a link may say besides and name no state. */
const OF_READER = ["lang", "present"];

/**
 * Put the step's state into such a link before anything is computed.
 * @param {string} page that is being opened @param {string[]} pages that there are: a link to no page stays, and is refused later
 * @returns {boolean} true if another page comes instead
 */
export function leadsAway(page, pages) {
  const tab = ofTab(location.search);
  const given = [...new URLSearchParams(ofState(location.search))];
  if (tab.lesson !== OWN || "aside" in tab || given.some(([name]) => !OF_READER.includes(name))) return false;
  const at = Number(tab.step) || placeIn(OWN) || 1;
  const steps = draft()?.steps ?? [];
  const step = at > steps.length ? steps.at(-1) : steps[at - 1]; // the summary stands on the last one's page
  if (!step || !pages.includes(pageIn(step.link))) return false;
  const state = new URLSearchParams(step.link);
  for (const [name, value] of given) state.set(name, value);
  const address = `${location.pathname}?${joined(state.toString(), { ...tab, step: String(at) })}`;
  const here = pageIn(step.link) === page;
  if (here) history.replaceState(history.state, "", address);
  else location.replace(address);
  return !here;
}
