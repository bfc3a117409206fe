/** The page's state and its one loop: controls → link → server → figures. */

import { query, tied } from "../controls.js";
import { element } from "../dom.js";
import { latest } from "../latest.js";
import { markFailed } from "../painted.js";
import { Refusal } from "../server.js";
import { Shell } from "../shell.js";
import { served, takeAway } from "../take_away.js";
import { uploadBox } from "../upload.js";
import { parts, revive } from "../wire.js";
import { fit } from "./fitting.js";
import { Inspection } from "./inspection.js";

// Milliseconds before a figure shows that it is being computed: most updates are painted by then.
const PATIENT = 250;
// Structures kept and named to the server; it reads no more.
const MOST_KNOWN = 60;

export class Page extends Shell {
  /** @param {any} settings from visualiser/pages/explore.py */
  constructor(settings) {
    super(settings);
    this.ask = latest((wish) => this.#fulfil(wish));
    // The panels are drawn beside the next request, so that a drag is never slower than the heat maps.
    this.below = latest((wish) => this.#panels(wish));
  }

  /** Builds everything inside the components' elements and paints the link's state. @param {Record<string, any>} places */
  async open(places) {
    await this.prepare(places);
    this.pinned = element("p", { className: "pinned", hidden: true });
    places["figure-heat-maps"].element.querySelector("header").after(this.pinned);
    this.takeAway = takeAway(places["take-away"].element, this);
    this.uploadBox = uploadBox(places.upload.element, this);
    this.inspection = new Inspection(this);
    this.onNarrow(() => this.update(this.wished ?? location.search.slice(1)));
    window.addEventListener("online", () => this.retry && this.update(query(this.values)));
    await new Promise((resolve) => {
      this.opened = resolve;
      this.update(location.search.slice(1));
    });
  }

  get heatMaps() {
    return this.figures.get("heat-maps").living;
  }

  /** Cells travel as bytes for colours; a picture takes the true values. @param {string} name */
  standing(name) {
    return served(this, name);
  }

  /** @param {string} name */
  reactions(name) {
    return name === "heat-maps" ? {
      onCell: (found) => this.inspection.hover(found),
      onClick: (found) => this.inspection.click(found),
      onTitle: (head) => this.chooseHead(head),
      titleHint: () => this.text("live.enlarge"),
    } : {};
  }

  /** Asks for the picture of a link; only the newest wish is kept while one is under way. @param {string} asked */
  update(asked) {
    clearTimeout(this.retry);
    clearTimeout(this.settling);
    this.wished = asked;
    return this.ask(asked);
  }

  /** A control was moved by the visitor. @param {string} name @param {any} value */
  changed(name, value) {
    if (!this.canonicalValues || !this.isNews(name, value)) return;
    const before = { ...this.values, [name]: value };
    const after = tied(before, name);
    this.#move(after, ["d_k", "tie"].some((key) => after[key] !== before[key]));
  }

  /** @param {string | null} name null: back to the defaults */
  preset(name) {
    const chosen = name ? this.settings.presets[name] : {};
    // The example sentence is in the visitor's language.
    const text = chosen.source === "text" ? this.text("preset.text") : this.settings.defaults.text;
    this.#move({ ...this.settings.defaults, lang: this.values.lang, text, ...chosen }, true);
  }

  newDraw() {
    this.#move({ ...this.values, seed: Math.floor(Math.random() * this.settings.seedMaximum) }, true);
  }

  /** Keeps the present state as A, or lets A go. */
  togglePin() {
    if (!this.canonicalValues) return;
    const pin = this.values.pin ? "" : this.canonical || "?";
    this.#move({ ...this.values, pin }, false);
  }

  /** Shows one head large, or all of them again. @param {number} head */
  chooseHead(head) {
    this.#move({ ...this.values, head: this.values.head === head ? 0 : head }, true);
  }

  /** @param {number | null} row */
  lockRow(row) {
    this.#move({ ...this.values, row }, true);
  }

  /** The tensors of a file that the server has checked. @param {Uint8Array} file */
  useUpload(file) {
    this.upload = file;
    const pin = this.values.pin.includes("source=upload") ? "" : this.values.pin;
    this.#move({ ...this.values, source: "upload", pin, row: null, head: 0 }, true);
  }

  /** @param {Record<string, any>} values @param {boolean} tellControls whether gradio's controls have to be moved as well */
  #move(values, tellControls) {
    this.values = values;
    clearTimeout(this.settling); // what the last answer found is no longer what is asked
    if (tellControls) this.tellControls();
    this.#fit();
    if (values.source === "upload" && !this.upload) {
      this.uploadBox.invite();
      return;
    }
    this.update(query({ ...values, lang: this.chosenLanguage ?? undefined, page: undefined }));
  }

  async #fulfil(asked) {
    const busy = setTimeout(() => this.busy(true), PATIENT);
    for (const hash of [...this.known.keys()].slice(0, -MOST_KNOWN)) this.known.delete(hash);
    const said = this.said(asked, { previous: this.settled ?? this.canonical, known: [...this.known.keys()] });
    try {
      const answer = await this.server.ask("frame", said, this.upload);
      let header = null;
      for await (const part of parts(answer.body)) {
        if (part.header.part === "error") throw new Refusal(part.header.message);
        if (part.header.part === "cells") {
          header = part.header;
          await this.#cells(part, asked === this.wished);
        } else this.below(this.#revived(part, header.query));
      }
      this.failures = 0;
      this.message.fail(null);
    } catch (problem) {
      this.#failed(problem, asked);
    }
    clearTimeout(busy);
    this.busy(false);
    this.opened?.();
  }

  /** @param {any} part @param {boolean} newest whether nothing else was asked for since */
  async #cells({ header, blocks }, newest) {
    const before = this.canonical;
    this.canonical = header.query;
    this.canonicalValues = header.controls;
    this.shape = header.shape;
    this.labels = revive(header.labels, blocks, this.known).tokens;
    if (before === null) this.values = { ...header.controls };
    this.chosenLanguage = new URLSearchParams(header.query).get("lang");
    const entry = header.drawings["heat-maps"];
    const drawn = await this.draw("heat-maps", revive(entry, blocks, this.known), entry.hash, header.query);
    this.mapsPainted = drawn.painted;
    this.heatMaps.mark("locked", header.row);
    this.inspection.stateChanged(header.row);
    this.message.notify(header.notices);
    this.#fit();
    this.remember(header.query);
    if (newest) this.#settle();
    this.opened?.();
  }

