/** All models that this server offers, as a list that is searched: what each takes, its size and licence, where it is now. */

import { element } from "../../dom/dom.js";
import { onlyPart } from "../../page/only_part.js";
import { only, revive } from "../../server/wire.js";
import { isWeights } from "../../server/upload_handover.js";
import { WeightsControl } from "./weights_control.js";

/** @typedef {import("../../../types/wire.js").ModelChoice} Choice @typedef {import("../../../types/wire.js").ModelChoices} Choices */

/** Milliseconds until the server is asked again if the Hub is there, and how often that may be. */
const [AGAIN, TIMES] = [700, 10];

/** What the name of a thing of a notebook ends in. */
const SECRET = /@[0-9a-f]{24}$/;

/** Counts the questions: an answer that another question has would be an old list. */
let asked = 0;

export class ModelList {
  #page;
  #choose;
  #weights;
  #root;
  #open;
  #chosen = element("span", { className: "models-chosen" });
  #search;
  #count = element("p", { className: "models-count", role: "status" });
  #network = element("p", { className: "models-network", role: "status" });
  #list = element("ul", { className: "models-list" });
  /** @type {Choice[]} */
  #models = [];

  /**
   * @param {HTMLElement} place @param {import("../../page/live_page.js").LivePage} page
   * @param {(name: string) => void} choose
   */
  constructor(place, page, choose) {
    this.#page = page;
    this.#choose = choose;
    const text = (/** @type {string} */ key) => page.text(key);
    this.#open = element(
      "button",
      {
        type: "button",
        id: "models-open",
        className: "tool",
        aria: { haspopup: "dialog" },
        onclick: () => this.#show(),
      },
      element("span", {}, text("hub.more")),
      this.#chosen,
    );
    this.#weights = new WeightsControl(page, choose);
    place.replaceChildren(this.#open, this.#weights.root);
    this.#search = element("input", {
      type: "search",
      id: "models-search",
      autocomplete: "off",
      spellcheck: false,
      placeholder: text("hub.search_hint"),
      oninput: () => this.#sift(),
    });
    const close = element(
      "button",
      { type: "button", className: "tool", onclick: () => this.#root.close() },
      text("hub.close"),
    );
    const title = element("h2", { id: "models-title" }, text("hub.title"));
    const search = element("label", {}, element("span", {}, text("hub.search")), this.#search);
    this.#root = element(
      "dialog",
      { id: "models", aria: { labelledby: title.id } },
      element("div", { className: "models-head" }, title, close),
      search,
      this.#count,
      this.#network,
      this.#list,
    );
    this.#root.addEventListener("keydown", (event) => this.#walk(event));
    this.#root.addEventListener("click", (event) => {
      if (event.target === this.#root) this.#root.close(); // beside it
    });
  }

  /** Say which model is chosen, if no other control does. @param {string} name */
  fit(name) {
    const said = [...document.querySelectorAll("#control-model input")].some(
      (one) =>
        /** @type {HTMLInputElement} */ (one).value === name || /** @type {HTMLInputElement} */ (one).type !== "radio",
    );
    const own = isWeights(name) ? this.#page.text("model.name.weights_file") : name.replace(SECRET, "");
    this.#chosen.textContent = said ? "" : own;
    this.#weights.fit(name);
  }

  #show() {
    // in gradio's own classes: the variables of its theme stand behind them
    this.#root.className = `${document.querySelector(".gradio-container")?.className ?? ""} models-dialog`;
    if (!this.#root.isConnected) document.body.append(this.#root);
    this.#root.showModal();
    this.#search.focus();
    this.#search.select();
    void this.#ask(TIMES);
  }

  /** Ask for the list, again while nobody knows if the Hub is there. @param {number} times */
  async #ask(times) {
    try {
      asked += 1;
      const part = await onlyPart(this.#page, "models", { asked: `${asked} ${performance.now()}` });
      const { header, blocks } = only(part, "models");
      /** @type {Choices} */
      const found = revive(header.values, blocks, this.#page.figures.known);
      if (JSON.stringify(found.models) !== JSON.stringify(this.#models)) this.#build(found.models);
      const { offered, network } = found;
      this.#network.textContent = offered && network !== "there" ? this.#page.text(`hub.network.${network}`) : "";
      this.#network.classList.toggle("is-away", network === "away");
      if (offered && network === "asked" && times > 1 && this.#root.open) setTimeout(() => this.#ask(times - 1), AGAIN);
    } catch {
      if (!this.#models.length) this.#network.textContent = this.#page.text("hub.unread");
    }
  }

  /** @param {Choice[]} models */
  #build(models) {
    const focused = document.activeElement?.closest("[data-model]")?.getAttribute("data-model");
    this.#models = models;
    this.#list.replaceChildren(...models.map((one) => element("li", {}, this.#line(one))));
    this.#sift();
    if (focused) this.#buttons.find((one) => one.dataset.model === focused)?.focus();
  }

  /** @param {Choice} one */
  #line(one) {
    const page = this.#page;
    const chosen = page.state.agreed.model === one.name;
    const cannot = this.#cannot(one);
    const facts = [one.takes && page.text(`hub.takes.${one.takes}`), this.#size(one), one.licence, this.#where(one)];
    return element(
      "button",
      {
        type: "button",
        data: { model: one.name },
        aria: { ...(chosen ? { current: "true" } : {}), ...(cannot ? { disabled: "true" } : {}) },
        onclick: () => {
          if (cannot) return;
          this.#root.close();
          this.#choose(one.name);
        },
      },
      element("b", {}, one.label),
      element("span", { className: "models-facts" }, facts.filter(Boolean).join(" · ")),
      ...(cannot ? [element("span", { className: "models-cannot" }, cannot)] : []),
    );
  }

  /** @param {Choice} one */
  #cannot({ problem, fits, shown, megabytes, enough }) {
    return (
      problem ||
      (fits ? (shown ? "" : this.#page.text("hub.not_shown")) : this.#page.text("hub.too_large", { megabytes, enough }))
    );
  }

  /** @param {Choice} one */
  #size({ here, megabytes, to_fetch }) {
    const size = here ? megabytes : to_fetch;
    return size ? this.#page.text("hub.size", { megabytes: size }) : "";
  }

  /** @param {Choice} one */
  #where({ here, loaded }) {
    return this.#page.text(loaded ? "hub.loaded" : here ? "hub.here" : "hub.to_fetch");
  }

  get #buttons() {
    return [.../** @type {NodeListOf<HTMLButtonElement>} */ (this.#list.querySelectorAll("li:not([hidden]) > button"))];
  }

  /** Leave the models whose lines hold every word that is looked for. */
  #sift() {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const line of this.#list.children) {
      const said = `${line.textContent} ${line.firstElementChild?.getAttribute("data-model")}`.toLowerCase();
      const found = words.every((word) => said.includes(word));
      /** @type {HTMLElement} */ (line).hidden = !found;
      count += Number(found);
    }
    this.#count.textContent = this.#page.text("hub.count", { count, models: this.#models.length });
  }

  /** Walk the list with the arrows, from the search and back. @param {KeyboardEvent} event */
  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      event.preventDefault(); // a box to search in would only be emptied
      this.#root.close();
    }
    if (event.key === "Enter" && event.target === this.#search && this.#buttons.length === 1) {
      event.preventDefault();
      this.#buttons[0].click();
    }
    if (!step) return;
    event.preventDefault();
    const stops = [this.#search, ...this.#buttons];
    const at = stops.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    stops[Math.min(stops.length - 1, Math.max(0, at + step))].focus();
  }
}
