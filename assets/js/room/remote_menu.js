/** The menu of the remote: a code for the teacher's own phone, that works once and for two minutes; and the way to take it back. */

import { element } from "../dom/dom.js";
import { menu } from "../dom/menu.js";
import { button } from "./button.js";

/** @typedef {{ticket: string, seconds: number, picture: string}} Ticket */

export class RemoteMenu {
  #ends = 0;
  #right = "";

  #place;
  #acts;

  /**
   * @param {import("./class_address.js").ClassAddress} place of the room @param {import("./acts.js").Acts} acts
   * @param {import("./way_in.js").Text} text
   */
  constructor(place, acts, text) {
    this.#place = place;
    this.#acts = acts;
    this.text = text;
    this.qr = element("img", { className: "class-qr", alt: text("remote.qr"), hidden: true });
    this.status = element("p", { className: "class-note", role: "status" });
    this.scan = element("p", {}, text("remote.scan"));
    this.shows = button("remote-new", text("remote.show"), () => void this.#draw());
    this.revoke = button("remote-revoke", text("remote.revoke"), () => {
      void acts.act(() => place.line.post("revoke"));
    });
    this.root = menu(
      "class-menu",
      [element("span", { className: "class-remote" }, text("remote.menu"))],
      text("remote.hint"),
      this.scan,
      this.qr,
      this.status,
      element("div", { className: "buttons" }, this.shows, this.revoke),
    );
    this.root.id = "room-remote";
    this.root.addEventListener("toggle", () => {
      if (!this.root.open) this.#clear(); // the code is drawn by a press of its own: the class may see this page
    });
    this.#fit();
  }

  /** @param {import("../lead/message.js").Message} message */
  tell({ remote }) {
    const { right = "" } = remote ?? {};
    if (right === this.#right) return;
    const came = right !== "";
    this.#right = right;
    this.#clear();
    if (came) this.root.open = false; // the projector shows no more of it
    this.#fit();
  }

  #fit() {
    const tied = this.#right !== "";
    this.root.dataset.tied = String(tied);
    this.revoke.hidden = !tied;
    this.scan.hidden = tied && this.qr.hidden;
    this.shows.textContent = this.text(tied || !this.qr.hidden ? "remote.new" : "remote.show");
    this.status.textContent = tied ? this.text("remote.tied") : "";
  }

  async #draw() {
    const place = this.#place;
    await this.#acts.act(async () => {
      const address = `${place.whole}&remote=1`;
      /** @type {Ticket} */
      const { seconds, picture } = await (await place.line.post("ticket", { address })).json();
      if (!this.root.open) return;
      this.#clear();
      this.qr.src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
      this.qr.hidden = false;
      this.#fit();
      this.#ends = setTimeout(() => {
        this.#clear();
        this.status.textContent = this.text("remote.old");
      }, 1000 * seconds);
    });
  }

  #clear() {
    clearTimeout(this.#ends);
    this.qr.hidden = true;
    this.qr.removeAttribute("src");
    this.#fit();
  }
}
