/**
 * Texts with fields, filled in as a language's grammar asks. visualiser/locale/message_format.py tells of their form and does the
 * same on the server.
 */

import { withParticle } from "./particles.js";

/**
 * @typedef {string | number | boolean | null | undefined} Value
 * @typedef {Record<string, Value | string[]>} Fields of a sentence; a list is joined
 */

const PIECE = /\{\{|\}\}|\{(\w+)(?:\|([^{}]*))?\}/g;

/**
 * Return a template with its fields filled in; a field without a value is empty.
 * @param {string} template @param {string} lang @param {Fields} fields
 */
export function filled(template, lang, fields) {
  return template.replace(
    PIECE,
    (whole, /** @type {string | undefined} */ name, /** @type {string | undefined} */ how) => {
      if (!name) return whole[0];
      const value = fields[name] ?? "";
      const written = Array.isArray(value) ? joined(value.map(String), lang) : String(value);
      if (!how) return written;
      if (!how.includes(":")) return withParticle(written, how);
      return form(how, plural(lang).select(count(value, written))).replaceAll("#", () => written); // a visitor's $& is text
    },
  );
}

/** @type {Map<string, Intl.PluralRules>} */
const plurals = new Map();

/** Return a language's rules, made once: that takes a tenth of a millisecond. @param {string} lang */
function plural(lang) {
  const rules = plurals.get(lang) ?? new Intl.PluralRules(lang);
  plurals.set(lang, rules);
  return rules;
}

/** @param {unknown} value @param {string} written */
const count = (value, written) =>
  Array.isArray(value) ? value.length : typeof value === "number" ? value : Number(written);

/** Languages whose lists have commas alone: CLDR's 및 belongs to laws and forms, and joins no clauses. */
const COMMAS = new Set(["ko"]);

/** Join the members of a list: "1, 2 and 4". @param {string[]} members @param {string} lang */
function joined(members, lang) {
  if (COMMAS.has(lang)) return members.join(", ");
  // British lists have no comma before "and", as the texts
  return new Intl.ListFormat(lang === "en" ? "en-GB" : lang).format(members);
}

/** Return the form of a plural category, or that of all others. @param {string} forms @param {string} category */
function form(forms, category) {
  const all = new Map(
    forms.split("|").map((one) => {
      const at = one.indexOf(":");
      return [one.slice(0, at), one.slice(at + 1)];
    }),
  );
  return all.get(category) ?? all.get("other") ?? "";
}
