/** The frame of every figure: title, hint, tools, and a sentence and a table for screen readers. */

import { askedTable, focusedIn, reach } from "../reasons/asked_table.js";
import { number } from "./axes.js";
import { element } from "../dom/dom.js";
import { isLined, wishLine } from "../files/lined_wish.js";
import { menu } from "../dom/menu.js";
import { NUMBERS } from "./numbers_came.js";
import { explained } from "../reasons/reasons.js";
import { typeset } from "../words/symbols.js";

const FORMATS = ["png", "svg"];

export class FigureBlock {
  /** The numbers behind the figure; null before they come. @type {import("../files/csv.js").Table | null} */
  shown = null;
  #instead = element("div", { className: "instead" });

  /**
   * @param {HTMLElement} root the component's element, `#figure-NAME`
   * @param {string} name
   * @param {(key: string) => string} text
   * @param {(format: string, lined: boolean) => void} save `lined`: with a line of the state
   */
  constructor(root, name, text, save) {
    this.root = root;
    const key = name.replaceAll("-", "_");
    const title = text(`figure.${key}.title`);
    const lined = element("input", {
      type: "checkbox",
      checked: isLined(),
      onchange: () => wishLine(lined.checked),
    });
    const saves = FORMATS.map((format) =>
      element(
        "button",
        {
          type: "button",
          className: "tool",
          data: { format },
          onclick: () => save(format, lined.checked),
          ariaLabel: `${title}: ${format.toUpperCase()}`,
        },
        format.toUpperCase(),
      ),
    );
    this.bars = element("div", { className: "bars", aria: { hidden: "true" } });
    this.stage = element("div", { className: "stage" });
    this.summary = element("p", { className: "summary spoken" });
    this.brief = element("p", { className: "brief" });
    this.stale = element("p", { className: "stale-note" }, text("live.stale"));
    this.table = element("table");
    const scroll = element(
      "div",
      { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `${text("page.table")}: ${title}` },
      this.table,
    );
    this.behind = menu("behind", "▦", text("page.table"), scroll);
    this.behind.hidden = true; // until there is a table
    this.tools = element(
      "div",
      { className: "tools" },
      menu("hint", "?", text("page.how_to_read"), element("p", {}, text(`figure.${key}.hint`))),
      this.behind,
      menu(
        "saves",
        "↓",
        text("page.save"),
        ...saves,
        element("label", { className: "lined" }, lined, text("page.save_lined")),
      ),
    );
    root.replaceChildren(
      element(
        "section",
        { className: "figure", aria: { labelledby: `title-${name}` } },
        element(
          "header",
          {},
          element("h2", { id: `title-${name}` }, ...typeset(title)),
          this.brief,
          this.summary,
          this.bars,
          this.tools,
        ),
        this.stale,
        this.#instead,
        this.stage,
      ),
    );
  }

  /** @param {string} sentence */
  say(sentence) {
    this.summary.textContent = sentence;
  }

  /** Take away everything that is said of the figure, its table included. */
  silence() {
    this.shown = null;
    this.behind.hidden = true;
    this.table.replaceChildren();
    this.say("");
    this.note("");
  }

  /**
   * Show a few numbers beside the title, and sentences in the place of a drawing that would be empty or untrue.
   * @param {import("../../types/wire.js").Sentence} numbers @param {import("../../types/wire.js").Sentence[]} [instead]
   */
  note(numbers, instead = []) {
    const written = JSON.stringify([numbers, instead]);
    if (this.brief.dataset.said === written) return;
    this.brief.dataset.said = written;
    this.brief.replaceChildren(...explained(numbers));
    this.root.classList.toggle("is-said", instead.length > 0);
    this.#instead.replaceChildren(...instead.map((one) => element("p", {}, ...explained(one))));
  }

  /** @param {import("../files/csv.js").Table} table @param {import("../reasons/asked_table.js").Arithmetic} [arithmetic] of its numbers */
  tabulate({ caption, columns }, arithmetic = async () => []) {
    this.shown = { caption, columns };
    const focused = focusedIn(this.table);
    const length = Math.max(0, ...columns.map(({ values }) => values.length));
    this.behind.hidden = length === 0;
    const cell = (/** @type {import("../files/csv.js").Cell} */ value) =>
      typeof value === "number" ? (Number.isInteger(value) ? String(value) : number(value)) : String(value ?? "");
    const looks = columns.map(({ typed, asked }) =>
      typed ? { className: "plain", dir: "auto" } : asked ? { className: "asked" } : {},
    );
    const rows = Array.from({ length }, (_, i) =>
      element(
        "tr",
        {},
        ...columns.map(({ values, typed }, column) => {
          const written = cell(values[i]);
          const look = { ...(column ? {} : { scope: "row" }), ...looks[column] };
          return element(column ? "td" : "th", look, ...(typed ? [written] : typeset(written)));
        }),
      ),
    );
    const heads = columns.map(({ label, asked }) =>
      element("th", { scope: "col", ...(asked ? { className: "asked" } : {}) }, ...typeset(label)),
    );
    this.table.replaceChildren(
      element("caption", {}, ...typeset(caption)),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
    askedTable(this.table, columns, arithmetic);
    reach(this.table, focused);
    this.root.dispatchEvent(new Event(NUMBERS, { bubbles: true }));
  }
}
