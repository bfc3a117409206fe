/**
 * Drags that end when the pointer lets go, whatever came between: a right click, a selected text that the browser would drag in their
 * place, a capture that was lost, a finger that scrolls.
 */

/**
 * Keep a selected text from being dragged in place of a slider: who misses a slider by some pixels selects text, and so does Ctrl A.
 */
export function holdFast() {
  const onSlider = (/** @type {Event} */ { target }) =>
    target instanceof Element && target.matches("input[type=range]");
  const capture = { capture: true };
  document.addEventListener("pointerdown", (event) => onSlider(event) && unselect(), capture);
  document.addEventListener("dragstart", (event) => onSlider(event) && event.preventDefault(), capture);
}

/** What is selected would be dragged. */
const unselect = () => document.getSelection()?.removeAllRanges();

/**
 * @typedef {object} Hands what follows a pointer
 * @property {(event: PointerEvent) => boolean | void} begin false: this press is no drag
 * @property {(event: PointerEvent) => void} move
 * @property {(event: PointerEvent, done: boolean) => void} [end] `done`: false if the drag was broken off
 */

/**
 * Hear drags on an element: of the main button of a mouse or pen, or of each finger by itself.
 * @param {Element} root @param {Hands} hands
 */
export function hearDrag(root, { begin, move, end = () => {} }) {
  /** @type {Set<number>} */
  const down = new Set();
  const on = (/** @type {string} */ type, /** @type {(event: PointerEvent) => void} */ heard) => {
    root.addEventListener(type, (event) => heard(/** @type {PointerEvent} */ (event)));
  };
  const over = (/** @type {PointerEvent} */ event, /** @type {boolean} */ done) => {
    if (down.delete(event.pointerId)) end(event, done);
  };
  on("pointerdown", (event) => {
    over(event, false); // its end was not heard
    if (event.button !== 0 || begin(event) === false) return;
    unselect();
    down.add(event.pointerId);
    root.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    if (event.buttons & 1) move(event);
    else over(event, false); // let go where nobody heard it, as over the menu of a right click
  });
  on("pointerup", (event) => over(event, true));
  for (const type of ["selectstart", "dragstart"]) root.addEventListener(type, (event) => event.preventDefault());
  for (const type of ["pointercancel", "lostpointercapture"]) on(type, (event) => over(event, false));
}
