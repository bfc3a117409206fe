/** The ways from a page: its own address, and those that lead to another state, another page or another language. */

import { joined, ofState, ofTab, tabAfter } from "../link/address.js";
import { inLanguage, lookIn, looking, valuesOf } from "../link/look.js";
import { originAround, sharedLink } from "../link/shared_link.js";
import { remember, ways } from "../link/tab_memory.js";
import { keep } from "../link/tab_store.js";
import { read } from "../link/values.js";
import { origin } from "../files/origin.js";
import { carry } from "../server/upload_handover.js";

// Parameters whose meaning differs from page to page.
const STAYS = ["pin", "row", "head", "present", "hide", "focus"];
/** Kept by the tab while the room or a lesson loads a page. */
export const LED = "headlight-led";

/**
 * @typedef {import("../link/values.js").Values} Values
 *
 * The page that they lead from.
 * @typedef {object} Here
 * @property {{page: string, first: string, defaults: Values, own: string[], leaves?: string[], reach: import("../link/tab_memory.js").Reach,
 *   space: string, versions: import("../files/origin.js").Versions}} settings
 * @property {import("../link/state.js").State} state
 * @property {{look: import("../link/look.js").Look, show: (look: import("../link/look.js").Look) => void}} presenter
 * @property {import("../lead/leader.js").Leader} leader who leads the page
 * @property {(values: Values, tellControls: boolean) => void} move
 *
 * @typedef {object} Rules what a page does in its own way
 * @property {(values: Values) => void} adopt takes the values of a link
 */

export class Ways {
  /** @type {Rules} */
  rules = { adopt: (values) => this.#page.move(values, true) };
  #page;

  /** @param {Here} page */
  constructor(page) {
    this.#page = page;
  }

  /** Return the full address of the state on screen. */
  link() {
    const { settings, state } = this.#page;
    const signed = "__sign" in ofTab(location.search);
    return sharedLink(location, state.present, settings.space, originAround(), signed);
  }

  /** Return the origin that files of the present state carry. */
  fileOrigin() {
    const { settings, state } = this.#page;
    return origin(location, state.present, state.agreed.seed, settings.versions);
  }

  /** The state with its look; before the first answer, as the link says it. */
  get looked() {
    const { state, presenter } = this.#page;
    return looking(state.canonical ?? ofState(location.search), presenter.look);
  }

  /** True if the visitor may turn to another page now. */
  get turns() {
    return this.#page.leader.could("turn");
  }

  /** Return what gives each page its link if the visitor went there now. */
  all() {
    const { settings, state } = this.#page;
    const { page, own, leaves = [], reach } = settings;
    const keeps = [...own, ...STAYS, ...leaves];
    return ways({ page, link: this.looked, values: state.agreed, arrived: state.opening, keeps }, reach);
  }

  /**
   * Show the state of a link, as a lesson or a teacher does: on this page without loading anything, else on its own. Language,
   * theme and what belongs to the tab stay.
   * @param {string} link @param {import("../link/address.js").TabChange} [change] of what belongs to the tab, if another page is loaded
   */
  async goTo(link, change = {}) {
    const { settings, state, presenter, leader } = this.#page;
    const to = new URLSearchParams(link).get("page") ?? settings.first;
    if (to !== settings.page) {
      await this.turnTo(link, false, change);
      return;
    }
    const { lang } = state.values;
    leader.guide(() => {
      presenter.show(lookIn(link));
      state.values = { ...state.values, ...valuesOf(presenter.look) };
      this.rules.adopt({ ...read(link, settings.defaults), lang });
    });
  }

  /** Open another language with the state in the link: gradio fixes its labels when it starts. @param {string} lang */
  async speak(lang) {
    const { state, presenter } = this.#page;
    await carry(state.upload);
    const link = new URLSearchParams(looking(state.present, presenter.look));
    link.set("lang", lang);
    location.search = joined(link.toString(), ofTab(location.search));
  }

  /** Open another page with its own state (tab_memory.js): gradio serves each page by itself. @param {string} to */
  async leaveFor(to) {
    const { settings, state } = this.#page;
    if (!this.#page.leader.allows("turn")) return;
    await carry(state.upload);
    const next = this.all()(to);
    remember(settings.page, this.looked);
    location.search = joined(next, ofTab(location.search));
  }

  /**
   * Open another page with a state of its own, in this language: the room or a lesson leads there, not the visitor.
   * @param {string} link @param {boolean} [instead] true if the way back leads past this page
   * @param {import("../link/address.js").TabChange} [change] of what belongs to the tab, there: the way back leads to what it is here
   */
  async turnTo(link, instead = false, change = {}) {
    const { settings, state, presenter } = this.#page;
    await carry(state.upload);
    remember(settings.page, looking(state.present, presenter.look));
    keep(LED, "1");
    const to = joined(inLanguage(link, new URLSearchParams(state.present).get("lang")), tabAfter(change));
    if (instead) location.replace(`${location.pathname}?${to}`);
    else location.search = to;
  }
}
