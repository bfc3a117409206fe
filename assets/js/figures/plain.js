/** Drawings for plotly. Pure. */

/**
 * Replace typed arrays by plain ones: plotly takes typed arrays as data, not in a layout.
 * @template Tree
 * @param {Tree} node
 * @returns {Tree}
 */
export function plain(node) {
  return /** @type {Tree} */ (untyped(node));
}

/** @param {unknown} node @returns {unknown} */
function untyped(node) {
  if (ArrayBuffer.isView(node)) return Array.from(/** @type {Float32Array} */ (node)); // of any type
  if (Array.isArray(node)) return node.map(untyped);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, untyped(child)]));
}
