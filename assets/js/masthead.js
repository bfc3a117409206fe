/** The name of the page and its theme switch. The browser keeps the theme; no link holds it. */

import { element } from "./dom.js";

const KEY = "headlight-theme";

export const theme = () => (document.body.classList.contains("dark") ? "dark" : "light");

/** Return the theme that the page will open with; gradio has not set it yet. */
export function coming() {
  const linked = new URLSearchParams(location.search).get("__theme");
  const chosen = linked ?? remembered("getItem", KEY);
  if (chosen === "dark" || chosen === "light") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

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
    remembered("setItem", KEY, theme());
  });
  const chosen = remembered("getItem", KEY);
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

/**
 * Call localStorage, which throws if a browser forbids it.
 * @template {"getItem" | "setItem"} Method
 * @param {Method} method
 * @param {Parameters<Storage[Method]>} given
 */
function remembered(method, ...given) {
  try {
    return /** @type {(...given: string[]) => string | null | void} */ (localStorage[method]).apply(
      localStorage,
      given,
    );
  } catch {
    return null;
  }
}
