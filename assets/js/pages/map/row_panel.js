/** The panel of one query: its numbers, links to its heaviest keys, and the server's figure of its weights. */

import { number } from "../../figures/axes.js";
import { element, inside } from "../../dom/dom.js";
import { latest } from "../../server/latest.js";
import { markPainted, markUnpainted } from "../../figures/painted.js";
import { asked } from "../../reasons/reasons.js";
import { typeset } from "../../words/symbols.js";
import { only, revive } from "../../server/wire.js";
import { known, place } from "../../words/token.js";

const TOP_KEYS = 10;

/**
 * @typedef {{row: number, head: number}} RowWish
 * @typedef {import("../../../types/wire.js").RowFigures} RowFigures
 */

export class RowPanel {
  /** The row and head on screen. @type {string | null} */
  shown = null;
  #page;
  #map;
  #go;
  #block;
  #root;
  #numbers = element("dl", { className: "row-numbers" });
  #keys;
  #wish = latest((/** @type {RowWish} */ wished) => this.#load(wished));

  /**
   * @param {import("./host.js").Page} page
   * @param {Pick<import("./parts.js").MapParts, "sight" | "link" | "questions" | "asking">} map
   * @param {(row: number, column: number) => void} go shows a cell and its surroundings
   */
  constructor(page, map, go) {
    this.#page = page;
    this.#map = map;
    this.#go = go;
    const { block, root } = page.figures.of("row");
    this.#block = block;
    this.#root = root;
    this.#keys = element("ol", { className: "row-keys", ariaLabel: page.text("map.heaviest") });
    const close = element(
      "button",
      {
        type: "button",
        className: "tool",
        id: "row-close",
        onclick: () => map.link.see({ row: null }),
        ariaLabel: page.text("map.close_row"),
        title: page.text("map.close_row"),
      },
      "×",
    );
    block.bars.remove();
    block.stage.before(this.#numbers);
    block.stage.after(this.#keys);
    inside(root, ".tools").append(close);
    this.empty();
  }

  empty() {
    this.shown = null;
    this.#numbers.replaceChildren();
    this.#keys.replaceChildren();
    this.#block.stage.hidden = true;
    markUnpainted(this.#root);
    this.#block.say(this.#page.text("map.no_row"));
  }

  /** Return the numbers and the heaviest keys as sentences. */
  sentences() {
    const numbers = [...this.#numbers.children].map(
      ({ children: [name, value] }) => `${name.textContent}: ${value.textContent}`,
    );
    const keys = [...this.#keys.children].map(({ textContent }) => textContent);
    return [numbers.join(" · "), `${this.#page.text("map.heaviest")}: ${keys.join(" · ")}`];
  }

  /** Show the row that the page's values name. */
  follow() {
    const { row = null, head = 1 } = this.#page.state.values;
    if (row === null || this.#map.asking.waits) {
      if (this.shown) this.empty();
    } else if (this.shown === `${row} ${head}`) {
      void markPainted(this.#root, this.#page.state.present);
    } else {
      void this.#wish({ row, head });
    }
  }

  /** @param {RowWish} wish */
  async #load({ row, head }) {
    const page = this.#page;
    const { sight, questions } = this.#map;
    const { model } = sight;
    if (!model || !questions.answers || row >= model.shape.rows) return;
    try {
      const part = await questions.ask("row", { row, head, known: [...page.figures.known.keys()] });
      if (model !== sight.model || page.state.values.row !== row) return;
      const { blocks } = part;
      const header = /** @type {RowFigures} */ (only(part, "figures").header);
      const drawing = revive(header.drawings.row, blocks, page.figures.known);
      this.#tell(header, heaviest(drawing.data[0].y ?? [], TOP_KEYS), model);
      this.shown = `${row} ${head}`;
      await page.answers.telling.show(header, blocks, page.state.present);
      this.#root.scrollIntoView({ block: "nearest", behavior: "instant" }); // on a phone it lies below the map
    } catch (problem) {
      questions.failedOnce(problem);
    }
  }

  /** @param {RowFigures} header @param {ReturnType<typeof heaviest>} keys @param {import("./model.js").Model} model */
  #tell({ row, head, statistics, facts }, keys, { tokens, vocabulary }) {
    const page = this.#page;
    this.#block.stage.hidden = false;
    /** @type {HTMLElement[]} */
    const group = [];
    /** @type {[string, Node | string][]} */
    const pairs = facts.map(({ name, label, reason }) => {
      const value = number(statistics[name]);
      return [label, asked([value], () => [value, ...reason], group)];
    });
    const query = [place(row, tokens), known(vocabulary, row), page.text("map.head", { head })];
    pairs.unshift([page.text("map.row_query"), query.filter(Boolean).join(" · ")]);
    this.#numbers.replaceChildren(
      ...pairs.map(([label, value]) =>
        element("div", {}, element("dt", {}, ...typeset(label)), element("dd", {}, value)),
      ),
    );
    this.#keys.replaceChildren(
      ...keys.map(({ position, weight }) =>
        element(
          "li",
          {},
          element(
            "button",
            {
              type: "button",
              className: "tool",
              data: { key: String(position) },
              title: [known(vocabulary, position), page.text("map.go_to_cell")].filter(Boolean).join("\n"),
              onclick: () => this.#go(row, position),
            },
            `${place(position, tokens)}: ${number(weight)}`,
          ),
        ),
      ),
    );
  }
}

/** Return the `most` heaviest of a row's weights. @param {ArrayLike<number>} weights @param {number} most */
export function heaviest(weights, most) {
  const order = Array.from(weights, (_, i) => i)
    .filter((i) => weights[i] > 0)
    .sort((a, b) => weights[b] - weights[a] || a - b);
  return order.slice(0, most).map((position) => ({ position, weight: weights[position] }));
}
