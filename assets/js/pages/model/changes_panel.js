/** The controls that change the running model, and the list of what is changed. */

import { element } from "../../dom/dom.js";
import { number } from "../../figures/axes.js";
import { isNarrow } from "../../dom/narrow.js";
import { AgainstLine } from "./against_line.js";
import { STEPS, factorAt, found, put, read, stepOf, without, write, written } from "./changes.js";
import { numberBox, tick } from "./change_fields.js";
import { ChangesList } from "./changes_list.js";
import { segments } from "./segments.js";
import { named } from "./tokens.js";

/**
 * @typedef {import("./changes.js").Item} Item
 * @typedef {import("./changes.js").Place} Place
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {{changeKinds: import("./changes.js").Kinds}} Settings
 */

const HEAD = ["runs", "mean", "mute", "uniform"];
const WEIGHTS = ["trained", "softmax", "sink", "sigmoid", "entmax"];
const MASKS = ["trained", "causal", "full"];

export class ChangesPanel {
  #page;
  #kinds;
  #place;
  /** @type {Model | null} */
  #model = null;
  /** Where the controls act. @type {"everywhere" | "layer" | "head"} */
  #scope = "everywhere";
  #count = element("span", { className: "changes-count" });
  #where;
  #factor;
  #factorIs = element("output", {});
  #weights;
  #sink;
  #mask;
  #window;
  #normed;
  #capped;
  #cap;
  #logN;
  #head;
  #headName = element("span", {});
  #other;
  #hide;
  #mute = element("button", { type: "button", className: "mute-head" });
  #list;
  #against;

