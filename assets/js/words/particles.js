/** Korean particles, chosen by the sound before them: visualiser/locale/particles.py holds the rules and their source. */

/** @typedef {"vowel" | "ㄹ" | "consonant"} Sound */

/** @type {[string, Sound][]} */
const NAMES = [
  ["036mnευ′", "consonant"],
  ["178lr", "ㄹ"],
  ["2459%∞", "vowel"],
];
const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const [FIRST, LAST] = ["가", "힣"].map((syllable) => syllable.charCodeAt(0));
const ENDINGS = 28;
const RIEUL = 8;

/** Return `written` with the form of a pair such as "은/는" that its sound asks for. @param {string} written @param {string} pair */
export function withParticle(written, pair) {
  const [afterConsonant, afterVowel] = pair.split("/");
  const sound = lastSound(written);
  const soft = sound === "vowel" || (sound === "ㄹ" && pair === "으로/로");
  return written + (soft ? afterVowel : afterConsonant);
}

/** Return what the last sign that is read aloud ends with; "vowel" if none is read. @param {string} written @returns {Sound} */
export function lastSound(written) {
  for (const sign of [...written].reverse()) {
    if (POWERS.includes(sign)) return "consonant";
    const numerator = sign.normalize("NFKC").split("\u2044", 1)[0]; // ¼ is 사분의 일
    const letter = numerator.toLowerCase().at(-1) ?? "";
    const code = letter.charCodeAt(0);
    if (code >= FIRST && code <= LAST) {
      const ending = (code - FIRST) % ENDINGS;
      return ending === 0 ? "vowel" : ending === RIEUL ? "ㄹ" : "consonant";
    }
    const named = letter && NAMES.find(([signs]) => signs.includes(letter));
    if (named) return named[1];
    if (/\p{L}/u.test(letter)) return "vowel";
  }
  return "vowel";
}
