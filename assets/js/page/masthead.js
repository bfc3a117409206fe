/** The name of the page and its theme switch. */

import { element } from "../dom/dom.js";
import { chosenTheme, keepTheme, theme } from "../dom/theme.js";

/**
 * @param {HTMLElement} root
 * @param {(key: string) => string} text
 * @param {() => void} redraw called after every change of theme
 */
export function masthead(root, text, redraw) {
  const dark = element("button", { type: "button", className: "tool", id: "dark" }, "◐");
  const label = () => {
    dark.title = text(theme() === "dark" ? "page.light" : "page.dark");
    dark.ariaLabel = dark.title;
  };
  dark.addEventListener("click", () => {
    document.body.classList.toggle("dark");
    keepTheme(theme());
  });
  const chosen = chosenTheme();
  if (chosen && !new URLSearchParams(location.search).has("__theme")) {
    document.body.classList.toggle("dark", chosen === "dark");
  }
  label();
  new MutationObserver(() => {
    label();
    redraw();
  }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  root.replaceChildren(
    element(
      "div",
      { className: "banner" },
      element("h1", {}, "Headlight"),
      element("p", { className: "tagline" }, text("page.tagline")),
      dark,
    ),
  );
}
