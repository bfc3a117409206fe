/** The menu of what students offer: each state by what differs from the page, to be shown to the class or dropped. */

import { element } from "../dom/dom.js";
import { menu } from "../dom/menu.js";
import { typeset } from "../words/symbols.js";
import { button } from "./button.js";
import { described } from "./offers.js";

export class OffersMenu {
  #room;
  #acts;
  #list;
  /** What is offered, and the state beside it, as text. */
  #offered = "";

  /** @param {import("./taught_room.js").TaughtRoom} room @param {import("./acts.js").Acts} acts */
  constructor(room, acts) {
    this.#room = room;
    this.#acts = acts;
    const { text } = room;
    this.#list = element("div", { className: "class-offers", id: "room-offers" });
    this.root = menu("class-menu", text("room.offers", { n: 0 }), text("room.offers_hint"), this.#list);
    this.root.hidden = true;
  }

  /** @param {import("../lead/message.js").Message} message */
  tell({ offers = [], link: present }) {
    const { text, page } = this.#room;
    const key = JSON.stringify([offers, present]);
    if (key === this.#offered) return;
    this.#offered = key;
    this.root.hidden = offers.length === 0;
    const head = this.root.querySelector("summary");
    if (head) head.textContent = text("room.offers", { n: offers.length });
    this.#list.replaceChildren(
      ...offers.map((offer) => {
        const show = button("", text("room.show"), () => {
          this.root.open = false;
          void this.#acts.show(offer);
        });
        show.classList.add("is-primary", "class-show");
        const drop = button("", "×", () => void this.#acts.drop(offer.id), text("room.drop"));
        drop.ariaLabel = text("room.drop");
        const description = element("span", {}, ...typeset(described(offer.link, present, page)));
        return element("div", { className: "class-offer" }, description, show, drop);
      }),
    );
  }
}
