/** The teacher's bar: the code, who is here, what the class can be asked, what students offer. */

import { element } from "../dom/dom.js";
import { stateHere } from "../lesson/here.js";
import { pageIn } from "../lesson/settled.js";
import { menu } from "../dom/menu.js";
import { mode } from "../lead/modes.js";
import { veiled } from "../lead/revealing.js";
import { typeset } from "../words/symbols.js";
import { askForm, askPage } from "./ask_form.js";
import { Bar } from "./bar.js";
import { button } from "./button.js";
import { HeadCount } from "./head_count.js";
import { Invite } from "./invite.js";
import { isOwnFile } from "../lead/message.js";
import { described } from "./offers.js";
import { Prepared } from "./prepared.js";
import { LINK } from "./prepared_file.js";
import { RemoteMenu } from "./remote_menu.js";
import { TeacherCard } from "./teacher_card.js";
import { asking } from "../lesson/page_question.js";

/** @typedef {import("../lead/message.js").Message} Message */

export class TeacherBar extends Bar {
  #teacher;
  #caller;
  #holder;
  #offerings;
  #code;
  #here;
  #invited;
  #invite;
  #own;
  #prepared;
  #asks;
  #offers;
  #file;
  #asked;
  #unseen;
  #end;
  #remote;
  #inner;

  #offered = "";

  /** @param {import("../page/live_page.js").LivePage} page @param {import("./teaching.js").Teaching} teacher @param {(code: string) => void} join */
  constructor(page, teacher, join) {
    super(page, "is-teacher");
    this.#teacher = teacher;
    const text = (/** @type {string} */ key, /** @type {import("../words/message_format.js").Fields} */ fields = {}) =>
      page.text(key, fields);
    this.text = text;
    this.#code = element("b", { id: "room-code", ariaLabel: "" });
    this.#here = new HeadCount(text);
    this.#invited = new Invite(teacher, text, join, (sentence, passing) => this.say(sentence, passing));
    this.#invite = this.#invited.root;
    this.#own = element("div", { className: "class-own-question" });
    this.#prepared = new Prepared(
      () => teacher.code,
      text,
      (question) => this.#put(question),
      (link) => pageIn(link) === page.settings.page,
    );
    const asks = menu(
      "class-menu",
      text("room.ask"),
      text("room.ask_hint"),
      this.#own,
      this.#prepared.root,
      this.#form(),
    );
    this.#asks = asks;
    asks.id = "room-ask";
    asks.addEventListener("toggle", (event) => {
      if (event.target === asks && asks.open) {
        this.#askable();
        this.#prepared.recheck();
      }
    });
    this.#caller = button("room-call", text("room.call"), () => void this.#call(), text("room.call_hint"));
    this.#holder = button("room-lock", "", () => this.#lock(), text("room.lock_hint"));
    const labels = ["lock", "unlock"].map((name) => element("span", { className: name }, text(`room.${name}`)));
    this.#holder.replaceChildren(...labels); // one place for both: no button moves
    this.#holder.setAttribute("aria-pressed", "false");
    this.#offerings = element("div", { className: "class-offers", id: "room-offers" });
    this.#offers = menu("class-menu", text("room.offers", { n: 0 }), text("room.offers_hint"), this.#offerings);
    this.#offers.hidden = true;
    this.#file = button("room-results-file", text("room.results"), () => void teacher.save(), text("room.csv_hint"));
    this.#file.disabled = true;
    this.#asked = element("p", {});
    this.#unseen = element("span", { className: "class-unseen", role: "status" });
    this.#end = this.#ending();
    this.#remote = new RemoteMenu(teacher, text);
    this.#inner = new TeacherCard(this, teacher);
    this.fill(
      element("span", { className: "class-name" }, text("room.title"), " ", this.#code),
      this.#here.root,
      this.#invite,
      asks,
      this.#caller,
      this.#holder,
      this.#file,
      this.#remote.root,
      this.#end,
      this.#offers, // last: they come and go, and no button moves
      this.#unseen,
    );
    this.root.classList.add("is-opening");
    this.say(text("room.opening"));
  }

  /** The room has its code. */
  opened() {
    const { code } = this.#teacher;
    this.root.classList.remove("is-opening");
    this.say("");
    this.#code.textContent = code;
    this.#code.ariaLabel = [...code].join(" ");
    this.#invited.opened();
  }

  /** Show a new room's way in. */
  welcome() {
    this.#invite.open = true;
    this.#invite.querySelector("summary")?.focus(); // Escape closes it
  }

  /** No room could be opened: the button tries again. */
  failed() {
    this.root.dataset.failed = "true";
  }

