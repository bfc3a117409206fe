/* Draws the figures of an offline page. The page holds plotly.js as gzip in base64, a third of its size. */
void (async () => {
  const found = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
  if (!("DecompressionStream" in window)) {
    found("old").hidden = false;
    return;
  }
  const bytes = Uint8Array.from(atob(found("packed").textContent), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
  // a cell of a dark notebook writes the other scheme into the page, which holds the colours for it
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark" && document.getElementById("dark");
  for (const source of document.querySelectorAll('figure script[type="application/json"]')) {
    const { data, layout } = JSON.parse(source.textContent);
    if (dark) layout.template = JSON.parse(dark.textContent);
    const graph = /** @type {HTMLElement} */ (source.previousElementSibling);
    await window.Plotly.newPlot(graph, data, layout, { responsive: true, displaylogo: false });
  }
})();
