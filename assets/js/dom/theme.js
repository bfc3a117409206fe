/** The theme, light or dark. The browser keeps it; no link holds it. */

const KEY = "headlight-theme";

export const theme = () => (document.body.classList.contains("dark") ? "dark" : "light");

/** Return the theme that the page will open with; gradio has not set it yet. */
export function coming() {
  const linked = new URLSearchParams(location.search).get("__theme");
  const chosen = linked ?? chosenTheme();
  if (chosen === "dark" || chosen === "light") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Return the theme that the visitor chose, or null. */
export const chosenTheme = () => remembered("getItem", KEY);

/** @param {string} theme */
export const keepTheme = (theme) => remembered("setItem", KEY, theme);

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
