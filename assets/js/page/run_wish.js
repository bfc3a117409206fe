/** Pause, resume, cancel: wishes about a run by name, while its answer comes over another connection, perhaps another server. */

/** Attempts if a server does not know the run: behind a proxy the next may. */
const TRIES = 4;
/** Milliseconds between two attempts. */
const APART = 150;

/**
 * @param {import("../server/server.js").Server} server @param {string} run its name @param {"pause" | "resume" | "cancel"} wish
 * @param {() => boolean} wanted returns true while the run lasts
 * @returns {Promise<"done" | "ended" | "unknown" | "unanswered">} ended: before the wish came
 */
export async function tellRun(server, run, wish, wanted = () => true) {
  for (let tries = 1; ; tries += 1) {
    let answer;
    try {
      answer = await server.tell(`runs/${run}/${wish}`);
    } catch {
      return "unanswered";
    }
    if (answer.ok) return answer.status === 204 ? "done" : "ended";
    if (answer.status !== 404) return "unanswered";
    if (tries === TRIES || !wanted()) return "unknown";
    await new Promise((resolve) => setTimeout(resolve, APART));
  }
}
