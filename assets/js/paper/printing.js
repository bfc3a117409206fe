/** Printing: a sheet of paper stands in the place of the page while the browser prints. assets/css/print.css shows it alone. */

import { forPrinter } from "../figures/density.js";
import { sheet } from "./sheet.js";

/** Take part in every print of this page. @param {import("./figures.js").Source} page */
export function printing(page) {
  /** @type {HTMLElement | null} */
  let paper = null;
  const begin = () => {
    if (paper || document.getElementById("paper")) return; // a handout prints itself
    forPrinter(true);
    paper = sheet(page);
  };
  const end = () => {
    paper?.remove();
    paper = null;
    forPrinter(false);
  };
  window.addEventListener("beforeprint", begin);
  window.addEventListener("afterprint", end);
  // a browser's tools show a page as printed without printing it
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? begin() : end()));
}
