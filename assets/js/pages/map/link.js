/** The canonical link of a moved window, without the server: in the order of visualiser/state/share.py, without defaults. Pure. */

/** Parameters that change without a new computation. */
export const VIEW = ["head", "row", "colour", "pooling", "left", "top", "across"];

/** @param {string} pair `name=value` */
const nameOf = (pair) => pair.split("=", 1)[0];
/** @param {string} link @param {string[]} names */
const without = (link, names) => link.split("&").filter((pair) => pair && !names.includes(nameOf(pair)));

/** Return the part of a link that names the computation. @param {string} canonical @param {string[]} viewing names of the view only */
export const subject = (canonical, viewing) => without(canonical, viewing).join("&");

/**
 * @param {string} canonical any canonical link @param {import("../../words/message_format.js").Fields} values of the names in VIEW
 * @param {import("../../words/message_format.js").Fields} defaults of every parameter, in the order of a link
 */
export function linked(canonical, values, defaults) {
  const order = Object.keys(defaults);
  const own = VIEW.filter((name) => values[name] !== undefined && values[name] !== defaults[name]).map(
    (name) => `${name}=${values[name] ?? ""}`,
  );
  return [...without(canonical, VIEW), ...own]
    .sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)))
    .join("&");
}
