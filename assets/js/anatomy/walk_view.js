/** The walk: its bar to step with, the query and head to follow, and the tensors of the present step. */

import { element } from "../dom.js";
import { matrix } from "./matrix.js";
import { beside, pieces } from "./steps.js";
import { Tip, told } from "./tip.js";

const MOST_BUTTONS = 16;

export class WalkView {
  /** @param {HTMLElement} stage @param {import("./page.js").Page} page */
  constructor(stage, page) {
    this.page = page;
    const button = (id, key, onclick) =>
      element("button", { type: "button", className: "tool", id, onclick }, page.text(key));
    this.back = button("step-back", "anatomy.back", () => this.#step(-1));
    this.next = button("step-next", "anatomy.next", () => this.#step(1));
    this.choose = element("select", {
      id: "control-step",
      ariaLabel: page.text("control.step.label"),
      onchange: () => page.go({ step: this.choose.value }),
    });
    this.rows = ["one", "all"].map((rows) =>
      element(
        "button",
        { type: "button", className: "tool", data: { rows }, onclick: () => page.go({ rows }) },
        page.text(`choice.${`rows.${rows}`}`),
      ),
    );
    this.place = element("span", { className: "place" });
    this.queries = element("div", { className: "choose", role: "group", ariaLabel: page.text("anatomy.choose_query") });
    this.heads = element("div", { className: "choose", role: "group", ariaLabel: page.text("anatomy.choose_head") });
    this.title = element("h3");
    this.sentences = element("div", { className: "step-says", aria: { live: "polite" } });
    this.pieces = element("div", { className: "pieces" });
    this.note = element("p", { className: "too-large", hidden: true });
    this.feed = button("feed", "anatomy.next", () =>
      page.go({ layer: page.walked.layer + 1, step: "input", rows: "one" }),
    );
    this.first = button("first-layer", "anatomy.first_layer", () => page.go({ layer: 1, step: page.walked.step }));
    const toggle = element(
      "div",
      { className: "choose", role: "group", id: "control-rows", ariaLabel: page.text("control.rows.label") },
      ...this.rows,
    );
    this.root = element(
      "div",
      { className: "walk", tabIndex: 0, role: "group", ariaLabel: page.text("anatomy.walk_label") },
      element("div", { className: "walk-bar" }, this.back, this.choose, this.next, toggle, this.place),
      this.queries,
      this.heads,
      this.title,
      this.sentences,
      this.note,
      this.pieces,
      element("div", { className: "buttons" }, this.feed, this.first),
    );
    stage.append(this.root);
    this.tip = new Tip(stage, "walk-tip");
    this.root.addEventListener("keydown", (event) => this.#key(event));
    for (const kind of ["pointerover", "focusin"]) {
      this.pieces.addEventListener(kind, (event) => this.#tell(event.target));
    }
    this.pieces.addEventListener("pointermove", (event) => this.#tellCell(event));
    for (const kind of ["pointerleave", "focusout"]) this.pieces.addEventListener(kind, () => this.tip.hide());
  }

  /** @param {any} walked */
  draw(walked) {
    const { page } = this;
    this.walked = walked;
    this.tip.hide();
    const titles = walked.steps.map((step) => page.text(`anatomy.${`title.${step}`}`));
    this.choose.replaceChildren(
      ...walked.steps.map((step, i) =>
        element("option", { value: step, selected: step === walked.step }, `${i + 1}. ${titles[i]}`),
      ),
    );
    const at = walked.steps.indexOf(walked.step);
    for (const one of this.rows) one.setAttribute("aria-pressed", String(one.dataset.rows === walked.rows));
    const rows = page.text(`choice.${`rows.${walked.rows}`}`);
    this.place.textContent = page.text("anatomy.place", { at: at + 1, of: walked.steps.length, rows });
    this.back.disabled = !beside(walked.steps, walked, -1);
    this.next.disabled = !beside(walked.steps, walked, 1);
    this.#choices(
      this.queries,
      walked.sizes.n,
      walked.row,
      (i) => (walked.tokens.length ? `${i} ${walked.tokens[i]}` : String(i)),
      (row) => page.go({ row }),
    );
    this.#choices(
      this.heads,
      walked.sizes.h,
      walked.head - 1,
      (i) => page.text("anatomy.head", { head: i + 1 }),
      (i) => page.go({ head: i + 1 }),
    );
    this.title.textContent = titles[at];
    this.sentences.replaceChildren(...walked.sentences.map((sentence) => element("p", {}, sentence)));
    this.note.hidden = walked.fits;
    this.note.textContent = page.text("anatomy.too_large", { most: walked.most });
    this.pieces.replaceChildren(...drawn(page, walked, walked.step, walked.rows));
    const last = walked.step === "output";
    this.feed.hidden = !last || walked.layer >= page.settings.mostLayers;
    this.feed.textContent = page.text("anatomy.feed", { layer: walked.layer + 1 });
    this.first.hidden = walked.layer === 1;
  }

  /** Buttons, one for each; made anew only when there are others. */
  #choices(root, count, chosen, name, choose) {
    root.hidden = count > MOST_BUTTONS || count < 2;
    const names = Array.from({ length: Math.min(count, MOST_BUTTONS) }, (_, i) => name(i));
    if (String(names) !== root.dataset.names) {
      root.dataset.names = String(names);
      root.replaceChildren(
        ...names.map((label, i) =>
          element("button", { type: "button", className: "tool", onclick: () => choose(i) }, label),
        ),
      );
    }
    [...root.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === chosen)));
  }

