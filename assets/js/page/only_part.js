/** Asks the server for one part about the state on screen: a verdict, a figure for a file. */

import { plain } from "../figures/plain.js";
import { refusalOf } from "../server/server.js";
import { BROKEN, only, parts, revive } from "../server/wire.js";

/**
 * Return the only part of an answer about the state on screen; the server's refusal is thrown.
 * @param {Pick<import("./live_page.js").LivePage, "server" | "state" | "updates">} page
 * @param {string} name of the question, below the page's route
 * @param {Record<string, unknown>} [more] fields besides those of every request @param {AbortSignal} [signal]
 * @returns {Promise<import("../../types/wire.js").Part>}
 */
export async function onlyPart({ server, state, updates }, name, more = {}, signal = undefined) {
  const asked = updates.body(state.present, more);
  const answer = await server.ask(`${updates.route}/${name}`, asked, updates.rules.enclosed(), { signal });
  for await (const part of parts(answer.body)) {
    if (part.header.part === "error") throw refusalOf(part.header);
    return part;
  }
  throw new Error(BROKEN);
}

/**
 * Return the figure in a part "figure" as plotly takes it.
 * @param {import("../../types/wire.js").Part} part @param {Map<string, unknown>} known structures
 * @returns {import("../../types/plotly.js").Drawing}
 */
export function figureIn(part, known) {
  const { header, blocks } = only(part, "figure");
  return plain(revive(header.values, blocks, known));
}
