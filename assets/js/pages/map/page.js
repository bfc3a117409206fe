/**
 * The Map: a plan of the computation's cost, the run, then exploration. Only a new computation asks the server for a
 * plan; window, head and colours change the link here.
 */

import { Asking } from "../../asking/asking.js";
import { LivePage } from "../../page/live_page.js";
import { element } from "../../dom/dom.js";
import { liveTakeAway } from "../../page/live_take_away.js";
import { save } from "../../files/clipboard.js";
import { headerMenus } from "../../page/header_menus.js";
import { LogSliders } from "../../controls/log_sliders.js";
import { Refusal } from "../../server/server.js";
import { uploadBox } from "../../page/upload.js";
import { only, revive } from "../../server/wire.js";
import { Brought, reads } from "./brought.js";
import { TrainedControls } from "../../controls/trained.js";
import { Computation } from "./computation.js";
import { VIEW } from "./link.js";
import { meaningless } from "./fitting.js";
import { MapPrints } from "./prints.js";
import { passageBox } from "./passage.js";
import { PlanLines } from "./plan_lines.js";
import { Questions } from "./questions.js";
import { RowPanel } from "./row_panel.js";
import { Sight } from "./sight.js";
import { Told } from "./told.js";
import { ViewLink } from "./view_link.js";
import { Viewer } from "./viewer.js";

/** Controls of another sequence, of which everything is seen. */
const SEQUENCE = ["n", "source", "split", "model", "layer"];

/** @typedef {import("./host.js").Settings} Settings */

export class Page {
  #link;
  #sight;
  #brought;
  #lines = new PlanLines((key, fields) => this.page.text(key, fields));
  /** @type {Asking} */
  #asking;
  /** @type {Computation} */
  #computation;
  /** @type {Questions} */
  #questions;
  /** @type {Viewer} */
  #viewer;
  /** @type {RowPanel} */
  #row;
  /** @type {Told} */
  #words;
  /** @type {LogSliders} */
  #sliders;
  /** @type {ReturnType<typeof passageBox>} */
  #passage;
  #trained = new TrainedControls();

