/** Making elements: text goes in as text, never as markup. */

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] DOM properties; `data` and `aria` hold attributes of those families, `role` an attribute
 * @param {(Node | string)[]} children
 */
export function element(tag, properties = {}, ...children) {
  const { data = {}, aria = {}, role, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, data);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  if (role) made.setAttribute("role", role);
  made.append(...children);
  return made;
}
