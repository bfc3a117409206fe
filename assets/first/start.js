/* The page's language, theme and sizes from its link, before anything is drawn; and what says that the page does not come. */
(() => {
  /** @type {{langs: string[], late: number}} milliseconds after which a page that has not come says so */
  const { langs, late } = JSON.parse(document.currentScript?.dataset.given ?? "");
  const link = new URLSearchParams(location.search);
  const asked = link.get("lang") ?? "";
  const root = document.documentElement;
  if (link.get("present") === "1") root.classList.add("presenting");
  if (langs.includes(asked)) {
    // gradio chooses the language of its labels by these
    Object.defineProperty(navigator, "language", { get: () => asked });
    Object.defineProperty(navigator, "languages", { get: () => [asked] });
  }
  if (self.origin === "null") return; // a frame that cannot start has no page to wait for
  const spoken = navigator.language.toLowerCase().slice(0, 2);
  root.lang = langs.includes(spoken) ? spoken : langs[0];
  let theme = link.get("__theme");
  try {
    theme ??= localStorage.getItem("headlight-theme");
  } catch {
    // a browser that keeps nothing
  }
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.add("opening");
  root.classList.toggle("in-dark", dark);
  root.classList.toggle("hiding", link.has("hide"));
  let known = true;
  /** Show one sentence of the outline. @param {string} name */
  const tell = (name) => {
    for (const sign of document.querySelectorAll("#outline [role=status] > span")) {
      sign.toggleAttribute("hidden", !sign.classList.contains(name));
      sign.querySelector("a")?.setAttribute("href", location.href);
    }
  };
  const isLate = () => known && tell("outlined-late");
  setTimeout(isLate, late);
  addEventListener("headlight-late", isLate);
  addEventListener("unhandledrejection", isLate);
  addEventListener("error", isLate, true); // a script or a style that did not come, as well
  addEventListener("headlight-unknown", () => {
    known = false; // whatever else goes wrong, goes wrong because of this
    tell("outlined-unknown");
  });
})();