  /** @param {import("../../page/settings.js").Settings & Settings} settings @param {import("../../page/live_page.js").Loading} loading */
  constructor(settings, loading) {
    /** @type {LivePage<Settings>} */
    const page = new LivePage(settings, loading);
    this.page = page;
    this.#link = new ViewLink(page, (change) => this.#seen(change));
    this.#sight = new Sight(page.state, (change) => this.#link.see(change));
    this.#brought = new Brought(page.state, (change, tellControls) => {
      this.#asking.renew();
      page.move({ ...this.#whole(), ...change }, tellControls);
    });
    // map and strips are drawn as pixels; the open row waits with the strips for an answer
    page.figures.rules.redraw = () => this.#viewer.changed();
    page.figures.rules.covers = (name) => name === "row" && this.#asking.waits && this.#sight.row !== null;
    page.updates.rules.enclosed = () => this.#brought.enclosed;
    page.answers.rules.took = (part, newest) => this.#took(part, newest);
    page.controls.rules.changed = (name, value) => this.#changed(name, value);
    page.controls.rules.meaningless = (values) => [
      ...meaningless(values, settings.uses),
      ...this.#trained.meaningless(values),
    ];
    page.controls.onFit(() => this.#fit());
    page.presence.rules.pointAt = (at) => this.#viewer.pointing.show(at);
    page.presence.rules.leaveVerdict = () => this.#asking.leave();
    page.presence.rules.predict = () => this.#asking.predict;
    page.presence.rules.judging = () => {
      const { model } = this.#computation;
      return model ? { id: model.id } : {};
    };
    // another view of the same map needs no answer
    page.ways.rules.adopt = (values) => {
      if (!this.#link.adopt(values)) page.move(values, true);
    };
  }

  /** @param {Record<string, import("../../dom/dom.js").Place>} places */
  build(places) {
    const { page } = this;
    this.#asking = new Asking(page, places, (more) => this.#verdict(more));
    const running = element("div");
    this.#computation = new Computation(running, page, () => this.#brought.version, {
      began: () => this.#began(),
      opened: (model) => this.#opened(model),
      grown: () => this.#viewer.changed(),
      told: (header, blocks) => {
        this.#words.take(header, blocks);
        page.answers.telling.root.classList.remove("is-stale");
      },
      over: (ended) => this.#over(ended),
    });
    this.#questions = new Questions(page, this.#computation, () => this.#row.follow());
    places.run.element.replaceChildren(
      element(
        "section",
        { className: "map-run", ariaLabel: page.text("map.computation") },
        this.#lines.cost,
        running,
        this.#questions.again,
      ),
    );
    const map = {
      sight: this.#sight,
      link: this.#link,
      computation: this.#computation,
      questions: this.#questions,
      asking: this.#asking,
    };
    this.#viewer = new Viewer(page, map);
    this.#viewer.tools.root.after(this.#lines.over);
    this.#row = new RowPanel(page, map, (row, column) => this.#viewer.go(row, column));
    this.#words = new Told(page, this.#asking);
    page.prints = new MapPrints(page, { ...map, viewer: this.#viewer, row: this.#row });
    uploadBox(places.upload.element, page, (file) => this.#brought.useFile(file));
    this.#passage = passageBox(places.passage.element, page, (own, bytes) => this.#brought.useText(own, bytes));
    liveTakeAway(places["take-away"].element, page, () => [
      ["rows", () => this.#file("csv")],
      ["npz", () => this.#file("npz")],
      ["heads", () => this.#heads()],
    ]);
    headerMenus(page, places);
    this.#sliders = new LogSliders(page, places, page.settings.scales);
    page.controls.onTell(() => this.#sliders.show(page.state.values));
    const { rules } = page.answers.telling;
    rules.beside = (box, tell) => this.#asking.offer(box, tell);
    rules.arithmetic = (line) => this.#arithmetic(line);
    rules.after = () => this.#purpose();
    this.#purpose();
    this.#brought.inherit();
  }

  /** Say what the page is for: in short and in full before there is a map, then behind the short sentence on the map. */
  #purpose() {
    const { page } = this;
    const { telling } = page.answers;
    /** @type {HTMLElement} */
    const box = telling.root.querySelector(".insight") ?? element("div", { className: "insight" });
    const purpose = (/** @type {string} */ key) => element("p", { className: "purpose" }, page.text(key));
    const short = box.querySelector("p");
    if (short) short.after(purpose("map.purpose"));
    else box.append(purpose("short.map.purpose"), purpose("map.purpose"));
    telling.tell(box);
  }

  #fit() {
    const { values } = this.page.state;
    this.#cover();
    this.#sliders.show(values);
    this.#trained.fit(values, (key) => this.page.text(key));
    this.#sliders.fit(this.page.controls.meaningless);
    this.#giveRoom();
    document.getElementById("passage")?.classList.toggle("not-now", !reads(values.source));
    document.getElementById("upload")?.classList.toggle("not-now", values.source !== "upload");
  }

  /** Give an open row its place beside the map. */
  #giveRoom() {
    document.getElementById("map")?.classList.toggle("has-row", this.#sight.row !== null);
  }

  /** React to a moved control. @param {string} name @param {import("../../link/values.js").Value} value */
  #changed(name, value) {
    const { state, controls } = this.page;
    if (!state.canonicalValues || String(value) === String(state.values[name])) return;
    if (VIEW.includes(name) && state.canonical !== null) {
      if (controls.isNews(name, value)) this.#link.see({ [name]: value });
    } else {
      if (SEQUENCE.includes(name)) state.values = this.#whole();
      controls.follow(name, value);
    }
  }

  /** Return the page's values with the window reset, for another sequence. */
  #whole() {
    this.#sight.settle();
    return this.#link.whole;
  }

  /** Show another view of the same map. @param {import("./view_link.js").Change} change */
  #seen(change) {
    this.#giveRoom();
    if ("pooling" in change || "colour" in change) this.page.controls.tell();
    this.#viewer.follow();
    this.#row.follow();
  }

  /** @param {import("../../../types/wire.js").Part} part @param {boolean} newest */
  async #took(part, newest) {
    const { answers, settings } = this.page;
    const { header } = part;
    if (header.part === "state") this.#link.keep(header);
    await answers.take(part, newest);
    if (header.part === "state") {
      const { source, text } = header.controls;
      this.#passage.fill(source === "text" && text === settings.defaults.text ? "" : (text ?? ""));
    }
    if (header.part === "question") this.#asking.take(header);
    if (header.part !== "plan" || !newest) return;
    if (this.#trained.take(header.trained)) this.page.controls.fit();
    this.#plan(header);
  }

  /** @param {import("../../../types/wire.js").Plan} plan */
  #plan(plan) {
    const { page } = this;
    const computation = this.#computation;
    computation.follow(plan);
    const { isOld } = computation;
    for (const name of ["map", "strips", "row"]) page.figures.of(name).root.classList.toggle("is-stale", isOld);
    page.answers.telling.root.classList.toggle("is-stale", isOld);
    if (isOld) this.#questions.again.hidden = true; // replaced by the button for the new settings
    if (computation.current) this.#viewer.changed();
    this.#lines.write(computation);
    if (!computation.isComputing) this.#viewer.selection.giveUp();
  }

  #began() {
    this.#questions.forgive();
    this.page.message.fail(null);
    this.#lines.write(this.#computation);
  }

