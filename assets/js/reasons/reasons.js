/**
 * Sentences whose numbers can be asked where they come from: by pointer, touch and keyboard. A sentence with such numbers
 * is one Tab stop; arrow keys go from number to number, Enter to the link in the tip, Escape closes it.
 */

import { element } from "../dom/dom.js";
import { ReasonTip } from "./reason_tip.js";
import { typeset } from "../words/symbols.js";

/**
 * @typedef {import("../../types/wire.js").Sentence} Sentence
 * @typedef {import("../../types/wire.js").Reasoned} Reasoned
 * @typedef {object} Answerable
 * @property {() => Reasoned} reasoned
 * @property {HTMLElement[]} group the numbers of one sentence
 *
 * @typedef {object} AnswerableTable a table, one Tab stop with all its numbers
 * @property {(cell: HTMLElement) => Reasoned} reasoned
 * @property {(cell: HTMLElement) => Promise<string> | null} later the arithmetic of a number, if there is any
 * @property {(cell: HTMLElement, key: string) => HTMLElement | null} beside the next one by an arrow key
 *
 * @typedef {object} Texts of the page
 * @property {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
 * @property {Record<string, string>} sections addresses of what defines the numbers
 */

/** Milliseconds for which a pointer rests before the tip opens, and for which it may leave before the tip closes. */
const [REST, GRACE] = [150, 250];

/** @type {WeakMap<Element, Answerable>} */
const numbers = new WeakMap();
/** @type {WeakMap<Element, AnswerableTable>} */
const tables = new WeakMap();
/** @type {ReasonTip | null} */
let tip = null;
let timer = 0;
/** @type {Texts | null} */
let page = null;

/** Hear the whole page, once: numbers come and go. @param {Texts} texts */
export function answerNumbers(texts) {
  page = texts;
  document.addEventListener("pointermove", over);
  // a page that moves under a mouse at rest tells it that it is over something else, but not that it moved
  document.addEventListener("pointerover", (event) => {
    if (!numberAt(event.target)) over(event);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (tip?.open && !tip.holds(target) && !numberAt(target)) tip.close();
  });
  document.addEventListener("click", ({ target }) => {
    const number = numberAt(target);
    if (number) show(number);
  });
  document.addEventListener("focusin", ({ target }) => {
    const number = numberAt(target);
    if (number?.matches(":focus-visible")) show(number);
    else if (tip?.open && !number && !tip.holds(target)) tip.close();
  });
  // on the window: before the keys of opened sentences, menus and present mode, which Escape closes, whichever was there first
  window.addEventListener("keydown", key, true);
  document.addEventListener("scroll", ({ target }) => tip?.holds(target) || tip?.follow(), {
    capture: true,
    passive: true,
  });
}

/** Answer for the numbers of a table: its elements of the class "asked". @param {HTMLElement} table @param {AnswerableTable} answers */
export function answersIn(table, answers) {
  tables.set(table, answers);
}

/** Return a sentence as a paragraph. @param {Sentence} sentence */
export const paragraph = (sentence) => element("p", {}, ...explained(sentence));

/**
 * Return the nodes of a sentence.
 * @param {Sentence} sentence
 * @param {HTMLElement[]} [group] the numbers before it in the same Tab stop
 * @returns {(Node | string)[]}
 */
export function explained(sentence, group = []) {
  if (typeof sentence === "string") return typeset(sentence);
  return sentence.flatMap((piece) =>
    typeof piece === "string" ? typeset(piece) : [asked(typeset(piece[0]), () => piece, group)],
  );
}

/** Return an element whose content can be asked. @param {(Node | string)[]} content @param {() => Reasoned} reasoned @param {HTMLElement[]} group */
export function asked(content, reasoned, group) {
  const number = element("span", { className: "asked", tabIndex: group.length ? -1 : 0 }, ...content);
  numbers.set(number, { reasoned, group });
  group.push(number);
  return number;
}

/** Return a sentence as plain text. @param {Sentence} sentence */
export function plainly(sentence) {
  return typeof sentence === "string"
    ? sentence
    : sentence.map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
}

/** Cut a sentence at a separator. @param {Sentence} sentence @param {string} separator @returns {Exclude<Sentence, string>[]} */
export function cut(sentence, separator) {
  /** @type {Exclude<Sentence, string>[]} */
  const parts = [[]];
  for (const piece of typeof sentence === "string" ? [sentence] : sentence) {
    const [first, ...rest] = typeof piece === "string" ? piece.split(separator) : [piece];
    parts[parts.length - 1].push(first);
    for (const one of rest) parts.push([one]);
  }
  return parts;
}

/** @param {EventTarget | null} target @returns {HTMLElement | null} */
function numberAt(target) {
  const found = target instanceof Element ? target.closest(".asked") : null;
  return found instanceof HTMLElement && (numbers.has(found) || tableOf(found)) ? found : null;
}

/** @param {HTMLElement} number */
function tableOf(number) {
  const table = number.closest("table");
  return table && !numbers.has(number) ? tables.get(table) : undefined;
}

/** @param {PointerEvent} event */
function over({ target, pointerType }) {
  if (pointerType === "touch") return;
  const number = numberAt(target);
  if (number && number !== tip?.number) {
    clearTimeout(timer);
    timer = setTimeout(() => show(number), REST);
  } else if (number || tip?.holds(target)) {
    clearTimeout(timer);
  } else if (tip?.open || timer) {
    clearTimeout(timer);
    timer = setTimeout(() => tip?.leave(), GRACE);
  }
}

/** @param {HTMLElement} number */
function show(number) {
  clearTimeout(timer);
  const table = tableOf(number);
  const reasoned = table ? table.reasoned(number) : numbers.get(number)?.reasoned();
  if (!page || !reasoned || !number.isConnected) return;
  tip ??= new ReasonTip(page.text, page.sections);
  tip.show(number, reasoned);
  void table?.later(number)?.then((made) => {
    const [shown, formula, , section] = reasoned;
    if (made && tip?.number === number) tip.show(number, [shown, formula, made, section]);
  });
}

/** @param {KeyboardEvent} event */
function key(event) {
  const { target } = event;
  const number = numberAt(target);
  if (event.key === "Escape" && tip?.open) {
    event.stopImmediatePropagation(); // opened sentences stay
    tip.close();
  } else if (number && event.key === "Enter") {
    event.preventDefault();
    show(number);
    tip?.link.focus();
  } else if (number && steps(number, event.key)) {
    event.preventDefault();
    event.stopPropagation();
  } else if (event.key === "Tab" && tip?.holds(target)) {
    tip.close(); // the focus goes on from the number
  }
}

/** Go to the next number of a table or of a sentence. @param {HTMLElement} number @param {string} key @returns {boolean} true if this is a key for it */
function steps(number, key) {
  const table = tableOf(number);
  const keys = ["ArrowLeft", "ArrowRight", "Home", "End", ...(table ? ["ArrowUp", "ArrowDown"] : [])];
  if (!keys.includes(key)) return false;
  const next = table ? table.beside(number, key) : beside(number, key);
  if (!next) return true;
  if (table) {
    number.tabIndex = -1;
    next.tabIndex = 0;
  }
  next.focus();
  show(next);
  return true;
}

/** @param {HTMLElement} number @param {string} key */
function beside(number, key) {
  const { group } = /** @type {Answerable} */ (numbers.get(number));
  const there = group.filter((one) => one.isConnected);
  const last = there.length - 1;
  const by = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[key] ?? 0;
  const next = there[Math.max(0, Math.min(last, there.indexOf(number) + by))];
  for (const one of group) one.tabIndex = one === next ? 0 : -1;
  return next;
}
