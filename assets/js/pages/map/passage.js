/** The visitor's text: short ones travel in the link, long ones beside it; empty means the page's own passage. */

import { element } from "../../dom/dom.js";

const REST = 500;

/**
 * @param {HTMLElement} root @param {import("./host.js").Page} page
 * @param {(text: string, bytes: Uint8Array | null) => void} changed the text for the link, and its bytes if it is too long for one
 */
export function passageBox(root, page, changed) {
  const box = element("textarea", { id: "control-text", rows: 4, placeholder: page.text("map.passage_placeholder") });
  const passage = element(
    "p",
    { className: "said", id: "passage-said" },
    page.text("map.passage_help", { characters: page.settings.longestText }),
  );
  box.setAttribute("aria-describedby", "passage-said");
  root.replaceChildren(
    element(
      "div",
      { className: "upload" },
      element("label", { htmlFor: "control-text" }, page.text("control.text.label")),
      box,
      passage,
    ),
  );
  let rest = 0;
  box.addEventListener("input", () => {
    clearTimeout(rest);
    rest = setTimeout(() => {
      const long = box.value.length > page.settings.longestText;
      const own = box.value && !long ? box.value : (page.settings.defaults.text ?? "");
      changed(own, long ? new TextEncoder().encode(box.value) : null);
    }, REST);
  });
  return {
    fill: (/** @type {string} */ text) => {
      if (document.activeElement !== box) box.value = text;
    },
  };
}
