/** The teacher's bar: the code, who is here, what the class can be asked, what students offer. */

import { element } from "../dom/dom.js";
import { menu } from "../dom/menu.js";
import { isOwnFile } from "../lead/message.js";
import { mode } from "../lead/modes.js";
import { veiled } from "../lead/revealing.js";
import { AskMenu } from "./ask_menu.js";
import { button } from "./button.js";
import { HeadCount } from "./head_count.js";
import { Invite } from "./invite.js";
import { OffersMenu } from "./offers_menu.js";
import { RemoteMenu } from "./remote_menu.js";
import { TeacherCard } from "./teacher_card.js";

/**
 * @typedef {import("../lead/message.js").Message} Message
 *
 * The other parts of a teacher's tab.
 * @typedef {object} Parts
 * @property {import("./acts.js").Acts} acts
 * @property {import("./class_address.js").ClassAddress} address
 * @property {import("../lesson/page_question.js").PageQuestion} question of the page
 * @property {import("./truths.js").Truths} truths
 * @property {import("./results_file.js").ResultsFile} results
 * @property {() => void} save saves them
 * @property {() => void} end ends the room
 * @property {(code: string) => void} join follows another room
 */

export class TeacherBar {
  #bar;
  #room;
  #parts;
  #caller;
  #holder;
  #code;
  #here;
  #invite;
  #offers;
  #file;
  #asked;
  #unseen;
  #remote;
  #card;

  /** @param {import("./bar.js").Bar} bar @param {import("./taught_room.js").TaughtRoom} room @param {Parts} parts */
  constructor(bar, room, parts) {
    this.#bar = bar;
    this.#room = room;
    this.#parts = parts;
    const { text } = room;
    const { acts, address } = parts;
    this.#code = element("b", { id: "room-code", ariaLabel: "" });
    this.#here = new HeadCount(text);
    this.#invite = new Invite(address, text, parts.join, (sentence, passing) => this.say(sentence, passing));
    this.#caller = button("room-call", text("room.call"), () => void this.#call(), text("room.call_hint"));
    this.#holder = button("room-lock", "", () => this.#lock(), text("room.lock_hint"));
    const labels = ["lock", "unlock"].map((name) => element("span", { className: name }, text(`room.${name}`)));
    this.#holder.replaceChildren(...labels); // one place for both: no button moves
    this.#holder.setAttribute("aria-pressed", "false");
    this.#offers = new OffersMenu(room, acts);
    this.#file = button("room-results-file", text("room.csv"), () => parts.save(), text("room.csv_hint"));
    this.#file.disabled = true;
    this.#asked = element("p", {});
    this.#unseen = element("span", { className: "class-unseen", role: "status" });
    this.#remote = new RemoteMenu(address, acts, text);
    this.#card = new TeacherCard(bar, room, parts);
    bar.fill(
      element("span", { className: "class-name" }, text("room.title"), " ", this.#code),
      this.#here.root,
      this.#invite.root,
      new AskMenu(room, acts).root,
      this.#caller,
      this.#holder,
      this.#file,
      this.#remote.root,
      this.#ending(),
      this.#offers.root, // last: they come and go, and no button moves
      this.#unseen,
    );
    bar.root.classList.add("is-opening");
    this.say(text("room.opening"));
  }

  /** @param {string} sentence @param {boolean} [passing] true if it goes by itself */
  say(sentence, passing) {
    this.#bar.say(sentence, passing);
  }

  /** The room has its code. */
  opened() {
    const { code } = this.#room;
    this.#bar.root.classList.remove("is-opening");
    this.say("");
    this.#code.textContent = code;
    this.#code.ariaLabel = [...code].join(" ");
    this.#invite.opened();
  }

  /** Show a new room's way in. */
  welcome() {
    this.#invite.root.open = true;
    this.#invite.root.querySelector("summary")?.focus(); // Escape closes it
  }

  /** No room could be opened: the button tries again. */
  failed() {
    this.#bar.root.dataset.failed = "true";
  }

  /** @param {Message} message @param {Message | null} former */
  tell(message, former) {
    const { text } = this.#room;
    this.#here.tell(message);
    this.#invite.tell(message);
    this.#remote.tell(message);
    this.#holder.setAttribute("aria-pressed", String(message.locked));
    this.#file.disabled = !this.#parts.results.revealed;
    const unseen = isOwnFile(message.link) ? text("room.own_file") : "";
    if (this.#unseen.textContent !== unseen) this.#unseen.textContent = unseen;
    this.#asked.textContent = text("room.end_ask", { n: message.count });
    if (former && former.life !== message.life) this.say(text("room.made_again"), true);
    else if (!former) this.say("");
    this.#offers.tell(message);
    this.#card.tell(message);
  }

  /** Say whether the server answers, and how far the reveal is. @param {import("../lead/state.js").Lead} lead */
  lead(lead) {
    const bar = this.#bar;
    bar.fit(lead);
    bar.root.dataset.mode = mode(lead);
    bar.root.dataset.silent = String(lead.silent);
    bar.root.dataset.reveal = lead.reveal?.stage ?? "";
    const { text } = this.#room;
    const passing = ["room.away", "room.reveal_waits", "room.computing"].map((key) => text(key));
    const waits = lead.reveal?.stage === "waiting";
    const key = waits ? "room.reveal_waits" : lead.silent ? "room.away" : lead.reveal ? "room.computing" : "";
    const now = bar.status.textContent;
    if (key && now !== text(key)) this.say(text(key));
    else if (!key && passing.includes(now)) this.say("");
    this.#card.busy(veiled(lead)); // one that waits can be tried at once
  }

  /** The menu that ends the room: one more press, since everybody would be sent away. */
  #ending() {
    const { text } = this.#room;
    const stay = button("room-stay", text("room.stay"), () => {
      end.open = false;
      end.querySelector("summary")?.focus();
    });
    const all = button("room-end-all", text("room.end"), () => this.#parts.end());
    all.classList.add("is-primary");
    const ways = element("div", { className: "buttons" }, all, stay);
    const end = menu("class-menu", text("room.end"), text("room.end_hint"), this.#asked, ways);
    end.id = "room-end";
    return end;
  }

  async #call() {
    if (await this.#parts.acts.call()) this.say(this.#room.text("room.call_done"), true);
  }

  #lock() {
    const locked = this.#holder.getAttribute("aria-pressed") !== "true";
    this.#holder.setAttribute("aria-pressed", String(locked));
    this.#parts.acts.lock(locked);
  }

  /** The room is over: its results can no longer be asked for. @param {boolean} kept true if this tab has them */
  over(kept) {
    const bar = this.#bar;
    const { text } = this.#room;
    bar.show();
    bar.root.classList.add("is-over");
    const shut = button("room-leave", text("room.shut"), () => bar.remove());
    bar.fill(...(kept ? [this.#file] : []), shut);
    this.#file.disabled = false;
    this.say(text("room.over"));
  }

  /** Bring the way in to sight. */
  open() {
    const { root } = this.#invite;
    this.#bar.root.scrollIntoView({ block: "nearest" });
    root.open = !root.open;
    root.querySelector("summary")?.focus();
  }
}
