/** The sentences of a page, in the visitor's language. */

import { spoken } from "../words/language.js";

export class Texts {
  #locales;
  /** @type {Record<string, string>} */
  #texts = {};
  /** They were asked for ahead; null: in vain. @type {Promise<Record<string, string> | null> | undefined} */
  #asked;

  /** @param {Record<string, string>} locales addresses of the texts of each language */
  constructor(locales) {
    this.#locales = locales;
    this.lang = spoken(Object.keys(locales), navigator.language);
  }

  /** Ask for the texts before they are needed; null if they do not come. */
  ask() {
    this.#asked = this.#fetched().catch(() => null);
    return this.#asked;
  }

  /** Resolve when the texts are here. */
  async read() {
    this.#texts = (await this.#asked) ?? (await this.#fetched());
  }

  /** Return a text as it is written, or its key if there is none. @param {string} key */
  of(key) {
    return this.#texts[key] ?? key;
  }

  /** @returns {Promise<Record<string, string>>} */
  async #fetched() {
    const answer = await fetch(new URL(this.#locales[this.lang], document.baseURI));
    return answer.json();
  }
}
