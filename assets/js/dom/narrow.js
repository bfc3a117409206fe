/** The width of the window: a narrow page has another layout, which the server knows of. */

const NARROW = "(max-width: 700px)";

export const isNarrow = () => matchMedia(NARROW).matches;

/** Call `changed` whenever the page becomes narrow or wide. @param {() => void} changed */
export const onNarrow = (changed) => matchMedia(NARROW).addEventListener("change", changed);
