/** What every page has: its texts, masthead, message and link; the controls' values; the way to another language or page; its figures. */

import { addressWriter } from "./address.js";
import { arrived, carry } from "./carried.js";
import { CellsFigure } from "./cells_figure.js";
import { FigureBlock } from "./figure_block.js";
import { GraphFigure, plain } from "./graph_figure.js";
import { masthead, theme } from "./masthead.js";
import { Message } from "./message.js";
import { markPainted } from "./painted.js";
import { plotlyFrom } from "./plotly_script.js";
import { Server, sentence } from "./server.js";
import { hearSliders } from "./sliders.js";
import { nameControls } from "./spoken_controls.js";
import { savePicture } from "./picture.js";

const NARROW = "(max-width: 700px)";
// Names that mean something else on every page.
const STAYS = ["pin", "row", "head"];

export class Shell {
  /** @param {any} settings from visualiser/pages/elements.py and the page's own module */
  constructor(settings) {
    this.settings = settings;
    this.server = new Server(settings.prefix, (asker, sentence) => this.message.wait(asker, sentence));
    this.values = { ...settings.defaults };
    this.canonical = null;
    this.upload = null;
    this.known = new Map();
    this.labels = []; // the tokens on the axes of cells, where there are any
    this.drawn = new Map();
    this.plotly = plotlyFrom(settings.plotly);
    this.plotly().catch(() => {}); // early; whoever draws tries again
    this.remember = addressWriter();
  }

  /** The components that must be there before the page opens. */
  places() {
    return [
      "masthead",
      "message",
      "messenger",
      ...(this.settings.places ?? []),
      ...this.settings.figures.map((name) => `figure-${name}`),
    ];
  }

  /** Fills what every page has. @param {Record<string, any>} places */
  async prepare(places) {
    this.place = places;
    this.texts = await this.#texts();
    this.upload = await arrived();
    this.message = new Message(places.message.element);
    masthead(
      places.masthead.element,
      (key) => this.text(key),
      () => this.redrawAll(),
    );
    this.figures = new Map(this.settings.figures.map((name) => [name, this.#figure(name)]));
    hearSliders(this.settings.controls, (name, value) => this.changed(name, value));
    nameControls(this.settings.controls, (key, fields) => this.text(key, fields));
    // On a phone the figures should not lie below a screen and a half of controls.
    if (this.narrow) {
      for (const group of this.settings.folded ?? []) document.querySelector(`#group-${group} > button`)?.click();
    }
  }

  get narrow() {
    return matchMedia(NARROW).matches;
  }

  /** Calls back whenever the page becomes narrow or wide. @param {() => void} changed */
  onNarrow(changed) {
    matchMedia(NARROW).addEventListener("change", changed);
  }

  /** @param {string} key @param {Record<string, any>} [fields] */
  text(key, fields = {}) {
    return (this.texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(fields[name] ?? ""));
  }

  /** What the server is told with every request. @param {string} asked @param {Record<string, any>} more */
  said(asked, more = {}) {
    return {
      query: asked,
      theme: theme(),
      columns: this.narrow ? 2 : 0,
      address: location.origin + location.pathname,
      ...more,
    };
  }

  /** gradio's event of a control. @param {string} name @param {any[]} values its one value */
  heard(name, [value]) {
    this.changed(name, value);
  }

  /** Whether a control now says something that the page has to follow. @param {string} name @param {any} value */
  isNews(name, value) {
    // A number box that is empty while one types keeps its last value.
    if (value === null && name !== "row") return false;
    if (String(value) === String(this.values[name])) return false; // boxes report every change, the page's own included
    if (name !== "lang" && name !== "page") return true;
    this.leave(name, value);
    return false;
  }

  /** Everything the controls show, in gradio's order. */
  controlValues() {
    return this.settings.controls.map((name) => this.values[name] ?? null);
  }

  /** Gives gradio's controls the page's values. */
  tellControls() {
    this.place.messenger.trigger("change");
  }

  /** What a request brings besides its JSON; a page with more than files says so. @returns {Uint8Array | null} */
  enclosed() {
    return this.values.source === "upload" ? this.upload : null;
  }

  /** The link of what is on screen. */
  link() {
    return `${location.origin}${location.pathname}${this.canonical ? `?${this.canonical}` : ""}`;
  }

  /**
   * gradio chooses its labels once, when it starts, and serves each page by itself: another language or page is another visit, with the state
   * in the link.
   * @param {"lang" | "page"} name @param {string} value
   */
  async leave(name, value) {
    await carry(this.enclosed());
    const link = new URLSearchParams(this.canonical ?? "");
    link.set(name, value);
    if (name === "page") {
      for (const own of [...this.settings.own, ...STAYS, ...(this.settings.leaves ?? [])]) link.delete(own);
    }
    location.search = link.toString();
  }

  /** @param {string} name @param {any} drawing @param {string} hash of its structure @param {string} painted the state it shows */
  async draw(name, drawing, hash, painted) {
    this.drawn.set(name, { drawing, hash, painted });
    await this.redraw(name);
    return { painted: markPainted(this.figures.get(name).root, painted) };
  }

  /** @param {string} name */
  async redraw(name) {
    const { drawing, hash } = this.drawn.get(name);
    const Plotly = await this.plotly();
    const { living } = this.figures.get(name);
    await living.draw(Plotly, drawing, `${hash} ${theme()}`, this.settings.templates[theme()], this.labels);
  }

  redrawAll() {
    for (const name of this.drawn.keys()) this.redraw(name);
  }

  /** An update that takes its time says so. @param {boolean} busy */
  busy(busy) {
    for (const { root } of this.figures.values()) {
      root.classList.toggle("is-busy", busy);
      root.setAttribute("aria-busy", String(busy));
    }
  }

  /** A figure as plotly takes it, for a picture or a file; a page whose cells are drawn otherwise makes it otherwise. @param {string} name */
  async standing(name) {
    const { drawing } = this.drawn.get(name);
    const template = this.settings.templates[theme()];
    const { width, height, ...layout } = plain(drawing.layout);
    return { data: plain(drawing.data), layout: { ...layout, height: height ?? 450, template } };
  }

  /** Saves a figure as PNG or SVG. @param {string} name @param {string} format */
  async picture(name, format) {
    try {
      await savePicture(await this.plotly(), await this.standing(name), `headlight-${name}`, format);
    } catch (problem) {
      this.message.fail(sentence(problem, (key) => this.text(key)));
    }
  }

  /** How the cells of a figure answer the pointer. @param {string} _name */
  reactions(_name) {
    return {};
  }

  #figure(name) {
    const root = this.place[`figure-${name}`].element;
    const block = new FigureBlock(
      root,
      name,
      (key) => this.text(key),
      (format) => this.picture(name, format),
    );
    const cells = this.settings.cells?.includes(name);
    const living = cells
      ? new CellsFigure(block.stage, block.bars, this.reactions(name))
      : new GraphFigure(block.stage);
    return { root, block, living };
  }

  async #texts() {
    const lang = navigator.language.toLowerCase().startsWith("ko") ? "ko" : "en";
    document.documentElement.lang = lang;
    this.values.lang = lang;
    const answer = await fetch(new URL(this.settings.locales[lang], document.baseURI));
    return answer.json();
  }
}
