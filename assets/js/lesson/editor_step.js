/** One step in the editor: its state, text, figure and question, and its place among the others. */

import { element } from "../dom/dom.js";
import { NUMBERS } from "../figures/numbers_came.js";
import { columnsAmiss } from "./editor_columns.js";
import { questionFields } from "./editor_question.js";
import { stateHere } from "./here.js";
import { spoken } from "./lesson.js";
import { pageIn } from "./settled.js";

/** @typedef {import("./shape.js").Step} Step */

/**
 * The editor around the step.
 * @typedef {object} Editing
 * @property {import("./shape.js").Page} page
 * @property {string} lang
 * @property {import("./shape.js").Lesson} lesson
 * @property {HTMLElement} steps holds the entries
 * @property {() => void} keep keeps what was written
 * @property {() => void} changed does so, and lists the steps anew
 * @property {(step: number) => Promise<void>} try
 * @property {(key: string, onclick: () => void, disabled?: boolean) => HTMLElement} button
 * @property {(key: string, value: string, write: (value: string) => void) => HTMLElement} area
 */

/**
 * Return a step as an entry of the editor's list.
 * @param {Editing} editor @param {Step} step @param {number} i its place, from 0
 */
export function stepEntry(editor, step, i) {
  const text = (/** @type {string} */ key, /** @type {import("../words/message_format.js").Fields} */ fields = {}) =>
    editor.page.text(`lesson.${key}`, fields);
  const { lang, page, lesson } = editor;
  const { steps } = lesson;
  const here = pageIn(step.link) === page.settings.page;
  const figures = here ? page.settings.figures : [];
  const focus = element("select", {
    onchange: () => {
      if (focus.value) step.focus = focus.value;
      else delete step.focus;
      editor.keep();
    },
  });
  for (const name of new Set(["", ...(step.focus ? [step.focus] : []), ...figures])) {
    const title = name ? page.text(`figure.${name.replaceAll("-", "_")}.title`) : text("no_focus");
    focus.append(element("option", { value: name, selected: name === (step.focus ?? "") }, title));
  }
  const move = (/** @type {number} */ by) => {
    steps.splice(i, 1);
    steps.splice(i + by, 0, step);
    editor.changed();
    editor.steps.children
      .item(i + by)
      ?.querySelector("button")
      ?.focus();
  };
  const buttons = element(
    "div",
    { className: "lesson-tools" },
    editor.button("up", () => move(-1), i === 0),
    editor.button("down", () => move(1), i === steps.length - 1),
    editor.button("show", () => void editor.try(i)),
    editor.button("replace", () => {
      step.link = stateHere(page);
      editor.changed();
    }),
    editor.button("remove", () => {
      steps.splice(i, 1);
      editor.changed();
    }),
  );
  const at = pageIn(step.link);
  const known = Object.hasOwn(page.settings.reach.bounds, at);
  const name = known ? page.text(`choice.page.${at}`) : text("no_page", { name: at.slice(0, 40) });
  const amiss = element("p", { className: "editor-amiss", role: "alert" });
  const look = () => amiss.replaceChildren(columnsAmiss(page, step, i));
  const asked = questionFields(page, step, () => {
    editor.keep();
    look();
  });
  asked.addEventListener(NUMBERS, look);
  look();
  return element(
    "li",
    { className: "editor-step" },
    element("p", { className: "editor-link plain" }, `${name} · ${step.link || "—"}`),
    editor.area("text", spoken(step.text, lang), (value) => (step.text[lang] = value)),
    element("label", {}, element("span", {}, text("focus")), focus),
    asked,
    amiss,
    buttons,
  );
}
