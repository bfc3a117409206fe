/** Return the browser's language if the app has it, else the first. @param {string[]} known @param {string} wished such as "ko-KR" */
export function spoken(known, wished) {
  const short = wished.toLowerCase().slice(0, 2);
  return known.includes(short) ? short : known[0];
}
