/** The bar of a phone: names of all controls in a row, and below it the control whose name was pressed. Styles show it on phones alone. */

import { element, inside } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/** What only groups controls; the seed and its button are one control. */
const GROUP = ".form, .column, .gr-accordion, [data-testid=accordion-content], .row:not(#seed-row)";
/** Controls made of parts, and the texts that name them. */
const NAMED = /** @type {Record<string, string>} */ ({
  "seed-row": "control.seed.label",
  upload: "choice.source.upload",
});

/**
 * @param {(key: string) => string} text
 */
export function controlBar(text) {
  const rail = inside(document.body, "#controls");
  const names = element("div", { className: "control-names", role: "group", ariaLabel: text("page.controls") });
  const buttons = [...controls(rail)].map((control) => {
    const name = typeset(short(text(named(control.id))));
    const button = element("button", { type: "button", aria: { controls: control.id } }, ...name);
    button.addEventListener("click", () => {
      show(control);
      button.scrollIntoView({ block: "nearest", inline: "center" });
    });
    control.classList.add("one");
    return { control, button };
  });
  /** @param {HTMLElement} chosen */
  const show = (chosen) => {
    for (const { control, button } of buttons) {
      control.classList.toggle("is-shown", control === chosen);
      button.setAttribute("aria-pressed", String(control === chosen));
    }
  };
  const fit = () => {
    const possible = buttons.filter(({ control, button }) => {
      button.hidden = control.matches(".not-now, .is-out");
      return !button.hidden;
    });
    const [first] = possible;
    if (possible.length && !possible.some(({ control }) => control.classList.contains("is-shown"))) show(first.control);
  };
  names.append(...buttons.map(({ button }) => button));
  rail.prepend(names);
  fit();
  // the page hides controls without a meaning
  new MutationObserver(fit).observe(rail, { attributes: true, attributeFilter: ["class"], subtree: true });
}

/** Return the controls of the rail in their order. @param {Element} group @returns {Generator<HTMLElement>} */
function* controls(group) {
  for (const child of group.children) {
    if (child.matches(GROUP)) yield* controls(child);
    else if (child.id.startsWith("control-") || child.id in NAMED) yield /** @type {HTMLElement} */ (child);
    else if (!child.id) yield* controls(child);
  }
}

/** Return the key of a control's name. @param {string} id */
const named = (id) => NAMED[id] ?? `control.${id.slice("control-".length)}.label`;

/** Return the part of a label that names the control; the rest explains it. @param {string} label */
export const short = (label) => label.split(/[,:;(（=]/u)[0].trim();
