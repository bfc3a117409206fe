/** The choice of the picture: the shipped ones, and the visitor's own. */

import { element } from "../../dom/dom.js";
import { isHanded } from "../../server/upload_handover.js";
import { OWN, OwnFile } from "./own_file.js";

/** @typedef {{pictures: Record<string, string>, pictureLimit: number, mostPictures: number}} Settings */

export class PicturesControl {
  #page;
  #label = element("span", { className: "pictures-label" });
  #several = element("p", { className: "help", id: "pictures-help", hidden: true });
  /** What holds it, which the names of a phone's controls lead to. @type {HTMLElement} */
  #place;
  /** @type {OwnFile} */
  #file;
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();
  /** The address of the visitor's own picture. @type {{bytes: Uint8Array, address: string} | null} */
  #own = null;

  /**
   * @param {HTMLElement} root @param {import("../../page/live_page.js").LivePage<Settings>} page
   * @param {(name: string) => void} choose
   */
  constructor(root, page, choose) {
    this.#page = page;
    const names = Object.keys(page.settings.pictures);
    for (const name of names) {
      const image = element("img", { src: page.settings.pictures[name], alt: "", loading: "lazy" });
      const button = element(
        "button",
        {
          type: "button",
          title: page.text(`picture.${name}`),
          ariaLabel: page.text(`picture.${name}`),
          onclick: () => choose(name),
        },
        image,
      );
      this.#buttons.set(name, button);
    }
    this.root = element("div", { className: "pictures-control", hidden: true });
    this.#file = new OwnFile(page, "picture", {
      limit: page.settings.pictureLimit,
      accept: "image/png,image/jpeg",
      box: this.root,
      use: () => choose(OWN),
    });
    this.root.append(
      this.#label,
      element(
        "div",
        { className: "picture-choices", role: "group", ariaLabel: page.text("control.pictures.label") },
        ...this.#buttons.values(),
      ),
      this.#several,
      ...this.#file.parts,
    );
    root.replaceChildren(this.root);
    this.#place = root;
    root.classList.add("not-now");
  }

  /** Take what is dropped on an element. @param {HTMLElement} target */
  dropped(target) {
    this.#file.dropped(target);
  }

  /**
   * Show which pictures are read; none for a model of texts.
   * @param {string[]} names @param {boolean} several true if a press adds a picture to the others, or takes it away
   */
  show(names, several) {
    this.root.hidden = !names.length;
    this.#label.textContent = this.#page.text(`control.pictures.${several ? "several" : "label"}`);
    this.#several.textContent = this.#page.text("picture.several_help", { most: this.#page.settings.mostPictures });
    this.#several.hidden = !several;
    this.#place.classList.toggle("not-now", !names.length);
    for (const [one, button] of this.#buttons) button.setAttribute("aria-pressed", String(names.includes(one)));
    this.#file.show(names.includes(OWN));
  }

  /** Return the address of a picture. @param {string} name */
  async address(name) {
    if (name !== OWN) return this.#page.settings.pictures[name];
    const bytes = this.#page.state.upload;
    if (!bytes) return "";
    if (this.#own?.bytes !== bytes) {
      const { file } = isHanded(bytes) ? await this.#file.checked("", bytes) : { file: bytes };
      if (this.#own) URL.revokeObjectURL(this.#own.address);
      const address = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (file)], { type: "image/png" }));
      this.#own = { bytes, address };
    }
    return this.#own.address;
  }
}
