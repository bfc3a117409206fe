/** Both halves of Figure 2, drawn from below as in the paper. Every box is a button that opens its tensor. */

import { brushOf, element } from "../../dom/dom.js";
import { shape } from "../../dom/svg.js";
import { symbolsIn } from "../../words/svg_symbols.js";
import { boxLines, LINE } from "./box_lines.js";
import { STACK, places } from "./places.js";
import { Tip } from "./tip.js";

/** @typedef {import("./arithmetic.js").Walked} Walked */

/** Boxes that exist h times. */
const STACKED = ["linear_q", "linear_k", "linear_v", "attention"];

export class Diagram {
  #go;

  /** @param {HTMLElement} stage @param {import("./host.js").Page} page @param {import("./host.js").Walks["go"]} [go] opens a box's tensor */
  constructor(stage, page, go = () => {}) {
    this.page = page;
    this.#go = go;
    /** @type {Walked | null} */
    this.walked = null;
    this.halves = element("div", { className: "halves" });
    stage.append(this.halves);
    this.tip = new Tip(stage, "diagram-tip");
    this.halves.addEventListener("click", (event) => this.#open(event.target));
    this.halves.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.#open(event.target);
    });
    for (const kind of ["pointerover", "focusin"]) {
      this.halves.addEventListener(kind, (event) => this.#tell(event.target));
    }
    for (const kind of ["pointerleave", "focusout"]) this.halves.addEventListener(kind, () => this.tip.hide());
    new ResizeObserver(() => {
      if (this.walked && this.halves.isConnected) this.draw(this.walked);
    }).observe(this.halves);
  }

  /** @param {Walked} walked */
  draw(walked) {
    this.walked = walked;
    const { page, halves } = this;
    const focus = document.activeElement;
    const focused = halves.contains(focus) ? focus?.closest("[data-box]")?.getAttribute("data-box") : null;
    const name = walked.scaled && walked.scaling !== "none" ? "attention" : walked.mechanism;
    const titles = [name, "multi_head"].map((half) => page.text(`anatomy.${`half.${half}`}`));
    if (halves.children.length !== titles.length) {
      const figures = titles.map(() => element("figure", { className: "half" }, element("figcaption"), element("div")));
      halves.replaceChildren(...figures);
    }
    [walked.mechanism, "multi_head"].forEach((half, i) => {
      const [caption, place] = halves.children[i].children;
      caption.textContent = titles[i];
      place.replaceChildren(this.#half(walked, half, titles[i], place));
    });
    if (focused) /** @type {SVGElement | null} */ (halves.querySelector(`[data-box="${focused}"]`))?.focus();
  }

  /** @param {Walked} walked @param {string} half @param {string} title @param {Element} place */
  #half(walked, half, title, place) {
    const style = getComputedStyle(place);
    const em = parseFloat(style.fontSize);
    const [width, height] = [Math.max(place.clientWidth, 8 * em), Math.max(place.clientHeight, 12 * em)];
    const svg = shape("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "group",
      "aria-label": this.page.text("anatomy.diagram", { half: title }),
    });
    const id = `arrow-${half}`;
    svg.append(
      shape(
        "defs",
        {},
        shape(
          "marker",
          { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
          shape("path", { d: "M0 0L8 4L0 8z", class: "head" }),
        ),
      ),
    );
    const arrow = { class: "wire", "marker-end": `url(#${id})` };
    const boxes = places(half, (box) => Boolean(walked.boxes[box]), { width, height }, em);
    const brush = brushOf(document.createElement("canvas"));
    /** @param {string} text @param {boolean} strong */
    const measure = (text, strong) => {
      brush.font = `${strong ? 650 : 400} ${em}px ${style.fontFamily}`;
      return brush.measureText(text.replaceAll("_", "")).width / em;
    };
    for (const { from } of boxes) {
      for (const { x, y, turn, to, end } of from) {
        svg.append(shape("path", { d: `M${x} ${y}V${turn}H${to}V${end}`, ...arrow }));
      }
    }
    const { x: left, width: wide, y: top } = boxes[boxes.length - 1];
    svg.append(shape("path", { d: `M${left + wide / 2} ${top}v${-1.1 * em}`, ...arrow }));
    svg.append(...boxes.map((box) => this.#box(walked, box, em, measure)));
    return svg;
  }

  /**
   * @param {Walked} walked @param {import("./places.js").Placed} place @param {number} em
   * @param {(text: string, strong: boolean) => number} measure
   */
  #box(walked, { name: box, x, y, width, height }, em, measure) {
    const { title: called, ...shapes } = boxOf(walked, box);
    const { step, symbols, numbers, factor, setting, shared } = shapes;
    const title = this.page.text(`anatomy.${`box.${called}`}`);
    const lines = boxLines({ ...shapes, title }, { width: width / em, height: height / em }, measure);
    const group = shape("g", {
      class: "box",
      role: "button",
      tabindex: 0,
      "data-box": box,
      "data-step": step,
      // Its name is what is printed: people who speak to their computer say what they see.
      "aria-description": [
        this.page.text("anatomy.box_label", { box: title, symbols, numbers }),
        ...(factor ? [this.page.text("anatomy.box_factor", { factor })] : []),
        ...(setting ? [this.page.text("anatomy.box_setting", { setting })] : []),
        ...(shared ? [this.page.text("anatomy.box_shared", { shared })] : []),
      ].join(" "),
    });
    if (step === walked.step || (step === "weights" && walked.weighing.includes(walked.step))) {
      group.setAttribute("aria-current", "step");
    }
    if ((box === "mask" && !walked.masked) || (box === "scale" && walked.factor === 1)) {
      group.classList.add("is-idle");
    }
    const rounded = { width, height, rx: 0.45 * em };
    if (STACKED.includes(box)) {
      for (const shift of [STACK * em, (STACK / 2) * em]) {
        group.append(shape("rect", { x: x + shift, y: y - shift, ...rounded, class: "behind-box" }));
      }
    }
    group.append(shape("rect", { x, y, ...rounded, class: "face" }));
    lines.forEach(({ text, strong }, i) => {
      const base = y + height / 2 + (i - (lines.length - 1) / 2) * LINE * em + 0.35 * em;
      const across = { x: x + width / 2, y: base, "text-anchor": "middle", class: strong ? "name" : "axes" };
      group.append(shape("text", across, ...symbolsIn(text)), i < lines.length - 1 ? " " : "");
    });
    return group;
  }

  /** @param {EventTarget | null} target */
  #open(target) {
    const step = target instanceof Element && target.closest("[data-step]")?.getAttribute("data-step");
    if (step) this.#go({ step, rows: "all" });
  }

