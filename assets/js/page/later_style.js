/** Loads what only some visitors need with the style sheet that dresses it: nothing of it is shown before it has its looks. */

import { FILES } from "../files/address.js";

/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/**
 * Wait for a style sheet, too.
 * @template Module
 * @param {string} name of a file of assets/css @param {Promise<Module>} module that draws what the file dresses
 * @returns {Promise<Module>} resolves without the style sheet if that cannot be had: the page works without
 */
export async function dressed(name, module) {
  const style = loading.get(name) ?? load(name);
  loading.set(name, style);
  const [found] = await Promise.all([module, style]);
  return found;
}

/** @param {string} name @returns {Promise<void>} */
function load(name) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: `${FILES}/css/${name}.css` });
  /** @type {Promise<void>} */
  const done = new Promise((resolve) => {
    link.onload = () => resolve();
    link.onerror = () => {
      loading.delete(name); // who wants it next asks again
      link.remove();
      resolve();
    };
  });
  document.head.append(link);
  return done;
}
