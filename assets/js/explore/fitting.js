/** The controls that have an effect in a state, and the text of the pin. */

import { differing } from "../controls.js";
import { unused } from "../entry.js";

/**
 * @param {import("../controls.js").Values} values @param {import("../entry.js").Uses} uses
 * @param {string} canonical the link on screen
 * @param {(key: string, fields?: import("../controls.js").Fields) => string} text @param {HTMLElement} said holds the names of A and B
 */
export function fit(values, uses, canonical, text, said) {
  const hidden = unused(uses, values);
  for (const name of Object.keys(values)) {
    document.getElementById(`control-${name}`)?.classList.toggle("not-now", hidden.includes(name));
  }
  document.getElementById("upload")?.classList.toggle("not-now", values.source !== "upload");
  const pin = document.getElementById("pin");
  if (pin) {
    pin.textContent = text(values.pin ? "page.unpin" : "page.pin");
    pin.setAttribute("aria-pressed", String(Boolean(values.pin)));
  }
  said.hidden = !values.pin;
  if (!values.pin) return;
  const { a, b } = differing(values.pin, canonical);
  /** @param {[string, string][]} pairs */
  const written = (pairs) => pairs.map(([key, value]) => `${key} = ${value}`).join(", ") || text("page.defaults");
  said.textContent = text("page.pinned", { a: written(a), b: written(b) });
}
