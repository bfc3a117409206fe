/** The way into a room over the whole screen, for a projector: QR code, short address, six large signs, and who is in. */

import { element } from "../dom/dom.js";
import { button } from "./button.js";
import { reached, shortAddress, steps, typed } from "./way_in.js";

export class Wall {
  /**
   * @param {HTMLImageElement} picture the QR code @param {{base: string, code: string}} room
   * @param {boolean | null} network true if the network reaches the server @param {import("./way_in.js").Text} text
   */
  constructor({ src, alt }, { base, code }, network, text) {
    this.text = text;
    this.here = element("p", { className: "class-wall-here", id: "room-wall-count", role: "status" });
    this.root = element("dialog", { className: "class-wall", id: "room-wall", ariaLabel: text("room.title") });
    const shut = button("room-wall-shut", text("room.wall_shut"), () => this.root.close());
    const address = element("p", { className: "class-wall-address" }, ...shortAddress(base, code));
    address.style.setProperty("--signs", String(typed(base).length + code.length));
    const sentence = reached(new URL(base), network, text);
    this.root.append(
      element("img", { src, alt }),
      element(
        "div",
        { className: "class-wall-way" },
        element("p", { className: "class-wall-says" }, text("room.scan")),
        address,
        steps(base, code, text),
        element("p", { className: "class-wall-code" }, code),
        ...(sentence.length ? [element("p", { className: "class-wall-note" }, ...sentence)] : []),
        this.here,
      ),
      shut,
    );
    this.root.addEventListener("close", () => this.root.remove());
    document.body.append(this.root);
    this.root.showModal();
  }

  /** @param {number} count of those who are in */
  tell(count) {
    const sentence = this.text("room.in", { n: count });
    if (this.here.textContent !== sentence) this.here.textContent = sentence;
  }
}
