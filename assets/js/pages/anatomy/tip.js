/** The tip that explains a number or a box, by pointer, touch and keyboard. */

import { number } from "../../figures/axes.js";
import { element } from "../../dom/dom.js";
import { typeset } from "../../words/symbols.js";
import { arithmetic, at } from "./arithmetic.js";

export class Tip {
  /** @param {HTMLElement} stage holds the tip @param {string} id */
  constructor(stage, id) {
    this.stage = stage;
    this.root = element("div", { className: "tip", id, role: "tooltip", hidden: true });
    this.root.classList.add("arithmetic-tip");
    stage.append(this.root);
    stage.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.hide();
    });
  }

  /** @param {Element} target @param {string} head @param {string[]} lines @param {{x: number, y: number}} [point] in the window */
  show(target, head, lines, point) {
    this.target?.removeAttribute("aria-describedby");
    this.target = target;
    target.setAttribute("aria-describedby", this.root.id);
    this.root.replaceChildren(
      element("strong", {}, ...typeset(head)),
      ...lines.map((line) => element("span", {}, ...typeset(line))),
    );
    this.root.hidden = false;
    const [frame, box] = [this.stage.getBoundingClientRect(), target.getBoundingClientRect()];
    const [x, y] = point ? [point.x, point.y + 14] : [box.left, box.bottom + 6];
    const left = Math.max(0, Math.min(x - frame.left, frame.width - this.root.offsetWidth - 4));
    Object.assign(this.root.style, { left: `${left}px`, top: `${y - frame.top}px` });
  }

  hide() {
    this.root.hidden = true;
    this.target?.removeAttribute("aria-describedby");
    this.target = null;
  }
}

/**
 * Return the number at a place of a tensor and its arithmetic.
 * @param {import("./host.js").Page} page @param {import("./arithmetic.js").Walked} walked @param {string} name @param {number} row @param {number} column
 * @returns {{head: string, lines: string[]}}
 */
export function numberAt(page, walked, name, row, column) {
  const value = at(walked, name, row, column);
  const head = `${name}[${row}, ${column}] = ${number(value)}`;
  const made = arithmetic(walked, name, row, column);
  if (!made) return { head, lines: [] };
  const note = made.note && page.text(made.note, { below: walked.layer - 1 });
  const many = made.terms && made.terms > 16 ? [page.text("anatomy.terms", { count: made.terms })] : [];
  return { head, lines: note ? [note] : [`= ${made.written}`, ...many] };
}

/**
 * Return where a number comes from: its formula, its arithmetic in one line, and its section.
 * @param {import("./host.js").Page} page @param {import("./arithmetic.js").Walked} walked @param {string} name @param {number} row @param {number} column
 * @returns {[string, string, string]}
 */
export function reasonOf(page, walked, name, row, column) {
  const { head, lines } = numberAt(page, walked, name, row, column);
  const [formula, section] = formulaOf(page, walked, name);
  return [formula, [head, ...lines].join(" "), section];
}

/**
 * Return the formula of a tensor, and the section that defines it.
 * @param {import("./host.js").Page} page @param {import("./arithmetic.js").Walked} walked @param {string} name
 */
export function formulaOf(page, walked, name) {
  const { formulas } = page.settings;
  return walked.formulas?.[name] ?? formulas[`${name}:${walked.mechanism}`] ?? formulas[name] ?? ["", "attention"];
}
