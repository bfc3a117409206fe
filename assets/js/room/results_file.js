/** The file of results: fetched at each reveal and before the end, so that it can be saved after it. */

import { save } from "../files/clipboard.js";
import { remember, remembered } from "./memory.js";

export class ResultsFile {
  /** As it was fetched last. @type {Blob | null} */
  #file = null;
  /** The question whose reveal it has. */
  #kept = "";

  /** @param {import("./line.js").Line} line */
  constructor(line) {
    this.line = line;
  }

  /** True once something was revealed. */
  get revealed() {
    return remembered().revealed === true;
  }

  /** True if there is a file to save. */
  get there() {
    return this.#file !== null;
  }

  /** Keep the results once more: a room that ends by itself has none. @param {string} question just revealed */
  keep(question) {
    if (this.#kept === question) return;
    this.#kept = question;
    remember({ revealed: true });
    void this.fetch().catch(() => (this.#kept = ""));
  }

  async fetch() {
    this.#file = await (await this.line.get("results")).blob();
  }

  /** Save what was fetched last; return the file's name. */
  save() {
    const name = "headlight-answers.csv";
    if (this.#file) save(this.#file, name);
    return name;
  }
}
