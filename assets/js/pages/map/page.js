/**
 * The Map: a plan of the computation's cost, the run, then exploration. Only a new computation asks the server for a
 * plan; window, head and colours change the link here.
 */

import { Asking } from "../../asking/asking.js";
import { number } from "../../figures/axes.js";
import { LivePage } from "../../page/live_page.js";
import { element } from "../../dom/dom.js";
import { liveTakeAway } from "../../page/live_take_away.js";
import { save } from "../../files/clipboard.js";
import { headerMenus } from "../../page/header_menus.js";
import { LogSliders } from "../../controls/log_sliders.js";
import { explained, plainly } from "../../reasons/reasons.js";
import { Run } from "../../page/run.js";
import { Refusal } from "../../server/server.js";
import { uploadBox } from "../../page/upload.js";
import { only, revive } from "../../server/wire.js";
import { linked, subject, VIEW } from "./link.js";
import { meaningless } from "./fitting.js";
import { Model } from "./model.js";
import { MapFigures } from "./figures.js";
import { MapPrints } from "./prints.js";
import { passageBox } from "./passage.js";
import { Questions } from "./questions.js";
import { RowPanel } from "./row_panel.js";
import { Viewer } from "./viewer.js";

/** Shorter runs, in seconds and with their wait, start unasked. */
const AT_ONCE = 5;
/** Milliseconds of rest before a short run starts unasked. */
const REST = 500;
const EVERYTHING = { left: 0, top: 0, across: 0, row: null };

/**
 * @typedef {import("./host.js").Settings} Settings
 *
 * @typedef {object} Told what a map is told with
 * @property {[string, import("../../files/csv.js").Table][]} tables
 * @property {Record<string, string>} summaries
 * @property {import("../../../types/wire.js").Sentence[]} insight
 */

/** @extends {LivePage<Settings>} */
export class Page extends LivePage {
  /** The line that states the computation's cost. */
  #planned = element("p", { id: "map-plan" });
  /** The line over the map: what of the sequence it shows if not all fits, and how to draw it if nothing is drawn. */
  #over = element("p", { id: "map-over", role: "status", hidden: true });
  /** The newest plan. @type {import("../../../types/wire.js").Plan | null} */
  plan = null;
  /** @type {Questions} */
  questions;
  /** @type {Run} */
  run;
  /** @type {LogSliders} */
  #sliders;
  /** @type {Viewer} */
  viewer;
  /** @type {RowPanel} */
  row;
  /** @type {ReturnType<typeof passageBox>} */
  #passage;
  /** @type {Asking} */
  #asked;
  /** The tables and sentences of the map on screen. @type {Told | null} */
  told = null;
  /** The map on screen. @type {Model | null} */
  model = null;
  /** The map on screen when the run began. @type {Model | null} */
  #replaced = null;
  /** The subject of the newest run. */
  #computing = "";
  /** The timer of a run that starts unasked. @type {number | null} */
  #starting = null;
  /** A text too long for the link. @type {Uint8Array | null} */
  #textBytes = null;
  /** @type {import("../../paper/prints.js").Prints} */
  prints = new MapPrints(this);
  /** @type {import("../../figures/figures.js").Figures} */
  figures = new MapFigures(this.settings, this);
  /** Number of uploads and long texts so far: links do not distinguish them. */
  #version = 0;

