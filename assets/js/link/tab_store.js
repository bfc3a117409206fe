/** What this tab keeps, by name: in sessionStorage or, in a sandboxed frame, which has none, in the frame's name. Elsewhere nothing is kept. */

const MARK = "headlight:";

/** @param {string} name @returns {string | null} */
export function recall(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return named()[name] ?? null;
  }
}

/** @param {string} name @param {string | null} text null forgets */
export function keep(name, text) {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // A name that others gave the frame is theirs.
    if (window.name !== "" && !window.name.startsWith(MARK)) return;
    const { [name]: _, ...others } = named();
    window.name = MARK + JSON.stringify(text === null ? others : { ...others, [name]: text });
  }
}

/** @returns {Record<string, string | undefined>} */
function named() {
  if (!window.name.startsWith(MARK)) return {};
  try {
    return { ...JSON.parse(window.name.slice(MARK.length)) };
  } catch {
    return {}; // written by another version
  }
}
