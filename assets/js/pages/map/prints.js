/** The prints of the Map: the map and its strips are plotly's only in files, and say which part of the sequence they show. */

import { plain } from "../../figures/plain.js";
import { isPrinted } from "../../paper/figures.js";
import { Prints } from "../../paper/prints.js";
import { plainly } from "../../reasons/reasons.js";
import { only, revive } from "../../server/wire.js";
import { VIEW } from "./link.js";
import { mapOnPaper, stripsOnPaper } from "./on_paper.js";

export class MapPrints extends Prints {
  #map;

  /**
   * @param {import("./host.js").Page & Pick<import("./host.js").Mapped, "model" | "covers" | "masked" | "sinkName">
   *   & {viewer: import("./viewer.js").Viewer, row: import("./row_panel.js").RowPanel, questions: import("./questions.js").Questions}} map
   */
  constructor(map) {
    super(map);
    this.#map = map;
  }

  /** @param {string} name */
  async standing(name) {
    if (name === "row") return super.standing(name);
    const {
      state: { values },
      viewer,
      questions,
      figures,
    } = this.#map;
    const seen = Object.fromEntries(VIEW.map((key) => [key, values[key]]));
    const told = () => ({ ...seen, figure: name, head: viewer.head });
    const { header, blocks } = only(await questions.answer("figure", told), "figure");
    const { data, layout } = revive(header.values, blocks, figures.known);
    return { data: plain(data), layout: { ...plain(layout), height: layout.height ?? 700 } };
  }

  /** A picture of a part of the sequence says so. @param {string} name @param {boolean} lined */
  label(name, lined) {
    const label = super.label(name, lined);
    const cut = (this.#map.model?.cut ?? []).map(plainly);
    return { ...label, description: [...cut, label.description].filter(Boolean).join(" ") };
  }

  /** The open row is printed with its numbers and its heaviest keys. @param {string} name @returns {import("../../paper/figures.js").Printed} */
  figureOnPaper(name) {
    const { model, row } = this.#map;
    if (model && name === "map") return mapOnPaper(this.#map, model);
    if (model && name === "strips") return stripsOnPaper(this.#map, model);
    const figure = super.figureOnPaper(name);
    return { ...figure, said: [...row.told(), ...figure.said] };
  }

  printed() {
    const {
      settings,
      state: { values },
    } = this.#map;
    const closed = values.row === null;
    const names = settings.figures.filter((name) => isPrinted(this.#map, name) && !(closed && name === "row"));
    return names.map((name) => this.figureOnPaper(name));
  }
}
