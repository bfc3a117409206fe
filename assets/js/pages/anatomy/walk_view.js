/** The walk: the bar of steps, the choice of query and head, the tensors of the present step. */

import { element } from "../../dom/dom.js";
import { keepFitted, reachable } from "../../figures/fitted.js";
import { explained } from "../../reasons/reasons.js";
import { typeset } from "../../words/symbols.js";
import { cellIn, matrix, shownBy } from "./matrix.js";
import { beside, pieces } from "./steps.js";
import { formulaOf, Tip, numberAt } from "./tip.js";
import { shown } from "../../words/token.js";

/** @typedef {import("./arithmetic.js").Walked} Walked */

const MOST_BUTTONS = 16;
/** Smallest and largest type of the tensors, as parts of the usual. */
const [LEAST, MOST] = [0.74, 1.7];

export class WalkView {
  #page;
  #go;
  /** @type {Walked | null} */
  #walked;
  #block;
  #back;
  #next;
  #choose;
  #rows;
  #queries;
  #heads;
  #title;
  #sentences;
  #pieces;
  #note;
  #says;
  #feed;
  #first;
  #onward;
  #root;
  #fit;
  #tip;

  /** @param {HTMLElement} stage @param {import("./host.js").Page} page @param {import("./host.js").Walks["go"]} go */
  constructor(stage, page, go) {
    this.#page = page;
    this.#go = go;
    this.#walked = null;
    /** @param {string} id @param {string} key @param {() => void} onclick */
    const button = (id, key, onclick) =>
      element("button", { type: "button", className: "tool", id, onclick }, page.text(key));
    this.#block = page.figures.of("walk").block;
    this.#back = button("step-back", "anatomy.back", () => this.#step(-1));
    this.#next = button("step-next", "anatomy.next", () => this.#step(1));
    this.#next.classList.add("is-primary");
    this.#choose = element("select", {
      id: "control-step",
      ariaLabel: page.text("control.step.label"),
      onchange: () => go({ step: this.#choose.value }),
    });
    this.#rows = ["one", "all"].map((rows) =>
      element(
        "button",
        { type: "button", className: "tool", data: { rows }, onclick: () => go({ rows }) },
        page.text(`choice.${`rows.${rows}`}`),
      ),
    );
    this.#queries = element("div", {
      className: "choose",
      role: "group",
      ariaLabel: page.text("anatomy.choose_query"),
    });
    this.#heads = element("div", { className: "choose", role: "group", ariaLabel: page.text("anatomy.choose_head") });
    this.#title = element("h3");
    this.#sentences = element("div", { aria: { live: "polite" } });
    this.#pieces = element("div", { className: "pieces" });
    this.#note = element("p", { className: "too-large", hidden: true });
    this.#says = element("div", { className: "step-says" }, this.#sentences, this.#note);
    this.#feed = button("feed", "anatomy.next", () =>
      this.#goOn((walked) => ({ layer: walked.layer + 1, step: "input", rows: "one" })),
    );
    this.#first = button("first-layer", "anatomy.first_layer", () =>
      this.#goOn((walked) => ({ layer: 1, step: walked.step })),
    );
    this.#onward = element("div", { className: "buttons" }, this.#feed, this.#first);
    const toggle = element(
      "div",
      { className: "choose", role: "group", id: "control-rows", ariaLabel: page.text("control.rows.label") },
      ...this.#rows,
    );
    this.#root = element(
      "div",
      { className: "walk", tabIndex: 0, role: "group", ariaLabel: page.text("anatomy.walk_label") },
      element(
        "div",
        { className: "walk-bar" },
        this.#back,
        this.#choose,
        this.#next,
        toggle,
        this.#queries,
        this.#heads,
      ),
      this.#title,
      this.#says,
      this.#pieces,
    );
    stage.append(this.#root);
    this.#fit = keepFitted(this.#pieces, LEAST, MOST);
    this.#tip = new Tip(stage, "walk-tip");
    this.#root.addEventListener("keydown", (event) => this.#key(event));
    this.#pieces.addEventListener("pointermove", (event) => this.#tellCell(event));
    for (const kind of ["pointerleave", "focusout"]) this.#pieces.addEventListener(kind, () => this.#tip.hide());
  }

  /** @param {Walked} walked */
  draw(walked) {
    const page = this.#page;
    this.#walked = walked;
    this.#tip.hide();
    const titles = walked.steps.map((step) => walked.titles[step]);
    this.#choose.replaceChildren(
      ...walked.steps.map((step, i) =>
        element("option", { value: step, selected: step === walked.step }, `${i + 1}. ${titles[i]}`),
      ),
    );
    const at = walked.steps.indexOf(walked.step);
    for (const one of this.#rows) one.setAttribute("aria-pressed", String(one.dataset.rows === walked.rows));
    const rows = page.text(`choice.${`rows.${walked.rows}`}`);
    this.#block.note(page.text("anatomy.place", { at: at + 1, of: walked.steps.length, rows }));
    this.#back.disabled = !beside(walked.steps, walked, -1);
    this.#next.disabled = !beside(walked.steps, walked, 1);
    this.#choices(
      this.#queries,
      walked.sizes.n,
      walked.row,
      (i) => (walked.tokens.length ? `${i} ${shown(walked.tokens[i])}` : String(i)),
      (row) => this.#go({ row }),
    );
    this.#choices(
      this.#heads,
      walked.heads,
      walked.head - 1,
      (i) => page.text("anatomy.head", { head: i + 1 }),
      (i) => this.#go({ head: i + 1 }),
    );
    this.#title.textContent = titles[at];
    this.#sentences.replaceChildren(...walked.sentences.map((sentence) => element("p", {}, ...explained(sentence))));
    this.#note.hidden = walked.fits;
    this.#note.replaceChildren(...typeset(page.text("anatomy.too_large", { most: walked.most })));
    const last = walked.step === "output";
    this.#feed.hidden = !last || walked.layer >= page.settings.mostLayers;
    this.#feed.textContent = page.text("anatomy.feed", { layer: walked.layer + 1 });
    this.#first.hidden = walked.layer === 1;
    this.#pieces.replaceChildren(...drawn(page, walked, walked.step, walked.rows), this.#onward);
    this.#fit();
    reachable(this.#says);
  }

  /** Change the state from the walk on screen. @param {(walked: Walked) => Parameters<import("./host.js").Walks["go"]>[0]} change */
  #goOn(change) {
    if (this.#walked) this.#go(change(this.#walked));
  }

  /**
   * Show `count` buttons; make new ones only if they changed.
   * @param {HTMLElement} root
   * @param {number} count
   * @param {number} chosen
   * @param {(i: number) => string} name
   * @param {(i: number) => void} choose
   */
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
    keepInSight(root, chosen);
  }

  /** @param {1 | -1} way */
  #step(way) {
    const found = this.#walked && beside(this.#walked.steps, this.#page.state.values, way);
    if (found) this.#go(found);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.#choose) return;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    this.#step(event.key === "ArrowLeft" ? -1 : 1);
  }

  /** Explain a heat map's cell if it is one number. @param {PointerEvent} event */
  #tellCell(event) {
    const canvas = event.target;
    if (!(canvas instanceof HTMLCanvasElement) || !this.#walked) return;
    const shown = shownBy(canvas);
    if (!shown || shown.block[0] * shown.block[1] > 1) return;
    const box = canvas.getBoundingClientRect();
    const cell = cellIn(shown, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    if (!cell) return;
    const { head, lines } = numberAt(this.#page, this.#walked, tensorOf(canvas), cell.row, cell.column);
    const [formula] = formulaOf(this.#page, this.#walked, tensorOf(canvas));
    this.#tip.show(canvas, head, [formula, ...(this.#walked.fits ? lines : [])], {
      x: event.clientX,
      y: event.clientY,
    });
  }
}

/** Scroll a row of buttons, and nothing around it, so that the chosen one is in sight. @param {HTMLElement} root @param {number} chosen */
function keepInSight(root, chosen) {
  const button = root.children[chosen];
  if (!(button instanceof HTMLElement)) return;
  const [from, until] = [button.offsetLeft - root.offsetLeft, button.offsetLeft - root.offsetLeft + button.offsetWidth];
  if (from < root.scrollLeft) root.scrollLeft = from;
  else if (until > root.scrollLeft + root.clientWidth) root.scrollLeft = until - root.clientWidth;
}

/**
 * Draw a step's tensors with the signs between them.
 * @param {import("./host.js").Page} page @param {Walked} walked @param {string} step @param {"one" | "all"} rows
 */
export function drawn(page, walked, step, rows) {
  return pieces(walked, step, rows).map((piece) =>
    "sign" in piece ? element("span", { className: "sign" }, piece.sign) : matrix(page, walked, piece),
  );
}

/** Return the name of an element's tensor. @param {Element} one */
export const tensorOf = (one) => one.closest("[data-tensor]")?.getAttribute("data-tensor") ?? "";
