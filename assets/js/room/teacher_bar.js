/** The teacher's bar: the code, who is here, what the class can be asked, what students offer. */

import { copy } from "../clipboard.js";
import { element } from "../dom.js";
import { menu } from "../menu.js";
import { isPublic } from "../origin.js";
import { typeset } from "../symbols.js";
import { askForm, askPage } from "./ask_form.js";
import { Bar, button } from "./bar.js";
import { codeField } from "./code_field.js";
import { isOwnFile } from "./message.js";
import { described } from "./offers.js";
import { TeacherCard } from "./teacher_card.js";
import { asking } from "./page_question.js";
import { wall } from "./wall.js";

/** @typedef {import("./message.js").Message} Message */

export class TeacherBar extends Bar {
  /** The QR code, once it was asked for. @type {Promise<string> | null} */
  #picture = null;
  #offered = "";

  /** @param {import("../live_page.js").LivePage} page @param {import("./teacher.js").Teacher} teacher @param {(code: string) => void} join */
  constructor(page, teacher, join) {
    super(page, "is-teacher");
    this.teacher = teacher;
    const text = (/** @type {string} */ key, /** @type {import("../controls.js").Fields} */ fields = {}) =>
      page.text(key, fields);
    this.text = text;
    this.code = element("b", { id: "room-code", ariaLabel: "" });
    this.count = element("b", { id: "room-count" }, "0");
    this.qr = element("img", { className: "class-qr", alt: "" });
    this.address = element("a", { id: "room-address", target: "_blank", rel: "noopener" });
    this.invite = menu(
      "class-menu",
      text("room.invite"),
      text("room.invite_hint"),
      element("p", {}, text("room.scan")),
      this.qr,
      element("p", {}, this.address),
      ...(isPublic(location) ? [] : [element("p", { className: "class-note" }, text("share.local"))]),
      element(
        "div",
        { className: "buttons" },
        button("room-enlarge", text("room.enlarge"), () => void this.#enlarge()),
        button("room-copy", text("room.copy"), () => void this.#copy()),
      ),
      element(
        "details",
        { className: "class-other" },
        element("summary", {}, text("room.student")),
        codeField(text, join),
      ),
    );
    this.invite.addEventListener("toggle", () => {
      if (this.invite.open) void this.#draw();
    });
    this.own = element("div", { className: "class-own-question" });
    const asks = menu("class-menu", text("room.ask"), text("room.ask_hint"), this.own, this.#form());
    this.asks = asks;
    asks.id = "room-ask";
    asks.addEventListener("toggle", (event) => {
      if (event.target === asks && asks.open) this.#askable();
    });
    this.call = button("room-call", text("room.call"), () => void this.#call(), text("room.call_hint"));
    this.lock = button("room-lock", "", () => this.#lock(), text("room.lock_hint"));
    const labels = ["lock", "unlock"].map((name) => element("span", { className: name }, text(`room.${name}`)));
    this.lock.replaceChildren(...labels); // one place for both: no button moves
    this.lock.setAttribute("aria-pressed", "false");
    this.offered = element("div", { className: "class-offers", id: "room-offers" });
    this.offers = menu("class-menu", text("room.offers", { n: 0 }), text("room.offers_hint"), this.offered);
    this.offers.hidden = true;
    this.file = button("room-results-file", text("room.results"), () => void teacher.results(), text("room.csv_hint"));
    this.file.disabled = true;
    this.asked = element("p", {});
    this.unseen = element("span", { className: "class-unseen", role: "status" });
    this.end = this.#ending();
    this.inner = new TeacherCard(this, teacher);
    this.fill(
      element("span", { className: "class-name" }, text("room.title"), " ", this.code),
      element("span", { className: "class-here" }, text("room.here"), " ", this.count),
      this.invite,
      asks,
      this.call,
      this.lock,
      this.file,
      this.end,
      this.offers, // last: they come and go, and no button moves
      this.unseen,
    );
    this.root.classList.add("is-opening");
    this.say(text("room.opening"));
  }

  /** The room has its code. */
  opened() {
    const { code, address } = this.teacher;
    this.root.classList.remove("is-opening");
    this.say("");
    this.code.textContent = code;
    this.code.ariaLabel = [...code].join(" ");
    this.address.href = address;
    this.address.textContent = address.replace(/^https?:\/\//, "");
    this.qr.alt = this.text("room.qr", { address });
  }

  /** Show a new room's way in. */
  welcome() {
    this.invite.open = true;
    this.invite.querySelector("summary")?.focus(); // Escape closes it
  }

  /** No room could be opened: the button tries again. */
  failed() {
    this.root.dataset.failed = "true";
  }

  /** @param {Message} message @param {Message | null} former */
  tell(message, former) {
    const { text } = this;
    if (this.count.textContent !== String(message.count)) this.count.textContent = String(message.count);
    this.lock.setAttribute("aria-pressed", String(message.locked));
    this.file.disabled = !this.teacher.revealed;
    const unseen = isOwnFile(message.link) ? text("room.own_file") : "";
    if (this.unseen.textContent !== unseen) this.unseen.textContent = unseen;
    this.asked.textContent = text("room.end_ask", { n: message.count });
    if (former && former.life !== message.life) this.say(text("room.made_again"), true);
    else if (!former || this.said.textContent === text("room.away")) this.say("");
    this.#offer(message);
    this.inner.tell(message);
  }

  /** @param {Message} message */
  #offer({ offers = [], link: present }) {
    const key = JSON.stringify([offers, present]);
    if (key === this.#offered) return;
    this.#offered = key;
    this.offers.hidden = offers.length === 0;
    const head = this.offers.querySelector("summary");
    if (head) head.textContent = this.text("room.offers", { n: offers.length });
    this.offered.replaceChildren(
      ...offers.map((offer) => {
        const shut = () => {
          this.offers.open = false;
        };
        const show = button("", this.text("room.show"), () => {
          shut();
          void this.teacher.show(offer);
        });
        show.classList.add("is-primary", "class-show");
        const drop = button("", "×", () => void this.teacher.drop(offer.id), this.text("room.drop"));
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
    const all = button("room-end-all", text("room.end"), () => void this.teacher.end());
    all.classList.add("is-primary");
    const ways = element("div", { className: "buttons" }, all, stay);
    const end = menu("class-menu", text("room.end"), text("room.end_hint"), this.asked, ways);
    end.id = "room-end";
    return end;
  }

  #form() {
    return askForm(this.text, (question) => void this.#ask(question));
  }

  /** @param {import("./message.js").Asking} question */
  async #ask(question) {
    if (!(await this.teacher.ask(question))) return;
    this.asks.open = false;
    this.asks.querySelector(".class-ask")?.replaceWith(this.#form());
  }

  #askable() {
    const possible = document.getElementById("predict-open") !== null;
    const own = askPage(asking(this.page), possible, this.text, (question) => {
      this.asks.open = false;
      void this.teacher.ask(question);
    });
    this.own.replaceChildren(...own);
  }

  async #call() {
    if (await this.teacher.call()) this.say(this.text("room.call_done"), true);
  }

  #lock() {
    const locked = this.lock.getAttribute("aria-pressed") !== "true";
    this.lock.setAttribute("aria-pressed", String(locked));
    this.teacher.lock(locked);
  }

  async #draw() {
    this.#picture ??= this.teacher.picture();
    try {
      this.qr.src = await this.#picture;
    } catch {
      this.#picture = null;
    }
  }

  async #enlarge() {
    this.invite.open = false;
    await this.#draw();
    wall(this.qr.src, this.teacher.address, this.teacher.code, this.text);
  }

  async #copy() {
    this.say(this.text((await copy(this.teacher.address)) ? "room.copied" : "room.not_copied"), true);
  }

  /** The room is over: its results can no longer be asked for. @param {boolean} kept true if this tab has them */
  over(kept) {
    this.show();
    this.root.classList.add("is-over");
    const shut = button("room-leave", this.text("room.shut"), () => this.remove());
    this.fill(...(kept ? [this.file] : []), shut);
    this.file.disabled = false;
    this.say(this.text("room.over"));
  }

  /** Bring the way in to sight. */
  open() {
    this.root.scrollIntoView({ block: "nearest" });
    this.invite.open = !this.invite.open;
    this.invite.querySelector("summary")?.focus();
  }
}
