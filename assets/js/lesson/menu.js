/** The menu of lessons: those that come with the app, what their teachers need, and the way to make one. */

import { element } from "../dom/dom.js";
import { begin } from "./begin.js";
import { draft } from "./draft.js";
import { addStep, edit, open } from "./editor.js";
import { fileBox } from "./files.js";
import { handout } from "./handout.js";
import { placeIn } from "../link/kept.js";
import { FIRST, OWN, SHIPPED, lessonOf, spoken } from "./lesson.js";
import { help } from "./help.js";
import { inline, written } from "./markdown.js";
import { playable } from "./playable.js";

/** @typedef {import("./shape.js").Lesson} Lesson */
/** @typedef {import("./shape.js").Page} Page */

/** Fill the menu. @param {Page} page @param {HTMLElement} sheet */
export async function fill(page, sheet) {
  const lessons = await Promise.all([FIRST, ...SHIPPED].map((name) => lessonOf(name)));
  const shut = () => sheet.closest("details")?.removeAttribute("open");
  const entries = lessons.flatMap((lesson) => (lesson ? [entry(page, lesson, lesson.name, shut)] : []));
  sheet.replaceChildren(...entries, making(page, shut));
  sheet.dispatchEvent(new Event("toggle")); // the menu finds its room again
}

/** @param {Page} page @param {Lesson} lesson @param {string} name in the link @param {() => void} shut */
function entry(page, lesson, name, shut) {
  const { lang } = page.state.values;
  const place = placeIn(name);
  const started = place !== null && place > 1 && place < lesson.steps.length;
  const minutes = page.text("lesson.minutes", { minutes: lesson.minutes });
  const more = started ? ` · ${page.text("lesson.go_on", { step: place })}` : "";
  const start = (/** @type {number | null} */ step) => {
    shut();
    void begin(page, name, step, { anew: step === 1 });
  };
  const ways = [tool(page, "handout", () => void leave(false)), tool(page, "handout_answers", () => void leave(true))];
  const leave = async (/** @type {boolean} */ answers) => {
    shut();
    const sound = await playable(page, name); // one's own may be half written
    if (sound) await handout(page, sound, answers);
  };
  return element(
    "div",
    { className: "lesson-entry" },
    element(
      "button",
      { type: "button", className: "choice", id: `lesson-${name}`, onclick: () => start(started ? null : 1) },
      element("strong", {}, ...inline(spoken(lesson.title, lang))),
      element("span", { className: "promise" }, ...inline(spoken(lesson.about, lang)), ` · ${minutes}${more}`),
    ),
    ...(started ? [tool(page, "from_start", () => start(1))] : []),
    element(
      "details",
      { className: "lesson-teacher" },
      element("summary", {}, page.text("lesson.teacher")),
      ...written(spoken(lesson.note, lang)),
      element("div", { className: "lesson-tools" }, ...ways),
    ),
  );
}

/** @param {Page} page @param {() => void} shut */
function making(page, shut) {
  const own = draft();
  const then = (/** @type {() => void} */ work) => () => {
    shut();
    work();
  };
  return element(
    "div",
    { className: "lesson-making" },
    element("strong", {}, page.text("lesson.make")),
    ...(own?.steps.length ? [entry(page, own, OWN, shut)] : []),
    element(
      "div",
      { className: "lesson-tools" },
      tool(
        page,
        "add",
        then(() => addStep(page)),
      ),
      ...(own
        ? [
            tool(
              page,
              "edit",
              then(() => edit(page)),
            ),
          ]
        : []),
      tool(
        page,
        "help",
        then(() => void help(page)),
      ),
      fileBox(page, (lesson) => {
        shut();
        open(page, lesson);
      }),
    ),
  );
}

/** @param {Page} page @param {string} name @param {() => void} onclick */
export function tool(page, name, onclick) {
  const id = `lesson-${name.replaceAll("_", "-")}`;
  return element("button", { type: "button", className: `tool ${id}`, onclick }, page.text(`lesson.${name}`));
}
