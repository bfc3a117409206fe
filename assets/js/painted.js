/**
 * Says which state a figure shows, once the browser has really painted it: two animation frames later. A newer picture in between takes over.
 * @param {HTMLElement} element
 * @param {string} query
 * @returns {Promise<void>} when it is painted
 */
export function markPainted(element, query) {
  delete element.dataset.error;
  element.classList.remove("is-stale");
  element.dataset.drawn = query;
  return new Promise((resolve) =>
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (element.dataset.drawn === query) element.dataset.painted = query;
        resolve();
      }),
    ),
  );
}

/**
 * Keeps the last good picture but marks it as such.
 * @param {HTMLElement} element
 * @param {string} message
 */
export function markFailed(element, message) {
  element.dataset.error = message;
  if (element.dataset.painted !== undefined) element.classList.add("is-stale");
}
