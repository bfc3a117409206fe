/**
 * The first heat maps, painted in the outline (outline.js) while gradio still mounts the page. They are a figure of their own, in a
 * shadow tree that has the page's styles and the names which these select: so they stand where the page's own will stand.
 */

import { ofTab } from "../../link/address.js";
import { CellsFigure } from "../../figures/cells_figure.js";
import { element } from "../../dom/dom.js";
import { FigureBlock } from "../../figures/figure_block.js";
import { coming } from "../../dom/theme.js";
import { markPainted } from "../../figures/painted.js";
import { LARGER } from "../../page/present.js";
import { icon } from "../../dom/svg.js";
import { parts, revive } from "../../server/wire.js";
import { TO_THE_END } from "./full_range.js";

/** Parameters with which something else may stand in the place of the maps, or beside them. */
const OTHERWISE = ["predict", "pin", "row", "present", "hide", "focus", "head"];

/** The styles of the outline's tree: those of the first bytes, the page's own, and what stands for gradio's (css/early.css). */
const styles = (/** @type {string} */ css) => [textOf("first-styles"), css, textOf("early-styles")];

/** @param {string} id of a style element */
const textOf = (id) => document.getElementById(id)?.textContent ?? "";

/**
 * Paint the first answer's maps as soon as they come. Whatever fails here is told by the page itself, a moment later.
 * @param {import("../../page/live_page.js").LivePage} page
 * @param {Promise<Record<string, string> | null>} reading the texts @param {string} css all pages' styles, as gradio gets them
 * @returns {Promise<void>}
 */
export async function paintEarly(page, reading, css) {
  const link = new URLSearchParams(location.search);
  const place = document.querySelector("#outline .outlined-page");
  if (!place || Object.keys(ofTab(location.search)).some((name) => !name.startsWith("__"))) return;
  if (OTHERWISE.some((name) => link.has(name))) return;
  const [answer, texts] = await Promise.all([page.server.early(), reading]);
  if (!answer || !texts) return;
  for await (const { header, blocks } of parts(answer.body)) {
    if (header.part !== "cells" || header.notices.length || !place.isConnected) return; // a notice has a line of its own
    const entry = header.drawings["heat-maps"];
    const tokens = revive(header.labels, blocks, new Map()).tokens;
    const root = element("div", { id: "figure-heat-maps", className: "figure-place" });
    skeleton(place, css, root);
    const block = new FigureBlock(
      root,
      "heat-maps",
      (key) => texts[key] ?? key,
      () => {},
    );
    block.behind.hidden = false; // as the page's will be, so that the others stand where they will
    block.tools.append(element("button", { className: "enlarge" }, icon(LARGER)));
    if (header.controls.colour_range !== "per_head") {
      block.bars.after(element("button", { id: "full-range" }, icon(TO_THE_END)));
    }
    const maps = new CellsFigure(block.stage, block.bars, { onTitle: () => {} });
    maps.lines.columns = Number(header.controls.columns);
    maps.draw(revive(entry, blocks, new Map()), entry.hash, tokens);
    await markPainted(/** @type {HTMLElement} */ (place), header.query);
    return;
  }
}

/**
 * Lay out the page around the maps.
 * @param {Element} place @param {string} css @param {HTMLElement} figure
 */
function skeleton(place, css, figure) {
  const sheets = styles(css).map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  const inner = place.attachShadow({ mode: "closed" }); // nobody takes it for the page's own
  Object.assign(place, { painting: inner }); // a program finds it at its element
  inner.adoptedStyleSheets = sheets;
  const box = (/** @type {string} */ id, /** @type {Node[]} */ ...children) => element("div", { id }, ...children);
  const side = box("side", box("row-detail"), box("panels", ...["i", "i", "i"].map(() => element("i"))));
  const figures = box("figures", box("stage-row"), figure, side, element("div", { className: "dots" }));
  const laid = element("div", { id: "explore", className: "page" }, box("controls"), figures);
  inner.append(element("div", { className: coming() }, laid));
}
