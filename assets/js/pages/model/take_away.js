/** What one takes away from the Model page: code that gives the same numbers, and the numbers. */

import { save } from "../../files/clipboard.js";
import { liveTakeAway } from "../../page/live_take_away.js";
import { servedFile } from "../../page/served_file.js";

/** @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage} page */
export function modelTakeAway(place, page) {
  liveTakeAway(place, page, (copied) => [
    [
      "snippet",
      async () => copied(await (await servedFile(page, "snippet")).blob.text(), "export.snippet_copied_model"),
    ],
    [
      "npz",
      async () => {
        const { blob, name } = await servedFile(page, "npz");
        save(blob, name);
        return page.text("export.saved", { name });
      },
    ],
  ]);
}
