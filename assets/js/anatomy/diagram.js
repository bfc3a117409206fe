/** Both halves of Figure 2, drawn from below as in the paper. Every box is a button that opens its tensor. */

import { element } from "../dom.js";
import { entry } from "../entry.js";
import { shape } from "../svg.js";
import { Tip } from "./tip.js";

const WIDTH = 320;
const TALL = 50;
const ROW = 70;
const LEFT = { x: 10, width: 94 };
const MIDDLE = { x: 113, width: 94 };
const RIGHT = { x: 216, width: 94 };
const SCORES = { x: 24, width: 170 };
const WIDE = { x: 60, width: 200 };

/**
 * @typedef {import("./arithmetic.js").Walked} Walked
 * @typedef {{x: number, width: number}} Across
 */

/**
 * The place of each box: its row from below, its place across, the boxes whose output it takes.
 * @type {Record<string, Record<string, [number, Across, string[]?]>>}
 */
const HALVES = {
  dot_product: {
    q: [0, LEFT],
    k: [0, MIDDLE],
    v: [0, RIGHT],
    compare: [1, SCORES, ["q", "k"]],
    scale: [2, SCORES, ["compare"]],
    mask: [3, SCORES, ["scale"]],
    softmax: [4, SCORES, ["mask"]],
    matmul_v: [5, WIDE, ["softmax", "v"]],
  },
  additive: {
    q: [0, LEFT],
    k: [0, MIDDLE],
    v: [0, RIGHT],
    linear_wq: [1, LEFT, ["q"]],
    linear_wk: [1, MIDDLE, ["k"]],
    add: [2, SCORES, ["linear_wq", "linear_wk"]],
    tanh: [3, SCORES, ["add"]],
    compare: [4, SCORES, ["tanh"]],
    mask: [5, SCORES, ["compare"]],
    softmax: [6, SCORES, ["mask"]],
    matmul_v: [7, WIDE, ["softmax", "v"]],
  },
  multi_head: {
    x: [0, WIDE],
    linear_v: [1, LEFT, ["x"]],
    linear_k: [1, MIDDLE, ["x"]],
    linear_q: [1, RIGHT, ["x"]],
    attention: [2, WIDE, ["linear_v", "linear_k", "linear_q"]],
    concat: [3, WIDE, ["attention"]],
    linear_o: [4, WIDE, ["concat"]],
  },
};
/** Boxes that exist h times. */
const STACKED = ["linear_q", "linear_k", "linear_v", "attention"];

export class Diagram {
  /** @param {HTMLElement} stage @param {import("./page.js").Page} page */
  constructor(stage, page) {
    this.page = page;
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
  }

