/** A stand-in for a room's server: what it is asked and answers, the stream of its messages, its random texts by name; and for a page in a room. */

import { Leader } from "../../assets/js/lead/leader.js";
import { pageOf } from "./whole_page.mjs";

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

  /** What the room answers to each act: a body; an error if nobody does; [status, body] of a refusal; what gives one. @type {Record<string, Loose>} */
  const room = {};
  /** The stream of the room's messages. @type {ReadableStreamDefaultController | null} */
  let stream = null;
  Object.assign(globalThis, {
    fetch: async (/** @type {URL} */ address, /** @type {Loose} */ { method, headers, body: sent, signal }) => {
      heard.push(named(`${method} ${address.pathname}${address.search} ${sent ?? ""} of ${whose(headers)}`));
      const act = address.pathname.split("/").at(-1) ?? "";
      const asked = room[act] ?? {};
      const answer = typeof asked === "function" ? await asked() : asked;
      if (answer instanceof Error) throw answer;
      if (Array.isArray(answer)) return new Response(JSON.stringify(answer[1]), { status: answer[0] });
      if (headers["If-None-Match"] === `"${answer.revision}"`) return new Response(null, { status: 304 });
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

/** Return a page that a room can lead, which says what it is asked to do. @param {string[]} heard @param {string} [name] */
export function pageInRoom(heard, name = "explore") {
  const page = pageOf(heard, { "heat-maps": null }, { name });
  const place = globalThis.document.createElement("div");
  globalThis.document.body.append(place);
  const says =
    (/** @type {string} */ what) =>
    (/** @type {unknown[]} */ ...of) =>
      void heard.push(`${what} ${of.map((one) => JSON.stringify(one)).join(" ")}`);
  /** @type {Set<(hovered: unknown) => void>} */
  const points = new Set();
  Object.assign(page, {
    leader: new Leader(name),
    server: { address: (/** @type {string} */ path) => new URL(path, "http://page/") },
    ways: {
      goTo: (/** @type {string} */ link, /** @type {unknown} */ tab) => {
        heard.push(`goes to ${link} ${tab ? JSON.stringify(tab) : ""}`.trim());
        page.move(link);
      },
      turnTo: says("turns to"),
    },
    updates: { running: false, answered: Promise.resolve() },
    prints: { printed: () => [] },
    says,
    /** Point at a cell. @param {unknown} hovered */
    point: (hovered) => points.forEach((then) => then(hovered)),
  });
  page.state.values.columns = 2;
  page.message.root = place;
  page.presence.forget = says("forgets");
  page.presence.onPoint = (/** @type {(hovered: unknown) => void} */ then) => {
    points.add(then);
    return () => void points.delete(then);
  };
  page.presence.rules.pointAt = says("points at");
  page.presence.later = {
    lessons: async () => ({
      follow: async (/** @type {unknown} */ at) => (heard.push(`follows ${JSON.stringify(at)}`), at !== "own"),
      words: async () => ({ text: "Wie viel?", answers: ["wenig", "viel"], curve: null }),
      play: says("plays"),
    }),
  };
  return page;
}
