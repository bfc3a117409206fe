/** A short lesson inside a link: compressed, behind the # that browsers send to no server. */

import { LONGEST } from "./check.js";

/** @typedef {import("./shape.js").Lesson} Lesson */

const MARK = "lesson=";
/** Characters of a fragment: longer links break in mails and chats. */
export const MOST = 8000;

/** Return a lesson as the fragment of a link; null if it is too long for one. @param {Lesson} lesson */
export async function fragment(lesson) {
  const stream = new Blob([JSON.stringify(lesson)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const text = `${MARK}${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  return text.length > MOST ? null : text;
}

/** Return the text of the lesson in a fragment; null if there is none, or if it is none of ours. @param {string} hash */
export async function packedIn(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.startsWith(MARK) || text.length > MOST) return null;
  try {
    const binary = atob(text.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
    return await bounded(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}

/** Read a stream of text; a bomb ends it. @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream */
async function bounded(stream) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST) throw new RangeError(MARK);
  }
  return text + decoder.decode();
}
