/** Selectors for elements of a stand-in. */

/** What an element has by a name, as an attribute or as a property; null for nothing. @param {Loose} one @param {string} name */
function has(one, name) {
  const property = one[name.startsWith("data-") ? "" : name];
  if (typeof property === "boolean") return property ? "" : null;
  const camel = name.startsWith("data-")
    ? one.dataset[name.slice(5).replace(/-(.)/g, (_, sign) => sign.toUpperCase())]
    : undefined;
  return (
    one.getAttribute(name) ?? (camel === undefined ? (typeof property === "string" ? property : null) : String(camel))
  );
}

/** Return what a function made of a text before. @template Made @param {(text: string) => Made} make */
function kept(make) {
  /** @type {Map<string, Made>} */
  const known = new Map();
  return (/** @type {string} */ text) => {
    const found = known.get(text) ?? make(text);
    known.set(text, found);
    return found;
  };
}

/** The conditions of a compound, and the compounds that it excludes. */
const conditions = kept((compound) => ({
  excluded: [...compound.matchAll(/:not\(([^)]*)\)/g)].flatMap(([, not]) => not.split(/,\s*/)),
  all: [...compound.replace(/:not\([^)]*\)/g, "").matchAll(/([.#:]?)([\w-]+|\*)|\[([\w-]+)(\^?=)?"?([^"\]]*)"?\]/g)],
}));

/** @param {string} compound such as `li.a:not([hidden])[data-row="2"]` @param {Loose} one @returns {boolean} */
function isOne(compound, one) {
  const { excluded, all } = conditions(compound);
  if (excluded.some((not) => isOne(not, one))) return false;
  return all.every(([, sign, name, attribute, how, value]) => {
    if (attribute) {
      const found = has(one, attribute);
      return found !== null && (!how || (how === "=" ? found === value : found.startsWith(value)));
    }
    if (sign === ".") return one.classList.contains(name);
    if (sign === "#") return one.id === name;
    if (sign === ":" && name === "last-of-type") {
      return one.parent?.children.findLast((/** @type {Loose} */ each) => each.localName === one.localName) === one;
    }
    if (sign === ":") return name === "scope" || Boolean(one[name]);
    return name === "*" || one.localName === name;
  });
}

/** @param {string[]} parts of a selector, with their combinators @param {Loose} one @returns {boolean} */
function fits(parts, one) {
  const last = parts.at(-1) ?? "";
  if (!one || !isOne(last, one)) return false;
  if (parts.length === 1) return true;
  const before = parts.at(-2) === ">" ? parts.slice(0, -2) : parts.slice(0, -1);
  if (parts.at(-2) === ">") return before[0] === ":scope" || fits(before, one.parent);
  for (let above = one.parent; above; above = above.parent) if (fits(before, above)) return true;
  return false;
}

/** The parts of each of some selectors. */
const partsOf = kept((selectors) =>
  selectors.split(/,(?![^(]*\))/).map((one) =>
    one
      .trim()
      .split(/(?:\s*(>)\s*|\s+)(?![^(]*\))/)
      .filter(Boolean),
  ),
);

/**
 * Return true for an element that fits one of some selectors of tags, #ids, .classes, [attributes] and :not(), beside
 * or inside others: "td[data-row], .a > .b:not([hidden])". Properties count as attributes; there are no places.
 * @param {string} selector @param {Loose} one
 */
export const isFitting = (selector, one) => partsOf(selector).some((parts) => fits(parts, one));