  /** @param {import("../../page/settings.js").Settings & Settings} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    super(settings, loading);
    this.updates.rules.enclosed = () => {
      const { source } = this.state.values;
      return source === "upload" ? this.state.upload : source === "text" ? this.#textBytes : null;
    };
    this.answers.rules.took = (part, newest) => this.#took(part, newest);
    this.controls.rules.changed = (name, value) => this.#changed(name, value);
    this.controls.rules.meaningless = (values) => meaningless(values, settings.uses);
    this.controls.onFit(() => this.#fit());
    this.presence.rules.pointAt = (at) => this.viewer.pointing.show(at);
    this.presence.rules.leaveVerdict = () => this.#asked.leave();
    this.presence.rules.predict = () => this.predict;
    this.presence.rules.judging = () => (this.model ? { id: this.model.id } : {});
    this.ways.rules.adopt = (values) => this.adopt(values);
  }

  /** The page to which this belongs. */
  get page() {
    return this;
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    /** @param {string} key @param {import("../../words/message_format.js").Fields} [fields] */
    const text = (key, fields) => this.text(key, fields);
    this.questions = new Questions(this);
    const running = element("div");
    places.run.element.replaceChildren(
      element(
        "section",
        { className: "map-run", ariaLabel: text("map.computation") },
        this.#planned,
        running,
        this.questions.again,
      ),
    );
    this.run = new Run(running, this, {
      start: "map.start",
      onPart: (part) => this.#came(part),
      onStart: () => this.#began(),
      onEnd: (how) => this.#finished(how),
    });
    this.run.go.addEventListener(
      "click",
      (event) => {
        event.stopImmediatePropagation();
        this.compute();
      },
      true,
    );
    this.viewer = new Viewer(this);
    this.viewer.tools.root.after(this.#over);
    this.row = new RowPanel(this);
    uploadBox(places.upload.element, this, (file) => this.useUpload(file));
    this.#passage = passageBox(places.passage.element, this, (own, bytes) => this.#useText(own, bytes));
    liveTakeAway(
      places["take-away"].element,
      this,
      [
        ["rows", "csv"],
        ["npz", "npz"],
      ].map(([id, kind]) => [id, () => this.#file(kind)]),
    );
    headerMenus(this, places);
    this.#sliders = new LogSliders(this, places, this.settings.scales);
    this.#asked = new Asking(this, places, (more) => this.#verdict(more));
    this.controls.onTell(() => this.#sliders.show(this.state.values));
    this.answers.telling.rules.beside = (box, tell) => this.#asked.offer(box, tell);
    this.answers.telling.rules.arithmetic = (line) => this.#arithmetic(line);
    this.answers.telling.rules.after = () => this.#purpose();
    this.#purpose();
    // A text too long for the link may have been handed over.
    this.#textBytes = this.state.upload;
  }

  /** Say what the page is for: in short and in full before there is a map, then behind the short sentence on the map. */
  #purpose() {
    const { root: place } = this.answers.telling;
    /** @type {HTMLElement} */
    const said = place.querySelector(".insight") ?? element("div", { className: "insight" });
    const purpose = (/** @type {string} */ key) => element("p", { className: "purpose" }, this.text(key));
    const short = said.querySelector("p");
    if (short) short.after(purpose("map.purpose"));
    else said.append(purpose("short.map.purpose"), purpose("map.purpose"));
    this.answers.telling.tell(said);
  }

  /** The question and its verdict, for a sheet of paper. */
  get predict() {
    return this.#asked.predict;
  }

  /** True while a question is open that strips, tips and sentences would answer. */
  get covers() {
    return this.#asked.waits;
  }

  #fit() {
    this.#cover();
    this.#sliders.show(this.state.values);
    this.#sliders.fit(this.controls.meaningless);
    this.#opened();
    document.getElementById("passage")?.classList.toggle("not-now", this.state.values.source !== "text");
    document.getElementById("upload")?.classList.toggle("not-now", this.state.values.source !== "upload");
  }

  /** React to a moved control. @param {string} name @param {import("../../link/values.js").Value} value */
  #changed(name, value) {
    if (!this.state.canonicalValues || String(value) === String(this.state.values[name])) return;
    if (VIEW.includes(name) && this.state.canonical !== null) {
      if (this.controls.isNews(name, value)) this.see({ [name]: value });
    } else {
      if (["n", "source", "split"].includes(name)) this.state.values = this.#whole();
      this.controls.follow(name, value);
    }
  }

  /** Use the tensors of a file that the server has checked. @param {Uint8Array} file */
  useUpload(file) {
    this.state.upload = file;
    this.#version += 1;
    this.#asked.renew();
    this.move({ ...this.#whole(), source: "upload" }, true);
  }

  /** Use the visitor's text. @param {string} own its form in the link @param {Uint8Array | null} bytes if it is too long for one */
  #useText(own, bytes) {
    this.#textBytes = bytes;
    this.#version += 1;
    this.#asked.renew();
    this.move({ ...this.#whole(), text: own }, false);
  }

  /** Return the page's values with the window reset, for another sequence. */
  #whole() {
    this.viewer.settle();
    return { ...this.state.values, ...EVERYTHING };
  }

  /** Take the values of a link; another view of the same map needs no answer. @param {import("../../link/values.js").Values} values */
  adopt(values) {
    const view = Object.fromEntries(VIEW.map((name) => [name, values[name]]));
    const same = Object.keys(values).every(
      (name) => name in view || String(values[name]) === String(this.state.values[name]),
    );
    if (same && this.state.canonical !== null) this.see(view);
    else this.move(values, true);
  }

  /** Change the view of the same map. @param {Record<string, import("../../link/values.js").Value>} change of the names in VIEW */
  see(change) {
    if (!this.leader.allows("move")) return;
    this.state.values = { ...this.state.values, ...change };
    this.state.canonicalValues = { ...this.state.agreed, ...change };
    this.state.canonical = linked(this.state.present, this.state.values, this.settings.defaults);
    this.presence.arrive(this.state.canonical);
    this.#opened();
    if ("pooling" in change || "colour" in change) this.controls.tell();
    this.viewer.follow();
    this.row.follow();
  }

  /** Give an open row its place beside the map. */
  #opened() {
    document.getElementById("map")?.classList.toggle("has-row", this.state.values.row !== null);
  }

  /** Return the link of another window. @param {Record<string, number>} window */
  linkOf(window) {
    return linked(this.state.present, { ...this.state.values, ...window }, this.settings.defaults);
  }

  /** Name of the computation; equal for equal maps. */
  get subject() {
    return `${subject(this.state.present, this.settings.viewing)}#${this.#version}`;
  }

  /** True if the map on screen matches the controls. */
  get current() {
    return this.model?.subject === this.subject;
  }

  /** True while a run is under way or starts unasked. */
  get isComputing() {
    return this.run.running || this.#starting !== null;
  }

  get masked() {
    return this.state.agreed.mask !== "none";
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { header } = part;
    if (header.part === "state" && this.state.canonical !== null) {
      // The visitor may have moved the window meanwhile.
      const seen = Object.fromEntries(VIEW.map((name) => [name, this.state.values[name]]));
      Object.assign(header, {
        query: linked(header.query, seen, this.settings.defaults),
        controls: { ...header.controls, ...seen },
      });
    }
    await this.answers.take(part, newest);
    if (header.part === "state") {
      this.#passage.fill(header.controls.text === this.settings.defaults.text ? "" : (header.controls.text ?? ""));
    }
    if (header.part === "question") this.#asked.take(header);
    if (header.part === "plan" && newest) this.#plan(header);
  }

  /** @param {import("../../../types/wire.js").Plan} plan */
  #plan(plan) {
    const first = !this.plan;
    this.plan = plan;
    this.#stay();
    const { subject: wanted } = this;
    const busy = this.run.running && this.#computing === wanted;
    if (this.#computing !== wanted) this.run.cancel();
    const old = Boolean(this.model) && !this.current;
    for (const name of ["map", "strips", "row"]) this.figures.of(name).root.classList.toggle("is-stale", old);
    this.answers.telling.root.classList.toggle("is-stale", old);
    if (old) this.questions.again.hidden = true; // replaced by the button for the new settings
    if (!this.run.running && !this.run.lost) this.run.say(old ? "map.not_computed" : null);
    const alike = plan.expected_seconds * (1 + plan.before); // if the runs ahead are as long as this one
    if (this.current) {
      this.viewer.changed();
    } else if (!busy && !this.run.lost && alike <= AT_ONCE) {
      this.#starting = setTimeout(
        () => {
          this.#starting = null;
          if (this.subject === wanted) this.compute();
        },
        first ? 0 : REST,
      );
    }
    this.#tellPlan();
    if (!this.isComputing) this.viewer.selection.giveUp();
  }

  /** Write the plan and the line over the map. While a run tells the time that is left, the plan tells none. */
  #tellPlan() {
    const { plan, model } = this;
    if (!plan) return;
    const sentences = plan.sentences.slice(this.run.running ? 1 : 0);
    this.#planned.title = sentences.map(plainly).join(" ");
    this.#planned.replaceChildren(...inARow(sentences));
    const waits = !model && !this.isComputing;
    const over = [...(model ?? plan).cut];
    if (waits) over.push(this.text("map.waits", { start: this.text("map.start") }));
    this.#over.hidden = !over.length;
    this.#over.replaceChildren(...inARow(over));
  }