  async #panels(update) {
    // The eye follows the heat maps: they are on the screen before anything below them is drawn.
    await this.mapsPainted;
    try {
      await this.#drawBelow(update);
    } catch (problem) {
      this.#failed(problem, this.wished);
    }
  }

  /** What came for the panels, decoded at once: a structure must be known before the next request says so. */
  #revived({ header, blocks }, painted) {
    const all = (entries) => Object.entries(entries).map(([name, entry]) => [name, revive(entry, blocks, this.known), entry.hash]);
    return { ...header, drawings: all(header.drawings), tables: all(header.tables), painted };
  }

  async #drawBelow({ drawings, tables, summaries, insight, arithmetic, painted }) {
    for (const [name, drawing, hash] of drawings) {
      await this.draw(name, drawing, hash, painted);
      await new Promise((resolve) => setTimeout(resolve)); // lets newer heat maps through
    }
    for (const [name, table] of tables) this.figures.get(name).block.tabulate(table);
    for (const [name, sentence] of Object.entries(summaries)) this.figures.get(name).block.say(sentence);
    this.place.insight.element.replaceChildren(element("div", { className: "insight" }, ...insight.map((sentence) => element("p", {}, sentence))));
    this.place.arithmetic.element.replaceChildren(element("div", { className: "arithmetic" }, ...arithmetic.map((sentence) => element("p", {}, sentence))));
    this.place.insight.element.dataset.painted = painted;
  }

  #failed(problem, asked) {
    const refused = problem instanceof Refusal;
    this.message.fail(refused ? problem.message : this.text("live.lost"));
    for (const { root } of this.figures.values()) markFailed(root, this.message.error.textContent);
    if (refused || asked !== this.wished) return;
    this.failures = (this.failures ?? 0) + 1;
    this.retry = setTimeout(() => this.update(asked), Math.min(4000, 250 * 2 ** this.failures));
  }

  #fit() {
    fit(this.values, this.canonical ?? "", (key, fields) => this.text(key, fields), this.pinned);
  }

  /** Once a drag has come to rest, controls that show something impossible take the server's value. */
  #settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settled = this.canonical;
      const differ = this.settings.controls.filter((name) => name !== "text" && name !== "lang" && String(this.values[name]) !== String(this.canonicalValues[name]));
      if (!differ.length) return;
      for (const name of differ) this.values[name] = this.canonicalValues[name];
      this.tellControls();
    }, 700);
  }
}
