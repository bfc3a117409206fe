/** The common parts of every page: texts, masthead, message, link, controls' values, figures, and the way to other pages. */

import { arrived } from "../server/upload_handover.js";
import { choiceHints } from "../controls/choice_hints.js";
import { Figures } from "../figures/figures.js";
import { controlBar } from "../controls/control_bar.js";
import { inside } from "../dom/dom.js";
import { Leader } from "../lead/leader.js";
import { spoken } from "../words/language.js";
import { isNarrow } from "../dom/narrow.js";
import { coming, theme } from "../dom/theme.js";
import { masthead } from "./masthead.js";
import { Message } from "./message.js";
import { filled } from "../words/message_format.js";
import { foldMore } from "./more.js";
import { Presence } from "./presence.js";
import { Present } from "./present.js";
import { Server } from "../server/server.js";
import { nameControls } from "../controls/spoken_controls.js";
import { answerNumbers } from "../reasons/reasons.js";
import { Prints } from "../paper/prints.js";
import { printing } from "../paper/printing.js";
import { State } from "../link/state.js";
import { PageLinks } from "./page_links.js";

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
  #theme = coming;
  /** @type {Record<string, Place>} */
  place;
  /** @type {Record<string, string>} */
  #texts = {};
  /** The texts, if they were asked for ahead. @type {Promise<Record<string, string> | null> | undefined} */
  #reading;
  /** @type {Message} */
  message;
  /** @type {Present} */
  presenter;
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
    this.#reading = this.#read().catch(() => null);
    return this.#reading;
  }

  /** Fill the common parts. @param {Record<string, import("../dom/dom.js").Place>} places */
  async prepare(places) {
    this.place = places;
    this.#theme = theme;
    this.#texts = (await this.#reading) ?? (await this.#read());
    document.documentElement.lang = this.state.values.lang;
    this.state.upload = await arrived();
    this.message = new Message(places.message.element);
    masthead(
      places.masthead.element,
      (key) => this.text(key),
      () => this.figures.redrawAll(),
    );
    const pageLinks = new PageLinks(places["control-page"].element, this);
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
    this.presenter.after.push(() => pageLinks.follow());
    this.leader.onChange(() => pageLinks.follow());
    pageLinks.follow();
    nameControls(this.settings.controls, (key, fields) => this.text(key, fields));
    choiceHints(inside(document.body, ".gradio-container"), this.settings.controls, (key) => this.text(key));
    controlBar((key) => this.text(key));
    answerNumbers({ text: (key, fields) => this.text(key, fields), sections: this.settings.sections });
    printing(this);
  }

  /** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
  text(key, fields = {}) {
    return filled(this.#texts[key] ?? key, this.state.values.lang, fields);
  }

  /** Return the fields of every request. @param {string} asked @param {Record<string, unknown>} more */
  said(asked, more = {}) {
    return {
      query: asked,
      theme: this.#theme(),
      columns: isNarrow() ? 2 : 0,
      address: location.origin + location.pathname,
      ...more,
    };
  }

  /** Show another look of the same state. @param {import("../link/look.js").Look} look */
  look(look) {
    this.presenter.show(look);
  }

  async #read() {
    const lang = spoken(Object.keys(this.settings.locales), navigator.language);
    this.state.values.lang = lang;
    const answer = await fetch(new URL(this.settings.locales[lang], document.baseURI));
    return answer.json();
  }
}
