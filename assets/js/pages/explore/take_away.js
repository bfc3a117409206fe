/** Explore's downloads: pictures, numbers, a page that works offline, code, links. The server makes all from the same result. */

import { save } from "../../files/clipboard.js";
import { buttonRow } from "../../files/download_buttons.js";
import { servedFile } from "../../page/served_file.js";

/** Return the figure of this name as the server draws it for a notebook. @param {import("../../page/live_page.js").LivePage} page @param {string} name */
export async function served(page, name) {
  const { blob } = await servedFile(page, "figure", { figure: name });
  return JSON.parse(await blob.text());
}

/**
 * Copy a script and tell what it needs. A visitor's tokens stand in one line of it, so they cannot import.
 * @param {string} code @param {(text: string, done: string) => Promise<string>} copied
 */
function scripted(code, copied) {
  const needs = /^(?:import numpy|from (?=attention_core))/m.exec(code)?.[0];
  return copied(code, `export.snippet_copied${needs ? (needs.endsWith("numpy") ? "_file" : "_model") : ""}`);
}

/**
 * Make Explore's downloads, from the present result.
 * @param {HTMLElement} root
 * @param {import("../../page/live_page.js").LivePage<{takeAway: string[]}>} page
 */
export function takeAway(root, page) {
  /** @param {string} kind @returns {import("../../files/download_buttons.js").Item} */
  const download = (kind) => [
    kind,
    async () => {
      const { blob, name } = await servedFile(page, kind);
      save(blob, name);
      return page.text("export.saved", { name });
    },
  ];
  const kinds = page.settings.takeAway.filter((kind) => kind !== "snippet");
  buttonRow(root, page, (copied) => [
    ["link", () => copied(page.ways.link(), "export.link_copied")],
    ["snippet", async () => scripted(await (await servedFile(page, "snippet")).blob.text(), copied)],
    ...kinds.map(download),
  ]);
}
