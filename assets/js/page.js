/** The page's state and its one loop: controls → link → server → figures. */

import { addressWriter } from "./address.js";
import { arrived, carry } from "./carried.js";
import { CellsFigure } from "./cells_figure.js";
import { query, tied } from "./controls.js";
import { element } from "./dom.js";
import { FigureBlock } from "./figure_block.js";
import { fit } from "./fitting.js";
import { GraphFigure } from "./graph_figure.js";
import { Inspection } from "./inspection.js";
import { latest } from "./latest.js";
import { masthead, theme } from "./masthead.js";
import { Message } from "./message.js";
import { markFailed, markPainted } from "./painted.js";
import { plotlyFrom } from "./plotly_script.js";
import { Refusal, Server } from "./server.js";
import { takeAway, savePicture } from "./take_away.js";
import { uploadBox } from "./upload.js";
import { hearSliders } from "./sliders.js";
import { nameControls } from "./spoken_controls.js";
import { parts, revive } from "./wire.js";

const CELLS = ["heat-maps", "jacobian"];
const NARROW = "(max-width: 700px)";
const FOLDED = ["input", "mask", "view"];
// Milliseconds before a figure shows that it is being computed: most updates are painted by then.
const PATIENT = 250;
// Structures kept and named to the server; it reads no more.
const MOST_KNOWN = 60;

export class Page {
  /** @param {any} settings from visualiser/pages/explore.py */
  constructor(settings) {
    this.settings = settings;
    this.server = new Server(settings.prefix);
    this.values = { ...settings.defaults };
    this.canonical = null;
    this.upload = null;
    this.known = new Map();
    this.drawn = new Map();
    this.ask = latest((wish) => this.#fulfil(wish));
    // The panels are drawn beside the next request, so that a drag is never slower than the heat maps.
    this.below = latest((wish) => this.#panels(wish));
    this.plotly = plotlyFrom(settings.plotly);
    this.plotly().catch(() => {}); // early; whoever draws tries again
    this.remember = addressWriter();
  }

  /** Builds everything inside the components' elements and paints the link's state. @param {Record<string, any>} places */
  async open(places) {
    this.places = places;
    this.texts = await this.#texts();
    this.upload = await arrived();
    this.message = new Message(places.message.element);
    masthead(places.masthead.element, (key) => this.text(key), () => {
      for (const name of this.drawn.keys()) this.#redraw(name);
    });
    this.#figures(places);
    this.pinned = element("p", { className: "pinned", hidden: true });
    places["figure-heat-maps"].element.querySelector("header").after(this.pinned);
    this.takeAway = takeAway(places["take-away"].element, this);
    this.uploadBox = uploadBox(places.upload.element, this);
    this.inspection = new Inspection(this);
    this.#watch();
    hearSliders(this.settings.controls, (name, value) => this.changed(name, value));
    nameControls(this.settings.controls, (key, fields) => this.text(key, fields));
    // On a phone the figures should not lie below a screen and a half of controls.
    if (narrow()) for (const group of FOLDED) document.querySelector(`#group-${group} > button`)?.click();
    await new Promise((resolve) => {
      this.opened = resolve;
      this.update(location.search.slice(1));
    });
  }

  /** @param {string} key @param {Record<string, any>} [fields] */
  text(key, fields = {}) {
    return (this.texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(fields[name] ?? ""));
  }

  get heatMaps() {
    return this.figures.get("heat-maps").living;
  }

  /** What the server is told with every request. @param {string} asked @param {Record<string, any>} more */
  said(asked, more = {}) {
    return { query: asked, theme: theme(), columns: narrow() ? 2 : 0, address: location.origin + location.pathname, ...more };
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
    // A number box that is empty while one types keeps its last value.
    if (!this.canonicalValues || (value === null && name !== "row")) return;
    if (value === this.values[name]) return; // boxes report every change, the page's own included
    if (name === "lang") return void this.#speakLanguage(value);
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

  /** Everything the controls show, in gradio's order. */
  controlValues() {
    return this.settings.controls.map((name) => this.values[name] ?? null);
  }

  /** The link of what is on screen. */
  link() {
    return `${location.origin}${location.pathname}${this.canonical ? `?${this.canonical}` : ""}`;
  }

  /** @param {Record<string, any>} values @param {boolean} tellControls whether gradio's controls have to be moved as well */
  #move(values, tellControls) {
    this.values = values;
    clearTimeout(this.settling); // what the last answer found is no longer what is asked
    if (tellControls) this.places.messenger.trigger("change");
    this.#fit();
    if (values.source === "upload" && !this.upload) {
      this.uploadBox.invite();
      return;
    }
    this.update(query({ ...values, lang: this.chosenLanguage ?? undefined, page: undefined }));
  }

  async #fulfil(asked) {
    const busy = setTimeout(() => this.#busy(true), PATIENT);
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
    this.#busy(false);
    this.opened?.();
  }

  /** An update that takes its time says so. @param {boolean} busy */
  #busy(busy) {
    for (const { root } of this.figures.values()) root.classList.toggle("is-busy", busy);
    this.places["figure-heat-maps"].element.setAttribute("aria-busy", String(busy));
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
    const drawn = await this.#draw("heat-maps", revive(entry, blocks, this.known), entry.hash, header.query);
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
      await this.#draw(name, drawing, hash, painted);
      await new Promise((resolve) => setTimeout(resolve)); // lets newer heat maps through
    }
    for (const [name, table] of tables) this.figures.get(name).block.tabulate(table);
    for (const [name, sentence] of Object.entries(summaries)) this.figures.get(name).block.say(sentence);
    this.places.insight.element.replaceChildren(element("div", { className: "insight" }, ...insight.map((sentence) => element("p", {}, sentence))));
    this.places.arithmetic.element.replaceChildren(element("div", { className: "arithmetic" }, ...arithmetic.map((sentence) => element("p", {}, sentence))));
    this.places.insight.element.dataset.painted = painted;
  }

