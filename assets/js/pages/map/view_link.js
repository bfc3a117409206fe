/** The view in the link: head, row, looks and window change there without the server. */

import { linked, VIEW } from "./link.js";

/** The window of everything, and no open row. */
const EVERYTHING = { left: 0, top: 0, across: 0, row: null };

/**
 * @typedef {import("../../link/values.js").Value} Value
 * @typedef {import("../../link/values.js").Values} Values
 * @typedef {Record<string, Value>} Change of the names in VIEW
 *
 * The page whose link it is.
 * @typedef {object} Page
 * @property {{defaults: Values}} settings
 * @property {import("../../link/state.js").State} state
 * @property {{allows: (wish: "move") => boolean}} leader
 * @property {{arrive: (link: string) => void}} presence
 */

/** Return the part of values that says what is seen. @param {Values} values */
const seenOf = (values) => Object.fromEntries(VIEW.map((name) => [name, values[name]]));

export class ViewLink {
  #page;
  #seen;

  /** @param {Page} page @param {(change: Change) => void} seen hears that the link names another view */
  constructor(page, seen) {
    this.#page = page;
    this.#seen = seen;
  }

  /** The values of the view. */
  get values() {
    return seenOf(this.#page.state.values);
  }

  /** The values of the page for another sequence, of which everything is seen. */
  get whole() {
    return { ...this.#page.state.values, ...EVERYTHING };
  }

  /** Return the link of another window. @param {Record<string, number>} window */
  of(window) {
    const { state, settings } = this.#page;
    return linked(state.present, { ...state.values, ...window }, settings.defaults);
  }

  /** Change the view of the same map. @param {Change} change */
  see(change) {
    const { state, leader, presence } = this.#page;
    if (!leader.allows("move")) return;
    state.values = { ...state.values, ...change };
    state.canonicalValues = { ...state.agreed, ...change };
    state.canonical = this.of({});
    presence.arrive(state.canonical);
    this.#seen(change);
  }

  /** See what a link shows of the same map; return false if it shows another. @param {Values} values of the link */
  adopt(values) {
    const { state } = this.#page;
    const seen = seenOf(values);
    const same = Object.keys(values).every(
      (name) => name in seen || String(values[name]) === String(state.values[name]),
    );
    if (!same || state.canonical === null) return false;
    this.see(seen);
    return true;
  }

  /** Keep the view in a state from the server: the visitor may have moved the window meanwhile. @param {import("../../../types/wire.js").State} header */
  keep(header) {
    const { state, settings } = this.#page;
    if (state.canonical === null) return;
    const { values } = this;
    Object.assign(header, {
      query: linked(header.query, values, settings.defaults),
      controls: { ...header.controls, ...values },
    });
  }
}
