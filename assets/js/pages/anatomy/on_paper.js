/** Anatomy on paper: the diagram with its formula, then every step of the walk. */

import { element } from "../../dom/dom.js";
import { framed } from "../../paper/figures.js";
import { typeset } from "../../words/symbols.js";
import { Diagram } from "./diagram.js";
import { Formula } from "./formula.js";
import { drawn } from "./walk_view.js";

/** @typedef {import("./arithmetic.js").Walked} Walked */
/** @typedef {import("../../paper/figures.js").Printed} Printed */

/** The height of the diagram with its formula, in pixels. */
const HIGH = 600;
/** Smaller and smaller type, as parts of the usual, until a step's tensors fit beside each other. */
const FITS = [1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

/** @param {import("./host.js").Page} page @param {import("./host.js").Walks} walks @returns {Printed[]} */
export function anatomyOnPaper(page, walks) {
  const { walked } = walks;
  if (!walked) return [];
  const [diagram, walk] = ["anatomy", "walk"].map((name) => !page.figures.of(name).root.classList.contains("is-out"));
  return [...(diagram ? [figure2(page, walked)] : []), ...(walk ? steps(page, walked, walks.steps()) : [])];
}

/** @param {import("./host.js").Page} page @param {Walked} walked @returns {Printed} */
function figure2(page, walked) {
  return {
    ...framed(page, "anatomy"),
    height: HIGH,
    draw: (stage) => {
      // its type follows the size of the box
      Object.assign(stage.style, { containerType: "size", display: "flex", flexDirection: "column", gap: "6px" });
      const diagram = new Diagram(stage, page);
      new Formula(stage, page).draw(walked); // the diagram fills what this leaves
      diagram.draw(walked);
      // an arrow's head belongs to the drawing on the screen, which is not printed
      for (const marker of stage.querySelectorAll("marker")) marker.id = `paper-${marker.id}`;
      for (const wire of stage.querySelectorAll("[marker-end]")) {
        wire.setAttribute("marker-end", String(wire.getAttribute("marker-end")).replace("#", "#paper-"));
      }
    },
  };
}

/** @param {import("./host.js").Page} page @param {Walked} walked @param {string[]} shown @returns {Printed[]} */
function steps(page, walked, shown) {
  const { caption: said } = framed(page, "walk");
  const place = [
    page.text("anatomy.layer", { layer: walked.layer }),
    page.text("anatomy.head", { head: walked.head }),
    page.text(`choice.${`rows.${walked.rows}`}`),
  ].join(", ");
  const now = ` · ${page.text("print.present")}`;
  return shown.map((step, i) => ({
    name: step === walked.step ? "walk" : `walk-${step}`,
    title: [
      ...typeset(`${page.text("figure.walk.title")} · ${walked.steps.indexOf(step) + 1}. ${walked.titles[step]}`),
      " ",
      element("small", {}, place, step === walked.step ? element("span", { className: "is-now" }, now) : ""),
    ],
    caption: [walked.said[step], ...(i === shown.length - 1 ? said.slice(1) : [])],
    present: step === walked.step,
    height: null,
    draw: (stage) => {
      const pieces = element("div", { className: "pieces" }, ...drawn(page, walked, step, walked.rows));
      pieces.style.flex = "none"; // as high as it becomes
      stage.append(element("div", { className: "walk" }, pieces));
      fitted(pieces);
    },
  }));
}

/** Put all pieces side by side in the largest type that allows it, else below each other. @param {HTMLElement} pieces */
function fitted(pieces) {
  pieces.style.flexWrap = "nowrap";
  for (const factor of FITS) {
    pieces.style.setProperty("--fit", String(factor));
    if (pieces.scrollWidth <= pieces.clientWidth) return;
  }
  pieces.style.flexWrap = "wrap";
  pieces.style.setProperty("--fit", String(FITS[2]));
}
