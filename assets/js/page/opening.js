/** Opens a page: asks for its first picture while gradio starts, then fills the places that gradio has mounted. */

import { arrived, handed, stayed } from "../server/upload_handover.js";
import { choiceHints } from "../controls/choice_hints.js";
import { controlBar } from "../controls/control_bar.js";
import { nameControls } from "../controls/spoken_controls.js";
import { inside } from "../dom/dom.js";
import { onNarrow } from "../dom/narrow.js";
import { printing } from "../paper/printing.js";
import { answerNumbers } from "../reasons/reasons.js";
import { typesetIn } from "../words/symbols.js";
import { attend } from "./classroom.js";
import { masthead } from "./masthead.js";
import { foldMore } from "./more.js";
import { show, showWithFigures } from "./outline.js";
import { PageLinks } from "./page_links.js";

/** Milliseconds until the page stands without its first answer. */
const PATIENT = 250;

/**
 * @typedef {Record<string, import("../dom/dom.js").Place>} Places
 *
 * What pages/NAME/page.js makes: a page, and what is its own.
 * @typedef {object} Own
 * @property {import("./live_page.js").LivePage} page
 * @property {(places: Places) => void} build builds the page's own parts, before its first picture
 * @property {(reading: Promise<Record<string, string> | null>, css: string) => void} [ahead] hears that the first picture has been
 *   asked for, with the texts and all pages' styles, as gradio gets them
 */

export class Opening {
  #own;
  #texts;

  /** @param {Own} own @param {import("./texts.js").Texts} texts */
  constructor(own, texts) {
    this.#own = own;
    this.#texts = texts;
    this.page = own.page;
  }

  /** Return the components that must be mounted before the page opens. */
  places() {
    const { places = [], figures } = this.page.settings;
    const common = ["masthead", "control-page", "message", "messenger", "present"];
    return [...common, ...places, ...figures.map((/** @type {string} */ name) => `figure-${name}`)];
  }

  /** Ask for the texts and the first picture before they are needed. @param {string} css all pages' styles, as gradio gets them */
  ahead(css) {
    const reading = this.#texts.ask();
    this.page.updates.ahead();
    this.#own.ahead?.(reading, css);
  }

  /** Fill the page and ask for the link's state; resolves when the controls' values are known. @param {Places} places */
  async open(places) {
    const { page } = this;
    await this.#texts.read();
    document.documentElement.lang = this.#texts.lang;
    const came = await arrived();
    page.state.upload = stayed(location.search) ?? came ?? handed(location.search);
    this.#fill(places);
    this.#own.build(places);
    typesetIn(document.body);
    onNarrow(() => void page.updates.again());
    const patience = setTimeout(show, PATIENT);
    await page.updates.open();
    clearTimeout(patience);
    showWithFigures();
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) page.leader.tell({ type: "back" });
    });
    attend(page);
  }

  /** Fill the places of every page. @param {Places} places */
  #fill(places) {
    const { page } = this;
    const { settings, figures, presenter } = page;
    /** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
    const text = (key, fields) => page.text(key, fields);
    page.message.build(places.message.element);
    masthead(places.masthead.element, text, () => figures.redrawAll());
    const pageLinks = new PageLinks(places["control-page"].element, page);
    figures.build(places, text, (name, format, lined) => page.prints.picture(name, format, lined));
    page.answers.telling.build(places.insight.element);
    foldMore(places.more, text);
    presenter.build(places.present.element);
    presenter.after.push(() => pageLinks.follow());
    page.leader.onChange(() => pageLinks.follow());
    pageLinks.follow();
    nameControls(settings.controls, text);
    choiceHints(inside(document.body, ".gradio-container"), settings.controls, text);
    controlBar(text);
    answerNumbers({ text, sections: settings.sections });
    printing(page);
    page.controls.build(places.messenger);
  }
}
