/**
 * What is usual after a first vote, by the share of right answers. The teacher's page is the projector too, so a sentence stands there
 * and no share, and it comes after the vote is closed.
 */

import { element } from "../dom/dom.js";

/** @typedef {Pick<import("./taught_room.js").TaughtRoom, "line" | "message">} Taught */
/** @typedef {Pick<import("./truths.js").Truths, "known">} Known */

/** Peer instruction: where the shares come from. */
const SOURCE = "https://doi.org/10.1119/1.1374249";

/**
 * @param {Taught} room @param {Known} truths
 * @param {import("../lead/message.js").Question} question closed, after its first vote
 * @param {(key: string) => string} text
 */
export function advice(room, truths, question, text) {
  const status = element("span", { role: "status" }, text("room.advice.general"));
  const link = { href: SOURCE, target: "_blank", rel: "noopener", title: text("room.advice.source") };
  const source = element("a", link, "Crouch & Mazur 2001");
  const root = element("p", { className: "class-note class-advice", id: "room-advice" }, status, " (", source, ")");
  void usual(room, truths, question)
    .then((found) => {
      if (found) status.textContent = text(`room.advice.${found}`);
      root.dataset.advice = found ?? "general";
    })
    .catch(() => (root.dataset.advice = "general")); // the general sentence stands
  return root;
}

/**
 * Return what the server advises; null if the truth is known nowhere yet, or computing it would show something.
 * @param {Taught} room @param {Known} truths @param {import("../lead/message.js").Question} question
 * @returns {Promise<"explain" | "discuss" | "go_on" | null>}
 */
async function usual(room, truths, question) {
  const truth = await truths.known(question);
  const now = room.message?.question;
  const goneOn = now?.id !== question.id || now.phase !== question.phase; // the server advises no more
  if (typeof truth !== "number" || goneOn) return null;
  const answer = await room.line.post("advice", { question: question.id, truth });
  return (await answer.json()).advice;
}
