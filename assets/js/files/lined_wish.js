/** The wish for a line of the state below pictures: one for all figures, kept in this tab. */

const KEY = "headlight-lined";

/** @type {boolean | null} not yet read */
let wished = null;

/** Return true if the visitor wants the line. */
export const isLined = () => (wished ??= kept());

/** @param {boolean} on */
export function wishLine(on) {
  wished = on;
  for (const box of document.querySelectorAll(".lined > input")) /** @type {HTMLInputElement} */ (box).checked = on;
  try {
    sessionStorage.setItem(KEY, String(on));
  } catch {
    // a sandboxed frame keeps it until the page is left
  }
}

function kept() {
  try {
    return sessionStorage.getItem(KEY) === "true";
  } catch {
    return false;
  }
}
