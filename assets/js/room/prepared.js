/** Questions prepared before a lesson: a list from which each is asked with one press. They stay in this browser, and in files. */

import { save } from "../files/clipboard.js";
import { element } from "../dom/dom.js";
import { format } from "../lesson/format.js";
import { keep, recall } from "../link/kept.js";
import { typeset } from "../words/symbols.js";
import { button } from "./button.js";
import { LONGEST, QUESTIONS, read, written } from "./prepared_file.js";

/**
 * @typedef {import("./prepared_file.js").Prepared} Question
 * @typedef {{question: Question, asked?: string}} Entry `asked`: the code of the room that was asked it last
 * @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text
 */

const KEY = "questions";

export class Prepared {
  /** @type {Entry[]} */
  #entries = kept();
  list = element("ol", { className: "class-prepared-list" });
  fault = element("p", { className: "class-wrong", role: "alert" });
  count = element("summary", {});
  #save = button("prepared-save", "", () => this.#saved());

  /**
   * @param {() => string} code of the room @param {Text} text
   * @param {(question: Question) => Promise<boolean>} put asks the class
   * @param {(link: string) => boolean} here true if a state is one of the page that is open
   */
  constructor(code, text, put, here) {
    this.code = code;
    this.text = text;
    this.put = put;
    this.here = here;
    const box = element("input", { type: "file", accept: ".json,application/json", className: "spoken", tabIndex: -1 });
    box.ariaLabel = text("room.prepared.open");
    box.addEventListener("change", () => {
      const file = box.files?.item(0);
      box.value = ""; // the same file may be chosen again, mended
      if (file) void this.#opened(file);
    });
    this.#save.textContent = text("room.prepared.save");
    const open = button("prepared-open", text("room.prepared.open"), () => box.click());
    const ways = element("div", { className: "buttons" }, open, this.#save, box);
    this.root = element("details", { className: "class-prepared" }, this.count, this.list, ways, this.fault);
    this.#show();
  }

  /** Keep a question, unless it is kept already; of a full list the oldest goes. Return its place. @param {Question} question */
  add(question) {
    const at = this.#at(question);
    if (at >= 0) return at;
    this.#entries = [...this.#entries, { question }].slice(-QUESTIONS);
    this.#changed();
    return this.#entries.length - 1;
  }

  /** Return a question's place in the list; -1 if it has none. @param {Question} question */
  #at(question) {
    const same = JSON.stringify(question);
    return this.#entries.findIndex((one) => JSON.stringify(one.question) === same);
  }

  /** Ask one. @param {number} at */
  async ask(at) {
    const entry = this.#entries.at(at);
    if (!entry || !(await this.put(entry.question))) return false;
    entry.asked = this.code();
    this.#changed();
    return true;
  }

  /** Show what was asked in this room: its code may be new. */
  recheck() {
    this.#show();
  }

  #changed() {
    keep(KEY, JSON.stringify(this.#entries));
    this.#show();
  }

  #show() {
    const { text } = this;
    this.count.textContent = text("room.prepared.title", { n: this.#entries.length });
    this.#save.disabled = this.#entries.length === 0;
    this.list.replaceChildren(...this.#entries.map((entry, at) => this.#line(entry, at)));
  }

  /** @param {Entry} entry @param {number} at */
  #line({ question, asked }, at) {
    const { text } = this;
    const done = asked !== undefined && asked === this.code();
    const { link } = question;
    const does = text(link === undefined || this.here(link) ? "room.ask" : "room.prepared.go");
    const put = button("", does, () => void this.ask(at));
    put.classList.add("class-show");
    put.ariaLabel = `${does}: ${question.text}`;
    const drop = button("", "×", () => this.#drop(at), text("room.prepared.drop"));
    drop.ariaLabel = `${text("room.prepared.drop")}: ${question.text}`;
    const mark = done ? [element("b", { className: "class-true" }, `✓ ${text("room.prepared.asked")} `)] : [];
    const sentence = element("span", {}, ...mark, ...typeset(question.text));
    return element("li", { className: done ? "class-offer is-asked" : "class-offer" }, sentence, put, drop);
  }

  /** @param {number} at */
  #drop(at) {
    this.#entries.splice(at, 1);
    this.#changed();
  }

  #saved() {
    const questions = this.#entries.map(({ question }) => question);
    save(new Blob([written(questions)], { type: "application/json" }), "headlight-questions.json");
  }

  /** @param {File} file */
  async #opened(file) {
    // four bytes a character at most; no larger file is read
    const text = file.size > 4 * LONGEST ? " ".repeat(LONGEST + 1) : await file.text();
    const known = await format().catch(() => null);
    if (!known) {
      this.#say(this.text("live.unanswered"), true);
      return;
    }
    const { questions, problem } = read(text, known.declared);
    if (!problem) {
      this.#take(questions);
      return;
    }
    const { key, fields, link, ends } = problem;
    const at = link ? this.text(`lesson.file.${link.key}`, link.fields) : "";
    const fault = ends ? this.text(`room.ends.${ends.key}`, ends.fields) : at;
    this.#say(this.text(key, { ...fields, fault }), true);
  }

  /** Take the questions of a file that are new, if there is room for all of them. @param {Question[]} questions */
  #take(questions) {
    const fresh = questions.filter((one) => this.#at(one) < 0);
    const [n, left] = [fresh.length, QUESTIONS - this.#entries.length];
    if (n > left) {
      this.#say(this.text("room.prepared.full", { n, left, most: QUESTIONS }), true);
      return;
    }
    for (const question of fresh) this.add(question);
    this.#say(this.text(n ? "room.prepared.opened" : "room.prepared.known", { n }), false);
  }

  /** @param {string} sentence @param {boolean} wrong */
  #say(sentence, wrong) {
    this.fault.textContent = sentence;
    this.fault.classList.toggle("class-wrong", wrong);
  }
}

/** @returns {Entry[]} */
function kept() {
  try {
    const found = JSON.parse(recall(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one?.question?.text === "string") : [];
  } catch {
    return []; // somebody else's
  }
}
