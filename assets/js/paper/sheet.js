/** The sheet of paper: settings, sentences, the question, the figures with captions, and where all this comes from. */

import { element } from "../dom/dom.js";
import { line, linked } from "../files/origin.js";
import { typeset } from "../words/symbols.js";
import { settingsLine } from "./settings.js";
import { WIDE } from "./figures.js";

/** @typedef {import("./figures.js").Source} Source */

/**
 * Put the sheet into the document, in gradio's own classes: the styles of charts and symbols stand behind them.
 * @param {Source} page
 */
export function sheet(page) {
  const content = element("div", { className: "contain" });
  const frame = document.querySelector(".gradio-container")?.className ?? "";
  const root = element("div", { id: "paper", className: frame }, content);
  root.style.setProperty("--wide", `${WIDE}px`);
  document.body.append(root);
  try {
    fill(page, content);
  } catch (problem) {
    root.remove(); // the browser prints the page as it stands
    throw problem;
  }
  return root;
}

/** @param {Source} page @param {HTMLElement} content */
function fill(page, content) {
  const text = (/** @type {string} */ key) => page.text(key);
  content.append(
    element("h1", {}, ...typeset(`Headlight · ${text(`choice.page.${page.settings.page}`)}`)),
    element("p", { className: "settings" }, ...typeset(settings(page))),
    ...sentences(),
    ...question(page),
  );
  const printed = page.prints.printed();
  for (const { name, title, caption: said, present, height, draw } of printed) {
    const bars = element("div", { className: "bars" });
    const stage = element("div", { className: "stage" });
    if (height !== null) stage.style.height = `${height}px`;
    const captions = said.map((sentence) => element("p", {}, ...typeset(sentence)));
    content.append(
      element(
        "figure",
        { className: present ? "printed is-present" : "printed", data: { name } },
        element("h2", {}, ...title),
        bars,
        stage,
        element("figcaption", {}, ...captions),
      ),
    );
    draw(stage, bars);
  }
  const withheld = page.prints.withheld();
  if (withheld.length) {
    const sentence = typeset(page.text("print.withheld", { parts: withheld }));
    content.append(element("p", { className: "withheld" }, ...sentence));
  }
  const origin = page.ways.fileOrigin();
  content.append(
    element("div", { className: "from" }, element("p", {}, ...linked(origin, text)), element("p", {}, line(origin))),
  );
}

/** @param {Source} page */
function settings(page) {
  const {
    settings,
    state: { agreed },
  } = page;
  const label = (/** @type {string} */ name) => {
    const own = page.text(`control.${name}.label`);
    const shown = document.querySelector(`#control-${name} [data-testid="block-info"]`)?.textContent.trim();
    return shown || own;
  };
  const hidden = (/** @type {string} */ name) =>
    Boolean(document.getElementById(`control-${name}`)?.matches(".not-now, .is-out"));
  const names = [...new Set([...Object.keys(settings.scales ?? {}), ...settings.controls])];
  return settingsLine(names, agreed, names.filter(hidden), label, (key) => page.text(key));
}

/** Return the sentences of the page in full, unless they wait for a prediction. */
function sentences() {
  const paragraphs = document.querySelectorAll(
    "#insight:not(.not-now, .is-withheld, .is-out) .insight > p:not(.purpose)",
  );
  const others = document.querySelectorAll("#arithmetic .arithmetic p, #origin:not([hidden]) p");
  return [...paragraphs, ...others]
    .filter((one) => one.textContent)
    .map((one) => element("p", { className: "said" }, ...[...one.childNodes].map((node) => node.cloneNode(true))));
}

/** Return the page's question with its choices to tick, or with a frame to draw in, and the verdict. @param {Source} page */
function question(page) {
  const predict = page.presence.rules.predict();
  if (!predict?.shown || predict.root.hidden || predict.form.folded) return [];
  const { shown, answer } = predict;
  const drawn = /** @type {SVGElement | undefined} */ (predict.form.drawing?.svg.cloneNode(true));
  // an empty frame to draw in
  if (answer === null) drawn?.querySelectorAll(".predict-drawn, .predict-point").forEach((mark) => mark.remove());
  const choices = (shown.choices ?? []).map(([value, label]) =>
    element("li", { className: value === answer ? "is-chosen" : "" }, ...typeset(label)),
  );
  const verdict = [...predict.form.verdict.querySelectorAll("p")].map((one) => element("p", {}, one.textContent));
  return [
    element(
      "section",
      { className: "question" },
      element("h2", {}, page.text("predict.title")),
      element("p", {}, ...typeset(shown.sentence)),
      ...(choices.length ? [element("ul", {}, ...choices)] : []),
      ...(drawn ? [drawn] : []),
      ...verdict,
    ),
  ];
}
