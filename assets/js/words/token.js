/** What tokens are called, wherever a script names them: white space is seen, and a name has its own direction. Pure. */

/** White space of a token as its reader sees it. @type {Partial<Record<string, string>>} */
const VISIBLE = { "\n": "⏎", "\t": "⇥", " ": "␣" };
/** Letters of a label on an axis, and in a sentence. */
const [LONGEST, SAID] = [10, 24];
/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [OPENED, CLOSED] = ["\u2068", "\u2069"];

/**
 * What a model knows tokens by: their forms in its vocabulary and their numbers, and the text that each unknown one stands
 * for; without forms it is not known.
 * @typedef {{forms?: string[], ids?: ArrayLike<number>, stands?: string[]}} Vocabulary
 */

/** @param {string} token @param {RegExp} signs */
const written = (token, signs) => token.replace(signs, (sign) => VISIBLE[sign] ?? sign);

/** Return a name as it is put among others: one with letters from right to left has its own direction. @param {string} name */
export const isolated = (name) =>
  RIGHT_TO_LEFT.test(name) && !name.startsWith(OPENED) ? `${OPENED}${name}${CLOSED}` : name;

/**
 * Return a label without its direction, and what gives it to a part of the label.
 * @param {string} label @returns {[string, (part: string) => string]}
 */
export const opened = (label) =>
  label.startsWith(OPENED) && label.endsWith(CLOSED) ? [label.slice(1, -1), isolated] : [label, (part) => part];

/** Return a token as it is written in a strip, where a blank before a word is room. @param {string} token */
export const visible = (token) => (token.trim() ? written(token, /[\n\t]/g) : shown(token));

/** Return a token as it is called: each white space in it is seen. @param {string} token */
export const shown = (token) => isolated(written(token, /[\n\t ]/g) || "␀");

/**
 * Return a token as a label. Control characters are left out, which could reorder the text beside them.
 * @param {string} token @param {number} longest in letters as a reader counts them
 */
export function tokenLabel(token, longest = LONGEST) {
  const plain = [...token]
    .map((sign) => VISIBLE[sign] ?? sign)
    .filter((sign) => sign === "\u200d" || !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(sign))
    .join("");
  const letters = Array.from(new Intl.Segmenter().segment(plain), ({ segment }) => segment);
  return isolated((letters.length > longest ? [...letters.slice(0, longest - 1), "…"] : letters).join("") || "␀");
}

/** Write a position with its token, for a sentence. @param {number} position @param {string[] | null} tokens */
export const place = (position, tokens) =>
  tokens?.[position] === undefined ? String(position) : `${position} “${tokenLabel(tokens[position], SAID)}”`;

/** Return what a model knows a token by; nothing where that is not known. @param {Vocabulary} vocabulary @param {number} at */
export function known({ forms = [], ids = [], stands = [] }, at) {
  if (!forms[at]) return "";
  const number = ids[at] < 0 ? "" : `#${ids[at]}`;
  return [isolated(forms[at]), number, stands[at] ? `“${isolated(stands[at])}”` : ""].filter(Boolean).join(" · ");
}

/**
 * Return what a model knows some tokens by, each with its position; none where that is not known.
 * @param {Vocabulary} vocabulary @param {number[]} positions
 */
export const knownAt = (vocabulary, positions) =>
  [...new Set(positions)].flatMap((at) => (known(vocabulary, at) ? [`${at}: ${known(vocabulary, at)}`] : []));

/**
 * Return what is read aloud of some tokens: a sentence, then what a model knows them by.
 * @param {string} sentence @param {Vocabulary} vocabulary @param {number[]} positions
 */
export const aloud = (sentence, vocabulary, positions) => [sentence, ...knownAt(vocabulary, positions)].join(", ");

/** Return the direction in which tokens follow each other: that of most tokens with letters. @param {string[]} tokens */
export function directionOf(tokens) {
  const lettered = tokens.filter((token) => /\p{L}/u.test(token));
  return 2 * lettered.filter((token) => RIGHT_TO_LEFT.test(token)).length > lettered.length ? "rtl" : "ltr";
}
