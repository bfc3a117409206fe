/**
 * Makes a lesson: the states that a teacher keeps, in an order, with texts and questions. It stays in this browser. A wide window
 * has the editor beside the page, which is used meanwhile; a narrow one over it.
 */

import { joined } from "../link/address.js";
import { copy } from "../files/clipboard.js";
import { element } from "../dom/dom.js";
import { NUMBERS } from "../figures/numbers_came.js";
import { begin } from "./begin.js";
import { draft, keepDraft } from "./draft.js";
import { headFields } from "./editor_head.js";
import { stepEntry } from "./editor_step.js";
import { fileBox, saveLesson, sentences } from "./files.js";
import { checked } from "./check.js";
import { format } from "./format.js";
import { stateHere } from "./here.js";
import { isEditing, keepEditing } from "../link/kept.js";
import { LINKED, OWN, spoken } from "./lesson.js";
import { fragment } from "./packing.js";
import { pageIn, settled } from "./settled.js";
import { figuresOf } from "./truth.js";

/** @typedef {import("./shape.js").Lesson} Lesson */
/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Step} Step */

/** @param {Page} page @returns {Lesson} */
const empty = (page) => ({
  ...{ format: 1, name: "my-lesson", minutes: 10, steps: [] },
  title: { [page.state.values.lang]: page.text("lesson.new_title") },
});

/** Add the present state as a step, and open the editor there. @param {Page} page */
export function addStep(page) {
  const lesson = draft() ?? empty(page);
  const { focus } = page.presenter.look;
  /** @type {Step} */
  const step = { link: stateHere(page), focus: focus || page.settings.figures[0], text: {} };
  step.text[page.state.values.lang] = page.text("lesson.new_text");
  if (new URLSearchParams(step.link).get("predict") === "true") {
    step.question = { prediction: new URLSearchParams(step.link).get("question") ?? "any" };
  }
  lesson.steps.push(step);
  keepDraft(lesson);
  edit(page, lesson.steps.length - 1);
}

/** Take a lesson from a file, and open the editor. @param {Page} page @param {Lesson} lesson */
export function open(page, lesson) {
  keepDraft(lesson);
  edit(page);
}

/** A window that has room for a page and the editor beside it. */
const WIDE = matchMedia("(min-width: 1200px) and (min-height: 481px)");

/** @type {Editor | null} */
let editing = null;

/** Open the editor. @param {Page} page @param {number} [at] the step to go to */
export function edit(page, at) {
  editing?.end();
  editing = new Editor(page, draft() ?? empty(page));
  editing.open();
  if (at !== undefined) editing.focus(at);
}

/** Open the editor if it stood beside the page from which this one was reached. @param {Page} page */
export function resume(page) {
  if (!isEditing() || !WIDE.matches) return;
  edit(page);
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // the page has just been reached
}

export class Editor {
  #status;
  #onWide;
  #turn;
  #unhear;
  #onNumbers;

