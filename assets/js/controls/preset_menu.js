/** The menu of presets: each with what it promises to show, and the way back to the defaults. */

import { element } from "../dom/dom.js";
import { menu } from "../dom/menu.js";
import { signed } from "../dom/svg.js";
import { typeset } from "../words/symbols.js";

const LIST = "M3 5.5h2 M8 5.5h9 M3 10h2 M8 10h9 M3 14.5h2 M8 14.5h9";

/**
 * @param {string[]} names @param {(key: string) => string} text
 * @param {(name: string | null) => void} choose null: the defaults
 */
export function presetMenu(names, text, choose) {
  /** @param {string} id @param {string} name @param {string} promise @param {string | null} value */
  const choice = (id, name, promise, value) =>
    element(
      "button",
      {
        type: "button",
        className: "choice",
        id,
        onclick: () => {
          root.open = false;
          root.querySelector("summary")?.focus();
          choose(value);
        },
      },
      element("strong", {}, ...typeset(name)),
      element("span", { className: "promise" }, ...typeset(promise)),
    );
  const root = menu(
    "presets",
    signed(LIST, text("page.presets")),
    text("page.presets"),
    ...names.map((name) => choice(`preset-${name}`, text(`preset.${name}`), text(`promise.${name}`), name)),
    choice("reset", text("page.reset"), text("promise.reset"), null),
  );
  return root;
}