  /** @param {HTMLElement} root @param {import("../../page/live_page.js").LivePage<Settings>} page */
  constructor(root, page) {
    this.#page = page;
    this.#kinds = page.settings.changeKinds;
    this.#place = root;
    const text = (/** @type {string} */ key) => page.text(key);
    this.#where = segments("where", text("changes.where"), ["everywhere", "layer", "head"], (chosen) => {
      this.#scope = /** @type {"everywhere"} */ (chosen);
      this.fit();
    });
    this.#factor = element("input", {
      type: "range",
      id: "change-factor",
      min: "0",
      max: String(2 * STEPS),
      step: "1",
      oninput: () => this.#scaled(factorAt(Number(this.#factor.value))),
    });
    this.#factorIs.htmlFor.add("change-factor");
    this.#weights = segments("weights", text("changes.weights"), WEIGHTS, (chosen) => this.#choose("weights", chosen));
    this.#sink = this.#number("sink", (value) => this.#set({ kind: "sink", value }));
    this.#mask = segments("mask", text("control.mask.label"), MASKS, (chosen) => this.#choose("mask", chosen));
    this.#window = this.#number("causal", (value) => {
      const now = this.#now("mask");
      if (now) this.#set({ kind: now.kind, value });
    });
    this.#normed = this.#tick("qk_norm");
    this.#cap = this.#number("softcap", (value) => this.#set({ kind: "softcap", value }));
    this.#capped = this.#tick("softcap");
    this.#logN = this.#tick("log_n");
    this.#head = segments("head", "", HEAD, (chosen) => this.#freeze(chosen === "runs" ? "" : chosen));
    this.#other = element("select", {
      id: "change-other",
      onchange: () => this.#freeze(this.#other.value ? "replace" : "", this.#other.value),
    });
    this.#hide = element("button", {
      type: "button",
      className: "tool",
      id: "change-hide",
      onclick: () => this.#hideKey(),
    });
    for (const name of WEIGHTS.slice(1)) this.#weights.name(name, text(`choice.normalisation.${name}`));
    this.#weights.name("trained", text("changes.trained"));
    this.#mask.name("trained", text("changes.trained"));
    this.#mask.name("causal", text("choice.mask.causal"));
    this.#mask.name("full", text("changes.full"));
    for (const name of HEAD) this.#head.name(name, text(`changes.head_${name}`));
    const summary = element("summary", {}, element("span", {}, text("control.changes.label")), this.#count);
    const box = element(
      "details",
      { className: "change-model", id: "change-model" },
      summary,
      element(
        "div",
        { className: "changes" },
        this.#where.root,
        element(
          "div",
          { className: "change" },
          element(
            "div",
            { className: "change-line" },
            element("label", { htmlFor: "change-factor" }, text("changes.factor")),
            this.#factorIs,
          ),
          this.#factor,
        ),
        this.#weights.root,
        this.#sink.root,
        this.#mask.root,
        this.#window.root,
        element(
          "div",
          { className: "change-ticks" },
          this.#normed.root,
          this.#logN.root,
          this.#capped.root,
          this.#cap.root,
        ),
        this.#head.root,
        element(
          "div",
          { className: "change-line" },
          element("label", { htmlFor: "change-other" }, text("changes.other")),
          this.#other,
        ),
        this.#hide,
      ),
    );
    this.#head.root.prepend(this.#headName);
    box.open = isNarrow(); // a phone shows one control at a time
    this.#list = new ChangesList(
      (key, fields) => page.text(key, fields),
      summary,
      (item) => this.#move(item === null ? [] : this.#items.filter((one) => written(one) !== item)),
      () => this.#go({ against: this.#link("changes") }),
    );
    this.#against = new AgainstLine((key, fields) => page.text(key, fields), {
      unpin: () => {
        this.#go({ against: "" });
        summary.focus();
      },
      swap: () => this.#go({ against: this.#link("changes"), changes: this.#link("against") }),
    });
    this.#list.root.append(this.#against.root);
    root.replaceChildren(box, this.#list.root);
    root.classList.add("not-now");
  }

  /** @param {Model} model */
  show(model) {
    this.#model = model;
    this.#place.classList.toggle("not-now", !model.runs);
    const heads = model.heads.map(([layer, head]) => `${layer}.${head}`);
    const own = `${model.layer}.${model.head}`;
    const options = heads.filter((one) => one !== own).map((one) => element("option", { value: one }, one));
    this.#other.replaceChildren(element("option", { value: "" }, "–"), ...options);
    this.#count.textContent = model.changes.length ? String(model.changes.length) : "";
    const same = (/** @type {Model["against"]} */ one) => one.map((each) => each.written).join(",");
    this.#list.show(model.changes, same(model.changes) === same(model.against));
    this.#against.show(model.against);
    this.fit();
  }

  /** Show what is changed where the controls act. */
  fit() {
    const model = this.#model;
    if (!model) return;
    const page = this.#page;
    const { layer, head } = this.#chosen;
    const one = `${layer}.${head}`;
    this.#where.name("everywhere", page.text("changes.everywhere"));
    this.#where.name("layer", page.text("changes.layer", { layer }));
    this.#where.name("head", page.text("changes.head", { head: one }));
    this.#where.show(this.#scope);
    const factor = Number(this.#now("factor")?.value ?? 1);
    if (document.activeElement !== this.#factor || stepOf(factor) !== Number(this.#factor.value)) {
      this.#factor.value = String(stepOf(factor));
    }
    this.#factorIs.value = `× ${number(factor)}`;
    this.#factor.setAttribute("aria-valuetext", this.#factorIs.value);
    const [weights, mask, cap] = ["weights", "mask", "softcap"].map((slot) => this.#now(slot));
    this.#weights.show(weights?.kind ?? "trained");
    this.#sink.show(weights?.kind === "sink" ? weights.value : null);
    this.#mask.show(mask?.kind ?? "trained");
    this.#window.show(mask ? mask.value : null);
    this.#normed.box.checked = Boolean(this.#now("qk_norm"));
    this.#logN.box.checked = Boolean(this.#now("log_n"));
    this.#capped.box.checked = Boolean(cap);
    this.#cap.show(cap ? cap.value : null);
    const frozen = found(this.#kinds, this.#items, "head", { layer, head });
    this.#headName.textContent = page.text("model.head", { head: one });
    this.#head.root.setAttribute("aria-label", this.#headName.textContent);
    this.#head.show(frozen ? (frozen.kind === "replace" ? "" : frozen.kind) : "runs");
    this.#other.value = frozen?.kind === "replace" ? frozen.value : "";
    const key = this.#key;
    this.#hide.hidden = key === null;
    if (key === null) return;
    const line = model.lines[model.between[1]];
    const hidden = this.#items.some((item) => written(item) === written(this.#hiding(key)));
    this.#hide.setAttribute("aria-pressed", String(hidden));
    this.#hide.textContent = page.text(hidden ? "changes.show_key" : "changes.hide_key", { key: named(line, key) });
  }

  /** The key that can be hidden; null for one of a window. */
  get #key() {
    const model = this.#model;
    return model && model.key >= 0 && !model.windows ? model.key : null;
  }

  /** The changes that the link has now. @returns {Item[]} */
  get #items() {
    return read(this.#kinds, this.#link("changes"));
  }

  /** Return a list as the link has it. @param {"changes" | "against"} name */
  #link(name) {
    return String(this.#page.state.values[name] ?? "");
  }

  /** @param {Record<string, string>} change */
  #go(change) {
    const { state } = this.#page;
    if (state.canonicalValues) this.#page.move({ ...state.values, ...change }, true);
  }

  /** The head that is shown. @returns {Place} */
  get #chosen() {
    const { layer, head } = this.#model ?? { layer: 1, head: 1 };
    return { layer, head };
  }

  /** Where the controls act. @returns {Place} */
  get #at() {
    const { layer, head } = this.#chosen;
    return { everywhere: { layer: 0, head: 0 }, layer: { layer, head: 0 }, head: { layer, head } }[this.#scope];
  }

  /** @param {string} slot */
  #now(slot) {
    return found(this.#kinds, this.#items, slot, this.#at);
  }

  /** @param {Item[]} items */
  #move(items) {
    this.#page.controls.follow("changes", write(items));
    this.fit();
  }

  /** @param {{kind: string, value: string}} change */
  #set(change) {
    this.#move(put(this.#kinds, this.#items, { ...change, ...this.#at }));
  }

  /** @param {number} factor */
  #scaled(factor) {
    if (factor === 1) this.#move(without(this.#kinds, this.#items, "factor", this.#at));
    else this.#set({ kind: "factor", value: String(factor) });
  }

  /** @param {string} slot @param {string} kind */
  #choose(slot, kind) {
    if (kind === "trained") this.#move(without(this.#kinds, this.#items, slot, this.#at));
    else this.#set({ kind, value: slot === "weights" ? String(this.#kinds[kind].first ?? "") : "" });
  }

  /** Change the shown head alone. @param {string} kind @param {string} [value] */
  #freeze(kind, value = "") {
    const at = this.#chosen;
    if (kind) this.#move(put(this.#kinds, this.#items, { kind, value, ...at }));
    else this.#move(without(this.#kinds, this.#items, "head", at));
  }

  /** Return what mutes the chosen head, or lets it run again. @param {string} head its name */
  muting(head) {
    const muted = found(this.#kinds, this.#items, "head", this.#chosen)?.kind === "mute";
    this.#mute.onclick = () => this.#freeze(muted ? "" : "mute");
    this.#mute.textContent = this.#page.text(muted ? "changes.run_this" : "changes.mute_this", { head });
    return this.#mute;
  }

  /** @param {number} key @returns {Item} */
  #hiding(key) {
    return { kind: "hide", value: String(key), ...this.#at };
  }

  #hideKey() {
    const key = this.#key;
    if (key === null) return;
    const item = this.#hiding(key);
    const rest = this.#items.filter((one) => written(one) !== written(item));
    this.#move(rest.length < this.#items.length ? rest : [...rest, item]);
  }

  /** Return a check box of what is on or off in the place. @param {string} kind */
  #tick(kind) {
    const value = String(this.#kinds[kind].first ?? "");
    return tick(kind, this.#page.text(`changes.${kind}`), (on) => {
      if (on) this.#set({ kind, value });
      else this.#move(without(this.#kinds, this.#items, kind, this.#at));
    });
  }

  /** Return a box for the value of a kind. @param {string} kind @param {(value: string) => void} moved */
  #number(kind, moved) {
    const ends = this.#kinds[kind];
    return numberBox(kind, this.#page.text(`changes.${kind}_value`), ends, ends.open, moved);
  }
}
