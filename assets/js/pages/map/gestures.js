/** Fingers, mouse and wheel on the map, as wishes about its window. Points are fractions of the map, independent of pixels. */

import { hearDrag } from "../../dom/drag.js";

/** Largest move in pixels of a press that counts as a click. */
const STILL = 4;
const LINE = 16;

/**
 * @typedef {import("./view.js").Point} Point
 * @typedef {import("./view.js").Pair} Pair
 */

/**
 * @param {HTMLElement} root the map's cells
 * @param {{zoom: (factor: number, at: Point) => void, pan: (x: number, y: number) => void, pinch: (before: Pair, now: Pair) => void,
 *   hover: (at: Point | null) => void, click: (at: Point) => void, filled: () => boolean}} wishes `filled`: true if the whole map is visible
 */
export function hearGestures(root, wishes) {
  /** @type {Map<number, Point>} */
  const down = new Map();
  let still = true;
  let start = { x: 0, y: 0 };

  /** @param {MouseEvent} event */
  const point = (event) => {
    const box = root.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };

  root.addEventListener(
    "wheel",
    (event) => {
      const pixels = event.deltaY * (event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? 20 * LINE : 1);
      // After the last step the wheel scrolls the page.
      if (!pixels || (pixels > 0 && wishes.filled())) return;
      event.preventDefault();
      // A trackpad's pinch arrives as wheel + ctrl, in smaller steps.
      wishes.zoom(2 ** Math.min(2, Math.max(-2, pixels / (event.ctrlKey ? 50 : 200))), point(event));
    },
    { passive: false },
  );

  const begin = (/** @type {PointerEvent} */ event) => {
    down.set(event.pointerId, point(event));
    still = down.size === 1;
    start = { x: event.clientX, y: event.clientY };
  };

  const move = (/** @type {PointerEvent} */ event) => {
    const now = point(event);
    const before = down.get(event.pointerId) ?? now;
    if (still && Math.hypot(event.clientX - start.x, event.clientY - start.y) < STILL) return;
    still = false;
    if (down.size === 1) {
      wishes.pan(before.x - now.x, before.y - now.y);
    } else if (down.size === 2) {
      const other = [...down.keys()].find((id) => id !== event.pointerId);
      const place = other === undefined ? now : (down.get(other) ?? now);
      wishes.pinch([before, place], [now, place]);
    }
    down.set(event.pointerId, now);
  };

  const end = (/** @type {PointerEvent} */ event, /** @type {boolean} */ done) => {
    down.delete(event.pointerId);
    if (done && still) wishes.click(point(event));
    still = false;
  };
  hearDrag(root, { begin, move, end });
  root.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) wishes.hover(point(event));
  });
  root.addEventListener("pointerleave", () => wishes.hover(null));
}
