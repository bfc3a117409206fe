/**
 * Set a figure's `data-painted` once the browser has painted it: two animation frames later. A newer picture replaces it.
 * @param {HTMLElement} element
 * @param {string} query
 * @returns {Promise<void>} resolves when it is painted
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

/** Take back that a figure is painted, or soon will be. @param {HTMLElement} element */
export function markUnpainted(element) {
  delete element.dataset.drawn; // a picture on its way is not painted any more
  delete element.dataset.painted;
}

/**
 * Mark the last good picture as outdated.
 * @param {HTMLElement} element
 * @param {string} message
 */
export function markFailed(element, message) {
  element.dataset.error = message;
  if (element.dataset.painted !== undefined) element.classList.add("is-stale");
}
