/** What this browser keeps of lessons: in its storage, else in the tab's, else while the page stands. No server gets it. */

const PREFIX = "headlight-lesson-";
/** For frames without storage. @type {Map<string, string>} */
const here = new Map();

/** @typedef {"localStorage" | "sessionStorage"} Kind how long: over visits, or in this tab */

/** @param {string} name @param {Kind} [kind] @returns {string | null} */
export function recall(name, kind = "localStorage") {
  try {
    return window[kind].getItem(PREFIX + name) ?? here.get(name) ?? null;
  } catch {
    return here.get(name) ?? null;
  }
}

/** @param {string} name @param {string | null} text null forgets @param {Kind} [kind] @returns {boolean} false if it ends with the page */
export function keep(name, text, kind = "localStorage") {
  if (text === null) here.delete(name);
  else here.set(name, text);
  try {
    if (text === null) window[kind].removeItem(PREFIX + name);
    else window[kind].setItem(PREFIX + name, text);
    here.delete(name);
    return true;
  } catch {
    return false;
  }
}

/** Return the step at which a lesson was left, from 1; null if it was not begun. @param {string} name */
export function placeIn(name) {
  const step = Number(recall(`place-${name}`));
  return Number.isInteger(step) && step > 0 ? step : null;
}

/** @param {string} name @param {number | null} step */
export function keepPlace(name, step) {
  keep(`place-${name}`, step === null ? null : String(step));
}

/** True in this tab while the editor stands beside the page: the next page has it again. */
export const isEditing = () => recall("editing", "sessionStorage") !== null;

/** @param {boolean} editing */
export const keepEditing = (editing) => keep("editing", editing ? "1" : null, "sessionStorage");
