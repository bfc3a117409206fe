/**
 * The page of one head: over which texts it was read, and the run that reads them, which begins by itself. What it shows is drawn by
 * later/head.js, which only its visitors load.
 */

import { element } from "../../dom/dom.js";
import { markFailed, markPainted } from "../../figures/painted.js";
import { onlyPart } from "../../page/only_part.js";
import { Run } from "../../page/run.js";
import { paragraph } from "../../reasons/reasons.js";
import { sentence } from "../../server/server.js";
import { tellWeight, tokenButton } from "./token_button.js";
import { only, revive } from "../../server/wire.js";

/** @typedef {import("../../../types/wire.js").HeadRead} HeadRead */

export class HeadPage {
  #page;
  #root;
  #run;
  #box = element("div", { className: "head-run", hidden: true });
  #said = element("p", { className: "said" });
  #shown = element("div", { className: "head-shown" });
  /** What is shown: the model, the head, the texts and the order. */
  #key = "";
  /** Texts and models whose reading has begun by itself. @type {Set<string>} */
  #begun = new Set();
  /** True if the run that has just ended only waited for another's. */
  #again = false;
  /** Of the newest run. */
  #of = "";

  /** @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage} page */
  constructor(place, page) {
    this.#page = page;
    this.#root = place;
    const run = element("div");
    this.#box.append(this.#said, run);
    place.replaceChildren(this.#box, this.#shown);
    this.#run = new Run(run, page, {
      name: "read",
      start: "head.read_texts",
      waiting: (atOnce) => (atOnce === 1 ? "model.waiting" : "run.waiting"),
      more: () => ({ read: true }),
      onPart: ({ header }) => {
        if (header.part === "ended") this.#again = header.again === true;
      },
      onStart: () => {
        this.#of = this.#reads;
        this.#said.textContent = page.text("head.reading");
      },
      onEnd: (how) => this.#ended(how),
    });
  }

  /** True if a link asks for the page of the head, and for no question, which it could answer. */
  get open() {
    const { texts, predict } = this.#page.state.values;
    return Boolean(texts) && !predict;
  }

  /**
   * Return the button that leads to this page from a head; nothing if its model reads no texts by itself.
   * @param {import("../../../types/wire.js").Model} model
   */
  links({ texts }) {
    if (!texts.length) return [];
    const onclick = () => this.#go({ texts: texts[0] });
    return [element("button", { type: "button", className: "mute-head", onclick }, this.#page.text("head.open"))];
  }

  /** Show the page or the figures. */
  fit() {
    document.documentElement.classList.toggle("reads-texts", this.open);
    this.#root.hidden = !this.open;
    if (!this.open && this.#run.running) this.#run.cancel();
  }

  /** The model and the texts that it reads. */
  get #reads() {
    const { model, texts } = this.#page.state.agreed;
    return JSON.stringify([model, texts]);
  }

  /** Ask for what the link names, unless it is shown. @param {boolean} [anew] */
  async show(anew = false) {
    this.fit();
    if (!this.open) return;
    const { state } = this.#page;
    const { layer, head, by, lang } = state.agreed;
    const key = JSON.stringify([this.#reads, layer, head, by, lang]);
    if (key === this.#key && !anew) return;
    this.#key = key;
    if (this.#run.running && this.#of !== this.#reads) this.#run.cancel();
    this.#root.classList.add("is-asking");
    try {
      const part = only(await onlyPart(this.#page, "head"), "head");
      /** @type {HeadRead} */
      const found = revive(part.header.values, part.blocks, new Map());
      if (key === this.#key) await this.#took(found);
    } catch (problem) {
      if (key === this.#key) this.#fail(problem);
    } finally {
      this.#root.classList.remove("is-asking");
    }
  }

  /** @param {HeadRead} found */
  async #took(found) {
    const page = this.#page;
    const { draw } = await page.presence.later.head();
    draw(this.#shown, found, {
      paragraph,
      token: tokenButton,
      tell: tellWeight,
      go: (change) => this.#go(change),
      passage: async (more) => {
        try {
          const part = only(await onlyPart(page, "passage", more), "passage");
          return revive(part.header.values, part.blocks, new Map());
        } catch (problem) {
          page.message.fail(this.#sentence(problem));
          throw problem;
        }
      },
    });
    this.#box.hidden = found.read && !this.#run.running;
    if (!found.read) {
      this.#said.textContent = found.problem || page.text("head.unread");
      this.#box.classList.toggle("has-problem", Boolean(found.problem));
      if (!found.problem && !this.#run.running && !this.#begun.has(this.#reads)) {
        this.#begun.add(this.#reads);
        void this.#run.start();
      }
    }
    void markPainted(this.#root, page.state.present);
  }

  /** @param {unknown} problem */
  #fail(problem) {
    const said = this.#sentence(problem) ?? "";
    this.#key = "";
    if (!this.#shown.firstChild) {
      const onclick = () => this.#go({ texts: "" });
      const back = element("button", { type: "button", className: "tool", onclick }, this.#page.text("head.back"));
      this.#shown.append(back);
    }
    this.#box.hidden = false;
    this.#said.textContent = said;
    markFailed(this.#root, said);
  }

  /** @param {unknown} problem */
  #sentence(problem) {
    return sentence(problem, (key) => this.#page.text(key));
  }

  /** @param {import("../../page/run.js").State} how */
  #ended(how) {
    if (this.#of !== this.#reads) return;
    if (how === "ended" && this.#again) {
      void this.#run.start();
    } else if (how === "ended") {
      this.#box.hidden = true;
      void this.show(true);
    } else {
      this.#said.textContent = this.#page.text("head.unread");
      if (how === "cancelled") this.#run.say(null);
    }
  }

  /** @param {Record<string, import("../../link/values.js").Value>} change */
  #go(change) {
    const { state } = this.#page;
    if (state.canonicalValues) this.#page.move({ ...state.values, ...change }, true);
  }
}
