/** The prints of the Map: the map and its strips are plotly's only in files, and say which part of the sequence they show. */

import { figureIn } from "../../page/only_part.js";
import { isPrinted } from "../../paper/figures.js";
import { Prints } from "../../paper/prints.js";
import { plainly } from "../../reasons/reasons.js";
import { mapOnPaper, stripsOnPaper } from "./on_paper.js";

/**
 * What is printed of a map, and asked for a file.
 * @typedef {import("./parts.js").MapParts & {viewer: import("./viewer.js").Viewer, row: {sentences: () => string[]}}} Printed
 */

export class MapPrints extends Prints {
  #page;
  #map;

  /** @param {import("./host.js").Page} page @param {Printed} map complete once the page is built */
  constructor(page, map) {
    super(page);
    this.#page = page;
    this.#map = map;
  }

  /** @param {string} name */
  async standing(name) {
    if (name === "row") return super.standing(name);
    const { sight, link, questions } = this.#map;
    const seen = link.values;
    const fields = () => ({ ...seen, figure: name, head: sight.head });
    const { data, layout } = figureIn(await questions.answer("figure", fields), this.#page.figures.known);
    return { data, layout: { ...layout, height: layout.height ?? 700 } };
  }

  /** A picture of a part of the sequence says so. @param {string} name @param {boolean} lined */
  label(name, lined) {
    const label = super.label(name, lined);
    const cut = (this.#map.sight.model?.cut ?? []).map(plainly);
    return { ...label, description: [...cut, label.description].filter(Boolean).join(" ") };
  }

  /** The open row is printed with its numbers and its heaviest keys. @param {string} name @returns {import("../../paper/figures.js").Printed} */
  figureOnPaper(name) {
    const { sight, row } = this.#map;
    const { model } = sight;
    if (model && name === "map") return mapOnPaper(this.#page, this.#map, model);
    if (model && name === "strips") return stripsOnPaper(this.#page, sight, model);
    const figure = super.figureOnPaper(name);
    return { ...figure, caption: [...row.sentences(), ...figure.caption] };
  }

  printed() {
    const closed = this.#map.sight.row === null;
    const names = this.#page.settings.figures.filter(
      (name) => isPrinted(this.#page, name) && !(closed && name === "row"),
    );
    return names.map((name) => this.figureOnPaper(name));
  }
}
