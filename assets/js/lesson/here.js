/** The present state as a step of a lesson. */

import { ofState } from "../link/address.js";
import { inLanguage, looking, PLAIN } from "../link/look.js";

/** @typedef {import("./shape.js").Page} Page */

/**
 * Return the link of the present state for a step: its language and large type are the reader's, and what the page does not read
 * came with the visitor from another one.
 * @param {Page} page
 */
export function stateHere(page) {
  const { hide, focus } = page.presenter.look;
  const link = new URLSearchParams(inLanguage(looking(ofState(page.state.present), { ...PLAIN, hide, focus }), null));
  for (const name of page.settings.unread) link.delete(name);
  return link.toString();
}
