/** The field in which a student types the code of a room. */

import { element } from "../dom/dom.js";

const CODE = /^[CDFGHJKMNPQRTVWXY34679]{6}$/;

/** Return a code as the server writes it; null if this is none. Pure. @param {string} written */
export function readCode(written) {
  const code = written.replaceAll(/[\s-]/g, "").toUpperCase();
  return CODE.test(code) ? code : null;
}

/** @param {(key: string) => string} text @param {(code: string) => void} join */
export function codeField(text, join) {
  const wrong = element("p", { className: "class-wrong", role: "alert", hidden: true }, text("error.room_none"));
  const field = element("input", {
    type: "text",
    id: "room-field",
    maxLength: 10,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: false,
    enterKeyHint: "go",
  });
  const form = element(
    "form",
    { className: "class-join" },
    element("label", { htmlFor: field.id }, text("room.type")),
    field,
    element("button", { type: "submit", className: "tool", id: "room-join" }, text("room.join")),
    wrong,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = readCode(field.value);
    wrong.hidden = code !== null;
    if (code) join(code);
    else field.focus();
  });
  return form;
}
