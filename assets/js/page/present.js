/** Present mode: the button, the keys, the whole screen, and the one way back. Its looks are CSS: assets/css/present.css. */

import { element } from "../dom/dom.js";
import { ofState } from "../link/address.js";
import { PLAIN, lookIn, looking, meant, valuesOf } from "../link/look.js";
import { icon } from "../dom/svg.js";

const TYPED =
  "input:not([type=range], [type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]";
const SCREEN = "M2 3h16v11H2z M10 14v3 M6 17h8";
/** The sign of a button that enlarges a figure. */
export const LARGER = "M11.5 3H17v5.5 M17 3l-6 6 M8.5 17H3v-5.5 M3 17l6-6";
const SMALLER = "M17 8.5h-5.5V3 M11.5 8.5l6-6 M3 11.5h5.5V17 M8.5 11.5l-6 6";

/**
 * @typedef {import("../link/look.js").Look} Look
 *
 * The page that is presented.
 * @typedef {object} Presented
 * @property {{defaults: object, parts: string[], lesson: string[]}} settings
 * @property {import("../link/state.js").State} state
 * @property {import("../lead/leader.js").Leader} leader
 * @property {import("../figures/figures.js").Figures} figures
 * @property {import("./updates.js").Updates} updates
 * @property {(key: string) => string} text
 */

export class Present {
  /** @type {Look} */
  look = lookIn(location.search);
  /** True once the visitor has chosen a look; before, the link has. */
  chosen = false;
  /** The figure that stands alone because a lesson speaks of it; the visitor's own choice comes first. */
  staged = "";
  /** Called with each new look. @type {((look: Look) => void)[]} */
  after = [];
  #page;
  /** True while the page fills the screen because it is presented. */
  #filling = false;
  #button = element("button");
  #back = element("button");
  /** The button that enlarges each figure. @type {Map<string, HTMLButtonElement>} */
  #enlargers = new Map();

  /** @param {Presented} page */
  constructor(page) {
    this.#page = page;
  }

  /** Make the buttons, and show the look of the link. @param {HTMLElement} place */
  build(place) {
    const { figures } = this.#page;
    const text = (/** @type {string} */ key) => this.#page.text(key);
    const hint = text("page.present_hint");
    this.#button = element(
      "button",
      { type: "button", className: "tool", id: "present-start", title: hint, onclick: () => this.#present() },
      icon(SCREEN),
      element("span", { className: "word-present" }, text("page.present")),
    );
    this.#back = element(
      "button",
      {
        type: "button",
        className: "tool",
        id: "way-back",
        title: text("page.back_hint"),
        hidden: true,
        onclick: () => this.#leave(PLAIN),
      },
      element("span", { className: "cross", aria: { hidden: "true" } }, "✕"),
      element("span", { className: "word-back" }, text("page.back")),
    );
    place.replaceChildren(this.#button, this.#back);
    for (const [name, { block }] of figures.all) this.#enlargers.set(name, this.#enlarger(name, block));
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("fullscreenchange", () => {
      if (document.fullscreenElement || !this.#filling) return;
      this.#filling = false;
      if (this.look.present) this.#leave({ ...this.look, present: 0, focus: "" });
    });
    this.show(lookIn(location.search));
  }

  /** Show the look that the visitor wants at once; the server writes its link. @param {Look} look */
  wish(look) {
    const { state, leader, updates } = this.#page;
    const { focus, hide } = this.look;
    const own = focus === look.focus && String(hide) === String(look.hide); // large type is the visitor's own
    this.chosen = true;
    if (!own && !leader.allows("look")) return;
    this.show(look);
    if (state.canonicalValues) {
      state.values = { ...state.values, ...valuesOf(look) };
      void updates.ask(updates.link());
    } else {
      void updates.ask(looking(updates.wished ?? ofState(location.search), look));
    }
  }

  /** Shape the page. @param {Look} look */
  show(look) {
    this.look = look;
    const page = document.documentElement;
    const { present, hide } = look;
    const focus = look.focus || this.staged;
    const { figures, settings } = this.#page;
    const { defaults, parts, lesson } = settings;
    const named = (/** @type {string} */ name) => hide.includes(name);
    const focused = figures.all.has(focus) && !named(focus);
    page.classList.toggle("presenting", present === 1);
    page.classList.toggle("focusing", focused);
    page.dataset.hide = hide.join(" ");
    for (const name of Object.keys(defaults)) {
      const control = document.getElementById(`control-${name}`);
      control?.classList.toggle("is-out", named(name));
      control?.classList.toggle("is-taught", lesson.includes(name));
    }
    for (const name of parts) document.getElementById(name)?.classList.toggle("is-out", named(name));
    for (const [name, { root }] of figures.all) {
      root.classList.toggle("is-out", named(name));
      root.classList.toggle("is-focused", focused && name === focus);
      this.#label(name, focused && name === focus);
    }
    this.#back.hidden = !present && !hide.length && !look.focus;
    this.#button.classList.toggle("is-short", !this.#back.hidden);
    this.#button.setAttribute("aria-pressed", String(present === 1));
    for (const then of this.after) then(look);
  }

  /** Let a figure stand alone; empty: none. @param {string} name */
  stage(name) {
    if (name === this.staged) return;
    this.staged = name;
    this.show(this.look);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented) return;
    const typing = event.target instanceof Element && event.target.closest(TYPED) !== null;
    const wanted = meant(event, typing);
    const { present, focus } = this.look;
    if (wanted === "present") {
      event.preventDefault();
      present ? this.#leave({ ...this.look, present: 0 }) : this.#present();
    } else if (wanted === "leave" && (present || focus)) {
      this.#leave({ ...this.look, present: 0, focus: "" });
    }
  }

  #present() {
    // A frame in a slide may not fill the screen, and a telephone cannot: the page is presented all the same.
    const asked =
      document.fullscreenEnabled && !document.fullscreenElement && document.documentElement.requestFullscreen();
    void Promise.resolve(asked).then(
      () => {
        const full = document.fullscreenElement !== null;
        this.#filling = full && this.look.present === 1;
        if (asked && full && !this.#filling) void document.exitFullscreen().catch(() => null); // it was left meanwhile
      },
      () => null,
    );
    this.wish({ ...this.look, present: 1 });
  }

  /** @param {Look} look what is left */
  #leave(look) {
    if (this.#filling && document.fullscreenElement) void document.exitFullscreen().catch(() => null);
    this.#filling = false;
    this.wish(look);
  }

  /** Add a figure's button that enlarges it. @param {string} name @param {import("../figures/figure_block.js").FigureBlock} block */
  #enlarger(name, block) {
    const onclick = () => {
      if (this.staged === name && !this.look.focus) this.stage("");
      else this.wish({ ...this.look, focus: this.look.focus === name ? "" : name });
    };
    const button = element("button", { type: "button", className: "enlarge", onclick });
    block.tools.append(button);
    return button;
  }

  /** @param {string} name @param {boolean} large */
  #label(name, large) {
    const button = this.#enlargers.get(name);
    if (!button || button.getAttribute("aria-pressed") === String(large)) return;
    const title = this.#page.text(large ? "page.smaller" : "page.larger");
    Object.assign(button, { title, ariaLabel: title, ariaPressed: String(large) });
    button.replaceChildren(icon(large ? SMALLER : LARGER));
  }
}
