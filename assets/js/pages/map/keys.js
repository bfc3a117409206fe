/** The keyboard on the map: arrows move the window, plus and minus zoom, Enter opens the row at its centre. Pure. */

/** Share of the window that an arrow moves; with Shift, most of it. */
const STEP = 0.125;
const LEAP = 0.75;

/**
 * @param {string} key of the keyboard event @param {boolean} shift @param {{across: number, down: number}} view
 * @returns {{pan?: {x: number, y: number}, zoom?: number, whole?: boolean, end?: "first" | "last", open?: boolean, release?: boolean} | null}
 */
export function wish(key, shift, { across, down }) {
  // If cells are large, an arrow moves by one cell.
  const step = (/** @type {number} */ cells) => (shift ? LEAP : Math.max(STEP, 1 / cells));
  switch (key) {
    case "ArrowLeft":
      return { pan: { x: -step(across), y: 0 } };
    case "ArrowRight":
      return { pan: { x: step(across), y: 0 } };
    case "ArrowUp":
      return { pan: { x: 0, y: -step(down) } };
    case "ArrowDown":
      return { pan: { x: 0, y: step(down) } };
    case "PageUp":
      return { pan: { x: 0, y: -LEAP } };
    case "PageDown":
      return { pan: { x: 0, y: LEAP } };
    case "Home":
      return { end: "first" };
    case "End":
      return { end: "last" };
    case "Enter":
    case " ":
      return { open: true };
    case "Escape":
      return { release: true };
    case "+":
    case "=":
      return { zoom: 0.5 };
    case "-":
      return { zoom: 2 };
    case "0":
      return { whole: true };
    default:
      return null;
  }
}
