/** One HTML file with the page's figures that needs no server or network: plotly and the data are inside. */

import { theme } from "./masthead.js";

/** @type {Record<string, string>} */
const MARKUP = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** @param {unknown} text */
const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => MARKUP[sign]);
// The data must not end its script element.
const embedded = (/** @type {unknown} */ value) => JSON.stringify(value).replaceAll("<", "\\u003c");

/** @param {import("./shell.js").Shell} page @returns {Promise<string>} */
export async function offlinePage(page) {
  const answer = await fetch(new URL(page.settings.plotly, document.baseURI));
  if (!answer.ok) throw new Error(String(answer.status));
  const source = await answer.text();
  const shown = await Promise.all(
    [...page.drawn.keys()].map((name) => page.standing(name).then((figure) => ({ name, figure }))),
  );
  const figures = shown.map(({ name, figure }) => {
    const { block } = page.figure(name);
    const key = `figure.${name.replaceAll("-", "_")}`;
    return `<figure><h2>${escaped(page.text(`${key}.title`))}</h2><p>${escaped(block.summary.textContent)}</p><div class="graph"></div>
<script type="application/json">${embedded(figure)}</script><figcaption><p>${escaped(page.text(`${key}.hint`))}</p>
<details><summary>${escaped(page.text("export.html.numbers"))}</summary><div class="wide">${block.table.outerHTML}</div></details></figcaption></figure>`;
  });
  const sentences = [...document.querySelectorAll("#insight p, #origin p:not(:empty)")].map(
    (sentence) => `<p>${escaped(sentence.textContent)}</p>`,
  );
  const [paper, ink] = theme() === "dark" ? ["#0f172a", "#f1f5f9"] : ["#ffffff", "#0f172a"];
  return `<!doctype html><html lang="${escaped(page.values.lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(page.text("export.html.title"))}</title>
<style>body { font-family: system-ui, sans-serif; max-width: 1100px; margin: auto; padding: 16px; background: ${paper}; color: ${ink}; }
figure { margin: 32px 0; } h2 { font-size: 1.2rem; } .wide { overflow-x: auto; }
td, th { padding: 2px 10px; text-align: right; } a { color: inherit; }</style></head><body>
<h1>${escaped(page.text("export.html.title"))}</h1>${sentences.join("")}
<p>${escaped(page.text("export.html.link"))} <a href="${escaped(page.link())}">${escaped(page.link())}</a></p>
${figures.join("")}<script>${source.replaceAll("</script", "<\\/script")}</script><script>
for (const graph of document.querySelectorAll(".graph")) {
  const { data, layout } = JSON.parse(graph.nextElementSibling.textContent);
  Plotly.newPlot(graph, data, layout, { responsive: true, displaylogo: false });
}
</script></body></html>`;
}
