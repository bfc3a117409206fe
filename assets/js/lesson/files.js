/** A lesson's file: read with a message that names the line and the step, or saved. */

import { save } from "../files/clipboard.js";
import { element } from "../dom/dom.js";
import { checked, LONGEST } from "./check.js";
import { written } from "./draft.js";
import { format } from "./format.js";

/** @typedef {import("./shape.js").Lesson} Lesson */
/** @typedef {import("./shape.js").Page} Page */

/** Problems named at once; the others follow from them, often. */
const SHOWN = 5;

/**
 * Return what is wrong with a lesson, in sentences.
 * @param {Pick<Page, "text">} page @param {import("./check.js").Problem[]} problems @param {boolean} [filed] true names lines of a file
 */
export function sentences(page, problems, filed = false) {
  const listed = problems.slice(0, SHOWN).map(({ line, step, part, key, fields }) => {
    const where = page.text(`lesson.file.${filed ? "line" : "in"}${step ? "_step" : ""}`, { line, step });
    return page.text("lesson.file.said", {
      where: part ? `${where} (${part})` : where,
      said: page.text(`lesson.file.${key}`, fields),
    });
  });
  const others = problems.length - SHOWN;
  return others > 0 ? [...listed, page.text("lesson.file.others", { others })] : listed;
}

/** Return a button that asks for a lesson's file. @param {Page} page @param {(lesson: Lesson) => void} took */
export function fileBox(page, took) {
  const list = element("div", { className: "lesson-problems", role: "alert" });
  const box = element("input", { type: "file", accept: ".json,application/json", className: "spoken", tabIndex: -1 });
  box.ariaLabel = page.text("lesson.load");
  box.addEventListener("change", () => {
    const file = box.files?.item(0);
    box.value = ""; // the same file may be chosen again, mended
    if (file) void reading(page, file, took, list);
  });
  const button = element(
    "button",
    { type: "button", className: "tool lesson-load", onclick: () => box.click() },
    page.text("lesson.load"),
  );
  return element("div", { className: "lesson-file" }, button, box, list);
}

/** @param {Page} page @param {File} file @param {(lesson: Lesson) => void} took @param {HTMLElement} list */
async function reading(page, file, took, list) {
  // four bytes a character at most; no larger file is read
  const text = file.size > 4 * LONGEST ? " ".repeat(LONGEST + 1) : await file.text();
  const { lesson, problems } = checked(text, await format());
  list.replaceChildren(...sentences(page, problems, true).map((one) => element("p", {}, one)));
  if (lesson) took(lesson);
}

/** Save a lesson as a file. @param {Lesson} lesson */
export function saveLesson(lesson) {
  save(new Blob([written(lesson)], { type: "application/json" }), `${lesson.name}.json`);
}