  #step(way) {
    const found = this.walked && beside(this.walked.steps, this.page.values, way);
    if (found) this.page.go(found);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.choose) return;
    const cell = event.target.closest("td");
    if (cell) {
      this.#walkGrid(event, cell);
      return;
    }
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    this.#step(way);
  }

  #walkGrid(event, cell) {
    const line = cell.parentElement;
    const cells = (of) => [...of.querySelectorAll("td[data-row]")];
    const column = cells(line).indexOf(cell);
    const lines = [...line.parentElement.children].filter((one) => cells(one).length);
    const row = lines.indexOf(line);
    const [down, across] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[
      event.key
    ] ?? [0, 0];
    if (!down && !across) return;
    event.preventDefault();
    const wish = lines[row + down] && cells(lines[row + down])[column + across];
    if (!wish) return;
    cell.tabIndex = -1;
    wish.tabIndex = 0;
    wish.focus();
  }

  #tell(target) {
    const cell = target.closest?.("td[data-row]");
    if (!cell) return;
    const { head, lines } = told(
      this.page,
      this.walked,
      cell.closest("[data-tensor]").dataset.tensor,
      Number(cell.dataset.row),
      Number(cell.dataset.column),
    );
    this.tip.show(cell, head, lines);
  }

  /** A cell of a heat map, where it stands for one number. @param {PointerEvent} event */
  #tellCell(event) {
    const canvas = event.target;
    const shown = canvas.cells;
    if (!shown || shown.block[0] * shown.block[1] > 1) return;
    const box = canvas.getBoundingClientRect();
    const cell =
      shown.lines[Math.floor(((event.clientY - box.top) / box.height) * shown.lines.length)]?.[
        Math.floor(((event.clientX - box.left) / box.width) * shown.lines[0].length)
      ];
    if (!cell) return;
    const { head, lines } = told(
      this.page,
      this.walked,
      canvas.closest("[data-tensor]").dataset.tensor,
      cell.row,
      cell.column,
    );
    this.tip.show(canvas, head, this.walked.fits ? lines : [], { x: event.clientX, y: event.clientY });
  }
}

/**
 * A step's tensors with the signs between them.
 * @param {import("./page.js").Page} page @param {any} walked @param {string} step @param {"one" | "all"} rows
 */
export function drawn(page, walked, step, rows) {
  return pieces(walked, step, rows).map((piece) =>
    piece.sign ? element("span", { className: "sign" }, piece.sign) : matrix(page, walked, piece),
  );
}
