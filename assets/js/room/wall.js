/** The code of a room over the whole screen, for a projector: QR code, address, six large signs. */

import { element } from "../dom.js";
import { button } from "./bar.js";

/**
 * @param {string} picture address of the QR code @param {string} address @param {string} code
 * @param {(key: string, fields?: import("../controls.js").Fields) => string} text
 */
export function wall(picture, address, code, text) {
  const root = element("dialog", { className: "class-wall", id: "room-wall", ariaLabel: text("room.title") });
  const shut = button("room-wall-shut", text("room.wall_shut"), () => root.close());
  root.append(
    element("p", { className: "class-wall-says" }, text("room.scan")),
    element("img", { src: picture, alt: text("room.qr", { address }) }),
    element("p", { className: "class-wall-address" }, address.replace(/^https?:\/\//, "").replace(/\?.*/, "")),
    element("p", { className: "class-wall-code" }, code),
    shut,
  );
  root.addEventListener("close", () => root.remove());
  document.body.append(root);
  root.showModal();
}
