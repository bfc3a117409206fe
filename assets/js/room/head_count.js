/** The number of tabs in the room and of those that follow, in the teacher's bar. */

import { element } from "../dom/dom.js";
import { mixed } from "./way_in.js";

const [FOLLOW, COUNT] = ["\u0001", "\u0002"];

export class HeadCount {
  follow = element("b", { id: "room-follow" }, "0");
  count = element("b", { id: "room-count" }, "0");

  /** @param {import("./way_in.js").Text} text */
  constructor(text) {
    const sentence = text("room.follow", { follow: FOLLOW, count: COUNT });
    const nodes = { [FOLLOW]: () => this.follow, [COUNT]: () => this.count };
    this.root = element("span", { className: "class-here" }, ...mixed(sentence, nodes));
  }

  /** @param {import("../lead/message.js").Message} message */
  tell({ count, follow = count }) {
    if (this.count.textContent !== String(count)) this.count.textContent = String(count);
    if (this.follow.textContent !== String(follow)) this.follow.textContent = String(follow);
  }
}
