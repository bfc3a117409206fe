/** One HTML file with the page's figures that needs no server or network: plotly and the data are inside. */

import { element } from "../dom/dom.js";
import { theme } from "../dom/theme.js";
import { line, linked, metaOf } from "./origin.js";

const PAPER = { dark: ["#0f172a", "#f1f5f9"], light: ["#ffffff", "#0f172a"] };

/** @type {Record<string, string>} */
const MARKUP = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** @param {unknown} text */
const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => MARKUP[sign]);
// The data must not end its script element.
const embedded = (/** @type {unknown} */ value) => JSON.stringify(value).replaceAll("<", "\\u003c");
const markup = (/** @type {HTMLElement[]} */ elements) => elements.map((one) => one.outerHTML).join("\n");

/** @param {string} address relative to the page */
async function read(address) {
  const answer = await fetch(new URL(address, document.baseURI));
  if (!answer.ok) throw new Error(String(answer.status));
  return answer;
}

/** Return a file as gzip in base64. @param {Response} answer */
async function packed(answer) {
  const small = (await answer.blob()).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(small).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result.split(",")[1] : "");
    reader.onerror = () => reject(reader.error ?? new Error("base64"));
    reader.readAsDataURL(bytes);
  });
}

/**
 * What the file is made of.
 * @typedef {object} Kept
 * @property {{plotly: string, unpacking: string}} settings addresses
 * @property {{values: {lang?: string}}} state
 * @property {{drawn: Map<string, unknown>, of: (name: string) => {block: {summary: HTMLElement, table: HTMLElement}}}} figures
 * @property {Standing} prints
 * @property {{fileOrigin: () => import("./origin.js").Origin}} ways
 * @property {(key: string, fields?: import("../words/message_format.js").Fields) => string} text
 *
 * @typedef {object} Standing
 * @property {(name: string) => Promise<unknown>} standing the figure as plotly draws it
 * @property {(name: string) => boolean} withholds true if a figure waits for a prediction
 * @property {() => string[]} withheld their titles
 */

/** @param {Kept} page @returns {Promise<string>} */
export async function offlinePage(page) {
  const [plotly, unpacking] = await Promise.all([
    read(page.settings.plotly).then(packed),
    read(page.settings.unpacking).then((answer) => answer.text()),
  ]);
  const shown = await Promise.all(
    [...page.figures.drawn.keys()]
      .filter((name) => !page.prints.withholds(name))
      .map((name) => page.prints.standing(name).then((figure) => ({ name, figure }))),
  );
  const text = (/** @type {string} */ key) => page.text(key);
  const figures = shown.map(({ name, figure }) => {
    const { block } = page.figures.of(name);
    const key = `figure.${name.replaceAll("-", "_")}`;
    const numbers = block.table.outerHTML.replace(' tabindex="0"', ""); // nothing answers there
    return `<figure><h2>${escaped(text(`${key}.title`))}</h2><p>${escaped(block.summary.textContent)}</p><div class="graph"></div>
<script type="application/json">${embedded(figure)}</script><figcaption><p>${escaped(text(`${key}.hint`))}</p>
<details><summary>${escaped(text("export.html.numbers"))}</summary><div class="wide">${numbers}</div></details></figcaption></figure>`;
  });
  const paragraphs = document.querySelectorAll("#insight:not(.not-now, .is-withheld) p, #origin p:not(:empty)");
  const sentences = [...paragraphs].map((sentence) => `<p>${escaped(sentence.textContent)}</p>`);
  const withheld = page.prints.withheld();
  if (withheld.length) sentences.push(`<p>${escaped(page.text("print.withheld", { parts: withheld }))}</p>`);
  const origin = page.ways.fileOrigin();
  const [paper, ink] = PAPER[theme()];
  return `<!doctype html><html lang="${escaped(page.state.values.lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
${markup(metaOf(origin))}
<title>${escaped(text("export.html.title"))}</title>
<style>body { font-family: system-ui, sans-serif; max-width: 1100px; margin: auto; padding: 16px; background: ${paper}; color: ${ink}; }
figure { margin: 32px 0; } h2 { font-size: 1.2rem; } .wide { overflow-x: auto; }
footer { margin: 32px 0; font-size: .8rem; opacity: .75; overflow-wrap: anywhere; }
td, th { padding: 2px 10px; text-align: right; } a { color: inherit; }</style></head><body>
<h1>${escaped(text("export.html.title"))}</h1>${sentences.join("")}
${element("p", {}, ...linked(origin, text)).outerHTML}
<p id="old" role="alert" hidden>${escaped(text("export.html.old"))}</p>
${figures.join("")}<footer>${escaped(line(origin))}</footer>
<script type="text/plain" id="packed">${plotly}</script><script>${unpacking}</script></body></html>`;
}
