/**
 * The ways to what only a class uses: lessons and the room. Their scripts are loaded when somebody opens one, or when the
 * address names one, after the first picture.
 */

import { ofTab } from "../link/address.js";
import { element } from "../dom/dom.js";
import { welcome } from "./first_visit.js";
import { isEditing } from "../link/kept.js";
import { menu } from "../dom/menu.js";
import { PEOPLE } from "../dom/people_icon.js";
import { signed } from "../dom/svg.js";

/**
 * A page that a class may use.
 * @typedef {object} Taught
 * @property {(key: string) => string} text
 * @property {{fail: (sentence: string) => void}} message
 * @property {{how: import("../lead/state.js").How, later: import("./later.js").Later}} presence
 */

const BOOK =
  "M10 5.2C8.4 4 6.2 3.5 2.5 3.5v11.8c3.7 0 5.9.5 7.5 1.7 1.6-1.2 3.8-1.7 7.5-1.7V3.5c-3.7 0-5.9.5-7.5 1.7z M10 5.2V17";

/** Call what a module of later/ offers, and say so if it cannot be loaded. @param {Taught} page @param {() => Promise<unknown>} work */
async function calling(page, work) {
  try {
    await work();
  } catch {
    page.message.fail(page.text("live.lost"));
  }
}

/**
 * Fill the sheet of a menu each time that it opens; it is busy until it is filled.
 * @param {Taught} page @param {HTMLDetailsElement} root @param {HTMLElement} sheet @param {() => Promise<unknown>} fill
 */
function fillLate(page, root, sheet, fill) {
  const busy = (/** @type {boolean} */ on) => (sheet.ariaBusy = String(on));
  busy(true);
  root.addEventListener("toggle", () => {
    if (!root.open) return;
    busy(true);
    void calling(page, fill).then(() => busy(false));
  });
}

/** Return the menu of lessons; its content is made when it first opens. @param {Taught} page */
export function lessonMenu(page) {
  const label = page.text("lesson.menu");
  const sheet = element("div", { className: "lessons" });
  const root = menu("lessons", signed(BOOK, label), label, sheet);
  root.id = "lessons-open";
  fillLate(page, root, sheet, async () => (await page.presence.later.lessons()).open(sheet));
  return root;
}

/** Return the menu of the room: open one, or join one; in a tab that has its room it shows that. @param {Taught} page */
export function roomMenu(page) {
  const sheet = element("div", { className: "class-ways" });
  const root = menu("room", signed(PEOPLE, page.text("room.open")), page.text("room.open_hint"), sheet);
  /** @type {HTMLElement} */ (root.firstElementChild).id = "room-open";
  fillLate(page, root, sheet, async () => (await page.presence.later.room()).ways(root, sheet));
  return root;
}

/** Return the button of the quiet help. @param {Taught} page */
export function helpButton(page) {
  const title = page.text("help.open");
  const onclick = () => void calling(page, async () => (await page.presence.later.lessons()).help());
  return element(
    "button",
    { type: "button", className: "tool", id: "help-open", title, ariaLabel: title, onclick },
    "?",
  );
}

/** Offer a first visit its way in, before the sentences. @param {Taught} page @param {HTMLElement} box of the sentences */
export function greet(page, box) {
  welcome(
    box,
    (key) => page.text(key),
    () => void calling(page, async () => (await page.presence.later.lessons()).start()),
  );
}

/**
 * Begin the room and the lesson that the address names. In a room its lead decides whether the lesson is played.
 * @param {Taught} page
 */
export function attend(page) {
  const { lesson, room } = ofTab(location.search);
  const { how } = page.presence;
  page.presence.how = "visitor"; // from now on
  if (room) void calling(page, async () => (await page.presence.later.room()).join(how));
  if (isEditing() || (lesson && !room)) {
    void calling(page, async () => (await page.presence.later.lessons()).play(!room, how === "visitor"));
  }
}