  /** Return the name of a sink's mark. @param {import("./sinks.js").Sink} sink */
  sinkName({ key, share }) {
    return this.text("figure.map.sink", { key, share: number(100 * share) });
  }

  /** Start no run unasked. */
  #stay() {
    clearTimeout(this.#starting ?? undefined);
    this.#starting = null;
  }

  compute() {
    this.#stay();
    void this.run.start({ replaces: this.model?.id ?? null });
  }

  #began() {
    this.#computing = this.subject;
    this.#replaced = this.model;
    this.questions.forgive();
    this.message.fail(null);
    this.#tellPlan();
  }

  /** Take a part of the run's answer. @param {import("../../../types/wire.js").Part} part */
  async #came(part) {
    const { header, blocks } = part;
    if (header.part === "map") {
      this.model = new Model(header, revive(header.values, blocks, this.figures.known));
      this.model.subject = this.#computing;
      for (const name of ["map", "strips"]) this.figures.drawn.set(name, null);
      this.#tellPlan(); // a line over the map takes room from it
      this.viewer.open(this.model);
      this.row.empty();
    } else if (header.part === "overview") {
      this.model?.takeOverview(revive(header.values, blocks, this.figures.known));
      this.viewer.changed();
    } else if (header.part === "strips") {
      this.model?.takeStrips(revive(header.values, blocks, this.figures.known));
    } else if (header.part === "figures") {
      const { tables, summaries, insight, sinks = [] } = header;
      if (this.model) this.model.sinks = sinks;
      /** @type {[string, import("../../files/csv.js").Table][]} */
      const all = Object.entries(tables).map(([name, entry]) => [name, revive(entry, blocks, this.figures.known)]);
      this.told = { tables: all, summaries, insight: insight ?? [] };
      this.#write();
      this.answers.telling.root.classList.remove("is-stale");
    } else if (header.part === "ended" && this.model) {
      this.model.ready = true;
    }
  }

  /** Write the words and tables of the map; none of them while they would answer a question. */
  #write() {
    const { told } = this;
    if (!told) return;
    for (const name of ["map", "strips"]) this.figures.of(name).block.silence();
    if (!this.covers) {
      for (const [name, table] of told.tables) this.answers.telling.tabulate(name, table, this.state.present);
      for (const [name, sentence] of Object.entries(told.summaries)) this.figures.of(name).block.say(sentence);
    }
    this.answers.telling.conclude(this.covers ? [] : told.insight, this.state.present);
  }

  /** @param {Record<string, unknown>} line */
  async #arithmetic(line) {
    const [row, head] = (this.row.shown ?? "").split(" ").map(Number);
    const { header } = only(await this.questions.ask("arithmetic", { ...line, row, head }), "arithmetic");
    return header.made;
  }

  /** Ask for the verdict on the visitor's answer, once the map of the question is there. @param {Record<string, unknown>} more */
  async #verdict(more) {
    await this.run.over();
    if (!this.current || !this.model?.ready) throw new Refusal(this.text("predict.needs_map"));
    return this.questions.answer("reveal", () => more);
  }

  /** Cover strips, sentences and the open row while a question is open, or show them again. */
  #cover() {
    const { covers } = this;
    this.#asked.fit();
    const strips = this.figures.of("strips").root.classList;
    if (strips.contains("is-covered") === covers) return;
    strips.toggle("is-covered", covers);
    this.#write();
    this.viewer.strips.covered = covers;
    this.viewer.changed();
    this.viewer.selection.refresh();
    if (covers) this.row.empty();
    else this.row.follow();
  }

  /** @param {import("../../page/run.js").State} how */
  #finished(how) {
    this.#tellPlan();
    if (how !== "ended") {
      if (this.model && this.model === this.#replaced) this.viewer.changed(); // the server reports if the new map has replaced it
      if (!this.isComputing) this.viewer.selection.giveUp();
      return;
    }
    this.viewer.changed();
    this.row.follow();
  }

  /** Save a file of numbers. @param {string} kind */
  async #file(kind) {
    const { header, blocks } = only(await this.questions.answer(kind, () => ({ head: this.viewer.head })), "file");
    const { name, bytes } = revive(header.values, blocks, this.figures.known);
    save(new Blob([bytes]), name);
    return this.text("export.saved", { name });
  }
}

/** Return the nodes of sentences one after the other. @param {import("../../../types/wire.js").Sentence[]} sentences */
const inARow = (sentences) => sentences.flatMap((one, i) => [i ? " " : "", ...explained(one)]);