  /** Resolves when the figure is drawn; `painted` of what it resolves to, when it is on the screen as well. */
  async #draw(name, drawing, hash, painted) {
    this.drawn.set(name, { drawing, hash, painted });
    await this.#redraw(name);
    return { painted: markPainted(this.figures.get(name).root, painted) };
  }

  async #redraw(name) {
    const { drawing, hash } = this.drawn.get(name);
    const Plotly = await this.plotly();
    const { living } = this.figures.get(name);
    await living.draw(Plotly, drawing, `${hash} ${theme()}`, this.settings.templates[theme()], this.labels);
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
      this.places.messenger.trigger("change");
    }, 700);
  }

  /** gradio chooses its labels once, when it starts: another language is another visit, with the state in the link. */
  async #speakLanguage(lang) {
    await carry(this.values.source === "upload" ? this.upload : null);
    const link = new URLSearchParams(this.canonical ?? "");
    link.set("lang", lang);
    location.search = link.toString();
  }

  async #texts() {
    const lang = navigator.language.toLowerCase().startsWith("ko") ? "ko" : "en";
    document.documentElement.lang = lang;
    this.values.lang = lang;
    const answer = await fetch(new URL(this.settings.locales[lang], document.baseURI));
    return answer.json();
  }

  #figures(places) {
    this.figures = new Map(this.settings.figures.map((name) => {
      const root = places[`figure-${name}`].element;
      const block = new FigureBlock(root, name, (key) => this.text(key), (format) => savePicture(this, name, format));
      const reactions = name === "heat-maps" ? {
        onCell: (found) => this.inspection.hover(found),
        onClick: (found) => this.inspection.click(found),
        onTitle: (head) => this.chooseHead(head),
        titleHint: () => this.text("live.enlarge"),
      } : {};
      const living = CELLS.includes(name) ? new CellsFigure(block.stage, block.bars, reactions) : new GraphFigure(block.stage);
      return [name, { root, block, living }];
    }));
  }

  #watch() {
    matchMedia(NARROW).addEventListener("change", () => this.update(this.wished ?? location.search.slice(1)));
    window.addEventListener("online", () => this.retry && this.update(query(this.values)));
  }
}

const narrow = () => matchMedia(NARROW).matches;
