/**
 * Typesets the paper's symbols in plain text: d with a lowered k, √ with its bar, e with a raised H, a slanted n. The one
 * place for that rule. Text is never markup, but for the <sub> and <sup> of plotly's titles. Signs that the eye needs no
 * more (_, ^, √) stay in the text without a size: what is copied, searched or read aloud is the plain text.
 */

import { element } from "../dom/dom.js";

/** Letters that are a symbol where they stand alone; others (a, A, I, s) are words, names or units as well. */
const ALONE = new Set([..."hnmpqkwHJKQVX", "dL", "ds"]);

/** Stands over the letter of a vector that is normalised: q̂. */
const HAT = "\u0302";

const SYMBOL = new RegExp(
  [
    // a root, a letter with or without a hat, an index, an exponent, signs above: √d_k, W_Q, e^H, aⁱ, dL/ds
    String.raw`(?<root>√)?(?<![\w.=&?'’])(?<letter>dL|ds|dW|[A-Za-zα-ω]\u0302?)`,
    String.raw`(?:_(?<low>model|ff|[A-Za-z0-9](?![A-Za-z0-9])))?`,
    String.raw`(?:\^(?<high>\([^()]*\)|[A-Za-z](?!\w)|\d+(?:\.\d+)?))?(?<marks>′?(?:[ⁱʲʰ¹²³⁴ᵀᴴ]+(?:·[ⁱʲʰ¹²³⁴ᵀᴴ]+)*)?)(?!\u0302|[\w=])`,
    // a root of a number
    String.raw`|√(?<number>\d+)(?![\w=.])`,
    // a product with a transposed matrix: QKᵀ; QK-norm is a word
    String.raw`|(?<![\w.=&?])(?<product>(?:[QKVW]\u0302?){2})(?<transposed>ᵀ)?(?![\w=]|-\p{Ll})`,
    // a norm and its index: ‖J‖_F
    String.raw`|(?<bar>‖)(?:_(?<of>[A-Z])(?!\w))?`,
    String.raw`|<(?<tag>sub|sup)>(?<inner>[^<]*)<\/\k<tag>>`,
  ].join(""),
  "gu",
);

/** Somebody's words, a token or an input: whatever stands there is no symbol of ours. */
const QUOTED = /“[^”]*”/gu;

/** What stands between the symbols of a product. */
const TIMES = " · ";

/**
 * Return the nodes of a text.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function typeset(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let end = 0;
  const quoted = [...text.matchAll(QUOTED)].map((one) => [one.index, one.index + one[0].length]);
  for (const found of text.matchAll(SYMBOL)) {
    if (quoted.some(([from, to]) => found.index > from && found.index < to)) continue;
    const made = drawn(/** @type {Record<string, string | undefined>} */ (found.groups));
    if (!made) continue;
    nodes.push(text.slice(end, found.index), made);
    end = found.index + found[0].length;
  }
  nodes.push(text.slice(end));
  return together(nodes.filter((node) => node !== ""));
}

/**
 * Keep a quotient and a product of two symbols on one line: 1/√d_k and q · k each go into one element.
 * @param {(Node | string)[]} nodes
 */
function together(nodes) {
  /** @type {(Node | string)[]} */
  const made = [];
  /** The quotient or product that the next node goes on. @type {HTMLElement | null} */
  let group = null;
  const begin = () => {
    const begun = element("span", { className: "unbroken" });
    made.push(begun);
    return begun;
  };
  for (const [i, node] of nodes.entries()) {
    const next = nodes[i + 1];
    if (typeof node !== "string") {
      const on = typeof next === "string" && (next.startsWith("/") || (next === TIMES && i + 2 < nodes.length));
      if (on) group ??= begin();
      if (group) group.append(node);
      else made.push(node);
      if (!on) group = null;
      continue;
    }
    const joined = group ? (node === TIMES ? TIMES : (/^\/\S*/.exec(node)?.[0] ?? "")) : "";
    group?.append(joined);
    const rest = node.slice(joined.length);
    const above = i + 1 < nodes.length ? (/[^\s(]*\/$/.exec(rest)?.[0] ?? "") : "";
    if (rest || !(joined.endsWith("/") || joined === TIMES)) group = null;
    if (rest.length > above.length) made.push(rest.slice(0, rest.length - above.length));
    if (above) {
      group = begin();
      group.append(above);
    }
  }
  return made;
}

/** Return the element of one symbol, or null if the letter is only a letter. @param {Record<string, string | undefined>} parts */
function drawn({ root, letter, low, high, marks, number, product, transposed, bar, of, tag, inner }) {
  if (tag) return element(tag === "sub" ? "sub" : "sup", {}, ...typeset(inner ?? ""));
  if (number) return under(number);
  if (bar) return element("span", { className: "math" }, element("span", { className: "bar" }, bar), ...index(of));
  if (product) return element("span", { className: "math" }, element("i", {}, product), ...raised(transposed));
  if (!letter || !(low || high || marks || root || ALONE.has(letter.replace(HAT, "")))) return null;
  const symbol = element("span", { className: "math" }, element("i", {}, letter), ...index(low));
  if (high) symbol.append(silent("^"), element("sup", {}, ...bare(high)));
  symbol.append(...raised(marks));
  return root ? under(symbol) : symbol;
}

/** @param {string | undefined} low */
function index(low) {
  if (!low) return [];
  return [silent("_"), element("sub", {}, /^\p{L}$/u.test(low) ? element("i", {}, low) : low)];
}

/** Raised signs of Unicode and the letters that fonts have. */
const LETTERS = /** @type {Record<string, string>} */ ({
  ᵀ: "T",
  ᴴ: "H",
  ⁱ: "i",
  ʲ: "j",
  ʰ: "h",
  "¹": "1",
  "²": "2",
  "³": "3",
  "⁴": "4",
});

/** Return signs above the line: a raised T is a T, which all fonts have. @param {string | undefined} marks */
function raised(marks) {
  if (!marks) return [];
  const [prime, above] = marks.startsWith("′") ? ["′", marks.slice(1)] : ["", marks];
  if (!above) return [prime];
  const sign = [...above].map((one) => LETTERS[one] ?? one).join("");
  return [prime, silent(above), element("sup", { className: "raised", data: { sign } })];
}

/** Return an exponent without its parentheses for the eye. @param {string} high */
function bare(high) {
  return high.startsWith("(") ? [silent("("), high.slice(1, -1), silent(")")] : typeset(high);
}

/** Return a sign that only readers of the plain text meet. @param {string} sign */
function silent(sign) {
  return element("span", { className: "silent" }, sign);
}

/** Put a symbol under a root. @param {Node | string} inner */
function under(inner) {
  return element("span", { className: "root" }, silent("√"), element("span", { className: "radicand" }, inner));
}

/** Places whose text is no text of ours: what a visitor types, code, pictures, and what is typeset already. */
const APART = "textarea, script, style, code, pre, svg, .math, .root, .plain";

/** Typeset the texts inside an element that others have written. @param {Element} root */
export function typesetIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const node of texts) {
    if (node.parentElement?.closest(APART)) continue;
    const nodes = typeset(node.data);
    if (nodes.some((one) => typeof one !== "string")) node.replaceWith(...nodes);
  }
}