  /** Explain a box's sizes beside it. @param {EventTarget | null} target */
  #tell(target) {
    const { walked, page } = this;
    const group = target instanceof Element && target.closest("[data-box]");
    if (!group || !walked) return;
    const { sign, symbols, numbers, weights, sizes, factor, setting, shared } = boxOf(
      walked,
      group.getAttribute("data-box") ?? "",
    );
    const axes = [symbols, weights].flatMap((shape) => (shape ? shape.split(" × ") : []));
    const lines = [...new Set(axes)].map((symbol) => size(page, walked, symbol));
    if (weights) lines.unshift(page.text("anatomy.box_weights", { weights, sizes }));
    if (factor) lines.unshift(page.text("anatomy.box_factor", { factor }));
    if (setting) lines.unshift(page.text("anatomy.box_setting", { setting }));
    if (shared) lines.push(page.text("anatomy.box_shared", { shared }));
    const head = sign ? page.text("anatomy.box_output", { symbols, numbers }) : `${symbols} = ${numbers}`;
    this.tip.show(group, head, lines);
  }
}

/** @param {Walked} walked @param {string} name */
function boxOf(walked, name) {
  const found = walked.boxes[name];
  if (!found) throw new Error(name);
  return found;
}

/** Explain one size. @param {import("./host.js").Page} page @param {Walked} walked @param {string} symbol */
function size(page, walked, symbol) {
  const { sizes } = walked;
  const { tie } = page.state.agreed;
  const floored = sizes.d_model < sizes.h ? "d_k_least" : sizes.d_model % sizes.h ? "d_k_floored" : "d_k";
  const kind = walked.trained ? "d_k_trained" : tie ? floored : "d_k_untied";
  const value = walked.trained ? "d_v_trained" : "d_v";
  const key = symbol === "h·d_v" ? "width" : symbol === "d_k" ? kind : symbol === "d_v" ? value : symbol;
  return page.text(`anatomy.${`size.${key}`}`, { ...sizes, width: sizes["h·d_v"] });
}
