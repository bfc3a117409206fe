/** Checks a link by what the pages declare: visualiser/state/declared.py makes it, the server's own reading uses the same. Pure. */

import { ofState } from "../link/address.js";
import { likely } from "./likely.js";

/**
 * A parameter: one of its choices, several of them, a number, a link of its own, or else a text.
 * @typedef {object} Parameter
 * @property {string[]} [choices]
 * @property {boolean} [several] @property {boolean} [empty] true if it may name none
 * @property {number} [least] @property {number} [most] @property {boolean} [whole]
 * @property {boolean} [link] @property {string[]} [without] what is dropped from it
 *
 * @typedef {object} DeclaredPage
 * @property {string[]} figures
 * @property {string[]} questions that it may ask
 * @property {Record<"h" | "n" | "source" | "predict", string>} first what counts if a link does not say it
 * @property {string[]} sized_elsewhere sources that bring their own number of tokens
 * @property {string[]} unread parameters that change nothing on it
 * @property {Record<string, Parameter>} parameters
 *
 * @typedef {{first: string, brought: string[], pages: Record<string, DeclaredPage>}} Declared `brought`: sources with heads of their own
 * @typedef {{key: string, fields: Record<string, string | number>}} Amiss
 */

const FULL = /^https?:\/\//;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Return what a link says, of a full address without what belongs to its reader. @param {string} link @param {Declared} declared */
export function queryOf(link, declared) {
  const { pages } = declared;
  if (!FULL.test(link) || !URL.canParse(link)) return link;
  const { pathname, search } = new URL(link);
  const query = new URLSearchParams(ofState(search));
  for (const name of ["lang", "theme", "present", "columns"]) query.delete(name);
  const named = pathname.split("/").findLast(Boolean) ?? "";
  if (!query.has("page") && Object.hasOwn(pages, named)) query.set("page", named);
  // from page to page an address takes along what only others read
  for (const name of declaredPage(query.toString(), declared)?.unread ?? []) query.delete(name);
  return query.toString();
}

/** Return the page that a link leads to; null if there is none of that name. @param {string} link @param {Declared} declared */
export function declaredPage(link, { first, pages }) {
  const name = new URLSearchParams(link).get("page") ?? first;
  return Object.hasOwn(pages, name) ? { name, ...pages[name] } : null;
}

/** Yield what is wrong with a link. @param {string} link @param {Declared} declared @returns {Generator<Amiss>} */
export function* linkFaults(link, declared) {
  if (FULL.test(link)) {
    yield { key: "form_link", fields: { value: link.slice(0, 40) } };
    return;
  }
  const page = declaredPage(link, declared);
  if (page) yield* valueFaults(Object.fromEntries(new URLSearchParams(link)), page, declared);
  else yield { key: "page", fields: { name: new URLSearchParams(link).get("page") ?? "", ...pagesOf(declared) } };
}

/** Return the pages on which a setting changes something. @param {string} name @param {Declared} declared */
function readersOf(name, { pages }) {
  const reads = (/** @type {[string, DeclaredPage]} */ [, { parameters, unread }]) =>
    Object.hasOwn(parameters, name) && !unread.includes(name);
  return Object.entries(pages)
    .filter(reads)
    .map(([page]) => page)
    .join(", ");
}

/** @param {Declared} declared */
const pagesOf = ({ pages }) => ({ choices: Object.keys(pages).join(", ") });

/**
 * @param {Record<string, string>} values @param {DeclaredPage & {name: string}} page @param {Declared} declared
 * @returns {Generator<Amiss>}
 */
function* valueFaults(values, page, declared) {
  for (const [name, value] of Object.entries(values)) {
    const parameter = Object.hasOwn(page.parameters, name) ? page.parameters[name] : null;
    if (!parameter) {
      yield { key: "setting", fields: { page: page.name, name, choices: likely(name, Object.keys(page.parameters)) } };
    } else if (page.unread.includes(name)) {
      yield { key: "unread", fields: { page: page.name, name, choices: readersOf(name, declared) } };
    } else if (parameter.link) {
      const pinned = Object.entries(Object.fromEntries(new URLSearchParams(value.replace(/^\?/, ""))));
      const counts = pinned.filter(([one]) => one !== "page" && !parameter.without?.includes(one));
      yield* valueFaults(Object.fromEntries(counts), page, declared);
    } else if (!(name === "row" && value === "")) {
      yield* valueFault(name, value, { ...parameter, most: mostOf(name, values, page, declared) ?? parameter.most });
    }
  }
}

/**
 * Return the last head or row of the state, unless a file, a model or a text decides it.
 * @param {string} name @param {Partial<Record<string, string>>} values @param {DeclaredPage} page @param {Declared} declared
 */
function mostOf(name, { h, n, source }, { first, sized_elsewhere }, { brought }) {
  const from = source ?? first.source;
  const most =
    name === "head" && !brought.includes(from)
      ? Number(h ?? first.h)
      : name === "row" && from !== "text" && !sized_elsewhere.includes(from)
        ? Number(n ?? first.n) - 1
        : NaN;
  return Number.isFinite(most) ? most : undefined;
}

/** @param {string} name @param {string} value @param {Parameter} parameter @returns {Generator<Amiss>} */
function* valueFault(name, value, { choices, several = false, empty = false, least, most, whole = false }) {
  const parts = several ? value.split(",").filter(Boolean) : [value];
  const fields = { name, value: value.slice(0, 40) };
  if (choices) {
    const other = parts.find((part) => !choices.includes(part));
    if (other !== undefined || !(parts.length || empty)) {
      yield { key: "value_choice", fields: { ...fields, choices: likely(other ?? "", choices) } };
    }
  } else if (least !== undefined && most !== undefined) {
    const right = (/** @type {string} */ part) =>
      NUMBER.test(part) && Number(part) >= least && Number(part) <= most && !(whole && !Number.isInteger(Number(part)));
    if (!parts.length || !parts.every(right)) {
      yield {
        key: whole ? "value_whole" : "value_number",
        fields: { ...fields, least: String(least), most: String(most) },
      };
    }
  }
}
