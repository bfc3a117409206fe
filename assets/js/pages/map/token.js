/** Tokens as labels: whitespace is made visible, control characters, which could reorder text, are removed. Pure. */

/** @type {Partial<Record<string, string>>} */
const SHOWN = { "\n": "⏎", "\t": "⇥", " ": "␣" };
const LONGEST = 10;

/** @param {string} token @param {number} longest in letters as a reader counts them */
export function tokenLabel(token, longest = LONGEST) {
  const plain = [...token]
    .map((sign) => SHOWN[sign] ?? sign)
    .filter((sign) => sign === "\u200d" || !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(sign))
    .join("");
  const letters = Array.from(new Intl.Segmenter().segment(plain), ({ segment }) => segment);
  return (letters.length > longest ? [...letters.slice(0, longest - 1), "…"] : letters).join("") || "␀";
}

/** Write a position with its token, for a sentence. @param {number} position @param {string[] | null} tokens */
export const place = (position, tokens) =>
  tokens?.[position] === undefined ? String(position) : `${position} “${tokenLabel(tokens[position], 24)}”`;
