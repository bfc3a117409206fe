/** Downloads of the Anatomy page: its link, every tensor as CSV, a page that works offline. */

import { save } from "../../files/clipboard.js";
import { csv } from "../../files/csv.js";
import { element } from "../../dom/dom.js";
import { pictured, standing } from "./dom_picture.js";
import { theme } from "../../dom/theme.js";
import { buttonRow } from "../../files/download_buttons.js";
import { line, linked, metaOf, tableOf } from "../../files/origin.js";
import { numberAt } from "./tip.js";
import { pieces } from "./steps.js";
import { drawn, tensorOf } from "./walk_view.js";

/** @typedef {import("./arithmetic.js").Walked} Walked */

/** The two ways to show a step. */
const ROWS = /** @type {const} */ (["one", "all"]);

const STYLE = `body { font-family: system-ui, sans-serif; max-width: 1100px; margin: auto; padding: 16px; }
.pieces { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; } .tensor { margin: 4px; } table { border-collapse: collapse; }
td, th { padding: 2px 8px; text-align: right; font-variant-numeric: tabular-nums; }
.is-result { outline: 2px solid #2563eb; } .shape { margin-left: 8px; opacity: .8; } a { color: inherit; }
td.is-positive { background: color-mix(in srgb, #d97706 var(--share, 0%), transparent); }
td.is-negative { background: color-mix(in srgb, #2563eb var(--share, 0%), transparent); }
th { font-weight: 400; opacity: .8; } figcaption { font-weight: 650; } img { image-rendering: pixelated; }
footer { margin: 32px 0; font-size: .8rem; opacity: .75; overflow-wrap: anywhere; }`;

/** @param {HTMLElement} root @param {import("./host.js").Page} page @param {import("./host.js").Walks} walks */
export function keepAnatomy(root, page, walks) {
  /** @param {string} content @param {string} name @param {string} type */
  const saved = (content, name, type) => {
    save(new Blob([content], { type }), name);
    return page.text("export.saved", { name });
  };
  buttonRow(root, page, (copied) => [
    ["link", () => copied(page.ways.link(), "export.link_copied")],
    ["tables", async () => saved(csv(tables(page, walks)), "headlight-anatomy.csv", "text/csv")],
    ["html", async () => saved(await offline(page, walks), "headlight-anatomy.html", "text/html")],
  ]);
}

/** Return the shapes of the boxes, then every tensor in full, as tables. @param {import("./host.js").Page} page @param {import("./host.js").Walks} walks */
function tables(page, walks) {
  const { walked } = walks;
  const shapes = page.figures.of("anatomy").block.shown ?? [];
  const origin = tableOf(page.ways.fileOrigin(), page.text("export.origin"));
  return walked ? [shapes, tensorTables(page, walks, walked), origin].flat() : [];
}

/** Return the tensors that a step shows. @param {Walked} walked @param {string} step */
const tensorsIn = (walked, step) =>
  ROWS.flatMap((rows) => pieces(walked, step, rows)).flatMap((piece) => ("sign" in piece ? [] : [piece.tensor]));

/**
 * @param {import("./host.js").Page} page @param {import("./host.js").Walks} walks @param {Walked} walked
 * @returns {import("../../files/csv.js").Table[]}
 */
function tensorTables(page, walks, walked) {
  const { tensors, head, layer } = walked;
  const where = `${page.text("anatomy.head", { head })}, ${page.text("anatomy.layer", { layer })}`;
  const before = walks.pending ? new Set(walks.steps().flatMap((step) => tensorsIn(walked, step))) : null;
  return Object.entries(tensors).flatMap(([name, tensor]) => {
    if (!tensor || before?.has(name) === false) return [];
    const across = Math.ceil(tensor.columns / tensor.block[1]);
    const pooled =
      tensor.block[0] * tensor.block[1] > 1
        ? `, ${page.text("anatomy.pooled", { rows: tensor.block[0], columns: tensor.block[1] })}`
        : "";
    const columns = Array.from({ length: across }, (_, c) => ({
      label: String(c),
      values: Array.from(tensor.values).filter((_number, i) => i % across === c),
    }));
    return { caption: `${name}, ${tensor.rows} × ${tensor.columns}, ${where}${pooled}`, columns };
  });
}

/**
 * Return one HTML file: figure, formulas, every step; each number's arithmetic is its title.
 * @param {import("./host.js").Page} page @param {import("./host.js").Walks} walks
 */
async function offline(page, walks) {
  const { walked } = walks;
  if (!walked) throw new Error("walk");
  const made = document.implementation.createHTMLDocument(page.text("export.html.title"));
  made.documentElement.lang = page.state.values.lang;
  const [paper, ink] = theme() === "dark" ? ["#0f172a", "#f1f5f9"] : ["#ffffff", "#0f172a"];
  made.head.prepend(element("meta", { content: "width=device-width", name: "viewport" }));
  const charset = document.createElement("meta");
  charset.setAttribute("charset", "utf-8");
  made.head.prepend(charset);
  made.head.append(element("style", {}, `${STYLE} body { background: ${paper}; color: ${ink}; }`));
  const origin = page.ways.fileOrigin();
  made.head.append(...metaOf(origin));
  const sentences = [...page.answers.telling.root.querySelectorAll("p")].map((one) =>
    element("p", {}, one.textContent),
  );
  const steps = ROWS.flatMap((rows) => walks.steps().map((step) => section(page, walked, step, rows)));
  const withheld = page.prints.withheld();
  made.body.append(
    element("h1", {}, page.text("figure.anatomy.title")),
    ...sentences,
    element("p", {}, ...linked(origin, (key) => page.text(key))),
    standing(page.figures.of("anatomy").block.stage),
    element("p", {}, page.text("figure.anatomy.hint")),
    ...steps,
    ...(withheld.length ? [element("p", {}, page.text("print.withheld", { parts: withheld }))] : []),
    element("p", {}, page.text("figure.walk.hint")),
    element("footer", {}, line(origin)),
  );
  return `<!doctype html>${made.documentElement.outerHTML}`;
}

/**
 * Return one step with its heat maps as pictures.
 * @param {import("./host.js").Page} page @param {Walked} walked @param {string} step @param {"one" | "all"} rows
 */
function section(page, walked, step, rows) {
  const tensors = element("div", { className: "pieces" }, ...drawn(page, walked, step, rows));
  for (const place of tensors.querySelectorAll("td[data-row]")) {
    const cell = /** @type {HTMLElement} */ (place);
    const { head, lines } = numberAt(
      page,
      walked,
      tensorOf(cell),
      Number(cell.dataset.row),
      Number(cell.dataset.column),
    );
    cell.title = [head, ...lines].join(" ");
  }
  for (const canvas of tensors.querySelectorAll("canvas")) {
    canvas.replaceWith(pictured(canvas, canvas.getAttribute("style")));
  }
  const title = `${walked.titles[step]} · ${page.text(`choice.${`rows.${rows}`}`)}`;
  return element("section", {}, element("h2", {}, title), tensors);
}
