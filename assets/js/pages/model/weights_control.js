/** The visitor's own weights of attention, beside the choice of a model: they are shown in its place. */

import { element } from "../../dom/dom.js";
import { isWeights, stay } from "../../server/upload_handover.js";
import { OwnFile } from "./own_file.js";

/** @typedef {{weightsLimit: number}} Settings */

const KINDS = ".npz,.npy,.safetensors";

export class WeightsControl {
  #file;

  /**
   * @param {HTMLElement} place where a file may be dropped
   * @param {import("../../page/live_page.js").LivePage<Settings>} page
   * @param {(model: string) => void} choose
   */
  constructor(place, page, choose) {
    this.root = element("div", { className: "weights-control" });
    this.#file = new OwnFile(page, "weights", {
      limit: page.settings.weightsLimit,
      accept: KINDS,
      box: this.root,
      use: (model) => {
        stay(page.state.upload);
        choose(model);
      },
    });
    this.root.append(...this.#file.parts);
    this.#file.parts[0].title = page.text("weights.help");
    this.#file.dropped(place);
  }

  /** Show if they are in use. @param {string} model */
  fit(model) {
    this.#file.show(isWeights(model));
  }
}
