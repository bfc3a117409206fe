/** The controls without effect under the present values. Pure. */

import { unused } from "../../link/entry.js";

/**
 * @param {import("../../link/values.js").Values} values @param {import("../../link/entry.js").Uses} uses
 * @returns {string[]} names of controls
 */
export function meaningless(values, uses) {
  const hidden = unused(uses, values);
  if (values.source === "upload") hidden.push("seed");
  return hidden;
}
