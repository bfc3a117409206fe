/**
 * The address under which others open a state. On Hugging Face a Space's page holds ours in a frame: its visitors know the
 * address around it, and what stands there behind "?" reaches the frame when it opens. It hears of a new state by a message.
 */

const HUB = "https://huggingface.co";
const SPACE = /\.hf\.space$/;
/** Not for others, or chosen by the page around. */
const OWN = ["__sign", "__theme"];

/**
 * Return the address of a state. Pure.
 * @param {{origin: string, pathname: string}} here
 * @param {string} state its link
 * @param {string} space OWNER/NAME; empty elsewhere
 * @param {string} around origin of the page around this one, if it is known
 * @param {boolean} [signed] the Space is private: its own address opens for nobody else
 */
export function sharedLink(here, state, space, around, signed = false) {
  const base = space && (around === HUB || signed) ? `${HUB}/spaces/${space}` : `${here.origin}${here.pathname}`;
  return state ? `${base}?${state}` : base;
}

/** Return the origin of the page around this one; empty if there is none, or the browser does not tell. */
export function originAround() {
  if (window.parent === window) return "";
  try {
    return "ancestorOrigins" in location ? location.ancestorOrigins[0] : new URL(document.referrer).origin;
  } catch {
    return "";
  }
}

/**
 * Return what the page around a Space is told of a new address; null elsewhere. Pure.
 * @param {string} hostname @param {boolean} framed @param {string} text the query
 */
export function toParent(hostname, framed, text) {
  if (!framed || !SPACE.test(hostname)) return null;
  const link = new URLSearchParams(text);
  for (const name of OWN) link.delete(name);
  return { queryString: link.toString() };
}

/** Tell Hugging Face's page around a Space the address. No other page hears it. @param {string} text the query */
export function tellAround(text) {
  const message = toParent(location.hostname, window.parent !== window, text);
  if (message) window.parent.postMessage(message, HUB);
}
