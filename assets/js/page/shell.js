/** The common parts of every page: texts, masthead, message, link, controls' values, figures, and the way to other pages. */

import { arrived } from "../server/upload_handover.js";
import { choiceHints } from "../controls/choice_hints.js";
import { Figures } from "../figures/figures.js";
import { controlBar } from "../controls/control_bar.js";
import { inside } from "../dom/dom.js";
import { Leader } from "../lead/leader.js";
import { spoken } from "../words/language.js";
import { coming, theme } from "../dom/theme.js";
import { masthead } from "./masthead.js";
import { Message } from "./message.js";
import { filled } from "../words/message_format.js";
import { foldMore } from "./more.js";
import { Presence } from "./presence.js";
import { Present } from "./present.js";
import { Server, sentence } from "../server/server.js";
import { hearSliders } from "../controls/sliders.js";
import { nameControls } from "../controls/spoken_controls.js";
import { answerNumbers } from "../reasons/reasons.js";
import { Prints } from "../paper/prints.js";
import { printing } from "../paper/printing.js";
import { State } from "../link/state.js";
import { PageLinks } from "./page_links.js";
import { typedControl } from "../controls/typing.js";

const NARROW = "(max-width: 700px)";

/**
 * @typedef {import("../link/values.js").Values} Values
 * @typedef {import("../dom/dom.js").Place} Place
 * @typedef {import("../../types/plotly.js").Drawing} Drawing
 * @typedef {"light" | "dark"} Theme
 */

/**
 * Settings from Python: visualiser/pages/elements.py and the page's own module.
 * @typedef {object} Settings
 * @property {string} page
 * @property {string[]} pages all of them, in the order of the navigation
 * @property {string} first the page of a link that names none
 * @property {string[]} controls in gradio's order
 * @property {Values} defaults of every parameter
 * @property {string[]} own parameters of this page only
 * @property {string[]} unread parameters that change nothing on this page
 * @property {import("../link/tab_memory.js").Reach} reach ranges and choices of all pages
 * @property {string[]} [leaves] parameters dropped on the way to another page
 * @property {string} prefix address of the routes, relative to the page
 * @property {string} space OWNER/NAME of the Space that serves it; empty elsewhere
 * @property {string} plotly its address
 * @property {string} unpacking address of the script of offline pages
 * @property {import("../files/origin.js").Versions} versions
 * @property {Record<string, string>} locales addresses of the texts
 * @property {Record<Theme, import("../../types/plotly.js").Template>} templates plotly's
 * @property {Record<string, import("../figures/palette.js").ColourScale>} paper the colour scales of prints, by the first colour of the screen's
 * @property {import("../link/entry.js").Uses} uses
 * @property {Record<string, string>} sections addresses of what defines the numbers
 * @property {number} seedMaximum
 * @property {string[]} figures
 * @property {string[]} parts that a link may hide besides controls and figures
 * @property {string[]} lesson controls that stay while the page is presented
 * @property {string[]} [cells] figures of heat maps
 * @property {string[]} [charts] figures of curves, boxes and bars; the page draws what is neither
 * @property {string[]} [places] components besides those of every page
 * @property {Record<string, import("../controls/stops.js").Scale>} [scales] of the logarithmic sliders
 */

/** @template {object} [More={}] further settings of this page from Python */
export class Shell {
  /** Return the theme to ask for; gradio sets it while it starts. */
  theme = coming;
  /** @type {Record<string, Place>} */
  place;
  /** @type {Record<string, string>} */
  texts;
  /** @type {Message} */
  message;
  /** @type {Present} */
  presenter;
  /** @type {PageLinks} */
  pageLinks;
  /** @type {import("./ways.js").Ways} */
  ways;

  /** @param {Settings & More} settings */
  constructor(settings) {
    this.settings = settings;
    this.server = new Server(settings.prefix, (asker, sentence) => this.message.wait(asker, sentence));
    this.state = new State(settings.page, settings.defaults);
    /** Who leads this page: every wish of the visitor goes through it. */
    this.leader = new Leader(settings.page);
    this.presence = new Presence(this.state, this.leader);
    /** What gradio's controls show, as far as they were told or heard. @type {Map<string, string>} */
    this.showing = new Map();
    this.figures = new Figures(settings);
    /** @type {Prints} */
    this.prints = new Prints(this);
  }

  /** Return the components that must be mounted before the page opens. */
  places() {
    return [
      "masthead",
      "control-page",
      "message",
      "messenger",
      "present",
      ...(this.settings.places ?? []),
      ...this.settings.figures.map((name) => `figure-${name}`),
    ];
  }

