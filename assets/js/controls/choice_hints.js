/** What a choice means, said where it is chosen: under the pointer, beside the keyboard's focus, and to screen readers. */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/** Milliseconds that a pointer rests on a choice before its meaning is shown. */
const REST = 350;
/** Pixels between a choice, its hint and the edge of the window. */
const GAP = 6;

/**
 * @param {HTMLElement} root of the page
 * @param {string[]} names of the controls
 * @param {(key: string) => string} text choices without a text need no hint
 */
export function choiceHints(root, names, text) {
  const tip = element("div", { className: "tip choice-tip", hidden: true, aria: { hidden: "true" } });
  root.append(tip);
  /** @type {HTMLElement | null} the control whose choice is explained */
  let explained = null;
  /** The choice under the pointer. @type {HTMLInputElement | null} */
  let over = null;
  let timer = 0;
  const hide = () => {
    clearTimeout(timer);
    tip.hidden = true;
    explained = over = null;
  };
  /** @param {HTMLElement} control @param {HTMLInputElement} choice @param {string} hint */
  const show = (control, choice, hint) => {
    explained = control;
    tip.replaceChildren(...typeset(hint));
    tip.hidden = false;
    const at = (choice.closest("label") ?? choice).getBoundingClientRect();
    const left = Math.max(GAP, Math.min(at.left, innerWidth - tip.offsetWidth - GAP));
    const below = at.bottom + GAP;
    const fits = below + tip.offsetHeight + GAP < innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${fits ? below : at.top - tip.offsetHeight - GAP}px`;
  };
  for (const name of names) {
    const control = document.getElementById(`control-${name}`);
    if (!control) continue;
    /** @param {EventTarget | null} target @returns {[HTMLInputElement, string] | null} */
    const choiceAt = (target) => {
      const label = target instanceof Element ? target.closest("label") : null;
      const choice = label?.querySelector("input");
      const hint = choice && hintOf(name, choice.value, text);
      return hint ? [choice, hint] : null;
    };
    for (const choice of control.querySelectorAll("input")) {
      const hint = hintOf(name, choice.value, text);
      if (!hint) continue;
      const id = `hint-${name}-${choice.value}`;
      root.append(element("span", { id, hidden: true }, hint));
      choice.setAttribute("aria-describedby", id);
    }
    const rest = (/** @type {PointerEvent} */ { target, pointerType }) => {
      const found = choiceAt(target);
      if (over === (found?.[0] ?? null) && pointerType !== "touch") return; // every touch begins anew
      hide();
      if (!found) return;
      over = found[0];
      timer = setTimeout(() => show(control, ...found), REST);
    };
    // a page that moves under a mouse at rest tells it that it is over something else, but not that it moved
    control.addEventListener("pointermove", rest);
    control.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") rest(event);
      else if (over !== (choiceAt(event.target)?.[0] ?? null)) hide();
    });
    control.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch") hide(); // a finger leaves when it has chosen
    });
    // what is pressed is known: the hint leaves its place to what the choice shows; a finger that rests reads it
    control.addEventListener("click", ({ detail, target }) => {
      const pressed = choiceAt(target)?.[0] ?? null;
      if (detail === 0 || !pressed) return; // the keyboard's choice is explained as long as it has the focus
      hide();
      over = pressed;
    });
    control.addEventListener("focusin", (event) => {
      const found = choiceAt(event.target);
      if (found?.[0].matches(":focus-visible")) show(control, ...found);
    });
    control.addEventListener("focusout", hide);
  }
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (explained && !(target instanceof Node && explained.contains(target))) hide();
  });
  addEventListener("scroll", hide, { capture: true, passive: true });
}

/** Return what a choice means, "" if its word says it. @param {string} name @param {string} value @param {(key: string) => string} text */
function hintOf(name, value, text) {
  const key = `hint.${name}.${value}`;
  const hint = text(key);
  return hint === key ? "" : hint;
}
