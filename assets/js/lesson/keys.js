/** The keys of a lesson, which are those of a slide clicker. Pure. */

/** Where keys have a meaning of their own. */
const TYPED = "input, textarea, select, [contenteditable], dialog, details.menu[open]";
const MOVED = "[role=slider], .stage, [role=radio], .reason-tip";

/** @type {Record<string, "next" | "back" | "blank">} */
const MEANINGS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", ".": "blank" };

/**
 * Return what a key asks of the lesson. On a Korean keyboard B writes another letter.
 * @param {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "metaKey" | "shiftKey" | "isComposing" | "target">} event
 * @returns {"next" | "back" | "blank" | null}
 */
export function meant({ key, code, ctrlKey, altKey, metaKey, shiftKey, isComposing, target }) {
  if (ctrlKey || altKey || metaKey || shiftKey || isComposing) return null;
  if (target instanceof Element && target.closest(`${TYPED}, ${MOVED}`)) return null;
  if (/^[a-z]$/i.test(key) ? key.toLowerCase() === "b" : code === "KeyB") return "blank";
  return MEANINGS[key] ?? null;
}
