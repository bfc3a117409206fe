/** The menus in the header of every page: its presets, if it has any, and what can be taken away or left out. */

import { menu } from "./menu.js";
import { presetMenu } from "./preset_menu.js";
import { shaping } from "./shaping.js";

/**
 * @param {import("./shell.js").Shell} page
 * @param {Record<string, import("./main.js").Place>} places the downloads in "take-away" move into their menu
 * @param {string[]} [presets] names
 * @param {(name: string | null) => void} [choose] null: the defaults
 */
export function headerMenus(page, places, presets = [], choose = () => {}) {
  const takes = page.text("export.title");
  places.menus.element.replaceChildren(
    ...(presets.length ? [presetMenu(presets, (key) => page.text(key), choose)] : []),
    menu("takes", takes, takes, places["take-away"].element, shaping(page)),
  );
}
