/** Buttons that zoom, and boxes to go to a cell by position. */

import { element } from "../../dom/dom.js";

/**
 * @param {(key: string) => string} text
 * @param {{zoom: (factor: number) => void, whole: () => void, go: (row: number, column: number) => void}} wishes
 * @returns {{root: HTMLElement, bound: (shape: {rows: number, columns: number}) => void}}
 */
export function toolbar(text, { zoom, whole, go }) {
  /** @param {string} id @param {string} sign @param {() => void} onclick */
  const button = (id, sign, onclick) => {
    const title = text(`map.${id.replace("map-", "")}`);
    const made = element("button", { type: "button", className: "tool", id, onclick, title }, sign);
    // A sign needs a name; a word is one.
    if (sign.length === 1) made.ariaLabel = title;
    return made;
  };
  const number = (/** @type {string} */ id) =>
    element("input", { type: "number", id, min: "0", step: "1", inputMode: "numeric", required: true });
  const [query, key] = [number("map-query"), number("map-key")];
  /** @param {HTMLElement} input @param {string} label */
  const named = (input, label) => element("label", {}, element("span", {}, text(label)), input);
  const form = element(
    "form",
    { className: "map-go" },
    named(query, "map.query"),
    named(key, "map.key"),
    element(
      "button",
      { type: "submit", className: "tool", id: "map-go", title: text("map.go_to_cell") },
      text("map.go"),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(Number(query.value), Number(key.value));
  });
  const root = element(
    "div",
    { className: "map-tools", role: "group", ariaLabel: text("map.tools") },
    button("map-in", "+", () => zoom(0.5)),
    button("map-out", "−", () => zoom(2)),
    button("map-all", text("map.all_short"), whole),
    form,
  );
  return {
    root,
    bound: ({ rows, columns }) => {
      query.max = String(rows - 1);
      key.max = String(columns - 1);
    },
  };
}
