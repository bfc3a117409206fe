/** The place of our files, and the format of a lesson. */

/** The address of our files: this script's own, bundled or not. */
export const FILES = import.meta.url.replace(/\/(?:bundle|js)\/(?!.*\/(?:bundle|js)\/).*$/, "");

/** @type {Promise<import("./check.js").Schema> | null} */
let schema = null;

/** Return the format of a lesson. */
export function format() {
  schema ??= fetch(`${FILES}/lessons/lesson.schema.json`).then((answer) => answer.json());
  schema.catch(() => (schema = null));
  return schema;
}
