/** Says in the editor which columns of a step's question the page does not have. */

import { placeOf } from "./check.js";
import { lackedOn } from "./columns.js";
import { sentences } from "./files.js";
import { state } from "./settled.js";

/** @typedef {import("./shape.js").Page} Page */

/**
 * Return what a step's question lacks, in sentences; nothing unless the page shows the state whose numbers decide.
 * @param {Page} page @param {import("./shape.js").Step} step @param {number} i from 0
 */
export function columnsAmiss(page, { link, question }, i) {
  if (!question || state(page.state.present) !== state(question.reveal ?? link)) return "";
  const problems = [...lackedOn(page, question)].map(({ path, key, fields }) => ({
    ...{ line: 0, key, fields },
    ...placeOf(`/steps/${i}/${path}`),
  }));
  return sentences(page, problems).join(" ");
}
