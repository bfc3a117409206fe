/** A page that asks the server once per move: controls → link → parts → figures. */

import { ofState } from "../link/address.js";
import { Answers } from "./answers.js";
import { attend } from "./classroom.js";
import { read } from "../link/values.js";
import { lookIn, lookOf, looking, valuesOf } from "../link/look.js";
import { onNarrow } from "../dom/narrow.js";
import { PageControls } from "./page_controls.js";
import { show, showWithFigures } from "./outline.js";
import { Telling } from "./telling.js";
import { Shell } from "./shell.js";
import { Updates } from "./updates.js";
import { Ways } from "./ways.js";
import { typesetIn } from "../words/symbols.js";

/** Milliseconds until the page stands without its first answer. */
const PATIENT = 250;

/**
 * @typedef {import("../link/values.js").Values} Values
 */

/**
 * @template {object} [More={}] further settings of this page from Python
 * @extends {Shell<More>}
 */
export class LivePage extends Shell {
  /** The upload box; null on a page that takes no files. @type {{invite: () => void} | null} */
  uploadBox = null;

  /** @param {import("./shell.js").Settings & More} settings @param {(page: LivePage) => import("./later.js").Later} later */
  constructor(settings, later) {
    super(settings);
    this.later = later(this);
    this.ways = new Ways(this);
    /** @type {Updates} */
    this.updates = new Updates(this);
    /** @type {Answers} */
    this.answers = new Answers(this);
    this.controls = new PageControls(this);
    this.telling = new Telling(this);
  }

  /** Ask for the first picture. @param {string} css */
  ahead(css) {
    const reading = super.ahead(css);
    this.updates.ahead();
    return reading;
  }

  /** Fill the page and ask for the link's state; resolves when the controls' values are known. @param {Record<string, import("../dom/dom.js").Place>} places */
  async open(places) {
    await this.prepare(places);
    this.controls.listen();
    this.build(places);
    typesetIn(document.body);
    onNarrow(() => void this.updates.again());
    const patience = setTimeout(show, PATIENT);
    await this.updates.open();
    clearTimeout(patience);
    showWithFigures();
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) this.leader.tell({ type: "back" });
    });
    attend(this);
  }

  /** Build the page's own parts, before its first picture. @param {Record<string, import("../dom/dom.js").Place>} _places */
  build(_places) {}

  /** Take another seed. */
  newDraw() {
    this.move({ ...this.state.values, seed: Math.floor(Math.random() * this.settings.seedMaximum) }, true);
  }

  /**
   * Show the state of a link, as a lesson or a teacher does: on this page without loading anything, else on its own. Language,
   * theme and what belongs to the tab stay.
   * @param {string} link @param {import("../link/address.js").TabChange} [change] of what belongs to the tab, if another page is loaded
   */
  async goTo(link, change = {}) {
    const to = new URLSearchParams(link).get("page") ?? this.settings.first;
    if (to !== this.settings.page) {
      await this.ways.turnTo(link, false, change);
      return;
    }
    const lang = { lang: this.state.values.lang };
    this.leader.guide(() => {
      this.presenter.show(lookIn(link));
      this.state.values = { ...this.state.values, ...valuesOf(this.presenter.look) };
      this.adopt({ ...read(link, this.settings.defaults), ...lang });
    });
  }

  /** Take the values of a link. @param {Values} values */
  adopt(values) {
    this.move(values, true);
  }

  /** Show another look at once; the server writes its link. @param {import("../link/look.js").Look} look */
  look(look) {
    const { focus, hide } = this.presenter.look;
    const own = focus === look.focus && String(hide) === String(look.hide); // large type is the visitor's own
    if (!own && !this.leader.allows("look")) return;
    super.look(look);
    if (this.state.canonicalValues) {
      this.state.values = { ...this.state.values, ...valuesOf(look) };
      void this.updates.ask(this.updates.link());
    } else {
      void this.updates.ask(looking(this.updates.wished ?? ofState(location.search), look));
    }
  }

  /** @param {Values} values @param {boolean} tellControls true moves gradio's controls as well */
  move(values, tellControls) {
    if (!this.leader.allows("move")) {
      this.controls.tell(); // they go back to the state that stays
      return;
    }
    this.state.values = { ...values, ...valuesOf(lookOf(this.state.values)) }; // no move changes what a class sees
    this.answers.unsettle();
    if (tellControls) this.controls.tell();
    this.controls.fit();
    // A page that takes files computes nothing before the upload; other pages ignore `source`.
    if (values.source === "upload" && !this.state.upload && this.uploadBox) this.uploadBox.invite();
    else void this.updates.ask(this.updates.link());
  }
}
