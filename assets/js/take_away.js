/** Downloads: pictures, numbers, a page that works offline, code, links. The server makes all from the same result. */

import { copy, save } from "./clipboard.js";
import { element } from "./dom.js";
import { sentence } from "./server.js";

/** @typedef {[string, () => Promise<string>]} Item the id of a button and its action, which resolves to a message */

/** @param {import("./shell.js").Shell} page @param {string} kind @param {Record<string, unknown>} more */
async function file(page, kind, more = {}) {
  const answer = await page.server.ask(`take-away/explore/${kind}`, page.said(page.present, more), page.upload);
  const name = decodeURIComponent(
    /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? kind,
  );
  return { name, blob: await answer.blob() };
}

/** Return the figure of this name as the server draws it for a notebook. @param {import("./shell.js").Shell} page @param {string} name */
export async function served(page, name) {
  const { blob } = await file(page, "figure", { figure: name });
  return JSON.parse(await blob.text());
}

/**
 * Make a row of buttons below the figures; each reports its result.
 * @param {HTMLElement} root @param {import("./shell.js").Shell} page
 * @param {(copied: (text: string, done: string) => Promise<string>) => Item[]} items ids and actions; an action
 *   resolves to a message
 */
export function buttonRow(root, page, items) {
  const said = element("p", { className: "said", role: "status" });
  const fallback = element("textarea", {
    className: "fallback",
    hidden: true,
    readOnly: true,
    ariaLabel: page.text("export.copy_by_hand"),
    rows: 6,
  });
  /** @param {() => Promise<string>} work */
  const guarded = (work) => async () => {
    said.textContent = page.text("export.working");
    fallback.hidden = true;
    try {
      said.textContent = await work();
    } catch (problem) {
      said.textContent = "";
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
      said,
      fallback,
    ),
  );
}

/**
 * Make Explore's downloads, from the present result.
 * @param {HTMLElement} root
 * @param {import("./shell.js").Shell<{takeAway: string[]}>} page
 */
export function takeAway(root, page) {
  /** @param {string} kind @returns {Item} */
  const download = (kind) => [
    kind,
    async () => {
      const { blob, name } = await file(page, kind);
      save(blob, name);
      return page.text("export.saved", { name });
    },
  ];
  const kinds = page.settings.takeAway.filter((kind) => kind !== "snippet");
  buttonRow(root, page, (copied) => [
    ["link", () => copied(page.link(), "export.link_copied")],
    ["snippet", async () => copied(await (await file(page, "snippet")).blob.text(), "export.snippet_copied")],
    ...kinds.map(download),
  ]);
}
