/** Type as large as its box allows. */

const TRIES = 7;

/**
 * Give a box the largest type at which nothing in it overflows, as `--fit`, a factor of its usual type. If even the
 * smallest overflows, the box scrolls.
 * @param {HTMLElement} box @param {number} least @param {number} most
 */
export function fitType(box, least, most) {
  /** @param {number} factor */
  const fits = (factor) => {
    box.style.setProperty("--fit", String(factor));
    return box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight;
  };
  if (fits(most)) return reachable(box, false);
  let [low, high] = [least, most];
  for (let i = 0; i < TRIES; i += 1) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  reachable(box, !fits(low));
}

/** Let the keyboard reach a box that scrolls, and no other. @param {HTMLElement} box @param {boolean} [scrolls] */
export function reachable(box, scrolls = box.scrollHeight > box.clientHeight) {
  if (scrolls) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}

/**
 * Fit the type again whenever the box changes its size; return the function to call after a change of its content.
 * @param {HTMLElement} box @param {number} least @param {number} most
 */
export function keepFitted(box, least, most) {
  const fit = () => fitType(box, least, most);
  new ResizeObserver(fit).observe(box);
  return fit;
}
