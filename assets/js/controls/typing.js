/** The box in which the visitor types: the page leaves half-typed values alone, and so does gradio. */

/** @returns {string | null} its name */
export function typedControl() {
  const box = document.activeElement;
  if (!box?.matches("input[type=number], textarea")) return null;
  return box.closest("[id^=control-]")?.id.slice("control-".length) ?? null;
}

/**
 * Listen at the text boxes' own elements: gradio measures a box first, and reports a letter 10 ms later.
 * @param {string[]} names of the controls @param {(name: string, value: string) => void} typed
 */
export function hearTexts(names, typed) {
  for (const name of names) {
    /** @type {HTMLTextAreaElement | HTMLInputElement | null | undefined} */
    const box = document.getElementById(`control-${name}`)?.querySelector("textarea, input");
    box?.addEventListener("input", () => typed(name, box.value));
  }
}

/** @param {string} one @param {string} other */
const isSameNumber = (one, other) => one === other || (one !== "" && other !== "" && Number(one) === Number(other));

/**
 * Keep what the visitor types from writes that change no number. A frame after a key gradio writes the number that it has
 * by then. At "0." that is 0: the point goes, the caret stands in front, and the 3 of "0.3" makes it 30.
 * @param {HTMLInputElement} box
 */
export function keepTyped(box) {
  const { get, set } = /** @type {Required<PropertyDescriptor>} */ (
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")
  );
  Object.defineProperty(box, "value", {
    get,
    set(/** @type {unknown} */ value) {
      if (document.activeElement !== box || !isSameNumber(String(value), get.call(box))) set.call(box, value);
    },
  });
}
