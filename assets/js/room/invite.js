/** The menu that invites a class: QR code, short address, the steps for somebody who opens the front page, and the wall. */

import { copy } from "../files/clipboard.js";
import { element } from "../dom/dom.js";
import { menu } from "../dom/menu.js";
import { isLoopback } from "../files/origin.js";
import { button } from "./button.js";
import { codeField } from "./code_field.js";
import { Wall } from "./wall.js";
import { reached, shortAddress, steps } from "./way_in.js";

/** @typedef {import("./way_in.js").Text} Text */
/** @typedef {{network: boolean | null, origins: string[]}} Reach who reaches the server, as it tells a teacher on its own machine */

export class Invite {
  /** The QR code of the present address, once it was asked for. @type {Promise<string> | null} */
  #picture = null;
  /** True if the network reaches the server, null if that is not known. @type {boolean | null} */
  #network = null;
  /** Resolves when the address is known that the class can open. */
  #known = Promise.resolve();
  #count = 0;
  /** @type {Wall | null} */
  #wall = null;

  /**
   * @param {import("./class_address.js").ClassAddress} place of the room @param {Text} text
   * @param {(code: string) => void} join @param {(sentence: string, passing: boolean) => void} say
   */
  constructor(place, text, join, say) {
    this.place = place;
    this.text = text;
    this.say = say;
    this.qr = element("img", { className: "class-qr", alt: "" });
    this.address = element("a", { id: "room-address", target: "_blank", rel: "noopener" });
    this.way = element("div", {});
    this.note = element("div", {});
    this.root = menu(
      "class-menu",
      text("room.invite"),
      text("room.invite_hint"),
      element("p", {}, text("room.scan")),
      this.qr,
      element("p", { className: "class-short" }, this.address),
      this.way,
      this.note,
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
    this.root.id = "room-invite";
    this.root.addEventListener("toggle", () => {
      if (this.root.open) void this.#draw();
    });
  }

  /** The room has its code. */
  opened() {
    this.#fill();
    if (isLoopback(location)) this.#known = this.#ask();
  }

  /** @param {import("../lead/message.js").Message} message */
  tell({ count }) {
    this.#count = count;
    this.#wall?.tell(count);
  }

  /** Ask the server who reaches it: only this machine can open the address of this page. */
  async #ask() {
    try {
      /** @type {Reach} */
      const { network, origins } = await (await this.place.line.get("reach")).json();
      this.#network = network;
      if (origins.length) this.#at(origins[0], origins);
      else this.#fill();
    } catch {
      // what is said of an unknown network holds
    }
  }

  /** Invite to this origin. @param {string} origin @param {string[]} origins all that reach the server */
  #at(origin, origins) {
    this.place.base = `${origin}${location.pathname}`;
    this.#picture = null;
    this.#fill();
    if (origins.length > 1) this.note.append(this.#choice(origin, origins));
    if (this.root.open) void this.#draw();
  }

  /** A machine in several networks: the class is in one of them. @param {string} origin @param {string[]} origins */
  #choice(origin, origins) {
    const ways = origins.map((one) => {
      const onchange = () => this.#at(one, origins);
      const input = element("input", { type: "radio", name: "room-network", checked: one === origin, onchange });
      return element("label", {}, input, one.replace(/^https?:\/\//, ""));
    });
    const legend = element("legend", {}, this.text("room.network"));
    return element("fieldset", { className: "class-kinds", id: "room-network" }, legend, ...ways);
  }

  #fill() {
    const { place, text } = this;
    const { whole: address, base, code } = place;
    this.address.href = address;
    this.address.replaceChildren(...shortAddress(base, code));
    this.way.replaceChildren(steps(base, code, text));
    this.qr.alt = text("room.qr", { address });
    const sentence = reached(new URL(base), this.#network, text);
    this.note.replaceChildren(...(sentence.length ? [element("p", { className: "class-note" }, ...sentence)] : []));
  }

  async #draw() {
    await this.#known;
    this.#picture ??= this.place.picture();
    try {
      this.qr.src = await this.#picture;
    } catch {
      this.#picture = null;
    }
  }

  async #enlarge() {
    this.root.open = false;
    await this.#draw();
    this.#wall = new Wall(this.qr, this.place, this.#network, this.text);
    this.#wall.tell(this.#count);
  }

  async #copy() {
    this.say(this.text((await copy(this.place.whole)) ? "room.copied" : "room.not_copied"), true);
  }
}
