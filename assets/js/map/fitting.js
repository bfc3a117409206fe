/** The controls without effect under the present values. Pure. */

import { unused } from "../entry.js";

/**
 * @param {import("../controls.js").Values} values @param {import("../entry.js").Uses} uses
 * @returns {string[]} names of controls
 */
export function meaningless(values, uses) {
  const { source, scaling } = values;
  const hidden = unused(uses, values);
  if (source === "text" || source === "upload") hidden.push("n");
  if (source !== "text") hidden.push("split", "positions");
  if (scaling !== "custom") hidden.push("scale");
  if (source === "upload") hidden.push("h", "d_k", "tie", "d_model", "seed");
  return hidden;
}
