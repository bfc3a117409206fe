/** The head of a lesson in the editor: its title, how many minutes it takes, and its name. */

import { element } from "../dom/dom.js";
import { spoken } from "./lesson.js";

/** The most characters of a title, and the most minutes. */
const [LONGEST, MOST] = [160, 240];

/**
 * Return the fields of a lesson's head; each writes what it holds at once.
 * @param {Pick<import("./editor_step.js").Editing, "page" | "lesson" | "lang" | "keep">} editor
 */
export function headFields(editor) {
  const { page, lesson, lang } = editor;
  /** @param {string} key @param {HTMLInputElement} box @param {(value: string) => void} write */
  const field = (key, box, write) => {
    box.addEventListener("input", () => {
      write(box.value);
      editor.keep();
    });
    const name = element("span", {}, page.text(`lesson.${key}`));
    return element("label", { className: `editor-of-${key}` }, name, box);
  };
  const line = (/** @type {string} */ value) => element("input", { type: "text", value, maxLength: LONGEST });
  const title = line(spoken(lesson.title, lang));
  const name = line(lesson.name);
  name.pattern = "[a-z0-9]+(-[a-z0-9]+)*";
  const minutes = element("input", { type: "number", value: String(lesson.minutes), min: "1", max: String(MOST) });
  return element(
    "div",
    { className: "editor-head" },
    field("title", title, (value) => (lesson.title[lang] = value.trim())),
    field("in_minutes", minutes, (value) => (lesson.minutes = value === "" ? 1 : Number(value))),
    field("name", name, (value) => (lesson.name = value.trim())),
  );
}
