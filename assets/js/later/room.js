/** The room of a class, loaded when somebody opens one or follows a link to one: docs/room.md. */

import { keepInTab, ofTab } from "../link/address.js";
import { element } from "../dom/dom.js";
import { button } from "../room/button.js";
import { codeField, readCode } from "../room/code_field.js";
import { forget, remembered } from "../room/memory.js";
import { OwnToken } from "../room/own_token.js";
import { Student } from "../room/student.js";
import { Teacher } from "../room/teacher.js";

/** @typedef {import("../page/live_page.js").LivePage} LivePage */
/** @typedef {import("../lead/state.js").How} How */

/** This tab's part in a room. @type {Teacher | Student | null} */
let present = null;

/** @type {OwnToken | null} */
let own = null;

/** Resolves when a room can be entered: this tab's token is its own. */
async function ready() {
  own ??= new OwnToken(() => present?.renew());
  await own.asked;
}

/**
 * Show the room that this tab is in or, without one, the two ways: a student who looks for a place for the code opens no room.
 * @param {LivePage} page @param {HTMLDetailsElement} root the header's menu @param {HTMLElement} sheet
 */
export async function ways(page, root, sheet) {
  await ready();
  const { secret, code } = remembered();
  const shut = () => {
    root.open = false;
    sheet.replaceChildren(); // its field's name is that of the bar's
  };
  if (present || (secret && code)) {
    shut();
    if (present) present.focus();
    else if (code) teach(page, null).resume(code);
    return;
  }
  if (sheet.childElementCount) return; // opened again: what is being typed stays
  const text = (/** @type {string} */ key) => page.text(key);
  const begin = button("room-begin", text("room.begin"), () => {
    shut();
    void teach(page, null).open();
  });
  const join = codeField(text, (other) => {
    shut();
    void change(page, other);
  });
  sheet.replaceChildren(join, element("p", { className: "class-note" }, text("room.begin_hint")), begin);
}

/**
 * Take part in the room that the address names: as its teacher if this tab has opened it.
 * @param {LivePage} page @param {How} how the page was loaded
 */
export async function join(page, how) {
  await ready();
  if (present) return;
  const written = ofTab(location.search).room;
  const { secret, code } = remembered();
  const named = readCode(written) ?? written.slice(0, 20);
  if (secret && code === named) teach(page, how).resume(code);
  else follow(page, named, how);
}

/** @param {LivePage} page @param {How | null} how the page was loaded; null if it stands */
function teach(page, how) {
  document.getElementById("class")?.remove(); // of a room that has ended
  const teacher = new Teacher(page, how, (code) => void change(page, code));
  teacher.closed = () => (present = null);
  present = teacher;
  return teacher;
}

/** @param {LivePage} page @param {string} code @param {How} how the page was loaded */
function follow(page, code, how) {
  const student = new Student(page, code, how, (other) => void change(page, other));
  student.closed = () => (present = null);
  present = student;
}

/** Follow another room: a room that this tab has opened ends. @param {LivePage} page @param {string} code */
async function change(page, code) {
  if (present instanceof Teacher) {
    const teacher = present;
    await teacher.end();
    teacher.ended(); // even if the room could not be told
  }
  document.getElementById("class")?.remove();
  forget();
  keepInTab({ room: code });
  follow(page, code, "visitor");
}
