/** What a lesson is checked by. */

import { FILES } from "../files/address.js";

/** @type {Promise<import("./check.js").Format> | null} */
let reading = null;

/** Return the format of a lesson, and what the pages declare. */
export function format() {
  reading ??= Promise.all(["/lessons/lesson.schema.json", "/lessons/declared.json"].map(read)).then(
    ([schema, declared]) => ({ schema, declared }),
  );
  reading.catch(() => (reading = null));
  return reading;
}

/** @param {string} path of one of our files */
async function read(path) {
  const answer = await fetch(`${FILES}${path}`);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}
