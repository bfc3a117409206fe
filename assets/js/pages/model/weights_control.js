/** The visitor's own weights of attention, beside the choice of a model, or dropped anywhere: they are shown in its place. */

import { element } from "../../dom/dom.js";
import { isWeights, stay } from "../../server/upload_handover.js";
import { OwnFile } from "./own_file.js";

/** @typedef {{weightsLimit: number}} Settings */

const KINDS = ".npz,.npy,.safetensors,.json";

export class WeightsControl {
  #file;
  /** Over the page while a file is dragged. */
  #hint;

  /** @param {import("../../page/live_page.js").LivePage<Settings>} page @param {(model: string) => void} choose */
  constructor(page, choose) {
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
    this.#hint = element("p", { className: "drop-hint", hidden: true }, page.text("weights.drop"));
    this.root.append(...this.#file.parts, this.#hint);
    this.#file.parts[0].title = page.text("weights.help");
    const there = () => this.#file.parts[0].checkVisibility();
    this.#file.dropped(document.body, there);
    document.addEventListener("dragenter", ({ dataTransfer }) => {
      this.#hint.hidden = !there() || !dataTransfer?.types.includes("Files");
    });
    document.addEventListener("dragleave", ({ relatedTarget }) => {
      if (!relatedTarget) this.#hint.hidden = true; // it has left the window
    });
    document.addEventListener("drop", () => {
      this.#hint.hidden = true;
    });
  }

  /** Show if they are in use. @param {string} model */
  fit(model) {
    this.#file.show(isWeights(model));
  }
}
