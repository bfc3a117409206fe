/** Downloads of every page but Explore, made in the browser: a link, the numbers, a page that works offline. */

import { save } from "../files/clipboard.js";
import { csv } from "../files/csv.js";
import { offlinePage } from "../files/offline_page.js";
import { buttonRow } from "../files/download_buttons.js";
import { tableOf } from "../files/origin.js";

/**
 * @param {HTMLElement} root @param {import("./live_page.js").LivePage} page
 * @param {(copied: (text: string, done: string) => Promise<string>) => import("../files/download_buttons.js").Item[]} more further
 *   items of one page
 */
export function liveTakeAway(root, page, more = () => []) {
  /** @param {string} text @param {string} name @param {string} type */
  const saved = (text, name, type) => {
    save(new Blob([text], { type }), name);
    return page.text("export.saved", { name });
  };
  buttonRow(root, page, (copied) => [
    ["link", () => copied(page.ways.link(), "export.link_copied")],
    [
      "tables",
      async () =>
        saved(
          csv([
            ...[...page.figures.all].flatMap(([name, { block }]) =>
              page.prints.withholds(name) ? [] : (block.shown ?? []),
            ),
            tableOf(page.ways.fileOrigin(), page.text("export.origin")),
          ]),
          `headlight-${page.settings.page}.csv`,
          "text/csv",
        ),
    ],
    ["html", async () => saved(await offlinePage(page), `headlight-${page.settings.page}.html`, "text/html")],
    ...more(copied),
  ]);
}
