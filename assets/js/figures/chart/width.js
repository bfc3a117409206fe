/** Estimates the width of a text without measuring it in the page. Pure. */

/** Mean widths of a letter or digit, and of a Korean sign, in heights of the text. */
const NARROW = 0.55;
const WIDE = 0.95;
/** The width of a blank that is made visible. */
const BLANK = 1.25;
/** The size of a lowered or raised part. */
const SMALL = 0.72;

/** Return the width of a text in heights of the text. @param {string} text may hold <sub> and <sup> */
export function width(text) {
  let small = 0;
  const rest = text.replace(/<(sub|sup)>(.*?)<\/\1>/g, (_whole, _tag, /** @type {string} */ inner) => {
    small += letters(inner);
    return "";
  });
  return letters(rest) + SMALL * small;
}

/** @param {string} text */
const letters = (text) =>
  [...text].reduce(
    (sum, sign) => sum + (sign === "␣" ? BLANK : /[\u1100-\u11ff\u3000-\ud7af]/.test(sign) ? WIDE : NARROW),
    0,
  );
