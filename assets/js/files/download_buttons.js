/** The row of buttons for downloads; each page gives its own items. */

import { copy } from "./clipboard.js";
import { element } from "../dom/dom.js";
import { sentence } from "../server/server.js";

/** @typedef {{text: (key: string) => string, message: {fail: (sentence: string | null) => void}}} Telling a page that says what went wrong */
/** @typedef {[string, () => Promise<string>]} Item the id of a button and its action, which resolves to a message */

/**
 * Hold back every file but the link while a question is open that they would answer.
 * @param {HTMLElement} root @param {string | null} why the sentence beside them; null gives them back
 */
export function holdFiles(root, why) {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const files = root.querySelectorAll("button:not(#take-link)");
  for (const file of files) file.disabled = why !== null;
  const notice = root.querySelector(".held") ?? element("p", { className: "held said", role: "note" });
  notice.textContent = why ?? "";
  root.querySelector(".take-away")?.append(notice);
}

/**
 * Make a row of buttons below the figures; each reports its result.
 * @param {HTMLElement} root @param {Telling} page
 * @param {(copied: (text: string, done: string) => Promise<string>) => Item[]} items ids and actions; an action
 *   resolves to a message
 */
export function buttonRow(root, page, items) {
  const status = element("p", { className: "said", role: "status" });
  const fallback = element("textarea", {
    className: "fallback",
    hidden: true,
    readOnly: true,
    ariaLabel: page.text("export.copy_by_hand"),
    rows: 6,
  });
  /** @param {() => Promise<string>} work */
  const guarded = (work) => async () => {
    status.textContent = page.text("export.working");
    fallback.hidden = true;
    try {
      status.textContent = await work();
    } catch (problem) {
      status.textContent = "";
      page.message.fail(sentence(problem, (key) => page.text(key)));
    }
  };
  /** @param {string} text @param {string} done */
  const copied = async (text, done) => {
    if (await copy(text)) return page.text(done);
    fallback.hidden = false;
    fallback.value = text;
    fallback.select();
    return page.text("export.copy_by_hand");
  };
  const buttons = items(copied).map(([id, work]) =>
    element(
      "button",
      { type: "button", className: "tool", id: `take-${id}`, onclick: guarded(work) },
      page.text(`export.${id}`),
    ),
  );
  root.replaceChildren(
    element(
      "section",
      { className: "take-away", aria: { label: page.text("export.title") } },
      element("h2", {}, page.text("export.title")),
      element("div", { className: "buttons" }, ...buttons),
      status,
      fallback,
    ),
  );
}
