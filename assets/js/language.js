/** The first of the languages that there are, unless the browser wishes for another of them. @param {string[]} known @param {string} wished such as "ko-KR" */
export function spoken(known, wished) {
  const short = wished.toLowerCase().slice(0, 2);
  return known.includes(short) ? short : known[0];
}
