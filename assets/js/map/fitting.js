/** Which controls mean nothing for the present values. Pure. */

/** @param {Record<string, any>} values @returns {string[]} names of controls */
export function meaningless({ source, mask, scaling }) {
  const hidden = [];
  if (source === "text" || source === "upload") hidden.push("n");
  if (source !== "text") hidden.push("split", "positions");
  if (mask !== "window") hidden.push("window");
  if (scaling !== "custom") hidden.push("scale");
  if (source === "upload") hidden.push("h", "d_k", "tie", "d_model", "seed");
  return hidden;
}
