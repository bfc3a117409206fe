/** The origin of a file made in the browser, as visualiser/export/origin.py writes it for files made by the server. */

import { element } from "../dom/dom.js";

/** @typedef {{headlight: string, torch: string, plotly: string}} Versions */
/** @typedef {Record<string, string>} Origin link, seed, versions and date, by their names */

/** Names that only one machine or one network knows. */
const LOCAL = /^((.+\.)?(localhost|local|lan|home|internal|test|home\.arpa)|[^.:]*)\.?$/;
/** IPv4 networks that are not public. */
const PRIVATE = [
  /^(0|10|127)\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^169\.254\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
];
const GLOBAL_V6 = /^\[[23][0-9a-f]{3}:/;

/** Return true if another network can reach an address. @param {{protocol: string, hostname: string}} address */
export function isPublic({ protocol, hostname }) {
  if (protocol !== "http:" && protocol !== "https:") return false;
  if (hostname.startsWith("[")) return GLOBAL_V6.test(hostname);
  return !LOCAL.test(hostname) && !PRIVATE.some((network) => network.test(hostname));
}

/** Return true if only the machine itself can reach an address. @param {{hostname: string}} address */
export const isLoopback = ({ hostname }) => /^(127(\.\d+){3}|(.+\.)?localhost\.?|\[::1\])$/.test(hostname);

/**
 * @param {{protocol: string, hostname: string, origin: string, pathname: string}} address of the page
 * @param {string} state as a query string
 * @param {unknown} seed
 * @param {Versions} versions
 * @returns {Origin}
 */
export function origin(address, state, seed, { headlight, torch, plotly }, now = new Date()) {
  const full = `${address.origin}${address.pathname}${state ? `?${state}` : ""}`;
  const link = isPublic(address) ? full : `?${state}`;
  const date = `${now.toISOString().slice(0, 19)}Z`;
  return { link, seed: String(seed), headlight, torch, plotly, date };
}

/** Return all values in one line. @param {Origin} origin */
export const line = (origin) =>
  Object.entries(origin)
    .map(([name, value]) => `${name}: ${value}`)
    .join("; ");

/** Return all values as a table of one line. @param {Origin} origin @param {string} caption @returns {import("./csv.js").Table} */
export const tableOf = (origin, caption) => ({
  caption,
  columns: Object.entries(origin).map(([label, value]) => ({ label, values: [value] })),
});

/** Return all values as <meta> elements. @param {Origin} origin */
export const metaOf = (origin) =>
  Object.entries(origin).map(([name, content]) => element("meta", { name: `headlight:${name}`, content }));

/** Return the sentence with the link, as the parts of a paragraph. @param {Origin} origin @param {(key: string) => string} text */
export function linked({ link }, text) {
  return link.startsWith("?")
    ? [`${text("export.html.anywhere")} `, element("code", {}, link)]
    : [`${text("export.html.link")} `, element("a", { href: link }, link)];
}
