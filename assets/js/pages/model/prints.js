/**
 * The prints of the Model page: the small maps are plotly's only in files, and painted anew in light colours on paper. So
 * is the head over a picture, which stands on paper as on the screen.
 */

import { figureIn, onlyPart } from "../../page/only_part.js";
import { framed } from "../../paper/figures.js";
import { inked } from "../../paper/light.js";
import { Prints } from "../../paper/prints.js";
import { SmallMaps } from "./small_maps.js";

/** The figure that a script paints. */
export const MAPS = "model-heads";
/** The other one, of a vision model alone. */
const PICTURE = "head-picture";

export class ModelPrints extends Prints {
  #page;
  #shown;
  #picture;

  /**
   * @param {import("../../page/live_page.js").LivePage<{colours: {weights: import("../../figures/palette.js").ColourScale}}>} page
   * @param {() => import("../../../types/wire.js").Model | null} shown returns what is on the screen
   * @param {() => HTMLCanvasElement} picture returns a copy of the picture as it is painted
   */
  constructor(page, shown, picture) {
    super(page);
    this.#page = page;
    this.#shown = shown;
    this.#picture = picture;
  }

  /** @param {string} name */
  async standing(name) {
    if (name !== MAPS && name !== PICTURE) return super.standing(name);
    const { figures, settings } = this.#page;
    const { data, layout } = figureIn(await onlyPart(this.#page, "figure", { figure: name }), figures.known);
    return { data, layout: { ...layout, template: settings.templates.light } };
  }

  /** @param {string} name @returns {import("../../paper/figures.js").Printed} */
  figureOnPaper(name) {
    const model = this.#shown();
    const page = this.#page;
    if (name === PICTURE) {
      return { ...framed(page, name), height: null, draw: (stage) => stage.replaceChildren(this.#picture()) };
    }
    if (name !== MAPS || !model) return super.figureOnPaper(name);
    const scale = inked(page.settings.paper, page.settings.colours.weights);
    return {
      ...framed(page, name),
      height: null,
      draw: (stage) =>
        new SmallMaps(
          stage,
          scale,
          () => {},
          (head) => page.text("model.head", { head }),
        ).show(model),
    };
  }
}