  /** @param {Page} page @param {Lesson} lesson */
  constructor(page, lesson) {
    this.page = page;
    this.lesson = lesson;
    this.lang = page.state.values.lang;
    this.steps = element("ol", { className: "editor-steps" });
    this.#status = element("p", { className: "editor-said", role: "status" });
    this.root = element("dialog", { id: "lesson-editor", ariaLabel: this.#text("make") });
    // in gradio's own classes: the variables of its theme stand behind them
    this.root.className = document.querySelector(".gradio-container")?.className ?? "";
    this.root.addEventListener("close", () => {
      if (!this.root.open) this.end(); // a window that became wide or narrow has opened it again
    });
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#beside) return; // a modal dialog hears it by itself
      event.preventDefault();
      event.stopPropagation();
      this.root.close();
    });
    this.#onWide = () => {
      this.root.close();
      this.open();
    };
    this.#turn = 0;
    this.#unhear = () => {};
    this.#onNumbers = () => {
      for (const one of this.root.querySelectorAll(".editor-question")) one.dispatchEvent(new Event(NUMBERS));
    };
    this.#build();
  }

  get #beside() {
    return document.documentElement.classList.contains("in-editor");
  }

  /** Show it: beside the page, which stays in use, or over it. */
  open() {
    const { matches } = WIDE;
    if (!this.root.isConnected) {
      document.body.append(this.root);
      this.#unhear = this.page.presence.onMove((link) => void this.#moved(link));
      document.addEventListener(NUMBERS, this.#onNumbers);
      WIDE.addEventListener("change", this.#onWide);
    }
    document.documentElement.classList.toggle("in-editor", matches);
    keepEditing(matches);
    if (matches) this.root.show();
    else this.root.showModal();
  }

  /** Take it away; what was written is kept. */
  end() {
    this.#turn += 1;
    this.#unhear();
    document.removeEventListener(NUMBERS, this.#onNumbers);
    WIDE.removeEventListener("change", this.#onWide);
    document.documentElement.classList.remove("in-editor");
    keepEditing(false);
    this.root.remove();
    if (editing === this) editing = null;
    const opener = document.querySelector("#lessons-open > summary");
    if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
  }

  /** Offer what the page now shows: its figures, and the numbers that decide. @param {string} link */
  async #moved(link) {
    this.#turn += 1;
    const { page } = this;
    const turn = this.#turn;
    const own = this.lesson.steps.filter((step) => pageIn(step.link) === page.settings.page);
    const asked = own.flatMap(({ question }) => (question ? figuresOf(question) : []));
    const figures = [...new Set(asked)].filter((name) => page.figures.all.get(name)?.root.checkVisibility());
    await settled(page, link, figures).catch(() => {});
    // what is being written stays as it is
    if (turn === this.#turn && !this.root.contains(document.activeElement)) this.#list();
  }

  /** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
  #text(key, fields) {
    return this.page.text(`lesson.${key}`, fields);
  }

  /** Go to a step's text. @param {number} step */
  focus(step) {
    const box = this.steps.children.item(step)?.querySelector("textarea");
    box?.focus();
    box?.select();
  }

  #build() {
    const { lesson, lang, page } = this;
    const note = this.area("note", spoken(lesson.note, lang), (value) => {
      if (value) lesson.note = { ...lesson.note, [lang]: value };
      else delete lesson.note;
    });
    const ways = [
      this.button("add", () => this.#add()),
      this.button("try", () => void this.try(null)),
      this.button("save", () => void this.#save()),
      fileBox(page, (found) => this.#load(found)),
      this.button("link", () => void this.#link()),
      this.button("forget", () => this.#forget()),
      this.button("close", () => this.root.close()),
    ];
    this.root.replaceChildren(
      element("h2", {}, this.#text("make")),
      element("p", { className: "hint" }, this.#text("make_hint")),
      headFields(this),
      this.steps,
      note,
      element("div", { className: "lesson-tools" }, ...ways),
      this.#status,
    );
    this.#list();
  }

  #list() {
    this.steps.replaceChildren(...this.lesson.steps.map((step, i) => stepEntry(this, step, i)));
  }

  /** @param {string} key @param {() => void} onclick @param {boolean} [disabled] */
  button(key, onclick, disabled = false) {
    const button = element("button", { type: "button", className: "tool", disabled, onclick }, this.#text(key));
    button.classList.add(`editor-${key}`);
    return button;
  }

  /** @param {string} key @param {string} value @param {(value: string) => void} write */
  area(key, value, write) {
    const box = element("textarea", { value, rows: 2, maxLength: key === "note" ? 4000 : 600 });
    box.addEventListener("input", () => {
      write(box.value.trim());
      this.keep();
    });
    return element("label", { className: `editor-of-${key}` }, element("span", {}, this.#text(key)), box);
  }

  changed() {
    this.keep();
    this.#list();
  }

  keep() {
    if (!keepDraft(this.lesson)) this.#say("not_kept");
  }

  #add() {
    addStep(this.page);
  }

  /** Play the lesson from a step; nothing is lost. @param {number | null} step */
  async try(step) {
    if (!(await this.#sound())) return;
    this.root.close();
    this.end(); // before another page comes
    await begin(this.page, OWN, (step ?? 0) + 1);
  }

  async #save() {
    if (await this.#sound()) saveLesson(this.lesson);
  }

  /** @param {Lesson} lesson */
  #load(lesson) {
    this.lesson = lesson;
    this.keep();
    this.#build();
    this.#say("loaded");
  }

  async #link() {
    if (!(await this.#sound())) return;
    const packed = await fragment(this.lesson);
    if (!packed) {
      this.#say("too_long");
      return;
    }
    const { origin, pathname } = location;
    // the first step's state stands in the link, so that it opens there
    const query = joined(this.lesson.steps[0].link, { lesson: LINKED, step: "1" });
    const address = `${origin}${pathname}?${query}#${packed}`;
    const box = element("input", { type: "text", readOnly: true, value: address, className: "editor-address" });
    box.ariaLabel = this.#text("link");
    this.#status.replaceChildren(this.#text((await copy(address)) ? "copied" : "copy_this"), " ", box);
  }

  #forget() {
    keepDraft(null);
    this.lesson = empty(this.page);
    this.#build();
    this.#say("forgotten");
  }

  /** Return true if the lesson is one; else say what is missing. */
  async #sound() {
    const known = await format().catch(() => null);
    if (!known) {
      this.#status.textContent = this.page.text("live.lost");
      return false;
    }
    const { problems } = checked(JSON.stringify(this.lesson, null, 2), known);
    this.#status.replaceChildren(
      ...sentences(this.page, problems).map((one) => element("span", { role: "alert" }, one, " ")),
    );
    return problems.length === 0;
  }

  /** @param {string} key */
  #say(key) {
    this.#status.textContent = this.#text(key);
  }
}
