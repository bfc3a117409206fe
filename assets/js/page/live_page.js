/** A page that asks the server once per move: controls → link → parts → figures. It consists of parts, to which its own module gives rules. */

import { valuesOf, lookOf } from "../link/look.js";
import { State } from "../link/state.js";
import { Leader } from "../lead/leader.js";
import { Figures } from "../figures/figures.js";
import { Prints } from "../paper/prints.js";
import { Server } from "../server/server.js";
import { filled } from "../words/message_format.js";
import { Answers } from "./answers.js";
import { Message } from "./message.js";
import { PageControls } from "./page_controls.js";
import { Presence } from "./presence.js";
import { Present } from "./present.js";
import { Updates } from "./updates.js";
import { Ways } from "./ways.js";

/**
 * @typedef {import("../link/values.js").Values} Values
 *
 * What main.js gives a page.
 * @typedef {object} Loading
 * @property {import("./texts.js").Texts} texts
 * @property {(page: LivePage) => import("./later.js").Later} later loads what only some visitors use
 */

/** @template {object} [More={}] further settings of this page from Python */
export class LivePage {
  #texts;

  /** @param {import("./settings.js").Settings & More} settings @param {Loading} loading */
  constructor(settings, { texts, later }) {
    this.#texts = texts;
    this.settings = settings;
    this.state = new State(settings.page, { ...settings.defaults, lang: texts.lang });
    this.message = new Message();
    this.server = new Server(settings.prefix, (asker, sentence) => this.message.wait(asker, sentence));
    /** Who leads this page: every wish of the visitor goes through it. */
    this.leader = new Leader(settings.page);
    this.presence = new Presence(this.state, this.leader, later(this));
    this.figures = new Figures(settings);
    /** @type {Prints} */
    this.prints = new Prints(this);
    /** @type {Present} */
    this.presenter = new Present(this);
    /** @type {Ways} */
    this.ways = new Ways(this);
    /** @type {Updates} */
    this.updates = new Updates(this);
    /** @type {Answers} */
    this.answers = new Answers(this);
    /** @type {PageControls} */
    this.controls = new PageControls(this);
  }

  /** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
  text(key, fields = {}) {
    return filled(this.#texts.of(key), this.state.values.lang, fields);
  }

  /** @param {Values} values @param {boolean} tellControls true moves gradio's controls as well */
  move(values, tellControls) {
    const { state, controls, updates } = this;
    if (!this.leader.allows("move")) {
      controls.tell(); // they go back to the state that stays
      return;
    }
    controls.rules.moving(values);
    state.values = { ...values, ...valuesOf(lookOf(state.values)) }; // no move changes what a class sees
    this.answers.unsettle();
    if (tellControls) controls.tell();
    controls.fit();
    if (!updates.rules.waits()) void updates.ask(updates.link());
    controls.rules.moved();
  }
}
