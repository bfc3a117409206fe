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

/** Return a picture on a button, drawn with lines on a field of 20 × 20. @param {string} path */
export function icon(path) {
  return shape("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, shape("path", { d: path }));
}

/** Return a word and the picture that stands for it where there is no room. @param {string} path @param {string} word */
export function signed(path, word) {
  const text = document.createElement("span");
  text.textContent = word;
  return [icon(path), text];
}
