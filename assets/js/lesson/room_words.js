/** A class's question in another language than the teacher's. Pure. */

import { spoken } from "./lesson.js";
import { onOneLine } from "./markdown.js";

/**
 * Return the words of a lesson's question in a language; null if the class is asked something else.
 * @param {import("./shape.js").Question} own of this page's file @param {import("../lead/message.js").Asking} asked @param {string} lang
 */
export function inLanguage({ text, answers = [], curve }, asked, lang) {
  if (!text || (curve === undefined) !== (asked.kind === "choice")) return null;
  if (answers.length !== (asked.answers?.length ?? 0)) return null; // another release's file
  return {
    text: onOneLine(spoken(text, lang)),
    answers: answers.map((answer) => onOneLine(spoken(answer.text, lang))),
    labels: {
      ...(curve?.x_label ? { x_label: spoken(curve.x_label, lang) } : {}),
      ...(curve?.y_label ? { y_label: spoken(curve.y_label, lang) } : {}),
    },
  };
}
