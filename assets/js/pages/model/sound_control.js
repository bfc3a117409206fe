/** The choice of the sound that a speech model hears: the shipped one, and the visitor's own; says how much is heard. */

import { element } from "../../dom/dom.js";
import { OWN, OwnFile } from "./own_file.js";

/** @typedef {{sounds: string[], soundLimit: number}} Settings */

export class SoundControl {
  #page;
  /** @type {OwnFile} */
  #file;
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();
  /** What holds it, which the names of a phone's controls lead to. @type {HTMLElement} */
  #place;
  #heard = element("p", { className: "sound-heard" });

  /**
   * @param {HTMLElement} root @param {import("../../page/live_page.js").LivePage<Settings>} page
   * @param {(name: string) => void} choose
   */
  constructor(root, page, choose) {
    this.#page = page;
    for (const name of page.settings.sounds) {
      const onclick = () => choose(name);
      this.#buttons.set(name, element("button", { type: "button", onclick }, page.text(`sound.${name}`)));
    }
    this.root = element("div", { className: "sound-control", hidden: true });
    this.#file = new OwnFile(page, "sound", {
      limit: page.settings.soundLimit,
      accept: ".wav,audio/wav,audio/x-wav",
      box: this.root,
      use: () => choose(OWN),
    });
    const label = page.text("control.sound.label");
    this.root.append(
      element("span", { className: "sound-label" }, label),
      element("div", { className: "sound-choices", role: "group", ariaLabel: label }, ...this.#buttons.values()),
      ...this.#file.parts,
      this.#heard,
    );
    this.#file.dropped(this.root);
    root.replaceChildren(this.root);
    this.#place = root;
    root.classList.add("not-now");
  }

  /** Take what is dropped on an element. @param {HTMLElement} target */
  dropped(target) {
    this.#file.dropped(target);
  }

  /** Show which sound is heard; null for a model that hears none. @param {import("../../../types/wire.js").Model["heard"]} sound */
  show(sound) {
    this.root.hidden = sound === null;
    this.#place.classList.toggle("not-now", sound === null);
    if (!sound) return;
    for (const [one, button] of this.#buttons) button.setAttribute("aria-pressed", String(one === sound.name));
    this.#file.show(sound.name === OWN);
    const [seconds, stretch] = [sound.seconds, sound.stretch].map((one) => Number(one.toFixed(2)));
    const key = seconds < stretch ? "sound.heard" : seconds > stretch ? "sound.heard_cut" : "sound.heard_whole";
    this.#heard.textContent = this.#page.text(key, {
      heard: String(Math.min(seconds, stretch)),
      stretch: String(stretch),
    });
  }
}
