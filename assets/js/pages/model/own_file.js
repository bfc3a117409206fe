/**
 * The visitor's own picture, sound or weights: chosen, dropped or pasted. The server checks it and returns it in one form,
 * which stays in this tab and is sent with each question about it.
 */

import { element } from "../../dom/dom.js";
import { ofState } from "../../link/address.js";
import { Refusal, sentence } from "../../server/server.js";
import { isHanded, isWeights } from "../../server/upload_handover.js";
import { only, parts, revive } from "../../server/wire.js";

/** @typedef {"picture" | "sound" | "weights"} Kind */

export const OWN = "own";

/** What a link calls each kind, and with which characters its one form begins. @type {Record<"picture" | "sound", [string, string]>} */
const FORMS = { picture: ["pictures", "\x89PNG"], sound: ["sound", "RIFF"] };

/** The words of each kind: its button, what it takes, while it is read, and for several at once. @type {Record<Kind, [string, string, string, string]>} */
const WORDS = {
  picture: ["picture.choose", "picture.help", "picture.reading", "picture.several"],
  sound: ["sound.choose", "sound.help", "sound.reading", "sound.several"],
  weights: ["weights.choose", "weights.help", "weights.reading", "weights.several"],
};

/**
 * Return the visitor's file if the state is about it: before the first answer the link in the address tells. A file of
 * another kind, such as tensors that came over from another page, stays.
 * @param {import("../../link/state.js").State} state
 */
export function enclosed({ canonicalValues, values, upload }) {
  const link = new URLSearchParams(ofState(location.search));
  const named = (/** @type {string} */ name) => String((canonicalValues ? values[name] : link.get(name)) ?? "");
  const isOf = (/** @type {string} */ name) => hasOwn(named(name));
  if (upload && isWeights(named("model"))) return upload;
  const begins = String.fromCharCode(...(upload ?? []).slice(0, 4));
  return upload && Object.values(FORMS).some(([name, form]) => isOf(name) && (begins === form || isHanded(upload)))
    ? upload
    : null;
}

/** What the name of a file of weights ends in. */
const OF_WEIGHTS = /\.(npz|npy|safetensors|json)$/i;

/** Return true if a value names the visitor's file, alone or among others. @param {string} value */
const hasOwn = (value) => value.split(",").includes(OWN);

export class OwnFile {
  #page;
  #kind;
  #limit;
  #use;
  #box;
  #count = 0;
  #status;
  #input;

  /**
   * @param {import("../../page/live_page.js").LivePage<{}>} page @param {Kind} kind
   * @param {{limit: number, accept: string, box: HTMLElement, use: (model: string) => void}} given the bytes that are taken,
   *   the kinds of file, the control that `parts` stand in, and what is done with a file that has been kept, by the
   *   name that a link has for weights
   */
  constructor(page, kind, { limit, accept, box, use }) {
    this.#page = page;
    this.#kind = kind;
    this.#limit = limit;
    this.#use = use;
    this.#box = box;
    this.#status = element("p", { className: "said", role: "status", id: `${kind}-file-said` });
    this.#input = element("input", { type: "file", className: "own-file", id: `${kind}-file`, accept });
    this.#input.setAttribute("aria-describedby", `${kind}-help`);
    this.#input.addEventListener("change", () => this.take(this.#input.files));
    document.addEventListener("paste", (event) => {
      const files = event.clipboardData?.files;
      if (kind !== "weights" && !box.hidden && files?.length) this.take(files); // nobody copies weights
    });
    this.parts = [
      element("label", { className: "choose-own", htmlFor: `${kind}-file` }, page.text(WORDS[kind][0])),
      this.#input,
      element("p", { id: `${kind}-help`, className: "help" }, page.text(WORDS[kind][1])),
      this.#status,
    ];
  }

  /** Show if the visitor's is in use. @param {boolean} on */
  show(on) {
    this.#box.classList.toggle("is-own", on);
    const { values } = this.#page.state;
    const asked =
      this.#kind === "weights" ? isWeights(String(values.model)) : hasOwn(String(values[FORMS[this.#kind][0]]));
    // an answer to what was asked before the file came says nothing of it
    if (!on && !asked) this.#status.textContent = "";
  }

  /** Take what is dropped on an element while the control is there. @param {HTMLElement} target @param {() => boolean} [there] */
  dropped(target, there = () => !this.#box.hidden) {
    target.addEventListener("dragover", (event) => {
      if (there() && event.dataTransfer?.types.includes("Files")) event.preventDefault();
    });
    target.addEventListener("drop", (event) => {
      const files = event.dataTransfer?.files;
      if (!there() || event.defaultPrevented || !files?.length) return;
      if (this.#kind !== "weights" && [...files].some(({ name }) => OF_WEIGHTS.test(name))) return; // the page takes them
      event.preventDefault();
      this.take(files);
    });
  }

  /** Take the visitor's file. @param {FileList | null} files */
  take(files) {
    if (files?.length === 1) void this.#read(files[0]);
    else if (files?.length) this.#status.textContent = this.#page.text(WORDS[this.#kind][3]);
  }

  /** @param {File} file */
  async #read(file) {
    const page = this.#page;
    const kind = this.#kind;
    const mine = (this.#count += 1);
    const newest = () => mine === this.#count;
    const limit = this.#limit;
    try {
      if (file.size > limit) throw new Refusal(page.text(`error.${kind}_too_large`, { came: file.size, limit }));
      this.#status.textContent = page.text(WORDS[kind][2], { name: file.name });
      const { file: bytes, said, model } = await this.checked(file.name, file);
      if (!newest()) return;
      page.state.upload = bytes;
      page.message.fail(null);
      this.#use(model);
      this.#status.textContent = said;
    } catch (problem) {
      if (newest()) this.#status.textContent = sentence(problem, (key) => page.text(key));
    }
    if (newest()) this.#input.value = "";
  }

  /**
   * Return a file as the server keeps it, what it says of it, and of weights the name that a link has for them.
   * @param {string} name @param {File | Uint8Array} file
   */
  async checked(name, file) {
    const page = this.#page;
    const asked = new URLSearchParams({ name, lang: String(page.state.values.lang) });
    const answer = await page.server.send(`${this.#kind}?${asked}`, new Blob([/** @type {BlobPart} */ (file)]));
    for await (const part of parts(answer.body)) {
      const { header, blocks } = only(part, this.#kind);
      const bytes = /** @type {Uint8Array} */ (revive(header.file, blocks, new Map()).file);
      return { file: bytes.slice(), said: header.message, model: header.part === "weights" ? header.model : "" };
    }
    throw new Error(`no ${this.#kind} came`);
  }
}
