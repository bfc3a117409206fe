/** Controls that mean nothing for what is shown: a model reads no text, or only weights were given. */

import { isWeights } from "../../server/upload_handover.js";

/**
 * Return the names of these controls.
 * @param {import("../../../types/wire.js").Model | null} model @param {"text" | "other"} reads @param {string} name of the model
 */
export const unread = (model, reads, name) => [
  ...(reads === "text" ? [] : ["text"]),
  ...(model?.takes.includes("target") ? [] : ["target"]),
  ...(isWeights(name) ? ["over", "cost", "key_figure"] : []),
  ...(model?.absent.includes("head-map") ? ["shows"] : []),
];
