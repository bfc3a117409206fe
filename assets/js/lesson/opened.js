/** A lesson of one's own, from this browser or from the link: checked whenever it is to be played. */

import { checked } from "./check.js";
import { draft } from "./draft.js";
import { format } from "./format.js";
import { packedIn } from "./packing.js";

/** Names in `lesson=` of the lesson that is being made in this browser, and of one that the link itself holds. */
export const [OWN, LINKED] = ["own", "linked"];

/**
 * Return a lesson of one's own by its name in a link, or what keeps it from being played; neither if there is none.
 * @param {string} name
 * @returns {Promise<ReturnType<typeof checked>>}
 */
export async function opened(name) {
  const own = name === OWN ? draft() : null;
  const text = own ? JSON.stringify(own) : name === LINKED ? await packedIn(location.hash) : null;
  return text === null ? { lesson: null, problems: [] } : checked(text, await format());
}
