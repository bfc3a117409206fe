/** What the Anatomy page offers to take away: its link, every tensor as CSV, and a page that works offline. */

import { save } from "../clipboard.js";
import { csv } from "../csv.js";
import { element } from "../dom.js";
import { standing } from "../dom_picture.js";
import { theme } from "../masthead.js";
import { buttonRow } from "../take_away.js";
import { told } from "./tip.js";
import { drawn } from "./walk_view.js";

const STYLE = `body { font-family: system-ui, sans-serif; max-width: 1100px; margin: auto; padding: 16px; }
.pieces { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; } .tensor { margin: 4px; } table { border-collapse: collapse; }
td, th { padding: 2px 8px; text-align: right; font-variant-numeric: tabular-nums; } .is-result { outline: 2px solid #2563eb; } .shape { margin-left: 8px; opacity: .8; } a { color: inherit; }
td.is-positive { background: color-mix(in srgb, #d97706 var(--share, 0%), transparent); } td.is-negative { background: color-mix(in srgb, #2563eb var(--share, 0%), transparent); }
th { font-weight: 400; opacity: .8; } figcaption { font-weight: 650; } img { image-rendering: pixelated; }`;

/** @param {HTMLElement} root @param {import("./page.js").Page} page */
export function keepAnatomy(root, page) {
  const saved = (content, name, type) => {
    save(new Blob([content], { type }), name);
    return page.text("export.saved", { name });
  };
  buttonRow(root, page, (copied) => [
    ["link", () => copied(page.link(), "export.link_copied")],
    ["tables", async () => saved(csv(tables(page)), "headlight-anatomy.csv", "text/csv")],
    ["html", async () => saved(await offline(page), "headlight-anatomy.html", "text/html")],
  ]);
}

/** Every tensor of the walk as a table: first the shapes of the boxes, then the numbers in full. @param {import("./page.js").Page} page */
export function tables(page) {
  const { tensors, head, layer } = page.walked;
  const where = `${page.text("anatomy.head", { head })}, ${page.text("anatomy.layer", { layer })}`;
  const numbers = Object.entries(tensors).map(([name, tensor]) => {
    const across = Math.ceil(tensor.columns / tensor.block[1]);
    const pooled =
      tensor.block[0] * tensor.block[1] > 1
        ? `, ${page.text("anatomy.pooled", { rows: tensor.block[0], columns: tensor.block[1] })}`
        : "";
    const columns = Array.from({ length: across }, (_, c) => ({
      label: String(c),
      values: tensor.values.filter((_number, i) => i % across === c),
    }));
    return { caption: `${name}, ${tensor.rows} × ${tensor.columns}, ${where}${pooled}`, columns };
  });
  return [page.figures.get("anatomy").block.shown, ...numbers];
}

/** One HTML file: the figure, the formulas, and every step with the arithmetic of each number as its title. @param {import("./page.js").Page} page */
async function offline(page) {
  const { walked } = page;
  const made = document.implementation.createHTMLDocument(page.text("export.html.title"));
  made.documentElement.lang = page.values.lang;
  const [paper, ink] = theme() === "dark" ? ["#0f172a", "#f1f5f9"] : ["#ffffff", "#0f172a"];
  made.head.prepend(element("meta", { content: "width=device-width", name: "viewport" }));
  const charset = document.createElement("meta");
  charset.setAttribute("charset", "utf-8");
  made.head.prepend(charset);
  made.head.append(element("style", {}, `${STYLE} body { background: ${paper}; color: ${ink}; }`));
  const link = element("a", { href: page.link() }, page.link());
  const sentences = [...page.place.insight.element.querySelectorAll("p")].map((one) =>
    element("p", {}, one.textContent),
  );
  const steps = ["one", "all"].flatMap((rows) => walked.steps.map((step) => section(page, walked, step, rows)));
  made.body.append(
    element("h1", {}, page.text("figure.anatomy.title")),
    ...sentences,
    element("p", {}, `${page.text("export.html.link")} `, link),
    standing(page.figures.get("anatomy").block.stage),
    element("p", {}, page.text("figure.anatomy.hint")),
    ...steps,
    element("p", {}, page.text("figure.walk.hint")),
  );
  return `<!doctype html>${made.documentElement.outerHTML}`;
}

/** One step; its heat maps are pictures there. */
function section(page, walked, step, rows) {
  const tensors = element("div", { className: "pieces" }, ...drawn(page, walked, step, rows));
  for (const cell of tensors.querySelectorAll("td[data-row]")) {
    const { head, lines } = told(
      page,
      walked,
      cell.closest("[data-tensor]").dataset.tensor,
      Number(cell.dataset.row),
      Number(cell.dataset.column),
    );
    cell.title = [head, ...lines].join(" ");
  }
  for (const canvas of tensors.querySelectorAll("canvas")) {
    const image = element("img", { src: canvas.toDataURL(), alt: canvas.getAttribute("aria-label") });
    image.setAttribute("style", canvas.getAttribute("style"));
    canvas.replaceWith(image);
  }
  const title = `${page.text(`anatomy.${`title.${step}`}`)} · ${page.text(`choice.${`rows.${rows}`}`)}`;
  return element("section", {}, element("h2", {}, title), tensors);
}