  /** Ask for the texts before they are needed. @param {string} _css all pages' styles, as gradio gets them */
  ahead(_css) {
    this.reading = this.#texts().catch(() => null);
  }

  /** Fill the common parts. @param {Record<string, import("../dom/dom.js").Place>} places */
  async prepare(places) {
    this.place = places;
    this.theme = theme;
    this.texts = (await this.reading) ?? (await this.#texts());
    document.documentElement.lang = this.state.values.lang;
    this.state.upload = await arrived();
    this.message = new Message(places.message.element);
    masthead(
      places.masthead.element,
      (key) => this.text(key),
      () => this.figures.redrawAll(),
    );
    this.pageLinks = new PageLinks(places["control-page"].element, this);
    this.figures.build(
      places,
      (key) => this.text(key),
      (name, format, lined) => this.prints.picture(name, format, lined),
    );
    foldMore(places.more, (key) => this.text(key));
    this.presenter = new Present(
      places.present.element,
      this.figures.all,
      { ...this.settings, controls: Object.keys(this.settings.defaults) },
      (key) => this.text(key),
      (look) => this.look(look),
    );
    this.presenter.after.push(() => this.pageLinks.follow());
    this.pageLinks.follow();
    hearSliders(this.settings.controls, (name, value) => this.heard(name, [value]));
    nameControls(this.settings.controls, (key, fields) => this.text(key, fields));
    choiceHints(inside(document.body, ".gradio-container"), this.settings.controls, (key) => this.text(key));
    controlBar((key) => this.text(key));
    answerNumbers({ text: (key, fields) => this.text(key, fields), sections: this.settings.sections });
    printing(this);
  }

  get narrow() {
    return matchMedia(NARROW).matches;
  }

  /** Call `changed` whenever the page becomes narrow or wide. @param {() => void} changed */
  onNarrow(changed) {
    matchMedia(NARROW).addEventListener("change", changed);
  }

  /** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
  text(key, fields = {}) {
    return filled(this.texts[key] ?? key, this.state.values.lang, fields);
  }

  /** Return the fields of every request. @param {string} asked @param {Record<string, unknown>} more */
  said(asked, more = {}) {
    return {
      query: asked,
      theme: this.theme(),
      columns: this.narrow ? 2 : 0,
      address: location.origin + location.pathname,
      ...more,
    };
  }

  /** Take gradio's event of a control. @param {string} name @param {import("../link/values.js").Values[string][]} values its one value */
  heard(name, [value]) {
    this.showing.set(name, String(value));
    this.changed(name, value);
  }

  /** Show another look of the same state. @param {import("../link/look.js").Look} look */
  look(look) {
    this.presenter.show(look);
  }

  /** React to a control that the visitor moved. @param {string} _name @param {import("../link/values.js").Value} _value */
  changed(_name, _value) {}

  /** Return true if the page has to follow a control's value. @param {string} name @param {import("../link/values.js").Value} value */
  isNews(name, value) {
    // An empty number box keeps its last value while the visitor types.
    if (value === null && name !== "row") return false;
    if (String(value) === String(this.state.values[name])) return false; // boxes report the page's own changes, too
    if (name !== "lang") return true;
    void this.ways.speak(String(value));
    return false;
  }

  /** Return all controls' values in gradio's order; gradio leaves a control without a value alone. */
  controlValues() {
    const typed = typedControl();
    return this.settings.controls.map((name) => {
      const value = this.state.values[name] ?? null;
      // gradio writes a moment later: a control that shows its value keeps what the visitor chooses meanwhile
      if (name === typed || this.showing.get(name) === String(value)) return undefined;
      this.showing.set(name, String(value));
      return value;
    });
  }

  /** Give gradio's controls the page's values. */
  tellControls() {
    this.place.messenger.trigger("change");
  }

  /** Return what a request carries besides its JSON; a page with more than files overrides this. @returns {Uint8Array | null} */
  enclosed() {
    return this.state.values.source === "upload" ? this.state.upload : null;
  }

  /** Return the sentence about a problem with a request, also for bundles of their own: their copy of its class is another. @param {unknown} problem */
  sentenceOf(problem) {
    return sentence(problem, (key) => this.text(key));
  }

  async #texts() {
    const lang = spoken(Object.keys(this.settings.locales), navigator.language);
    this.state.values.lang = lang;
    const answer = await fetch(new URL(this.settings.locales[lang], document.baseURI));
    return answer.json();
  }
}
