/** A student's answer to the class's question. It can be changed while the vote is open. */

import { element } from "../dom/dom.js";
import { inline } from "../lesson/markdown.js";
import { CurveDrawing, along } from "../asking/predict_curve.js";
import { shape } from "../dom/svg.js";
import { button } from "./button.js";
import { axes } from "../lesson/curve.js";

/**
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("../lead/message.js").Truth} Truth
 *
 * @param {Question} question @param {import("../lead/message.js").Spoken} words
 * @param {Truth | undefined} given the answer in this round
 * @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
 * @param {((answer: Truth) => void) | null} answer null: the vote is closed, and what was answered is shown
 * @returns {{root: HTMLElement, tell: (key: string) => void}} `tell` says where the answer is
 */
export function ballot(question, words, given, text, answer) {
  const status = element("p", { className: "class-note", role: "status" });
  const tell = (/** @type {string} */ key) => {
    status.textContent = key && text(`room.${key}`);
  };
  if (answer === null) tell("discuss");
  const legend = element("legend", {}, ...inline(words.text));
  /** @type {HTMLElement[]} */
  let content;
  if (question.kind === "choice") {
    const radios = words.answers.map((label, i) => {
      const onchange = () => answer?.(i);
      const input = element("input", {
        type: "radio",
        name: "room-answer",
        value: String(i),
        checked: i === given,
        disabled: answer === null,
        onchange,
      });
      return element("label", {}, input, element("span", {}, ...inline(label)));
    });
    content = [element("fieldset", {}, legend, element("div", { className: "predict-choices" }, ...radios))];
  } else {
    const sent = shape("polyline", { class: "class-sent" });
    const mark = () => drawing.lay(sent, along(drawing.places));
    let known = Array.isArray(given);
    const send = button("room-send", text("room.send_curve"), () => {
      answer?.(drawing.places.map((place) => Math.round(place * 1e4) / 1e4));
      send.disabled = known = true;
      mark();
    });
    send.classList.add("is-primary");
    send.disabled = true;
    const drawing = new CurveDrawing(axes({ ...question, ...words.labels }, words.curve), text, () => {
      send.disabled = false;
      tell(known ? "changed" : "");
    });
    drawing.line.before(sent);
    if (Array.isArray(given)) {
      drawing.put(given);
      mark();
    }
    drawing.locked = answer === null;
    if (drawing.locked) for (const point of drawing.points) point.remove();
    const shown = drawing.locked ? drawing.svg : drawing.root;
    const drawn = known || answer !== null ? [shown] : [];
    content = [element("fieldset", {}, legend, ...drawn), ...(answer ? [send] : [])];
  }
  return { root: element("div", { className: "class-ballot", id: "room-ballot" }, ...content, status), tell };
}
