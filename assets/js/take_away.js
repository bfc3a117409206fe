/** Pictures, numbers, a page that works offline, code and links to take away. All of them are made by the server from the same result. */

import { copy, save } from "./clipboard.js";
import { element } from "./dom.js";

const WIDTH = 1200;

/** @param {import("./page.js").Page} page @param {string} kind @param {Record<string, any>} more */
async function file(page, kind, more = {}) {
  const answer = await page.server.ask(`take-away/${kind}`, page.said(page.canonical, more), page.upload);
  const name = decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? kind);
  return { name, blob: await answer.blob() };
}

/**
 * A figure as PNG or SVG: plotly draws the very figure that a notebook would show.
 * @param {import("./page.js").Page} page @param {string} name @param {string} format
 */
export async function savePicture(page, name, format) {
  try {
    const { blob } = await file(page, "figure", { figure: name });
    const figure = JSON.parse(await blob.text());
    const Plotly = await page.plotly();
    const height = figure.layout.height ?? 450;
    const address = await Plotly.toImage(figure, { format, width: WIDTH, height, scale: format === "png" ? 2 : 1 });
    save(await (await fetch(address)).blob(), `headlight-${name}.${format}`);
  } catch (problem) {
    page.message.fail(problem.message);
  }
}

/** The row of buttons below the figures. @param {HTMLElement} root @param {import("./page.js").Page} page */
export function takeAway(root, page) {
  const said = element("p", { className: "said", role: "status" });
  const fallback = element("textarea", { className: "fallback", hidden: true, readOnly: true, ariaLabel: page.text("export.copy_by_hand"), rows: 6 });
  const guarded = (work) => async () => {
    said.textContent = page.text("export.working");
    fallback.hidden = true;
    try {
      said.textContent = await work();
    } catch (problem) {
      said.textContent = "";
      page.message.fail(problem.message);
    }
  };
  const copied = async (text, done) => {
    if (await copy(text)) return page.text(done);
    fallback.hidden = false;
    fallback.value = text;
    fallback.select();
    return page.text("export.copy_by_hand");
  };
  const button = (id, work) => element("button", { type: "button", className: "tool", id: `take-${id}`, onclick: guarded(work) }, page.text(`export.${id}`));
  const download = (kind) => button(kind, async () => {
    const { blob, name } = await file(page, kind);
    save(blob, name);
    return page.text("export.saved", { name });
  });
  const kinds = page.settings.takeAway.filter((kind) => kind !== "snippet");
  root.replaceChildren(element("section", { className: "take-away", aria: { label: page.text("export.title") } },
    element("h2", {}, page.text("export.title")),
    element("div", { className: "buttons" },
      button("link", () => copied(page.link(), "export.link_copied")),
      button("snippet", async () => copied(await (await file(page, "snippet")).blob.text(), "export.snippet_copied")),
      ...kinds.map(download)),
    said, fallback));
}