  /** @param {Message} message @param {Message | null} former */
  tell(message, former) {
    const { text } = this;
    this.#here.tell(message);
    this.#invited.tell(message);
    this.#remote.tell(message);
    this.#holder.setAttribute("aria-pressed", String(message.locked));
    this.#file.disabled = !this.#teacher.results.revealed;
    const unseen = isOwnFile(message.link) ? text("room.own_file") : "";
    if (this.#unseen.textContent !== unseen) this.#unseen.textContent = unseen;
    this.#asked.textContent = text("room.end_ask", { n: message.count });
    if (former && former.life !== message.life) this.say(text("room.made_again"), true);
    else if (!former) this.say("");
    this.#offer(message);
    this.#inner.tell(message);
  }

  /** Say whether the server answers, and how far the reveal is. @param {import("../lead/state.js").Lead} lead */
  lead(lead) {
    this.fit(lead);
    this.root.dataset.mode = mode(lead);
    this.root.dataset.silent = String(lead.silent);
    this.root.dataset.reveal = lead.reveal?.stage ?? "";
    const { text } = this;
    const said = ["room.away", "room.reveal_waits", "room.computing"].map((key) => text(key));
    const waits = lead.reveal?.stage === "waiting";
    const key = waits ? "room.reveal_waits" : lead.silent ? "room.away" : lead.reveal ? "room.computing" : "";
    const now = this.said.textContent;
    if (key && now !== text(key)) this.say(text(key));
    else if (!key && said.includes(now)) this.say("");
    this.#inner.busy(veiled(lead)); // one that waits can be tried at once
  }

  /** @param {Message} message */
  #offer({ offers = [], link: present }) {
    const key = JSON.stringify([offers, present]);
    if (key === this.#offered) return;
    this.#offered = key;
    this.#offers.hidden = offers.length === 0;
    const head = this.#offers.querySelector("summary");
    if (head) head.textContent = this.text("room.offers", { n: offers.length });
    this.#offerings.replaceChildren(
      ...offers.map((offer) => {
        const shut = () => {
          this.#offers.open = false;
        };
        const show = button("", this.text("room.show"), () => {
          shut();
          void this.#teacher.show(offer);
        });
        show.classList.add("is-primary", "class-show");
        const drop = button("", "×", () => void this.#teacher.drop(offer.id), this.text("room.drop"));
        drop.ariaLabel = this.text("room.drop");
        const said = element("span", {}, ...typeset(described(offer.link, present, this.page)));
        return element("div", { className: "class-offer" }, said, show, drop);
      }),
    );
  }

  /** The menu that ends the room: one more press, since everybody would be sent away. */
  #ending() {
    const { text } = this;
    const stay = button("room-stay", text("room.stay"), () => {
      end.open = false;
      end.querySelector("summary")?.focus();
    });
    const all = button("room-end-all", text("room.end"), () => void this.#teacher.end());
    all.classList.add("is-primary");
    const ways = element("div", { className: "buttons" }, all, stay);
    const end = menu("class-menu", text("room.end"), text("room.end_hint"), this.#asked, ways);
    end.id = "room-end";
    return end;
  }

  #form() {
    return askForm(
      this.text,
      this.page.state.values.lang,
      (question, keep) => void this.#ask(question, keep),
      () => this.#figures(),
      () => this.#present,
    );
  }

  /** @param {import("./prepared_file.js").Prepared} question @param {boolean} keep */
  async #ask(question, keep) {
    const at = this.#prepared.add(question);
    if (!keep && !(await this.#prepared.ask(at))) return;
    this.#asks.open = keep;
    this.#asks.querySelector(".class-ask")?.replaceWith(this.#form());
  }

  /** The link that a question of one's own brings along. */
  get #present() {
    const link = stateHere(this.page);
    return isOwnFile(link) || link.length > LINK ? "" : link || "page=explore";
  }

  /** The figures on screen. */
  #figures() {
    const { page } = this;
    return page.prints
      .printed()
      .map(({ name }) => ({ name, title: page.text(`figure.${name.replaceAll("-", "_")}.title`) }));
  }

  /** Ask a prepared question, in its state. @param {import("./prepared_file.js").Prepared} question */
  async #put({ link, ...question }) {
    if (link !== undefined && !(await this.#teacher.stand(link))) return false;
    const done = await this.#teacher.ask(question);
    if (done) this.#asks.open = false;
    return done;
  }

  #askable() {
    const possible = document.getElementById("predict-open") !== null;
    const own = askPage(asking(this.page), possible, this.text, (question) => {
      this.#asks.open = false;
      void this.#teacher.ask(question);
    });
    this.#own.replaceChildren(...own);
  }

  async #call() {
    if (await this.#teacher.call()) this.say(this.text("room.call_done"), true);
  }

  #lock() {
    const locked = this.#holder.getAttribute("aria-pressed") !== "true";
    this.#holder.setAttribute("aria-pressed", String(locked));
    this.#teacher.lock(locked);
  }

  /** The room is over: its results can no longer be asked for. @param {boolean} kept true if this tab has them */
  over(kept) {
    this.show();
    this.root.classList.add("is-over");
    const shut = button("room-leave", this.text("room.shut"), () => this.remove());
    this.fill(...(kept ? [this.#file] : []), shut);
    this.#file.disabled = false;
    this.say(this.text("room.over"));
  }

  /** Bring the way in to sight. */
  open() {
    this.root.scrollIntoView({ block: "nearest" });
    this.#invite.open = !this.#invite.open;
    this.#invite.querySelector("summary")?.focus();
  }
}
