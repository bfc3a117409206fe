/** Loads a style sheet that only some visitors need, before what it dresses is shown. */

import { FILES } from "../files/address.js";

/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/** @param {string} name of a file of assets/css @returns {Promise<void>} resolves in any case: the page works without */
export function dressed(name) {
  const found = loading.get(name);
  if (found) return found;
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: `${FILES}/css/${name}.css` });
  /** @type {Promise<void>} */
  const done = new Promise((resolve) => {
    link.onload = () => resolve();
    link.onerror = () => resolve();
  });
  document.head.append(link);
  loading.set(name, done);
  return done;
}
