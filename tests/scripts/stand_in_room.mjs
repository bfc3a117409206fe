/** A stand-in for a room's server: what it is asked, what it answers, the stream of its messages, and its random texts by name. */

/**
 * Stand in for the server of a room.
 * @param {string[]} heard gets a line for each question
 * @param {(headers: Record<string, string>) => string} whose says of a question's headers who asks
 */
export function standInRoom(heard, whose) {
  let drawn = 0;
  const draw = () => (drawn += 1);
  Object.assign(globalThis.crypto, { getRandomValues: (/** @type {Uint8Array} */ bytes) => bytes.fill(draw()) });

  /** Random texts by the order in which they were drawn. @param {string} line */
  const named = (line) => line.replaceAll(/[\w-]{22}/g, (one) => `random${atob(one.slice(0, 4)).charCodeAt(0)}`);

  /** What the room answers to each act: a body; an error that nobody answers with; [status, body] of a refusal. @type {Record<string, Loose>} */
  const room = {};
  /** The stream of the room's messages. @type {ReadableStreamDefaultController | null} */
  let stream = null;
  Object.assign(globalThis, {
    fetch: async (/** @type {URL} */ address, /** @type {Loose} */ { method, headers, body: sent, signal }) => {
      heard.push(named(`${method} ${address.pathname}${address.search} ${sent ?? ""} of ${whose(headers)}`));
      const act = address.pathname.split("/").at(-1) ?? "";
      const answer = room[act] ?? {};
      if (answer instanceof Error) throw answer;
      if (Array.isArray(answer)) return new Response(JSON.stringify(answer[1]), { status: answer[0] });
      if (act !== "stream") return new Response(JSON.stringify(answer));
      const start = (/** @type {ReadableStreamDefaultController} */ controller) => {
        stream = controller;
        signal.addEventListener("abort", () => controller.error(signal.reason));
      };
      return new Response(new ReadableStream({ start }));
    },
  });
  const say = (/** @type {string} */ event) => stream?.enqueue(new TextEncoder().encode(`${event}\n\n`));
  return {
    room,
    named,
    draw,
    /** Send a message to who listens. @param {unknown} message */
    send: (message) => say(`data: ${JSON.stringify(message)}`),
    /** Say that the room is over. */
    end: () => say("event: end\ndata: {}"),
    /** Break the stream off. */
    close: () => stream?.close(),
  };
}
