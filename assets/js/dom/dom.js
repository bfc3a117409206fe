/** Makes elements; text is never markup. */

/**
 * @typedef {string | number | undefined} Attribute
 * @typedef {{data?: Record<string, Attribute>, aria?: Record<string, Attribute>, role?: string}} Attributes
 * @typedef {Record<string, unknown> & Attributes} Properties
 */

/**
 * @typedef {object} Place of one of gradio's components
 * @property {HTMLElement} element
 * @property {(event: string) => void} trigger raises an event on the component
 */

/**
 * Make an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties] DOM properties; `data` and `aria` hold attributes of those families, `role` an attribute
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const { data = {}, aria = {}, role, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, data);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, String(value));
  if (role) made.setAttribute("role", role);
  made.append(...children);
  return made;
}

/**
 * Return the element that a selector names inside another; it must exist.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function inside(root, selector) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(selector);
  return /** @type {HTMLElement} */ (found);
}

/** Let the keyboard reach an element of fixed size while its content scrolls. @param {HTMLElement} one */
export function reachWhileScrolling(one) {
  const before = one.getAttribute("tabindex");
  new ResizeObserver(() => {
    if (one.scrollHeight > one.clientHeight) one.tabIndex = 0;
    else if (before === null) one.removeAttribute("tabindex");
    else one.setAttribute("tabindex", before);
  }).observe(one);
}

/** Let the end of a box fade (`has-more`) as long as more of its content is below. @param {HTMLElement} box */
export function fadeWhileMore(box) {
  const fit = () => box.classList.toggle("has-more", box.scrollHeight - box.scrollTop - box.clientHeight > 4);
  new ResizeObserver(fit).observe(box);
  new MutationObserver(fit).observe(box, { childList: true, subtree: true, characterData: true });
  box.addEventListener("scroll", fit, { passive: true });
}

/** Return a canvas's 2d context. @param {HTMLCanvasElement} canvas */
export function brushOf(canvas) {
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("2d");
  return brush;
}
