/** Boxes in which a visitor types: which writes reach them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hearTexts, keepTyped, typedControl } from "../../assets/js/controls/typing.js";

/** @type {Loose} */
const page = globalThis;

/** A number box as a browser has it: `text` is what stands in it, `value` is empty unless that is a number. */
class Box {
  text = "";

  get value() {
    return /^-?\d*\.?\d+$|^\d+\.$/.test(this.text) ? this.text.replace(/\.$/, "") : "";
  }

  set value(/** @type {string} */ text) {
    this.text = String(text);
  }
}

/** Return what stands in a box after a write. @param {string} typed @param {unknown} written @param {boolean} focused */
function after(typed, written, focused) {
  const box = /** @type {Loose} */ (new Box());
  page.HTMLInputElement = Box;
  page.document = { activeElement: focused ? box : null };
  keepTyped(box);
  box.text = typed;
  box.value = written;
  return box.text;
}

test("a write that changes no number leaves a box alone while the visitor types", () => {
  assert.equal(after("0.", "0", true), "0.");
  assert.equal(after("0.30", 0.3, true), "0.30");
  assert.equal(after("1e", "", true), "1e");
});

test("any other write reaches it", () => {
  assert.equal(after("0.", "8", true), "8");
  assert.equal(after("0.", "", true), "");
  assert.equal(after("", "0", true), "0");
  assert.equal(after("0.30", "0.3", false), "0.3");
});

test("the control is that of the box with the focus", () => {
  const box = {
    matches: (/** @type {string} */ selector) => selector === "input[type=number], textarea",
    closest: () => ({ id: "control-n" }),
  };
  page.document = { activeElement: box };
  assert.equal(typedControl(), "n");
  for (const other of [null, { ...box, matches: () => false }, { ...box, closest: () => null }]) {
    page.document = { activeElement: other };
    assert.equal(typedControl(), null);
  }
});

test("each letter of a box of text is heard at the box, with all that stands in it", () => {
  const box = Object.assign(new EventTarget(), { value: "" });
  /** @type {string[]} */
  const heard = [];
  const control = { querySelector: (/** @type {string} */ one) => one === "textarea, input" && box };
  page.document = { getElementById: (/** @type {string} */ id) => (id === "control-text" ? control : null) };
  hearTexts(["text", "answer"], (name, value) => heard.push(`${name}: ${value}`)); // no page has the second
  for (const value of ["O", "Once"]) {
    box.value = value;
    box.dispatchEvent(new Event("input"));
  }
  assert.deepEqual(heard, ["text: O", "text: Once"]);
});
