/** The way to what only some visitors use: sharing the state. Its script is loaded when somebody asks for it. */

import { element } from "../dom/dom.js";

/** @param {import("./live_page.js").LivePage} page */
export function shareButton(page) {
  const button = element(
    "button",
    {
      type: "button",
      className: "tool",
      id: "share-open",
      onclick: async () => {
        button.closest("details")?.removeAttribute("open");
        try {
          await (await page.presence.later.share()).open();
        } catch {
          page.message.fail(page.text("live.lost"));
        }
      },
    },
    page.text("share.open"),
  );
  return button;
}
