/** The form in which a teacher writes a question for the class: up to six answers, one of them marked as right, or a curve to draw. */

import { element } from "../dom/dom.js";
import { unlatex } from "../words/latex.js";
import { typeset } from "../words/symbols.js";
import { axisFields, box } from "./ask_fields.js";
import { button } from "./button.js";
import { points } from "./ends.js";

const FEWEST = 2;
const MOST = 6;

/**
 * @typedef {import("../lead/message.js").Asking} Asking
 * @param {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
 * @param {string} lang of who writes
 * @param {(question: import("./prepared_file.js").Prepared, keep: boolean) => void} ask `keep`: for later
 * @param {() => {name: string, title: string}[]} figures on screen, which a question may show
 * @param {() => string} present the link of what is on screen; empty if no other page could show it
 */
export function askForm(text, lang, ask, figures, present) {
  const question = box("ask-text", text("room.ask_text"), 500, true);
  const x = axisFields("ask-x", text("room.ask_x"), text);
  const y = axisFields("ask-y", text("room.ask_y"), text);

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
    const right = text("room.ask_right", { n });
    const mark = element(
      "button",
      { type: "button", className: "tool class-mark", title: right, ariaLabel: right },
      "✓",
    );
    mark.setAttribute("aria-pressed", "false");
    mark.onclick = () => {
      const pressed = mark.getAttribute("aria-pressed") === "true";
      for (const one of answers.querySelectorAll(".class-mark")) one.setAttribute("aria-pressed", "false");
      mark.setAttribute("aria-pressed", String(!pressed));
    };
    answers.append(
      element(
        "li",
        {},
        element("input", { type: "text", maxLength: 120, ariaLabel: label, placeholder: label, autocomplete: "off" }),
        mark,
      ),
    );
    more.hidden = n >= MOST;
  };
  for (let n = 0; n < FEWEST; n += 1) add();

  const wrong = element("p", { className: "class-wrong", role: "alert" });
  const choices = element("div", {}, answers, more);
  const optional = element("p", { className: "class-note" }, text("room.ask_ends_hint"));
  const axes = element("div", { oninput: () => (wrong.textContent = "") }, x.row, y.row, optional);
  const fit = () => {
    wrong.textContent = "";
    choices.hidden = curve.input.checked;
    axes.hidden = !curve.input.checked;
    for (const input of choices.querySelectorAll("input")) input.disabled = curve.input.checked;
    for (const { label } of [x, y]) label.required = curve.input.checked; // nobody can draw on axes without a name
  };
  fit();

  const why = box("ask-because", text("room.ask_because"), 500);
  const none = element("option", { value: "" }, text("room.ask_no_figure"));
  const picture = element("select", { id: "ask-figure" }, none);
  picture.addEventListener("focus", () => {
    const { value } = picture;
    picture.replaceChildren(none, ...figures().map(({ name, title }) => element("option", { value: name }, title)));
    picture.value = value;
  });
  const pictured = element(
    "label",
    { className: "class-field" },
    element("span", {}, text("room.ask_figure")),
    picture,
  );

  const form = element(
    "form",
    { className: "class-ask", id: "ask-form" },
    question.row,
    element("div", { className: "class-kinds" }, choice.row, curve.row),
    choices,
    axes,
    why.row,
    pictured,
    wrong,
    element(
      "div",
      { className: "buttons" },
      element("button", { type: "submit", className: "tool is-primary", id: "ask-send" }, text("room.ask")),
      button("ask-keep", text("room.ask_keep"), () => form.reportValidity() && send(true), text("room.ask_keep_hint")),
    ),
  );
  const typed = (/** @type {HTMLInputElement | null | undefined} */ input) => unlatex(input?.value.trim() ?? "");
  const send = (/** @type {boolean} */ keep) => {
    const because = typed(why.input);
    const figure = picture.value;
    const link = present();
    const common = {
      text: typed(question.input),
      ...(because ? { because: { [lang]: because } } : {}),
      ...(figure ? { figure, holds: true, ...(link ? { link } : {}) } : {}),
    };
    if (curve.input.checked) {
      const [across, up] = [x.read(), y.read()];
      wrong.textContent = [across.wrong, up.wrong].filter(Boolean).join(" ");
      if (wrong.textContent) {
        (across.wrong ? x : y).from.focus();
        return;
      }
      const labels = { x_label: typed(x.label), y_label: typed(y.label) };
      ask({ kind: "curve", ...points(across.ends, up.ends), ...labels, ...common }, keep);
      return;
    }
    const lines = [...answers.children].map((line) => ({
      answer: typed(line.querySelector("input")),
      marked: line.querySelector(".class-mark")?.getAttribute("aria-pressed") === "true",
    }));
    const given = lines.filter(({ answer }) => answer !== "");
    wrong.textContent = given.length < FEWEST ? text("room.ask_two") : "";
    if (given.length < FEWEST) return;
    const right = given.findIndex(({ marked }) => marked);
    const known = right < 0 ? {} : { right };
    ask({ kind: "choice", answers: given.map(({ answer }) => answer), ...known, ...common }, keep);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(false);
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
