/** What a class sees: present mode, hidden parts, one figure large. Changes no number. Pure. */

/**
 * @typedef {object} Look
 * @property {number} present 1: large type and few controls
 * @property {string[]} hide names of controls, figures and parts
 * @property {string} focus the figure shown large, or nothing
 */

/** @type {Readonly<Look>} */
export const PLAIN = Object.freeze({ present: 0, hide: [], focus: "" });

/** The parameters of a look: `SHAPING` of visualiser/state/view.py. */
export const SHAPING = ["present", "hide", "focus"];

/** Return the look among the values of a page. @param {{present?: unknown, hide?: string | null, focus?: string | null}} values @returns {Look} */
export function lookOf({ present, hide, focus }) {
  return { present: Number(present ?? 0), hide: listed(hide), focus: focus ?? "" };
}

/** Return a look as values of a page. @param {Look} look */
export const valuesOf = ({ present, hide, focus }) => ({ present, hide: hide.join(","), focus });

/** Return the look of a link, as it is written: the server checks the names later. @param {string} query @returns {Look} */
export function lookIn(query) {
  const link = new URLSearchParams(query);
  const present = link.get("present") === "1" ? 1 : 0;
  return { present, hide: listed(link.get("hide")), focus: link.get("focus") ?? "" };
}

/** Return a link with another look. @param {string} query @param {Look} look */
export function looking(query, look) {
  const link = new URLSearchParams(query);
  for (const [name, value] of Object.entries(valuesOf(look))) {
    if (value) link.set(name, String(value));
    else link.delete(name);
  }
  return link.toString();
}

/** Return a link in another language; null: in the browser's. @param {string} query @param {string | null} lang */
export function inLanguage(query, lang) {
  const link = new URLSearchParams(query);
  if (lang) link.set("lang", lang);
  else link.delete("lang");
  return link.toString();
}

/**
 * Return the parts of a list with commas.
 * @param {string | string[] | null | undefined} written a text, or the parts as the server sends them
 * @returns {string[]}
 */
const listed = (written) =>
  String(written ?? "")
    .split(",")
    .filter(Boolean);

/**
 * Return the meaning of a key: P presents and Escape leaves. On a Korean keyboard P writes another letter.
 * @param {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "metaKey" | "shiftKey" | "repeat" | "isComposing">} event
 * @param {boolean} typing true in a text field
 * @returns {"present" | "leave" | null}
 */
export function meant(event, typing) {
  const { key, code, ctrlKey, altKey, metaKey, shiftKey, repeat, isComposing } = event;
  if (ctrlKey || altKey || metaKey || shiftKey || repeat || isComposing) return null;
  if (key === "Escape") return "leave";
  const latin = /^[a-z]$/i.test(key);
  return !typing && (latin ? key.toLowerCase() === "p" : code === "KeyP") ? "present" : null;
}