  /** @param {Walked} walked */
  draw(walked) {
    const focus = document.activeElement;
    const focused = this.halves.contains(focus) ? focus?.closest("[data-box]")?.getAttribute("data-box") : null;
    this.walked = walked;
    const attention = walked.mechanism;
    const name = walked.scaled && walked.scaling !== "none" ? "attention" : attention;
    this.halves.replaceChildren(this.#half(walked, attention, name), this.#half(walked, "multi_head", "multi_head"));
    if (focused) /** @type {SVGElement | null} */ (this.halves.querySelector(`[data-box="${focused}"]`))?.focus();
  }

  /** @param {Walked} walked @param {string} half @param {string} name */
  #half(walked, half, name) {
    const { page } = this;
    const places = Object.fromEntries(Object.entries(entry(HALVES, half)).filter(([box]) => walked.boxes[box]));
    const rows = Math.max(...Object.values(places).map(([row]) => row)) + 1;
    const height = rows * ROW + 24;
    /** @param {string} box */
    const top = (box) => height - 6 - TALL - places[box][0] * ROW;
    /** @param {string} box */
    const middle = (box) => places[box][1].x + places[box][1].width / 2;
    const title = page.text(`anatomy.${`half.${name}`}`);
    const svg = shape("svg", {
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: "group",
      "aria-label": page.text("anatomy.diagram", { half: title }),
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
    for (const box of Object.keys(places)) {
      for (const from of (places[box][2] ?? []).filter((other) => other in places)) {
        const own = places[box][1];
        // Straight up if the two overlap; else to the nearer end of the upper box, or spread along a wide lower one.
        const up = Math.min(Math.max(middle(from), own.x + 14), own.x + own.width - 14);
        const start = from === "x" ? up : middle(from);
        svg.append(
          shape("path", {
            d: `M${start} ${top(from)}V${top(box) + TALL + 14}H${up}V${top(box) + TALL + 2}`,
            class: "wire",
            "marker-end": `url(#${id})`,
          }),
        );
      }
    }
    const last = Object.keys(places)[Object.keys(places).length - 1];
    svg.append(shape("path", { d: `M${middle(last)} ${top(last)}V4`, class: "wire", "marker-end": `url(#${id})` }));
    svg.append(...Object.keys(places).map((box) => this.#box(walked, box, places[box][1], top(box))));
    return element("figure", { className: "half" }, element("figcaption", {}, title), svg);
  }

  /** @param {Walked} walked @param {string} box @param {Across} across @param {number} y */
  #box(walked, box, { x, width }, y) {
    const { page } = this;
    const { step, symbols, numbers, title: called } = boxOf(walked, box);
    const title = page.text(`anatomy.${`box.${called}`}`);
    const group = shape("g", {
      class: "box",
      role: "button",
      tabindex: 0,
      "data-box": box,
      "data-step": step,
      "aria-label": page.text("anatomy.box_label", { box: title, symbols, numbers }),
    });
    if (step === walked.step || (box === "softmax" && walked.step === "exponentials")) {
      group.setAttribute("aria-current", "step");
    }
    if ((box === "mask" && !walked.masked) || (box === "scale" && walked.factor === 1)) {
      group.classList.add("is-idle");
    }
    /** @param {string} content @param {number} at @param {string} kind */
    const line = (content, at, kind) =>
      shape("text", { x: x + width / 2, y: y + at, "text-anchor": "middle", class: kind }, content);
    if (STACKED.includes(box)) {
      for (const shift of [8, 4]) {
        group.append(shape("rect", { x: x + shift, y: y - shift, width, height: TALL, rx: 6, class: "behind-box" }));
      }
    }
    group.append(shape("rect", { x, y, width, height: TALL, rx: 6, class: "face" }), line(title, 16, "name"));
    if (width < 120) group.append(line(symbols, 30, "axes"), line(`= ${numbers}`, 44, "axes"));
    else group.append(line(`${symbols} = ${numbers}`, 36, "axes"));
    return group;
  }

  /** @param {EventTarget | null} target */
  #open(target) {
    const step = target instanceof Element && target.closest("[data-step]")?.getAttribute("data-step");
    if (step) this.page.go({ step, rows: "all" });
  }

  /** Explain a box's sizes beside it. @param {EventTarget | null} target */
  #tell(target) {
    const { walked, page } = this;
    const group = target instanceof Element && target.closest("[data-box]");
    if (!group || !walked) return;
    const { symbols, numbers } = boxOf(walked, group.getAttribute("data-box") ?? "");
    const lines = [...new Set(symbols.split(" × "))].map((symbol) => size(page, walked, symbol));
    this.tip.show(group, `${symbols} = ${numbers}`, lines);
  }
}

/** @param {Walked} walked @param {string} name */
function boxOf(walked, name) {
  const found = walked.boxes[name];
  if (!found) throw new Error(name);
  return found;
}

/** Explain one size. @param {import("./page.js").Page} page @param {Walked} walked @param {string} symbol */
function size(page, walked, symbol) {
  const { sizes } = walked;
  const { tie } = page.agreed;
  const kind = !tie ? "d_k_untied" : sizes.d_model % sizes.h ? "d_k_floored" : "d_k";
  const key = symbol === "h·d_v" ? "width" : symbol === "d_k" ? kind : symbol;
  return page.text(`anatomy.${`size.${key}`}`, { ...sizes, width: sizes["h·d_v"] });
}
