/** The controls behind "more": always on the page, so that links, scripts and presets reach them, and folded at first. */

import { element, inside } from "../dom/dom.js";

/**
 * Add the button that unfolds the group, if the page has one: it then names "more" among its places.
 * @param {import("../dom/dom.js").Place | undefined} place
 * @param {(key: string) => string} text
 */
export function foldMore(place, text) {
  if (!place) return;
  const group = inside(document.body, "#group-more");
  const button = element(
    "button",
    { type: "button", aria: { expanded: "false", controls: group.id } },
    text("group.more"),
  );
  button.addEventListener("click", () => {
    button.setAttribute("aria-expanded", String(group.classList.toggle("is-open")));
  });
  place.element.replaceChildren(button);
}
