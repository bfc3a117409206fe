/** The lesson that is to be played, or on the page why it cannot be. */

import { keepInTab } from "../link/address.js";
import { sentences } from "./files.js";
import { isShipped, lessonOf } from "./lesson.js";
import { opened } from "./opened.js";
import { Panel } from "./panel.js";

/** @typedef {import("./shape.js").Page} Page */

/** Return a lesson by its name in a link; null if there is none, or if it cannot be played: then the page says so. @param {Page} page @param {string} name */
export async function playable(page, name) {
  if (isShipped(name)) return lessonOf(name);
  const { lesson, problems } = await opened(name).catch(() => ({ lesson: undefined, problems: [] }));
  if (lesson === undefined) page.message.fail(page.text("live.lost"));
  else if (problems.length) refuse(page, sentences(page, problems));
  else if (!lesson) page.message.fail(page.text("lesson.unknown", { name: name.slice(0, 40) }));
  return lesson ?? null;
}

/** Say where the lesson would stand why it does not; the page stays. @param {Page} page @param {string[]} problems */
function refuse(page, problems) {
  const panel = new Panel(page, {
    back: () => {},
    next: () => {},
    again: () => {},
    leave: () => {
      panel.close();
      keepInTab({ lesson: null, step: null, aside: null });
    },
  });
  panel.title.textContent = page.text("lesson.refused");
  panel.back.hidden = panel.next.hidden = panel.bar.hidden = true;
  panel.fail(problems.join(" "));
}
