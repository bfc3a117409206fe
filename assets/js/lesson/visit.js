/** Goes to the state of a link. */

import { lookIn, looking } from "../link/look.js";
import { pageIn, state } from "./settled.js";

/**
 * Go to a link, unless the page shows it; the large type of a talk stays.
 * @param {import("./shape.js").Page} page @param {string} link @param {import("../link/address.js").TabChange} [tab] on another page
 */
export async function visit(page, link, tab = {}) {
  const { present: large } = page.presenter.look;
  const own = lookIn(link);
  const shaped = { ...own, present: large };
  const stands =
    page.state.canonical !== null && state(page.state.present) === state(link) && pageIn(link) === page.settings.page;
  if (stands && JSON.stringify(page.presenter.look) === JSON.stringify(shaped)) return;
  await page.ways.goTo(looking(link, shaped), tab);
}
