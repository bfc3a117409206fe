/** Parts of an SVG drawing. */

export const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Make one SVG element.
 * @param {string} tag
 * @param {Record<string, unknown>} attributes
 * @param {(Node | string)[]} children
 */
export function shape(tag, attributes, ...children) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}
