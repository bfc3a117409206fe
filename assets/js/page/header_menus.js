/** The menus in the header of every page: lessons, its presets, if it has any, what can be taken away or left out, and the room. */

import { helpButton, lessonMenu, roomMenu } from "./classroom.js";
import { menu } from "../dom/menu.js";
import { presetMenu } from "../controls/preset_menu.js";
import { shareButton } from "./share_button.js";
import { signed } from "../dom/svg.js";
import { shaping } from "./shaping.js";

const DOWN = "M10 3v9.5 M6 8.8l4 4 4-4 M3.5 16.5h13";

/**
 * @param {import("./live_page.js").LivePage} page
 * @param {Record<string, import("../dom/dom.js").Place>} places the downloads in "take-away" move into their menu
 * @param {(name: string | null) => void} [choose] goes to a preset, if a page does that in its own way; null: the defaults
 */
export function headerMenus(page, places, choose = (name) => preset(page, name)) {
  const takes = page.text("export.title");
  const presets = Object.keys(page.settings.presets ?? {});
  places.menus.element.replaceChildren(
    lessonMenu(page),
    ...(presets.length ? [presetMenu(presets, (key) => page.text(key), choose)] : []),
    menu("takes", signed(DOWN, takes), takes, shareButton(page), places["take-away"].element, shaping(page)),
    roomMenu(page),
    helpButton(page),
  );
}

/** Go to a preset: what it does not name is at its default. @param {import("./live_page.js").LivePage} page @param {string | null} name */
function preset(page, name) {
  const { defaults, presets } = page.settings;
  const chosen = name ? presets[name] : {};
  page.move({ ...defaults, lang: page.state.values.lang, ...chosen }, true);
}
