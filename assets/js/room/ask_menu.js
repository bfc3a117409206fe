/** The menu of what a class can be asked: the page's own question, prepared ones, and a new one. */

import { element } from "../dom/dom.js";
import { menu } from "../dom/menu.js";
import { stateHere } from "../lesson/here.js";
import { asking } from "../lesson/page_question.js";
import { pageIn } from "../lesson/settled.js";
import { isOwnFile } from "../lead/message.js";
import { askForm, askPage } from "./ask_form.js";
import { Prepared } from "./prepared.js";
import { LINK } from "./prepared_file.js";

export class AskMenu {
  #room;
  #acts;
  #own;
  #prepared;
  /** Tells of the page's own question, which may come or go while the menu is open. @type {MutationObserver | null} */
  #changes = null;

  /** @param {import("./taught_room.js").TaughtRoom} room @param {import("./acts.js").Acts} acts */
  constructor(room, acts) {
    this.#room = room;
    this.#acts = acts;
    const { page, text } = room;
    this.#own = element("div", { className: "class-own-question" });
    this.#prepared = new Prepared(
      () => room.code,
      text,
      (question) => this.#put(question),
      (link) => pageIn(link) === page.settings.page,
    );
    const root = menu(
      "class-menu",
      text("room.ask"),
      text("room.ask_hint"),
      this.#own,
      this.#prepared.root,
      this.#form(),
    );
    root.id = "room-ask";
    root.addEventListener("toggle", (event) => {
      if (event.target !== root) return;
      this.#changes?.disconnect();
      if (!root.open) return;
      this.#askable();
      this.#follow();
      this.#prepared.recheck();
    });
    this.root = root;
  }

  #form() {
    const { page, text } = this.#room;
    return askForm(
      text,
      page.state.values.lang,
      (question, keep) => void this.#ask(question, keep),
      () => this.#figures(),
      () => this.#present,
    );
  }

  /** @param {import("./prepared_file.js").Prepared} question @param {boolean} keep */
  async #ask(question, keep) {
    const at = this.#prepared.add(question);
    if (!keep && !(await this.#prepared.ask(at))) return;
    this.root.open = keep;
    this.root.querySelector(".class-ask")?.replaceWith(this.#form());
  }

  /** The link that a question of one's own brings along. */
  get #present() {
    const link = stateHere(this.#room.page);
    return isOwnFile(link) || link.length > LINK ? "" : link || "page=explore";
  }

  /** The figures on screen. */
  #figures() {
    const { page } = this.#room;
    return page.prints
      .printed()
      .map(({ name }) => ({ name, title: page.text(`figure.${name.replaceAll("-", "_")}.title`) }));
  }

  /** Ask a prepared question, in its state. @param {import("./prepared_file.js").Prepared} question */
  async #put({ link, ...question }) {
    if (link !== undefined && !(await this.#acts.stand(link))) return false;
    const done = await this.#acts.ask(question);
    if (done) this.root.open = false;
    return done;
  }

  /** Show the page's own question as it is while the menu is open. */
  #follow() {
    const question = document.getElementById("predict");
    if (!question) return;
    this.#changes ??= new MutationObserver((_, changes) =>
      this.root.isConnected ? this.#askable() : changes.disconnect(),
    );
    this.#changes.observe(question, { childList: true, attributes: true, attributeFilter: ["hidden"] });
  }

  #askable() {
    const { page, text } = this.#room;
    const possible = document.getElementById("predict-open") !== null;
    const own = askPage(asking(page), possible, text, (question) => {
      this.root.open = false;
      void this.#acts.ask(question);
    });
    this.#own.replaceChildren(...own);
  }
}