  /** Show a map whose weights are to come. @param {import("./model.js").Model} model */
  #opened(model) {
    for (const name of ["map", "strips"]) this.page.figures.drawn.set(name, null);
    this.#lines.write(this.#computation); // a line over the map takes room from it
    this.#viewer.open(model);
    this.#row.empty();
  }

  /** @param {boolean} ended false: the run did not come to its end */
  #over(ended) {
    const computation = this.#computation;
    this.#lines.write(computation);
    if (ended || computation.isKept) this.#viewer.changed(); // the server reports if the new map has replaced it
    if (ended) this.#row.follow();
    else if (!computation.isComputing) this.#viewer.selection.giveUp();
  }

  /** @param {Record<string, unknown>} line */
  async #arithmetic(line) {
    const [row, head] = (this.#row.shown ?? "").split(" ").map(Number);
    const { header } = only(await this.#questions.ask("arithmetic", { ...line, row, head }), "arithmetic");
    return header.made;
  }

  /** Ask for the verdict on the visitor's answer, once the map of the question is there. @param {Record<string, unknown>} more */
  async #verdict(more) {
    const computation = this.#computation;
    await computation.run.over();
    if (!computation.current || !computation.model?.ready) throw new Refusal(this.page.text("predict.needs_map"));
    return this.#questions.answer("reveal", () => more);
  }

  /** Cover strips, sentences and the open row while a question is open, or show them again. */
  #cover() {
    const asking = this.#asking;
    asking.fit();
    const strips = this.page.figures.of("strips").root.classList;
    if (strips.contains("is-covered") === asking.waits) return;
    strips.toggle("is-covered", asking.waits);
    this.#words.write();
    this.#viewer.strips.covered = asking.waits;
    this.#viewer.changed();
    this.#viewer.selection.refresh();
    if (asking.waits) this.#row.empty();
    else this.#row.follow();
  }

  /** Begin the run that makes a file of every head of the model over the whole text. */
  async #heads() {
    const { page } = this;
    if (page.state.values.source !== "model") throw new Refusal(page.text("map.heads_of_model"));
    this.#computation.heads();
    return page.text("map.heads_begun");
  }

  /** Save a file of numbers. @param {string} kind */
  async #file(kind) {
    const { page } = this;
    const { header, blocks } = only(await this.#questions.answer(kind, () => ({ head: this.#sight.head })), "file");
    const { name, bytes } = revive(header.values, blocks, page.figures.known);
    save(new Blob([bytes]), name);
    return page.text("export.saved", { name });
  }
}
