/** The panel of a lesson: one strip below the page, which gives it the room, so no figure is covered. Its looks are css/lesson.css. */

import { element, fadeWhileMore } from "../dom/dom.js";
import { inline, written } from "./markdown.js";
import { teach } from "./stage.js";

/** @typedef {import("./shape.js").Page} Page */

/**
 * What the panel's buttons do; a page that follows a room has none of them.
 * @typedef {{back: () => void, next: () => void, leave: () => void, again: () => void}} Ways
 */

/** Pixels above, between and below head and text. */
const AROUND = 20;
const SIGNS = { back: "‹", next: "›", leave: "×" };

export class Panel {
  #page;
  #count;
  #words;
  #question;
  #why;
  #text;

  /** The question of the step, and whether it is tall. @type {HTMLElement | null} */
  #asked = null;
  #tall = false;
  /** True while a class votes: the question stands where it votes, and nobody answers here. */
  #held = false;

  /** @param {Page} page @param {Ways | null} ways */
  constructor(page, ways) {
    this.#page = page;
    const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
    /** @param {"back" | "next" | "leave"} name @param {() => void} onclick */
    const button = (name, onclick) =>
      element(
        "button",
        { type: "button", className: "tool", id: `lesson-${name}`, title: text(name), ariaLabel: text(name), onclick },
        SIGNS[name],
      );
    this.title = element("strong", { className: "lesson-title" });
    this.#count = element("span", { className: "lesson-count" });
    this.bar = element("progress", { className: "lesson-bar", max: 1, value: 0 });
    this.#words = element("div", { className: "lesson-said", tabIndex: -1 });
    this.#question = element("div", { className: "lesson-question", hidden: true });
    this.#why = element("p", { className: "lesson-why", hidden: true });
    this.#text = element("div", { className: "lesson-text", role: "status" }, this.#why, this.#words, this.#question);
    fadeWhileMore(this.#text);
    this.again = element(
      "button",
      { type: "button", className: "tool", id: "lesson-again", hidden: true, onclick: () => ways?.again() },
      text("again"),
    );
    this.back = button("back", () => ways?.back());
    this.next = button("next", () => ways?.next());
    const head = element("div", { className: "lesson-head" }, this.title, this.#count, this.bar, this.again);
    const measured = new ResizeObserver(() => this.#measure(head));
    for (const part of [head, this.#why, this.#words, this.#question]) measured.observe(part);
    const buttons = ways && element("div", { className: "lesson-ways" }, this.back, this.next);
    this.root = element(
      "section",
      { id: "lesson", ariaLabel: page.text("lesson.panel") },
      head,
      this.#text,
      ...(buttons ? [buttons, button("leave", () => ways.leave())] : []),
    );
    document.querySelector("#lesson")?.remove();
    // in gradio's own classes: its theme's variables and the styles of symbols stand behind them
    const frame = document.querySelector(".gradio-container") ?? document.body;
    frame.append(this.root);
    document.documentElement.classList.add("in-lesson");
  }

  /**
   * Show a step.
   * @param {string} title of the lesson @param {number} step from 1 @param {number} steps @param {string} text
   */
  show(title, step, steps, text) {
    const page = this.#page;
    this.title.replaceChildren(...inline(title));
    const ended = step > steps;
    this.#count.textContent = ended ? page.text("lesson.saw") : page.text("lesson.count", { step, steps });
    this.bar.value = Math.min(1, step / steps);
    this.bar.ariaLabel = this.#count.textContent;
    this.#words.replaceChildren(...written(text));
    this.back.disabled = step === 1;
    this.next.disabled = ended;
    this.#text.scrollTop = 0;
    document.documentElement.classList.toggle("in-summary", ended);
  }

  /**
   * Show the end of a lesson in the place of a step, for the keyboard, too.
   * @param {string} title of the lesson @param {number} step @param {number} steps @param {HTMLElement} summary
   */
  end(title, step, steps, summary) {
    this.show(title, step, steps, "");
    this.ask(null);
    this.again.hidden = true;
    this.#words.replaceChildren(summary);
    this.root.dataset.step = String(step);
    this.#words.focus({ preventScroll: true });
  }

  /** Give the question its place. @param {HTMLElement | null} question @param {boolean} [tall] true for a curve */
  ask(question, tall = false) {
    this.#asked = question;
    this.#tall = tall;
    this.#question.replaceChildren(...(question ? [question] : []));
    this.#fit();
  }

  /** Keep the question back while a class votes. @param {boolean} held */
  hold(held) {
    this.#held = held;
    if (!held) this.remind("");
    this.#fit();
  }

  /** Tell the styles the height in which head and text stand below each other, whole: `--lesson-words`. @param {HTMLElement} head */
  #measure(head) {
    const text = this.#text;
    const { top } = text.getBoundingClientRect();
    const ends = Array.from(text.children, (part) => part.getBoundingClientRect().bottom - top + text.scrollTop);
    const needed = head.offsetHeight + Math.max(0, ...ends) + AROUND;
    document.documentElement.style.setProperty("--lesson-words", `${Math.ceil(needed)}px`);
  }

  #fit() {
    this.#question.hidden = this.#held || this.#asked === null;
    const tall = this.#tall && !this.#held;
    this.root.classList.toggle("is-tall", tall);
    document.documentElement.classList.toggle("in-tall-lesson", tall);
  }

  /** Bring the question into sight, from its beginning: no line is cut through. */
  turnToQuestion() {
    const question = this.#question;
    const text = this.#text;
    text.scrollTop += question.getBoundingClientRect().top - text.getBoundingClientRect().top;
  }

  /** Say why the lesson stays at its step. @param {string} sentence */
  remind(sentence) {
    this.#why.textContent = sentence;
    this.#why.hidden = sentence === "";
    this.#text.scrollTop = 0;
  }

  /** Say that the lesson cannot go on. @param {string} sentence */
  fail(sentence) {
    this.#words.replaceChildren(element("p", { role: "alert" }, sentence));
    this.ask(null);
  }

  close() {
    if (!this.root.isConnected) return; // another lesson has taken its place
    this.root.remove();
    document.documentElement.classList.remove("in-lesson", "in-tall-lesson", "in-summary");
    document.documentElement.style.removeProperty("--lesson-words");
  }
}

/**
 * Mark the figure to look at, and bring it into sight.
 * @param {Page} page @param {string | undefined} name @param {string | undefined} [after] that of the class's result, if it is another one
 */
export function point(page, name, after = name) {
  teach(page, name, after);
  const root = name && page.figures.all.get(name)?.root;
  if (!root) return;
  if (root.classList.contains("is-other")) {
    // it stands behind a tab
    const title = root.querySelector("h2")?.textContent;
    for (const tab of document.querySelectorAll("#tabs .tab")) {
      if (tab instanceof HTMLElement && tab.title === title) tab.click();
    }
  }
  /** @type {HTMLElement | null} */
  const strip = root.closest(".swiped");
  const left = () => root.getBoundingClientRect().left - (strip?.getBoundingClientRect().left ?? 0);
  strip?.scrollTo({ left: strip.scrollLeft + left(), behavior: "instant" });
  // what the class is asked stays in sight
  if (document.documentElement.dataset.classCard === "open") return;
  root.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
}
