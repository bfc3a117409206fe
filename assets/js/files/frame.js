/** The markup of a frame that shows a state in another page. Pure. */

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Return a size within what a page can hold. @param {number} pixels */
const bounded = (pixels) => Math.min(4000, Math.max(240, Math.round(pixels) || 240));

/**
 * Return the markup. Without a width it is as wide as its place.
 * @param {string} address @param {string} title @param {{width: number | null, height: number}} size
 */
export function frameOf(address, title, { width, height }) {
  const across = width === null ? "100%" : String(bounded(width));
  return (
    `<iframe src="${escaped(address)}" title="${escaped(title)}" width="${across}" height="${bounded(height)}" ` +
    `style="border: 0" loading="lazy" allow="clipboard-write; fullscreen"></iframe>`
  );
}
