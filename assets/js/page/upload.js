/** The visitor's Q, K and V: the server checks the file and returns its tensors; the browser sends them with each update. */

import { element } from "../dom/dom.js";
import { Refusal, sentence } from "../server/server.js";
import { only, parts, revive } from "../server/wire.js";

/**
 * Make the box, and let no move ask for anything before there is a file.
 * @param {HTMLElement} root @param {import("./live_page.js").LivePage<{uploadLimit: number}>} page
 * @param {(file: Uint8Array) => void} use called with the tensors of a file that the server has checked
 */
export function uploadBox(root, page, use) {
  const input = element("input", { type: "file", id: "upload-file", accept: ".npz,.safetensors,.csv" });
  const status = element("p", { className: "said", role: "status", id: "upload-said" });
  input.setAttribute("aria-describedby", "upload-help");
  root.replaceChildren(
    element(
      "div",
      { className: "upload" },
      element("label", { htmlFor: "upload-file" }, page.text("upload.label")),
      input,
      element("p", { id: "upload-help", className: "help" }, page.text("upload.help")),
      status,
    ),
  );

  let count = 0;
  /** @param {File} file */
  const take = async (file) => {
    const mine = (count += 1);
    const newest = () => mine === count;
    const limit = page.settings.uploadLimit;
    try {
      if (file.size > limit) throw new Refusal(page.text("error.upload_too_large", { came: file.size, limit }));
      status.textContent = page.text("upload.reading", { name: file.name });
      const asked = new URLSearchParams({ name: file.name, lang: page.state.values.lang, page: page.settings.page });
      const answer = await page.server.send(`upload?${asked}`, file);
      for await (const part of parts(answer.body)) {
        if (!newest()) return;
        const { header, blocks } = only(part, "upload");
        status.textContent = header.message;
        page.message.fail(null);
        use(revive(header.file, blocks, new Map()).file.slice());
      }
    } catch (problem) {
      if (newest()) status.textContent = sentence(problem, (key) => page.text(key));
    }
    if (newest()) input.value = "";
  };
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void take(file);
  });

  page.updates.rules.waits = () => {
    const waits = page.state.values.source === "upload" && !page.state.upload;
    if (waits) status.textContent = page.text("upload.invite");
    return waits;
  };
}
