/** The picture of a question beside its ballot: this page draws the figure of its own state anew, so no picture is sent. */

import { element } from "../dom/dom.js";
import { typeset } from "../words/symbols.js";

/** Milliseconds between two looks if the figure stands, and the longest wait. */
const [PAUSE, PATIENT] = [60, 20_000];

/**
 * Put the picture of a question on its card, while there is one.
 * @param {import("../page/live_page.js").LivePage} page @param {import("../lead/message.js").Question} question @param {HTMLElement} card
 */
export function pictureOn(page, { figure }, card) {
  if (!figure) return;
  const stage = element("div", { className: "stage" });
  const bars = element("div", { className: "bars" });
  const title = element("figcaption");
  const root = element("figure", { className: "class-picture", hidden: true, data: { figure } }, title, bars, stage);
  card.prepend(root);
  const draw = async () => {
    for (const end = performance.now() + PATIENT; root.isConnected && performance.now() < end;) {
      const painted = page.figures.all.get(figure)?.root.dataset.painted;
      if (painted === page.state.present && !page.updates.running) break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    if (!root.isConnected) return;
    const found = page.prints.printed().find(({ name }) => name === figure);
    root.hidden = !found;
    if (!found) return;
    title.replaceChildren(...found.title.flatMap((one) => [typeof one === "string" ? one : one.cloneNode(true), " "]));
    if (!title.textContent) title.replaceChildren(...typeset(figure));
    if (found.height !== null) stage.style.height = `min(${found.height}px, 34dvh)`;
    stage.replaceChildren();
    found.draw(stage, bars);
    root.dataset.drawn = page.state.present;
  };
  void draw();
  const end = page.presence.onMove(() => {
    if (root.isConnected) void draw();
    else end();
  });
}
