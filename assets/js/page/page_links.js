/**
 * The names of the pages: each is a link to the state with which its page would open now. A press turns to it in this tab; a
 * middle press, a key held with it or the browser's menu opens it in another, outside of the room and the lesson of this one.
 */

import { joined, ofTab } from "../link/address.js";
import { element } from "../dom/dom.js";

/** What another tab needs as well: a notebook's tensors, gradio's theme, and the signature of a private Space. */
const ANYWHERE = ["held", "__theme", "__sign"];

/**
 * The page that the links lead away from.
 * @typedef {object} Turning
 * @property {{pages: string[], page: string}} settings
 * @property {(key: string) => string} text
 * @property {import("./ways.js").Ways} ways
 */

export class PageLinks {
  /**
   * @param {HTMLElement} place
   * @param {Turning} page
   */
  constructor(place, page) {
    this.page = page;
    /** @type {Map<string, HTMLAnchorElement>} */
    this.links = new Map(page.settings.pages.map((name) => [name, this.#made(name)]));
    place.replaceChildren(element("nav", { ariaLabel: page.text("control.page.label") }, ...this.links.values()));
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.follow(); // the tab may remember another state of a page that was open meanwhile
    });
  }

  /** Follow the page's state, and who leads it: a link that may not be followed leads nowhere. */
  follow() {
    const { page, links } = this;
    const tab = Object.fromEntries(Object.entries(ofTab(location.search)).filter(([name]) => ANYWHERE.includes(name)));
    const way = page.ways.all();
    for (const [name, link] of links) {
      const query = joined(name === page.settings.page ? page.ways.looked : way(name), tab);
      if (page.ways.turns) link.href = query ? `${location.pathname}?${query}` : location.pathname;
      else link.removeAttribute("href");
    }
  }

  /** @param {string} name */
  #made(name) {
    const here = name === this.page.settings.page;
    const link = element(
      "a",
      { role: "link", tabIndex: 0, data: { page: name } },
      this.page.text(`choice.page.${name}`),
    );
    if (here) link.setAttribute("aria-current", "page");
    const turn = () => void this.page.ways.leaveFor(name);
    link.addEventListener("click", (event) => {
      const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (elsewhere && this.page.ways.turns) return;
      event.preventDefault();
      if (!here || elsewhere) turn();
    });
    link.addEventListener("auxclick", (event) => {
      if (event.button !== 1 || this.page.ways.turns) return;
      event.preventDefault();
      turn(); // which says why not
    });
    link.addEventListener("keydown", ({ key }) => {
      if (key === "Enter" && !here && !link.hasAttribute("href")) turn(); // the browser presses links alone
    });
    return link;
  }
}
