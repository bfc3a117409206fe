/** What students offer, in words: the page and what differs from the class's state. */

import { short } from "../controls/control_bar.js";
import { differing } from "../link/values.js";

const MOST = 4;

/**
 * @param {string} link of the offer @param {string} present the class's @param {import("../page/live_page.js").LivePage} page
 */
export function described(link, present, page) {
  const to = new URLSearchParams(link).get("page") ?? page.settings.first;
  const title = page.text(`choice.page.${to}`);
  const from = new URLSearchParams(present).get("page") ?? page.settings.first;
  if (to !== from) return title;
  const changes = differing(present, link, page.settings.defaults).slice(0, MOST);
  const named = changes.map(([name, , value]) => {
    const choice = `choice.${name}.${value}`;
    const label = `control.${name}.label`;
    const has = (/** @type {string} */ key) => page.text(key) !== key;
    const shown = name in page.settings.defaults && has(label) ? short(page.text(label)) : name;
    return `${shown} = ${has(choice) ? page.text(choice) : value}`;
  });
  return [title, ...named].join(" · ");
}
