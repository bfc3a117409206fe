/** The ways into a room as a class reads them: the short address, and the steps for somebody who opens the front page. */

import { element } from "../dom/dom.js";
import { isLoopback, isPublic } from "../files/origin.js";
import { PEOPLE } from "../dom/people_icon.js";
import { icon } from "../dom/svg.js";

/** @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text */

/** Stands for a node in a sentence; no text has these signs. */
const SIGN = "\u0001";

/** How the README starts the app for the network. */
const START = "GRADIO_SERVER_NAME=0.0.0.0 .venv/bin/python app.py";

/**
 * Return a sentence with some of its parts as nodes.
 * @param {string} sentence @param {Record<string, () => Node>} nodes by the part of the sentence that each stands for
 */
export function mixed(sentence, nodes) {
  /** @type {(Node | string)[]} */
  let parts = [sentence];
  for (const [part, node] of Object.entries(nodes)) {
    parts = parts.flatMap((one) => {
      if (typeof one !== "string") return [one];
      return one.split(part).flatMap((piece, i) => (i ? [node(), piece] : [piece]));
    });
  }
  return parts.filter((one) => one !== "");
}

/** Return an address without its scheme and query, as somebody types it: it ends in a slash. Pure. @param {string} address */
export function typed(address) {
  return address
    .replace(/^https?:\/\//, "")
    .replace(/[?#].*/, "")
    .replace(/[^/]*$/, "");
}

/** Return the short address of a room, its code in bold. @param {string} address of the page @param {string} code */
export function shortAddress(address, code) {
  return [typed(address), element("b", {}, code)];
}

/** Return what to do on the front page. @param {string} address of the page @param {string} code @param {Text} text */
export function steps(address, code, text) {
  const host = typed(address).replace(/\/$/, "");
  const sentence = text("room.steps", { host, sign: SIGN, class: text("room.open"), code });
  return element(
    "p",
    { className: "class-steps" },
    ...mixed(sentence, {
      [SIGN]: () => icon(PEOPLE),
      [host]: () => element("b", {}, host),
      [code]: () => element("b", {}, code),
    }),
  );
}

/**
 * Return what to say of an address that not everybody can open; nothing of a public one.
 * @param {URL} address @param {boolean | null} network true if the network reaches the server, null if that is not known
 * @param {Text} text
 */
export function reached(address, network, text) {
  if (isPublic(address)) return [];
  if (!isLoopback(address)) return [text("share.local")];
  if (network !== false) return [text("room.unreached")];
  return mixed(text("room.machine", { start: SIGN }), { [SIGN]: () => element("code", {}, START) });
}
