/** The form in which a teacher writes a question for the class: up to six answers, or a curve to draw. */

import { element } from "../dom.js";
import { typeset } from "../symbols.js";
import { button } from "./bar.js";
import { across } from "./curve.js";

const FEWEST = 2;
const MOST = 6;

/**
 * @typedef {import("./message.js").Asking} Asking
 * @param {(key: string, fields?: import("../controls.js").Fields) => string} text
 * @param {(question: Asking) => void} ask
 */
export function askForm(text, ask) {
  /** @param {string} id @param {string} label @param {number} maxLength @param {boolean} [required] */
  const box = (id, label, maxLength, required = false) => {
    const input = element("input", { type: "text", id, maxLength, required, autocomplete: "off" });
    return { input, row: element("label", { className: "class-field" }, element("span", {}, text(label)), input) };
  };
  const question = box("ask-text", "room.ask_text", 500, true);
  const x = box("ask-x", "room.ask_x", 60);
  const y = box("ask-y", "room.ask_y", 60);

  /** @param {"choice" | "curve"} value */
  const kind = (value) => {
    const input = element("input", { type: "radio", name: "ask-kind", value, onchange: () => fit() });
    return { input, row: element("label", {}, input, text(`room.ask.${value}`)) };
  };
  const choice = kind("choice");
  const curve = kind("curve");
  choice.input.checked = true;

  const answers = element("ol", { className: "class-answers" });
  const more = button("ask-more", text("room.ask_more"), () => {
    add();
    answers.lastElementChild?.querySelector("input")?.focus();
  });
  const add = () => {
    const n = answers.children.length + 1;
    const label = text("room.ask_answer", { n });
    answers.append(
      element(
        "li",
        {},
        element("input", { type: "text", maxLength: 120, ariaLabel: label, placeholder: label, autocomplete: "off" }),
      ),
    );
    more.hidden = n >= MOST;
  };
  for (let n = 0; n < FEWEST; n += 1) add();

  const choices = element("div", {}, answers, more);
  const axes = element("div", {}, x.row, y.row);
  const fit = () => {
    choices.hidden = curve.input.checked;
    axes.hidden = !curve.input.checked;
    for (const input of choices.querySelectorAll("input")) input.disabled = curve.input.checked;
  };
  fit();

  const wrong = element("p", { className: "class-wrong", role: "alert" });
  const form = element(
    "form",
    { className: "class-ask", id: "ask-form" },
    question.row,
    element("div", { className: "class-kinds" }, choice.row, curve.row),
    choices,
    axes,
    wrong,
    element("button", { type: "submit", className: "tool is-primary", id: "ask-send" }, text("room.ask")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (curve.input.checked) {
      const labels = { x_label: x.input.value.trim(), y_label: y.input.value.trim() };
      ask({ kind: "curve", text: question.input.value.trim(), x: across(), ...labels });
      return;
    }
    const written = [...answers.querySelectorAll("input")].map((field) => field.value.trim());
    const given = written.filter((answer) => answer !== "");
    wrong.textContent = given.length < FEWEST ? text("room.ask_two") : "";
    if (given.length < FEWEST) return;
    ask({ kind: "choice", text: question.input.value.trim(), answers: given });
  });
  return form;
}

/**
 * The page's own question, to be asked as it is.
 * @param {Asking | null} asking @param {boolean} possible true if the page has questions that are not open now
 * @param {(key: string) => string} text @param {(question: Asking) => void} ask
 */
export function askPage(asking, possible, text, ask) {
  if (!asking) return possible ? [element("p", { className: "class-note" }, text("room.ask_open_first"))] : [];
  return [
    element(
      "div",
      { className: "class-page-question" },
      element("p", {}, ...typeset(asking.text)),
      button("ask-page", text("room.ask_page"), () => ask(asking)),
    ),
  ];
}
