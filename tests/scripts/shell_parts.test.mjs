/** Parts that pages share, each by itself: heat maps under the pointer, sentences, ways, looks and answers before the first, files that stay. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { focusSaid, hear, press, standInBrowser } from "./browser.mjs";
import { drawn, watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { keyed, StandIn, Time } from "./stand_in.mjs";
import { partOf } from "./page_stand_in.mjs";
import { mutations, outline, standInPage, telling } from "./whole_page.mjs";

const { document, body, html, heard, frames, location, window, media, sessionStorage } = standInPage();
standInBrowser(window, document);
const time = new Time();
Object.assign(document, { baseURI: "http://page/" });
Object.assign(location, { origin: "http://page", hostname: "page", protocol: "http:" });
Object.assign(window, { parent: window, devicePixelRatio: 1, name: "" });
Object.assign(StandIn.prototype, { clientWidth: 0, clientHeight: 0, scrollHeight: 0, scrollWidth: 0 });
const head = document.createElement("head");
html.prepend(head);
Object.assign(document, { head });
Object.assign(globalThis.crypto, { getRandomValues: (/** @type {Uint8Array} */ bytes) => bytes.fill(1) });

Object.assign(globalThis, {
  Path2D: class {
    moveTo() {}
    lineTo() {}
    arc() {}
  },
});

const { LivePage } = await import("../../assets/js/page/live_page.js");
const { Sentences } = await import("../../assets/js/page/sentences.js");
const { PageLinks } = await import("../../assets/js/page/page_links.js");
const { CellsFigure } = await import("../../assets/js/figures/cells_figure.js");
const { TrainedControls } = await import("../../assets/js/controls/trained.js");
const { nameControls } = await import("../../assets/js/controls/spoken_controls.js");
const { short } = await import("../../assets/js/controls/control_bar.js");
const { fitType, keepFitted, reachable } = await import("../../assets/js/figures/fitted.js");
const { Legend } = await import("../../assets/js/figures/chart/legend.js");
const { Words } = await import("../../assets/js/figures/chart/words.js");
const { linkTo, arrive, remember, ways } = await import("../../assets/js/link/tab_memory.js");
const kept = await import("../../assets/js/link/kept.js");
const uploads = await import("../../assets/js/server/upload_handover.js");
const classroom = await import("../../assets/js/page/classroom.js");
const { Texts } = await import("../../assets/js/page/texts.js");
const { Message } = await import("../../assets/js/page/message.js");
const { foldMore } = await import("../../assets/js/page/more.js");
const { withParticle, lastSound } = await import("../../assets/js/words/particles.js");
const { coming } = await import("../../assets/js/dom/theme.js");
const { plotlyFrom } = await import("../../assets/js/figures/plotly_script.js");
const { tellRun } = await import("../../assets/js/page/run_wish.js");
const { servedFile } = await import("../../assets/js/page/served_file.js");
const { fadeWhileMore, inside, reachWhileScrolling, brushOf } = await import("../../assets/js/dom/dom.js");
const { plain } = await import("../../assets/js/figures/plain.js");
const { LogSlider } = await import("../../assets/js/controls/log_slider.js");
const { Pulse } = await import("../../assets/js/server/pulse.js");
const { copy } = await import("../../assets/js/files/clipboard.js");
const { PredictForm } = await import("../../assets/js/asking/predict_form.js");
const { whenBack } = await import("../../assets/js/page/comeback.js");

// What these consist of: benchmarks/mutations draws places of what a test names itself.
await import("../../assets/js/figures/cells/pointing.js");
await import("../../assets/js/figures/cells/windows.js");
await import("../../assets/js/figures/cells/titles.js");
await import("../../assets/js/figures/cells/strips.js");
await import("../../assets/js/figures/cells/marks.js");
await import("../../assets/js/figures/colour_bar.js");
await import("../../assets/js/figures/chart/axis_lines.js");
await import("../../assets/js/figures/density.js");
await import("../../assets/js/page/first_visit.js");
await import("../../assets/js/dom/people_icon.js");
const { anyAnswer, PredictInClass } = await import("../../assets/js/asking/predict_in_class.js");

/** @param {string} name @param {Loose} [more] @param {Loose[]} inside @returns {Loose} */
const made = (name, more = {}, ...inside) => {
  const one = Object.assign(document.createElement(name), more);
  one.append(...inside);
  return one;
};
/** Return an empty place on the page, and what tells of it. */
function place() {
  const root = made("div");
  body.replaceChildren(root);
  heard.splice(0);
  const { lines, tell } = telling(() => [`focus ${focusSaid()}`, ...outline(root)], heard);
  lines.splice(0);
  return { root, lines, tell };
}
/** Let watched elements hear that they have another size. @param {Loose} [of] */
const sized = (of) => {
  for (const { then, places } of watched) if (places.length && (!of || places.includes(of))) then();
};
const frame = () => {
  for (const one of frames.splice(0)) one();
};

const shaped = (/** @type {number} */ rows, /** @type {number} */ columns) =>
  Object.assign(
    Uint8Array.from({ length: rows * columns }, (_, i) => i),
    { shape: [rows, columns] },
  );
const SCALE = [
  [0, "#000000"],
  [1, "#ffffff"],
];
/** Heat maps of Python's: two of one side, one of the other, with marks and the column of a sink. @param {Loose} [more] */
const cells = ({ of = ["a", "b", "difference"], sink = true, title = "weight", rows = 4 } = {}) => ({
  data: [
    ...of.map((/** @type {string} */ side, /** @type {number} */ panel) => ({
      ...{ type: "heatmap", z: shaped(rows, 6), coloraxis: panel ? "coloraxis2" : "coloraxis" },
      ...{ meta: { head: panel + 1, panel, of: side }, xaxis: "x", yaxis: "y" },
    })),
    { type: "heatmap", z: shaped(rows, 6), coloraxis: "coloraxis3", meta: { kind: "marks", panel: 0 } },
    ...(sink
      ? [{ type: "heatmap", z: shaped(rows, 1), coloraxis: "coloraxis", meta: { kind: "sink", panel: 0 }, xaxis: "x9" }]
      : []),
  ],
  layout: {
    ...{ xaxis: { title: { text: "key" } }, yaxis: { title: { text: "query" } }, xaxis9: { ticktext: ["sink"] } },
    coloraxis: { colorscale: SCALE, cmin: 0, cmax: 1, colorbar: { title: { text: title } } },
    coloraxis2: { colorscale: SCALE.with(0, [0, "#ff0000"]), cmin: -1, cmax: 1 },
    coloraxis3: { colorscale: [...SCALE, [1, "#00ff00"]], cmin: 0, cmax: 1 },
    annotations: [
      ...["Head 1 · weights", "Head 2 · weights", "1 − 2"].map((text) => ({ name: "title", text })),
      ...["▨ masked", "⊠ no number", "⊙ lost digits"].map((text) => ({ text })),
    ],
  },
});

test("heat maps stand side by side with titles, bars and sinks; a pointer previews, locks, zooms, and shows everything", async (context) => {
  const { root, lines, tell } = place();
  const [stage, bars] = [made("div", { className: "stage" }), made("div", { className: "bars" })];
  root.append(stage, bars);
  const told =
    (/** @type {string} */ what) =>
    (/** @type {unknown[]} */ ...found) =>
      void heard.push(`${what} ${JSON.stringify(found[0] ?? null)}`);
  const figure = /** @type {Loose} */ (
    new CellsFigure(stage, bars, {
      ...{ onCell: told("points at"), onClick: told("presses"), onTitle: told("title"), onMoved: told("moved") },
      titleHint: () => "enlarge",
    })
  );
  figure.after.push(() => heard.push("placed"));
  const step = async (/** @type {string} */ what, /** @type {() => unknown} */ work, wait = 0) => {
    work();
    await time.pass(wait);
    frame();
    const painted = drawn();
    tell(what);
    lines.push(
      ...painted.slice(0, 3),
      `${painted.length} strokes; ${figure.seen} across ${figure.across}, ${figure.windows.size} zoomed`,
    );
  };
  await step("nothing yet", () => sized(stage));
  await step("out of sight", () => figure.draw(cells(), "one", []));
  Object.assign(stage, { clientWidth: 600, clientHeight: 300 });
  put(stage, { left: 10, top: 20, width: 600, height: 300 });
  await step("in sight", () => sized(stage));
  await step("the same size", () => sized(stage));
  await step("other numbers", () => figure.draw(cells({ title: "score" }), "one", []));
  await step("tokens", () => figure.draw(cells(), "two", ["the", "cat", "sat", "on", "a", "mat"]));
  for (const side of ["a", "b", "c", "b", null]) await step(`side ${side}`, () => figure.show(side));
  heard.push(`${["a", "b", "c"].map((side) => figure.has(side))}`);
  figure.lines = { columns: 1, group: 1, kept: 0 };
  await step("one in a line", () => sized(stage));
  figure.lines = { columns: 0, group: 1, kept: 0 };
  await step("as many as fit", () => sized(stage));
  figure.marks.row("locked", 1);
  figure.marks.row("preview", 2);
  await step("marks", () => figure.marks.cell(1, 6));
  const [{ box }] = figure.panels;
  const strip = figure.strips.of(0).box;
  const at = (/** @type {Loose} */ of, /** @type {number} */ across, /** @type {number} */ down) => ({
    clientX: 10 + of.left + across * of.width,
    clientY: 20 + of.top + down * of.height,
  });
  const [over] = [stage.children[2]];
  await step("a pointer over a cell", () => hear(over, "pointermove", { buttons: 0, ...at(box, 0.5, 0.3) }));
  await step("over the sink", () => hear(over, "pointermove", { buttons: 0, ...at(strip, 0.5, 0.6) }));
  await step("between two", () => hear(over, "pointermove", { buttons: 0, clientX: 0, clientY: 0 }));
  await step("with a button held", () => hear(over, "pointermove", { buttons: 1, ...at(box, 0.5, 0.3) }));
  await step("left, with a frame on its way", () => {
    hear(over, "pointermove", { buttons: 0, ...at(box, 0.1, 0.1) });
    hear(stage, "pointerleave");
  });
  const drag = (/** @type {Loose[]} */ points, /** @type {Loose} */ more = {}) => {
    const [first, ...rest] = points;
    hear(over, "pointerdown", { pointerId: 1, buttons: 1, ...first, ...more });
    for (const one of rest) hear(over, "pointermove", { pointerId: 1, buttons: 1, ...one, ...more });
    hear(over, "pointerup", { pointerId: 1, buttons: 0, ...points.at(-1), ...more });
  };
  await step("a click", () => drag([at(box, 0.2, 0.9)]));
  await step("a click beside all", () => drag([{ clientX: 1, clientY: 1 }]));
  await step("a click on the sink", () => drag([at(strip, 0.5, 0.1)]));
  const [x, y] = [at(box, 0.3, 0.3).clientX, at(box, 0.3, 0.3).clientY];
  for (const way of [3, 4, 5, 6, 7]) {
    await step(
      `a drag by ${way}`,
      () =>
        drag([
          { clientX: x, clientY: y },
          { clientX: x + way, clientY: y + way },
        ]),
      400,
    );
    await step("everything", () => hear(stage, "dblclick"));
  }
  await step("a drag that goes on", () => {
    hear(over, "pointerdown", { pointerId: 1, buttons: 1, ...at(box, 0.2, 0.2) });
    hear(over, "pointermove", { pointerId: 1, buttons: 1, ...at(box, 0.6, 0.7) });
  });
  await step("it is broken off", () => hear(over, "pointercancel", { pointerId: 1 }));
  await step("by a finger", () => drag([at(box, 0.2, 0.2), at(box, 0.6, 0.7)], { pointerType: "touch" }));
  await step("by another button", () => drag([at(box, 0.2, 0.2), at(box, 0.6, 0.7)], { button: 2 }));
  await step("backwards, beyond the edge", () => drag([at(box, 0.7, 0.8), at(box, 0.2, 0.2), at(box, -3, -3)]));
  await step("a click while zoomed", () => drag([at(box, 0.5, 0.5)]), 200);
  await step("is told later", () => {}, 200);
  await step(
    "a second one makes it double",
    () => {
      drag([at(box, 0.5, 0.5)]);
      drag([at(box, 0.5, 0.5)]);
      hear(stage, "dblclick");
    },
    400,
  );
  await step("from the sink", () => drag([at(strip, 0.5, 0.1), at(box, 0.4, 0.6)]));
  for (const factor of [0.5, 0.5, 2, 0]) {
    await step(`the keyboard zooms by ${factor}`, () => figure.windows.zoom(factor, 3, 5));
  }
  await step("a title is pressed", () => press(figure.titles.headings[0]));
  await step("a press on a title is no drag", () =>
    hear(figure.titles.headings[0], "pointerdown", { pointerId: 1, ...at(box, 0.5, 0.5) }),
  );
  await step("without a sink, of other sizes", () =>
    figure.draw(cells({ sink: false, rows: 5, of: ["a", "a"] }), "three", []),
  );
  await step("no panel", () => figure.clear());
  await step("nothing is there", () => (figure.windows.zoom(0.5, 1, 1), sized(stage), figure.show("a")));
  const plainer = new CellsFigure(made("div", { clientWidth: 300, clientHeight: 200 }), bars);
  plainer.draw(
    /** @type {Loose} */ ({ ...cells({ of: ["a"], sink: false }), layout: { ...cells().layout, annotations: [] } }),
    "x",
    [],
  );
  lines.push(...outline(/** @type {Loose} */ (plainer).titles.headings[0]));
  held(context, lines);
});

/** Give an element its place in the window. @param {Loose} one @param {Loose} box */
const put = (one, box) => Object.defineProperty(one, "box", { value: box, configurable: true });

test("sentences offer to unfold if there are more, or if a small window cuts the first; the keyboard stays", (context) => {
  const { root, lines, tell } = place();
  const all = /** @type {Loose} */ (new Sentences(root, keyed));
  const box = (/** @type {string[]} */ ...said) =>
    made("div", { className: "insight" }, ...said.map((one) => made("p", {}, one)));
  const step = (/** @type {string} */ what, /** @type {() => unknown} */ work) => {
    work();
    tell(`${what}: ${all.folded}`);
  };
  const one = box("Only one.");
  step("before any", () => all.add([made("p", {}, "lost")]));
  step("one that fits", () => all.show(one));
  for (const more of [2, 3]) {
    Object.assign(one, { scrollHeight: 100 + more, clientHeight: 100 });
    for (const name of ["scrollHeight", "clientHeight"]) Object.defineProperty(one, name, { enumerable: false });
    step(`cut by ${more} pixels`, () => sized(one));
  }
  step("opened", () => ((all.place.box = null), put(root, { height: 60 }), press(all.button)));
  step("another size while it is open", () => sized(one));
  step("a press in it", () => hear(one, "pointerdown"));
  const tip = made("div", { className: "reason-tip" });
  body.append(tip);
  step("a press on the tip of a number in it", () => hear(tip, "pointerdown"));
  step("a key", () => hear(one, "keydown", { key: "x" }));
  step("Escape", () => hear(body, "keydown", { key: "Escape" }));
  step("three", () => all.show(box("One.", "Two.", "Three.")));
  step("more behind them", () => all.add([made("p", {}, "Four."), made("p", {}, "Five.")]));
  step("opened", () => press(all.button));
  step("others while it is open, with the focus", () => all.show(box("Un.", "Deux.")));
  step("more", () => all.add([made("p", {}, "Trois.")]));
  step("shut", () => press(all.button));
  document.body.focus();
  step("others, with the focus elsewhere", () => all.show(box("Eins.")));
  sized(one);
  held(context, lines);
});

test("a page that may not be left says why at each press, and its names lead nowhere", (context) => {
  const { root, lines, tell } = place();
  const turning = {
    ...{
      turns: false,
      looked: "n=5",
      all: () => (/** @type {string} */ name) => (name === "why" ? "" : `page=${name}`),
    },
    leaveFor: async (/** @type {string} */ name) => void heard.push(`leaves for ${name}`),
  };
  const page = /** @type {Loose} */ ({
    settings: { pages: ["explore", "why"], page: "explore" },
    text: keyed,
    ways: turning,
  });
  const links = new PageLinks(root, page);
  const [here, there] = root.querySelectorAll("a");
  const step = (/** @type {string} */ what, /** @type {Loose} */ one, /** @type {string} */ kind, more = {}) => {
    heard.push(`taken: ${hear(one, kind, more).defaultPrevented}`);
    tell(what);
  };
  const each = () => {
    for (const [name, one] of [
      ["here", here],
      ["there", there],
    ]) {
      step(`a press, ${name}`, one, "click");
      for (const key of ["ctrlKey", "metaKey", "shiftKey", "altKey"]) {
        step(`${key}, ${name}`, one, "click", { [key]: true });
      }
      step(`the wheel, ${name}`, one, "auxclick", { button: 1 });
      step(`the right button, ${name}`, one, "auxclick", { button: 2 });
      step(`Enter, ${name}`, one, "keydown", { key: "Enter" });
      step(`another key, ${name}`, one, "keydown", { key: " " });
    }
  };
  tell("made");
  links.follow();
  tell("led");
  each();
  turning.turns = true;
  links.follow();
  tell("free");
  each();
  location.search = "?room=ABC&held=x&__theme=dark&__sign=s&lesson=y";
  links.follow();
  tell("what belongs to the tab");
  location.search = "";
  held(context, lines);
});

const DEFAULTS = {
  lang: "en",
  n: 4,
  seed: 0,
  source: "gaussian",
  predict: false,
  present: 0,
  hide: "",
  focus: "",
  text: "t",
};
const SETTINGS = {
  ...{
    page: "why",
    pages: ["explore", "why"],
    first: "explore",
    defaults: DEFAULTS,
    texts: ["text"],
    controls: ["lang", "n", "seed", "text"],
  },
  ...{
    figures: ["curve", "maps"],
    parts: ["insight"],
    lesson: ["n"],
    own: [],
    seedMaximum: 9,
    prefix: "live",
    space: "",
  },
  ...{
    reach: { bounds: {}, choices: {} },
    templates: { light: {}, dark: {} },
    charts: ["curve"],
    plotly: "p",
    versions: {},
  },
};
/** A page whose figures stand in `root`, and whose server a test plays. @param {Loose} root @param {Loose} [settings] */
function livePage(root, settings = {}) {
  const texts = { lang: "en", of: (/** @type {string} */ key) => key };
  const page = /** @type {Loose} */ (
    new LivePage(
      /** @type {Loose} */ ({ ...SETTINGS, ...settings }),
      /** @type {Loose} */ ({ texts, later: () => ({}) }),
    )
  );
  const places = Object.fromEntries(
    ["figure-curve", "figure-maps", "present", "message", "insight"].map((id) => {
      const element = made("div", { id });
      Object.defineProperty(element, "living", { writable: true });
      root.append(element);
      return [id, { element }];
    }),
  );
  page.message.build(places.message.element);
  page.figures.build(places, keyed, () => {});
  page.answers.telling.build(places.insight.element);
  /** @type {Loose[]} */
  const asked = [];
  page.server.ask = (
    /** @type {string} */ path,
    /** @type {Loose} */ { query, known },
    /** @type {Loose} */ file,
    /** @type {Loose} */ { signal } = {},
  ) => {
    heard.push(
      `asks ${path} ${query}${known?.length ? ` knows ${known.length}, ${known[0]} first` : ""}${file ? ` with ${file.length} bytes` : ""}`,
    );
    return new Promise((resolve, reject) => {
      asked.push({ resolve, reject });
      signal?.addEventListener("abort", () => (heard.push("left"), reject(signal.reason)));
    });
  };
  return { page, places, asked };
}

test("a look and a wish count before the first answer, a refusal leaves the controls' values, and a stage gives way", async (context) => {
  const { root, lines, tell } = place();
  location.search = "?n=5&present=1&hide=n,insight&lang=ko";
  const { page, places, asked } = livePage(root);
  root.append(made("div", { id: "control-n" }), made("div", { id: "control-seed" }));
  page.presenter.build(places.present.element);
  page.controls.build({ trigger: (/** @type {string} */ kind) => void heard.push(`gradio hears ${kind}`) });
  page.controls.onFit(() => heard.push(`fits ${JSON.stringify(page.state.agreed)}`));
  const step = async (/** @type {string} */ what, /** @type {() => unknown} */ work, wait = 0) => {
    work();
    await time.pass(wait);
    tell(what);
  };
  const opened = page.updates.open().then(() => heard.push("opened"));
  await step("the look of the link", () => {});
  await step("another look", () => page.presenter.wish({ present: 0, hide: ["seed"], focus: "curve" }));
  await step("asked again before an answer", () => page.updates.again());
  const { Refusal } = await import("../../assets/js/server/server.js");
  await step("refused", () => asked[0].reject(new Refusal("No such n.")));
  for (const one of asked.slice(1)) one.reject(new Refusal("No such n."));
  await opened;
  heard.push(`${page.updates.isOpen} ${page.updates.running} ${page.state.chosenLanguage} ${page.updates.link()}`);
  await step("on the controls' values", () => {});
  await step("a figure alone", () => page.presenter.stage("maps"));
  page.presenter.look = { ...page.presenter.look, focus: "" };
  await step("a lesson's figure", () => page.presenter.stage("curve"));
  await step("the same", () => page.presenter.stage("curve"));
  await step("the visitor makes it small", () => press(root.querySelector("#figure-curve .enlarge")));
  await step("a lesson's figure again", () => page.presenter.stage("maps"));
  await step("the visitor's own comes first", () => press(root.querySelector("#figure-curve .enlarge")));
  await step("and goes", () => press(root.querySelector("#figure-curve .enlarge")));
  await step("one that is hidden", () => page.presenter.show({ present: 0, hide: ["maps"], focus: "maps" }));
  page.leader.could = () => false;
  await step("refused to a visitor who follows", () => page.presenter.wish({ present: 0, hide: [], focus: "curve" }));
  await step("but for large type", () => page.presenter.wish({ ...page.presenter.look, present: 1 }));
  page.leader.could = () => true;
  held(context, lines);
});

test("an answer is adopted: at first whole, later where the controls rest, and a wish that nothing shows ends", async (context) => {
  const { root, lines, tell } = place();
  location.search = "?n=5";
  const { page, places } = livePage(root);
  page.presenter.build(places.present.element);
  page.controls.build({ trigger: (/** @type {string} */ kind) => void heard.push(`gradio hears ${kind}`) });
  const { answers, presence, state, updates } = page;
  presence.onMove((/** @type {string} */ link) => void heard.push(`moved to ${link}`));
  presence.onForget((/** @type {boolean} */ plain) => void heard.push(`plain: ${plain}`));
  answers.rules.rested = () => heard.push(`rests at ${answers.settled}`);
  const step = async (/** @type {string} */ what, /** @type {() => unknown} */ work, wait = 0) => {
    work();
    await time.pass(wait);
    tell(`${what}: ${JSON.stringify(state.values)}, ${state.chosenLanguage} ${state.present}`);
  };
  const take = (/** @type {Loose} */ change, newest = true, query = "n=5", notices = /** @type {string[]} */ ([])) =>
    answers.take({ header: { part: "state", query, controls: { ...DEFAULTS, ...change }, notices } }, newest);
  updates.isOpen = true;
  await step("the page stands on its defaults", () => {});
  await step("the first answer", () => take({ n: 5, hide: "n" }, true, "n=5&lang=ko"));
  await step(
    "one that is not the newest",
    () => ((state.values = { ...state.values, n: 7, predict: true }), take({ n: 6 }, false)),
    800,
  );
  await step("the newest, with another number", () => take({ n: 6, text: "u", lang: "ko" }), 699);
  await step("at rest", () => {}, 1);
  const box = made("input", { type: "number" });
  root.append(made("div", { id: "control-n" }, box));
  await step("somebody types", () => (box.focus(), (state.values = { ...state.values, n: 60 }), take({ n: 6 })), 700);
  await step("and is done", () => document.body.focus(), 700);
  await step(
    "a move in between",
    () => ((state.values = { ...state.values, n: 8 }), take({ n: 9 }), answers.unsettle()),
    800,
  );
  await step(
    "a control without effect keeps its value",
    () => {
      page.controls.rules.meaningless = () => ["n"];
      state.values = { ...state.values, n: 3, seed: 3 };
      return take({ n: 4, seed: 4 });
    },
    700,
  );
  await step("who listens later", () =>
    presence.onMove((/** @type {string} */ link) => void heard.push(`heard ${link}`)),
  );
  const end = presence.onPoint((/** @type {unknown} */ at) => void heard.push(`points ${JSON.stringify(at)}`));
  await step("pointed", () => presence.pointed({ row: 1 }));
  await step("no longer heard", () => (end(), presence.pointed(null)));
  for (const plain of [false, true, true, false]) await step(`plain ${plain}`, () => presence.forget(plain));
  document.getElementById("control-n").classList.add("x");
  await step("what has no effect is put away", () => page.controls.fit());
  held(context, lines);
});

test("the newest question is asked: it knows what it has, brings a file, waits for it, and leaves what is old", async (context) => {
  const { root, lines, tell } = place();
  const { page, asked } = livePage(root);
  const { updates, figures, state } = page;
  const step = async (/** @type {string} */ what, /** @type {() => unknown} */ work, wait = 0) => {
    work();
    await time.pass(wait);
    tell(`${what}: ${updates.running} ${updates.wished}`);
  };
  page.server.ahead = (/** @type {string} */ path, /** @type {Loose} */ { query, theme }) =>
    heard.push(`ahead ${path} ${query} ${theme}`);
  for (const search of ["?n=5&__theme=dark", "?source=upload", "?model=weights-file@x", "?model=small"]) {
    location.search = search;
    await step(search, () => updates.ahead());
  }
  location.search = "";
  for (let i = 0; i < 63; i += 1) figures.known.set(`h${i}`, {});
  await step("more is known than may be named", () => void updates.ask("n=1"));
  heard.push(`${figures.known.size} kept, ${[...figures.known.keys()][0]} first`);
  state.upload = new Uint8Array(3);
  await step("a wish that waits", () => void updates.ask("n=2"), 300);
  await step("the same as under way", () => void updates.ask("n=1"), 2000);
  state.values.source = "upload";
  await step("another", () => void updates.ask("n=3"), 100);
  await step("and another", () => void updates.ask("n=4"), 249);
  await step("it is left", () => {}, 1);
  heard.push(`${asked.length} asked`);
  await step("the last fails", () => asked.at(-1).reject(new TypeError("gone")), 100);
  await step("asked again later", () => {}, 400);
  await step("fails again", () => asked.at(-1).reject(new TypeError("gone")), 700);
  await step("later still", () => {}, 400);
  state.canonicalValues = state.values;
  state.chosenLanguage = "ko";
  await step("asked of the controls", () => void updates.again());
  updates.later(1);
  await step("later, of the controls", () => {}, 600);
  updates.later(1, "n=77");
  await step("later, of a link", () => {}, 600);
  held(context, lines);
});

test("a trained model decides the layers, the mask and the name of the factor", (context) => {
  const { root, lines, tell } = place();
  const layer = made(
    "div",
    { id: "control-layer" },
    made("input", { type: "range", max: "12" }),
    made("input", { type: "number", max: "12" }),
    made("span", { className: "max_value" }, "12"),
  );
  root.append(layer, made("div", { id: "control-scale" }, made("span", {}, "Factor")));
  root.querySelector("#control-scale span").dataset.testid = "block-info";
  for (const [name, drawn] of /** @type {[string, number | null][]} */ ([
    ["a page of one layer", null],
    ["one that draws layers", 6],
  ])) {
    const controls = new TrainedControls(drawn);
    const told = (/** @type {string} */ what, /** @type {Loose} */ trained, /** @type {Loose} */ values) => {
      const news = controls.take(trained);
      controls.fit(values, keyed);
      tell(`${name}, ${what}: news ${news}, without choice ${controls.meaningless(values)}`);
    };
    told("none", null, { source: "gaussian", mask: "none" });
    told("a model that masks", { layers: 8, mask: "causal" }, { source: "model", mask: "none" });
    told("the same", { layers: 8, mask: "causal" }, { source: "model", mask: "window" });
    told("more layers", { layers: 9, mask: "causal" }, { source: "model", mask: "causal" });
    told("another mask", { layers: 9, mask: "none" }, { source: "model", mask: "causal" });
    told("another source", { layers: 9, mask: "causal" }, { source: "gaussian", mask: "causal" });
  }
  layer.children[1].remove();
  layer.querySelector("span").remove();
  new TrainedControls(3).fit({ lang: "en", source: "gaussian" }, keyed);
  tell("a slider alone");
  root.append(
    made("div", { id: "control-lang" }, made("input", { type: "radio" })),
    made("div", { id: "control-mask" }, made("input", { type: "radio" }), made("input", { type: "radio" })),
  );
  layer.append(made("button"));
  nameControls(["lang", "mask", "layer", "absent"], keyed);
  tell("named");
  held(context, [
    ...lines,
    ...["n, positions", "d_k", "Mask: which", "Steps (0)", "단계（0）", "rate = 1", "a; b"].map(
      (one) => `“${short(one)}”`,
    ),
  ]);
});

test("type is as large as its box allows, and a box that scrolls is reached", (context) => {
  const { root, lines } = place();
  const box = made("div", { clientWidth: 100, clientHeight: 50 });
  root.append(box);
  let need = (/** @type {number} */ _factor) => [0, 0];
  for (const [name, at] of [
    ["scrollWidth", 0],
    ["scrollHeight", 1],
  ]) {
    Object.defineProperty(box, name, { get: () => need(Number(box.style["--fit"] ?? 1))[Number(at)] });
  }
  const fit = keepFitted(box, 0.5, 2);
  for (const [what, needs] of /** @type {[string, (factor: number) => number[]][]} */ ([
    ["fits at the largest", () => [100, 50]],
    ["as wide as it may be", (factor) => [80 * factor, 10]],
    ["as high as it may be", (factor) => [10, 40 * factor]],
    ["too high at the smallest", (factor) => [10, 400 * factor]],
    ["just fits at the smallest", (factor) => [10, 100 * factor]],
    ["between two tries", (factor) => [75 * factor, 10]],
  ])) {
    need = needs;
    fit();
    lines.push(`${what}: ${Number(box.style["--fit"]).toFixed(3)} ${box.getAttribute("tabindex")}`);
  }
  need = () => [1, 1];
  sized(box);
  lines.push(`another size: ${box.style["--fit"]} ${box.getAttribute("tabindex")}`);
  fitType(box, 1, 1);
  for (const high of [50, 51]) {
    need = () => [0, high];
    reachable(box);
    lines.push(`${high} high: ${box.getAttribute("tabindex")}`);
  }
  for (const before of [null, "-1"]) {
    const one = made("div", { clientHeight: 10 });
    if (before) one.setAttribute("tabindex", before);
    reachWhileScrolling(one);
    for (const high of [11, 10]) {
      Object.assign(one, { scrollHeight: high });
      sized(one);
      lines.push(`${before}, ${high} of 10: ${one.getAttribute("tabindex")}`);
    }
  }
  const long = made("div", { clientHeight: 10, scrollHeight: 20, scrollTop: 0 });
  fadeWhileMore(long);
  for (const top of [5, 6, 7]) {
    long.scrollTop = top;
    hear(long, "scroll");
    lines.push(`scrolled to ${top}: “${long.className}”`);
  }
  long.scrollTop = 0;
  sized(long);
  lines.push(`another size: “${long.className}”`);
  long.scrollTop = 10;
  for (const then of mutations) then();
  lines.push(`another content: “${long.className}”`);
  assert.throws(() => inside(root, ".absent"), /\.absent/);
  assert.throws(() => brushOf(/** @type {Loose} */ ({ getContext: () => null })), /2d/);
  lines.push(JSON.stringify(plain({ a: Float32Array.of(1, 2), b: [{ c: null, d: "x" }], e: 0 })));
  held(context, lines);
});

test("each kind of trace has its sample; a press hides a kind and shows it again", (context) => {
  const { root, lines, tell } = place();
  const legend = new Legend(root, () => void heard.push("changed"));
  const of = (/** @type {Loose} */ more) => ({ type: "scatter", name: JSON.stringify(more).slice(0, 40), ...more });
  const line = { color: "#111" };
  const traces = [
    ...[
      {},
      { width: 1 },
      { width: 9 },
      { dash: "dash" },
      { dash: "dot" },
      { dash: "dashdot" },
      { dash: "dashdot", width: 1, color: undefined },
    ].map((more) => of({ line: { ...line, ...more } })),
    of({ type: "box", line, fillcolor: "#222" }),
    of({ type: "box", line }),
    of({ fill: "tozeroy", fillcolor: "#333", line: { width: 1, color: "#444" } }),
    of({ fill: "tozeroy", line: { width: 0 } }),
    of({ type: "bar", marker: { color: "#555" } }),
    of({ type: "bar", marker: { color: ["#1", "#2"] } }),
    ...["square", "circle", "circle-open", "diamond", "diamond-open", "x", "x-thin", "line-ns"].map((symbol) =>
      of({ mode: "markers", marker: { symbol, color: "#666" } }),
    ),
    of({ mode: "markers+lines", marker: { line: { width: 1, color: "#777" }, color: "#888" } }),
    of({ mode: "markers", marker: { line: { width: 1 }, color: "#888" } }),
    of({ mode: "lines+markers", line }),
    of({ showlegend: false }),
    of({ showlegend: false, meta: { pointed: "the row", kind: "row" } }),
    of({ showlegend: true, meta: { measure: "entropy", pointed: "no" } }),
    { type: "scatter" },
    of({ type: "heatmap" }),
  ];
  legend.show(traces);
  tell("made");
  const [first] = root.children;
  legend.show(traces.slice());
  lines.push(`the same entries: ${root.children[0] === first}`);
  press(first);
  tell(
    `hidden: ${legend.has(traces[0])} ${legend.has(traces[1])} ${legend.has(/** @type {Loose} */ ({ type: "scatter" }))}`,
  );
  legend.show(traces.slice(0, 2));
  tell("fewer, one of them hidden");
  press(root.children[0]);
  tell(`shown again: ${legend.has(traces[0])}`);
  const other = [of({ name: "a", line: { color: "#1" } })];
  for (const more of [
    {},
    { line: { color: "#2" } },
    { line: { color: "#2", dash: "dot" } },
    { marker: { symbol: "x" }, mode: "markers" },
    { type: "bar" },
    { name: "b" },
  ]) {
    Object.assign(other[0], more);
    legend.show(other.map((one) => ({ ...one })));
    tell(JSON.stringify(more));
  }
  held(context, lines);
});

test("words over a chart are moved, renamed and coloured where they differ, and kept where not", (context) => {
  const { root, lines, tell } = place();
  const words = new Words(root);
  const word = { text: "n_q", x: 1, y: 2, align: "end", kind: "tick" };
  const states = [
    [word],
    [{ ...word }, { ...word, text: "d_k", plain: true }],
    ...[
      { x: 9 },
      { y: 9 },
      { align: "start" },
      { kind: "title" },
      { most: 40 },
      {},
      { colour: "red" },
      {},
      { name: "whole" },
      {},
      { lead: 7 },
      { lead: 8 },
      {},
      { text: "other" },
    ].map((more) => [{ ...word, ...more }]),
    [],
    [word],
  ];
  for (const state of /** @type {Loose[]} */ (states)) {
    const before = root.children[0]?.childNodes[0];
    words.show(state);
    tell(`${JSON.stringify(state)} the same text: ${root.children[0]?.childNodes[0] === before}`);
  }
  held(context, lines);
});

const REACH = {
  bounds: { "": { n: [1, 100] }, why: { n: [1, 10], toString: undefined }, map: {} },
  choices: { "": { mask: ["none", "causal"] }, why: { mask: ["none"] } },
};

test("another page gets what was changed here, in its own ranges, and keeps what it had", (context) => {
  const { lines } = place();
  sessionStorage.kept.clear();
  const left = {
    ...{ page: "explore", link: "n=5&mask=causal&present=1&lang=ko", arrived: null, keeps: ["row"] },
    values: { n: 5, mask: "causal", row: 3, head: 2, source: "gaussian", text: "t", present: 1, lang: "ko" },
  };
  const told = (/** @type {string} */ what, /** @type {Loose} */ more, to = "why", links = {}) =>
    void lines.push(`${what}: ${linkTo({ ...left, ...more }, to, links, /** @type {Loose} */ (REACH))}`);
  told("a first visit", {});
  told("to a page without its own ranges", {}, "map");
  told("to itself", {}, "explore");
  for (const n of [0, 1, 10, 11]) told(`n = ${n}`, { link: `n=${n}` });
  for (const n of [100, 101]) told(`n = ${n}, elsewhere`, { link: `n=${n}` }, "map");
  told("what stays, and what the way writes", { link: "row=3&page=explore&lang=ko&hide=a&focus=b&constructor=1" });
  const arrived = { ...left.values, n: 4, lang: "en" };
  told("one that was there, and nothing known of the arrival", {}, "why", { why: "n=2&seed=1&lang=en&present=1" });
  told("one that was there", { arrived }, "why", { why: "n=2&seed=1&lang=en&present=1" });
  told("a first visit with an arrival", { arrived }, "why");
  const model = { ...left.values, source: "model" };
  for (const [what, before] of /** @type {[string, Loose][]} */ ([
    ["from another source", arrived],
    ["the same text and head", { ...model }],
    ["another text", { ...model, text: "before" }],
    ["another head", { ...model, head: 1 }],
  ])) {
    told(`a model, ${what}`, { values: model, arrived: before, link: "source=model" }, "map", {
      map: "source=model&text=old&head=7",
    });
    told(`a first visit with a model, ${what}`, { values: model, arrived: before, link: "source=model" }, "map");
  }
  told("all heads", { values: { ...model, head: 0 }, link: "source=model" }, "map");
  told("from a model to none", { values: model, link: "n=5" }, "map", { map: "n=3" });
  const memory = () => `${sessionStorage.getItem("headlight-pages")}`;
  arrive("explore", { lang: "en", n: 4 });
  lines.push(memory());
  arrive("explore", { lang: "en", n: 9 });
  lines.push(`over a reload: ${memory()}`);
  remember("explore", "n=7");
  lines.push(memory());
  arrive("why", { lang: "en", n: 2 });
  remember("why", "n=3");
  lines.push(memory());
  const way = () =>
    ways(
      /** @type {Loose} */ ({ ...left, page: "why", values: { n: 3 }, link: "page=why&n=3", arrived: { n: 1 } }),
      /** @type {Loose} */ (REACH),
    )("explore");
  lines.push(`back, for want of a memory: ${way()}`);
  arrive("why", /** @type {Loose} */ ({ n: 3 }));
  lines.push(`back, with one: ${way()}`);
  for (const text of ["{", "7", '{"links":5}', "null"]) {
    sessionStorage.setItem("headlight-pages", text);
    lines.push(`somebody else's ${text}: ${way()}`);
  }
  sessionStorage.kept.clear();
  held(context, lines);
});

test("what a browser keeps of lessons outlives the page, the tab, or nothing", (context) => {
  const { lines } = place();
  const { localStorage } = globalThis;
  const told = (/** @type {string} */ what) =>
    void lines.push(
      `${what}: ${[kept.recall("a"), kept.recall("a", "sessionStorage"), kept.placeIn("x"), kept.isEditing()].map(String)}`,
      JSON.stringify([[...localStorage.kept], [...sessionStorage.kept]]),
    );
  told("nothing");
  heard.push(String([kept.keep("a", "1"), kept.keep("a", "2", "sessionStorage")]));
  kept.keepPlace("x", 3);
  kept.keepEditing(true);
  told("kept");
  for (const step of ["0", "-1", "1.5", "x", "2"]) {
    kept.keep("place-x", step);
    lines.push(`place ${step}: ${kept.placeIn("x")}`);
  }
  kept.keepPlace("x", null);
  kept.keepEditing(false);
  kept.keep("a", null);
  told("forgotten");
  localStorage.refuses = sessionStorage.refuses = true;
  heard.push(String([kept.keep("a", "4"), kept.keep("b", "5", "sessionStorage")]));
  told("refused");
  heard.push(String(kept.keep("a", null)));
  told("forgotten though it is refused");
  kept.keep("a", "6");
  localStorage.refuses = sessionStorage.refuses = false;
  told("a storage again");
  heard.push(String(kept.keep("a", "7")));
  told("kept there");
  kept.keep("a", null);
  sessionStorage.kept.clear();
  held(context, [...lines, ...heard.splice(0)]);
});

test("a file is carried over a reload by this tab alone, and weights stay in it", async (context) => {
  const { lines } = place();
  /** @type {Map<string, unknown>} */
  const store = new Map();
  const state = { refuses: false, closed: 0, made: 0 };
  const request = (/** @type {() => unknown} */ work) => {
    const one = /** @type {Loose} */ ({});
    queueMicrotask(() => {
      if (state.refuses) return one.onerror();
      one.result = work();
      one.onupgradeneeded?.();
      return one.onsuccess();
    });
    return one;
  };
  const objects = {
    put: (/** @type {unknown} */ file, /** @type {string} */ key) => request(() => store.set(key, file)),
    get: (/** @type {string} */ key) => request(() => store.get(key)),
    delete: (/** @type {string} */ key) => request(() => store.delete(key)),
  };
  const database = {
    createObjectStore: (/** @type {string} */ name) => lines.push(`makes ${name}`),
    transaction: (/** @type {string} */ name, /** @type {string} */ how) => (
      lines.push(`${how} of ${name}`),
      { objectStore: (/** @type {string} */ of) => (lines.push(of), objects) }
    ),
    close: () => (state.closed += 1),
  };
  Object.assign(globalThis, {
    indexedDB: {
      open: (/** @type {string} */ name, /** @type {number} */ version) => (
        lines.push(`opens ${name} ${version}`),
        request(() => database)
      ),
    },
  });
  const { carry, arrived, stay, stayed, handed, isHanded, isWeights, namesWeights } = uploads;
  const told = async (/** @type {string} */ what) =>
    void lines.push(
      `${what}: ${JSON.stringify([...store])} ${JSON.stringify([...sessionStorage.kept])} ${state.closed}`,
    );
  await carry(null);
  await told("no file");
  lines.push(`arrived: ${await arrived()}`);
  await carry(Uint8Array.of(1, 2));
  await told("carried");
  lines.push(`arrived: ${await arrived()}`);
  await told("arrived");
  lines.push(`again: ${await arrived()}`);
  sessionStorage.setItem("headlight-upload-handover", "1");
  lines.push(`lost meanwhile: ${await arrived()}`);
  state.refuses = true;
  await carry(Uint8Array.of(3));
  await told("refused");
  sessionStorage.setItem("headlight-upload-handover", "1");
  lines.push(`refused: ${await arrived()}`);
  state.refuses = false;
  const query = "model=weights-file%40abc&n=3";
  for (const file of [
    Uint8Array.from({ length: 0x8001 }, (_, i) => i % 251),
    Uint8Array.of(0, 255),
    null,
    new Uint8Array(4_000_000),
    new Uint8Array(4_000_001),
  ]) {
    stay(file);
    const found = stayed(query);
    lines.push(
      `${file?.length} bytes stay: ${found?.length} ${found && file && found.every((one, i) => one === file[i])}`,
    );
  }
  stay(Uint8Array.of(7));
  lines.push(
    `of another link: ${["", "n=3", "model=small", "source=weights-file@x"].map(stayed)}, ${[...sessionStorage.kept]}`,
  );
  sessionStorage.refuses = true;
  stay(Uint8Array.of(8));
  lines.push(`without a storage: ${stayed(query)} ${await arrived()}`);
  sessionStorage.refuses = false;
  sessionStorage.kept.clear();
  lines.push(`nothing stays: ${stayed(query)}`);
  lines.push(`${[isWeights("weights-file@a"), isWeights("a weights-file@"), namesWeights(query), namesWeights("")]}`);
  const stands = handed("held=qkv&n=3") ?? new Uint8Array(0);
  lines.push(
    JSON.stringify([new TextDecoder().decode(stands), isHanded(stands), isHanded(Uint8Array.of(1, 2)), handed("n=3")]),
  );
  held(context, lines);
});

test("lessons, the room and help are loaded at a press, a first visit is greeted once, and a failure is told", async (context) => {
  const { root, lines, tell } = place();
  const storage = globalThis.localStorage;
  storage.kept.clear();
  let fails = false;
  const does =
    (/** @type {string} */ name) =>
    async (/** @type {unknown[]} */ ...given) => {
      heard.push(`${name} ${given.map((one) => (one instanceof StandIn ? "a place" : JSON.stringify(one)))}`);
      if (fails) throw new Error("gone");
    };
  const lessons = { open: does("lessons"), start: does("the short way"), help: does("help"), play: does("plays") };
  const rooms = { ways: does("the ways of a room"), join: does("joins") };
  const page = /** @type {Loose} */ ({
    text: keyed,
    message: { fail: (/** @type {string} */ said) => void heard.push(`fails: ${said}`) },
    presence: { how: "led", later: { lessons: async () => lessons, room: async () => rooms } },
  });
  const step = async (/** @type {string} */ what, /** @type {() => unknown} */ work) => {
    work();
    await time.pass(10);
    tell(what);
  };
  const all = /** @type {Loose[]} */ ([
    classroom.lessonMenu(page),
    classroom.roomMenu(page),
    classroom.helpButton(page),
  ]);
  root.append(...all);
  tell("made");
  for (const one of [false, true]) {
    fails = one;
    for (const at of [0, 1]) {
      await step(`menu ${at} opens, fails: ${one}`, () => press(all[at].firstElementChild));
      await step("shuts", () => press(all[at].firstElementChild));
    }
    await step(`help, fails: ${one}`, () => press(all[2]));
  }
  fails = false;
  const box = () => {
    const one = made("div", { className: "insight" }, made("p", {}, "Said."));
    root.replaceChildren(one);
    classroom.greet(page, one);
    return one;
  };
  location.search = "";
  await step("a first visit", box);
  await step("the next answer", box);
  await step("dismissed", () => press(root.querySelector("#first-dismiss")));
  heard.push(JSON.stringify([...storage.kept]));
  await step("it stays away", box);
  for (const search of ["", "?room=ABC", "?lesson=heads&step=2", "?room=ABC&lesson=heads"]) {
    location.search = search;
    for (const how of ["led", "visitor"]) {
      page.presence.how = how;
      await step(`${search} as ${how}`, () => classroom.attend(page));
    }
  }
  kept.keepEditing(true);
  for (const search of ["", "?room=ABC"]) {
    location.search = search;
    await step(`an editor, ${search}: ${page.presence.how}`, () => classroom.attend(page));
  }
  kept.keepEditing(false);
  fails = true;
  location.search = "?room=ABC";
  await step("a room that cannot be loaded", () => classroom.attend(page));
  location.search = "";
  held(context, lines);
});

test("a first visit begins the short way in, and a browser without storage is greeted each time", async (context) => {
  const { root, lines, tell } = place();
  const anew = "../../assets/js/page/first_visit.js?anew";
  const { welcome, welcomeNoMore } = await import(anew);
  globalThis.localStorage.refuses = true;
  const greeted = () => {
    const one = made("div", { className: "insight" }, made("p", {}, "Said."));
    root.replaceChildren(one);
    welcome(one, keyed, () => heard.push("begins"));
    return one;
  };
  greeted();
  tell("greeted");
  press(root.querySelector("#first-way"));
  tell("begun");
  greeted();
  tell("not again on this page");
  welcomeNoMore();
  globalThis.localStorage.refuses = false;
  held(context, lines);
});

test("notices, waits and failures stand under the banner, each until its end", (context) => {
  const { root, lines, tell } = place();
  const message = new Message();
  message.build(root);
  const [one, other] = [{}, {}];
  for (const [what, work] of /** @type {[string, () => void][]} */ ([
    ["built", () => {}],
    ["notices", () => message.notify(["n was rounded.", "d_k follows."])],
    ["none", () => message.notify([])],
    ["a wait", () => message.wait(one, "busy, n_q")],
    ["another", () => message.wait(other, "busier")],
    ["the first again", () => message.wait(one, "busy still")],
    ["the newer ends", () => message.wait(other, null)],
    ["the first ends", () => message.wait(one, null)],
    ["a failure", () => message.fail("d_k is wrong")],
    ["an earlier answer", () => message.recover(0)],
    ["a later answer", () => message.recover(1)],
    ["two failures", () => (message.fail("one"), message.fail("two"))],
    ["of the first", () => message.recover(2)],
    ["no failure", () => message.fail(null)],
    ["spoken", () => message.speak("row 3")],
  ])) {
    const before = [
      root.children[0].children[0].children[0],
      message.waiting.childNodes[0],
      message.error.childNodes[0],
    ];
    work();
    message.notify([...message.notices.children].map((item) => item.textContent));
    const kept = [message.notices.children[0], message.waiting.childNodes[0], message.error.childNodes[0]].map(
      (now, i) => now === before[i],
    );
    tell(`${what}: ${message.failures} failures, kept ${kept}`);
  }
  held(context, lines);
});

test("the group behind more folds, and only a page that names its place has one", (context) => {
  const { root, lines, tell } = place();
  const place_ = made("div");
  root.append(place_, made("div", { id: "group-more" }));
  foldMore(undefined, keyed);
  tell("none");
  foldMore(/** @type {Loose} */ ({ element: place_ }), keyed);
  tell("made");
  for (const what of ["open", "shut"]) {
    press(place_.children[0]);
    tell(what);
  }
  held(context, lines);
});

test("the texts are those of the browser's language, asked for once, and again if that was in vain", async () => {
  const texts = { en: "en.json", ko: "ko.json" };
  /** @type {string[]} */
  const asked = [];
  let fails = false;
  Object.assign(globalThis, {
    fetch: async (/** @type {URL} */ address) => {
      asked.push(address.pathname);
      if (fails) throw new Error("gone");
      return new Response(JSON.stringify({ a: `of ${address.pathname}` }));
    },
  });
  for (const [language, file] of [
    ["ko-KR", "/ko.json"],
    ["de", "/en.json"],
    ["EN", "/en.json"],
  ]) {
    Object.defineProperty(globalThis, "navigator", { configurable: true, value: { language } });
    const all = new Texts(texts);
    assert.equal(all.of("a"), "a");
    assert.deepEqual(await all.ask(), { a: `of ${file}` });
    await all.read();
    assert.deepEqual([all.of("a"), all.of("b"), asked.splice(0)], [`of ${file}`, "b", [file]]);
  }
  const late = new Texts(texts);
  fails = true;
  assert.equal(await late.ask(), null);
  fails = false;
  await late.read();
  assert.deepEqual([late.of("a"), asked.splice(0)], ["of /en.json", ["/en.json", "/en.json"]]);
  const unasked = new Texts(texts);
  await unasked.read();
  assert.equal(unasked.of("a"), "of /en.json");
});

test("a particle follows the sound of what is before it", () => {
  const sounds = { vowel: "가e249%∞5νZμ", ㄹ: "갈lr718½", consonant: "각갉힣nm036ε′υ²" };
  for (const [sound, signs] of Object.entries(sounds)) {
    for (const sign of signs) assert.equal(lastSound(sign), sound, sign);
  }
  const words = {
    10: "consonant",
    "n²": "consonant",
    "¼": "ㄹ",
    "x′": "consonant",
    "(각)": "consonant",
    "7…": "ㄹ",
    "": "vowel",
  };
  for (const [word, sound] of Object.entries(words)) assert.equal(lastSound(word), sound, word);
  const pairs = ["은/는", "이/가", "으로/로"].map((pair) => ["가", "각", "갈"].map((word) => withParticle(word, pair)));
  assert.deepEqual(pairs, [
    ["가는", "각은", "갈은"],
    ["가가", "각이", "갈이"],
    ["가로", "각으로", "갈로"],
  ]);
});

test("the theme that will come is the link's, then the visitor's, then the machine's", () => {
  const storage = globalThis.localStorage;
  const dark = media("(prefers-color-scheme: dark)");
  for (const [search, chosen, machine, expected] of /** @type {[string, string | null, boolean, string][]} */ ([
    ["", null, false, "light"],
    ["", null, true, "dark"],
    ["", "light", true, "light"],
    ["", "dark", false, "dark"],
    ["", "other", true, "dark"],
    ["?__theme=light", "dark", true, "light"],
    ["?__theme=dark", "light", false, "dark"],
    ["?__theme=system", "light", true, "dark"],
  ])) {
    location.search = search;
    if (chosen === null) storage.kept.clear();
    else storage.kept.set("headlight-theme", chosen);
    dark.matches = machine;
    assert.equal(coming(), expected, `${search} ${chosen} ${machine}`);
  }
  location.search = "";
  storage.refuses = true;
  assert.equal(coming(), "dark");
  storage.refuses = false;
  storage.kept.clear();
});

test("plotly is loaded once, and again after a failure", async () => {
  const load = plotlyFrom("lib/plotly.js");
  assert.equal(head.children.length, 0, "not before it is needed");
  const first = load();
  assert.equal(load(), first);
  assert.deepEqual([head.children.length, head.children[0].src], [1, "http://page/lib/plotly.js"]);
  head.children[0].onerror();
  await assert.rejects(first, /^Error: lib\/plotly\.js$/);
  assert.equal(head.children.length, 0);
  const second = load();
  Object.assign(window, { Plotly: "plotly" });
  head.children[0].onload();
  assert.deepEqual([await second, load() === second], ["plotly", true]);
});

test("a wish about a run is sent again where the next server may know it", async () => {
  for (const [statuses, wanted, expected, times] of /** @type {[number[], boolean, string, number][]} */ ([
    [[204], true, "done", 1],
    [[200], true, "ended", 1],
    [[500], true, "unanswered", 1],
    [[404, 204], true, "done", 2],
    [[404, 404, 404, 200], true, "ended", 4],
    [[404, 404, 404, 404, 204], true, "unknown", 4],
    [[404, 204], false, "unknown", 1],
    [[0], true, "unanswered", 1],
  ])) {
    /** @type {string[]} */
    const asked = [];
    const server = {
      tell: async (/** @type {string} */ path) => {
        asked.push(`${path} at ${time.now - began}`);
        const status = statuses[asked.length - 1];
        if (!status) throw new TypeError("gone");
        return new Response(null, { status });
      },
    };
    const began = time.now;
    const told = tellRun(/** @type {Loose} */ (server), "r1", "pause", () => wanted);
    await time.pass(1000);
    assert.equal(await told, expected, String(statuses));
    assert.deepEqual(
      asked,
      Array.from({ length: times }, (_, i) => `runs/r1/pause at ${150 * i}`),
    );
  }
});

test("a file of the server has the name that it gives, or its kind", async () => {
  const given = /** @type {[string | null, string][]} */ ([
    ["attachment; filename*=UTF-8''a%20b.ipynb", "a b.ipynb"],
    ["attachment; filename*=UTF-8''a.zip; x=y", "a.zip"],
    ["attachment", "notebook"],
    [null, "notebook"],
  ]);
  for (const [disposition, name] of given) {
    /** @type {unknown[]} */
    const asked = [];
    const page = {
      ...{ settings: { page: "why" }, state: { present: "n=5" } },
      updates: { body: (/** @type {unknown[]} */ ...all) => all, rules: { enclosed: () => "file" } },
      server: {
        ask: async (/** @type {unknown[]} */ ...all) => {
          asked.push(...all);
          return new Response("bytes", disposition ? { headers: { "Content-Disposition": disposition } } : {});
        },
      },
    };
    const found = await servedFile(/** @type {Loose} */ (page), "notebook", { more: 1 });
    assert.deepEqual([found.name, await found.blob.text()], [name, "bytes"]);
    assert.deepEqual(asked, ["take-away/why/notebook", ["n=5", { more: 1 }], "file"]);
  }
});

test("who waits for a lost server is told once, and who has stopped waiting never", async () => {
  for (const stops of [false, true]) {
    const answers = [false, false, true];
    let back = 0;
    const end = whenBack(/** @type {Loose} */ ({ alive: async () => answers.shift() ?? true }), () => (back += 1));
    await time.pass(600);
    if (stops) end();
    await time.pass(20_000);
    assert.deepEqual([back, time.waiting], [stops ? 0 : 1, 0]);
  }
});

test("a class is asked the page's own question: held, withheld, revealed, and told what came", async (context) => {
  const { root, lines } = place();
  root.id = "predict";
  const predict = /** @type {Loose} */ ({
    ...{ root, shown: null, answer: null, renew: () => lines.push("renewed") },
    form: { hold: (/** @type {boolean} */ on) => lines.push(`held: ${on}`) },
  });
  const inClass = new PredictInClass(
    predict,
    () => lines.push(`reveals ${predict.answer}, without: ${inClass.without}`),
    () => lines.push("fits"),
  );
  for (const on of [true, false]) inClass.hold(on);
  for (const on of [false, true, true, false]) inClass.withhold(on);
  lines.push(`withheld: ${inClass.withheld}`);
  await assert.rejects(inClass.conclude("x"), /predict/);
  const choices = {
    choices: [
      ["a", "A"],
      ["b", "B"],
    ],
  };
  predict.shown = choices;
  const one = inClass.conclude("b");
  inClass.end(["a"]);
  lines.push(String(await one));
  const other = inClass.conclude(null);
  inClass.end();
  await assert.rejects(other, /predict/);
  inClass.end();
  const curve = /** @type {Loose} */ ({ curve: { x: [1, 2, 3], low: 0.5 } });
  lines.push(String(anyAnswer(/** @type {Loose} */ (choices))), String(anyAnswer(curve)));
  held(context, lines);
});

test("a silent run is probed, and lost when it stays silent after that", async () => {
  /** @type {string[]} */
  const told = [];
  const began = time.now;
  let there = true;
  const say = (/** @type {string} */ what) => void told.push(`${what} ${(time.now - began) / 1000}`);
  const pulse = new Pulse(
    async () => (say("probed"), there),
    () => say("lost"),
    5000,
  );
  await time.pass(34_999);
  assert.deepEqual(told.splice(0), []);
  await time.pass(1);
  assert.deepEqual(told.splice(0), ["probed 35"]);
  pulse.heard();
  await time.pass(30_000);
  assert.deepEqual(told.splice(0), ["probed 65"]);
  await time.pass(12_000);
  assert.deepEqual(told.splice(0), ["lost 77"]);
  pulse.hurry();
  there = false;
  await time.pass(12_000);
  assert.deepEqual(told.splice(0), ["probed 89", "lost 89"]);
  pulse.begin();
  pulse.stop();
  await time.pass(99_000);
  assert.deepEqual(told, []);
});

test("a text is copied in the old way where the new one is missing or denied, and the focus comes back", async () => {
  const { root } = place();
  const button = made("button");
  root.append(button);
  /** @type {string[]} */
  const copied = [];
  const { select } = /** @type {Loose} */ (StandIn.prototype);
  Object.assign(StandIn.prototype, {
    /** @this {Loose} */
    select() {
      copied.push(`selected ${this.value} ${this.className} ${this.getAttribute("readonly")} ${this.isConnected}`);
    },
  });
  document.execCommand = (/** @type {string} */ what) => (copied.push(what), copied.length < 5);
  const clipboard = { writeText: async (/** @type {string} */ text) => void copied.push(`written ${text}`) };
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard } });
  Object.assign(window, { isSecureContext: true });
  assert.equal(await copy("a"), true);
  assert.deepEqual(copied.splice(0), ["written a"]);
  Object.assign(window, { isSecureContext: false });
  button.focus();
  const old = (/** @type {string} */ text) => [`selected ${text} off-screen  true`, "copy"];
  assert.equal(await copy("b"), true);
  assert.deepEqual(copied, old("b"));
  assert.equal(focusSaid(), "button “”");
  Object.assign(window, { isSecureContext: true });
  clipboard.writeText = async () => {
    throw new Error("denied");
  };
  document.body.focus();
  assert.equal(await copy("c"), true);
  copied.push("so far");
  assert.equal(await copy("d"), false);
  assert.deepEqual(copied, [...old("b"), ...old("c"), "so far", ...old("d")]);
  assert.equal(root.querySelector("textarea"), null);
  Object.assign(StandIn.prototype, { select });
});

test("a page is turned to instead of this one or after it, in this language, and remembers where it was", async () => {
  const { root } = place();
  const { page } = livePage(root);
  const { state, ways: leads } = page;
  state.canonical = "n=5&lang=ko";
  for (const instead of [true, false]) {
    location.search = "?n=5&room=ABC";
    location.replaced = "";
    sessionStorage.kept.clear();
    await (instead ? leads.turnTo("page=why&n=2&lang=en", true, { lesson: "heads" }) : leads.turnTo("page=why&n=2"));
    const to = `page=why&n=2&lang=ko&room=ABC${instead ? "&lesson=heads" : ""}`;
    assert.deepEqual([location.replaced, location.search], instead ? [`/?${to}`, "?n=5&room=ABC"] : ["", to]);
    assert.equal(sessionStorage.getItem("headlight-led"), "1");
    assert.equal(JSON.parse(sessionStorage.getItem("headlight-pages") ?? "").links.why, "n=5&lang=ko");
  }
  location.search = "";
  sessionStorage.kept.clear();
});

test("a question that is held shows so, also one that comes meanwhile", () => {
  const { root } = place();
  const form = new PredictForm(root, /** @type {Loose} */ ({ text: keyed }), {
    answered: () => {},
    reveal: () => {},
    again: () => {},
  });
  const said = () => [root.className, root.inert, root.querySelector(".predict-held").hidden];
  const question = /** @type {Loose} */ ({ sentence: "How?", choices: [["a", "A"]] });
  form.show(question);
  assert.deepEqual(said(), ["", undefined, true]);
  form.hold(true);
  assert.deepEqual(said(), ["is-held", true, false]);
  form.show(question);
  assert.deepEqual(said(), ["is-held", true, false]);
  form.hold(false);
  assert.deepEqual(said(), ["", false, true]);
});

test("a logarithmic slider shows, takes and corrects numbers between its ends, and leaves other keys alone", (context) => {
  const { root, lines, tell } = place();
  for (const scale of [
    { low: 0.02, high: 50, whole: false },
    { low: 4, high: 64, whole: true },
  ]) {
    const slider = new LogSlider(root, "x", scale, [scale.low, 8, scale.high], keyed, (value) =>
      heard.push(`moved ${value}`),
    );
    const { box, range } = /** @type {Loose} */ (slider);
    tell(JSON.stringify(scale));
    const type = (/** @type {string} */ text) => {
      box.value = text;
      hear(box, "input");
    };
    for (const value of [scale.low, 8, 31.4159, scale.high]) {
      slider.show(value);
      tell(`shows ${value}`);
    }
    for (const at of ["0", "250", "1000"]) {
      range.value = at;
      hear(range, "input");
      tell(`at ${at}`);
    }
    slider.show(8);
    for (const key of ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "PageUp", "PageDown", "Home", "End", "x"]) {
      heard.push(`taken: ${hear(range, "keydown", { key }).defaultPrevented}`);
      tell(key);
    }
    for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { shiftKey: true }]) {
      heard.push(`taken: ${hear(range, "keydown", { key: "ArrowLeft", ...more }).defaultPrevented}`);
      tell(JSON.stringify(more));
    }
    box.focus();
    for (const text of ["0.01", "0.02", "3.99", "4", "5.678", "50", "50.1", "64", "65", "-1", "", "1e999"]) {
      type(text);
      tell(`typed “${text}”, typing ${slider.typing}`);
    }
    slider.show(8);
    tell("shown while somebody types");
    for (const text of ["0.001", "9999", "7.77777", "", "8"]) {
      box.focus();
      slider.show(8);
      type(text);
      document.body.focus();
      tell(`left with “${text}”, ${slider.value}`);
    }
    box.focus();
    slider.show(9);
    tell("shown in a box with the focus that nobody types in");
    document.body.focus();
    tell("left as it is");
  }
  held(context, lines);
});

test("the arithmetic of a table is the server's answer for its line, and nothing if it says nothing", async () => {
  const { page } = livePage(place().root);
  /** @type {unknown[]} */
  const asked = [];
  /** @type {Loose[]} */
  let parts = [{ part: "state" }, { part: "arithmetic", made: ["1 + 1", ""] }, { part: "arithmetic", made: ["later"] }];
  page.updates.body = (/** @type {unknown[]} */ ...all) => all;
  page.updates.rules.enclosed = () => "the file";
  page.server.ask = async (/** @type {unknown[]} */ ...all) => {
    asked.push(...all);
    return new Response(new Blob(parts.map((one) => partOf(one))));
  };
  const { arithmetic } = page.answers.telling.rules;
  assert.deepEqual(await arithmetic({ table: "curve", line: 3 }, "n=5"), ["1 + 1", ""]);
  assert.deepEqual(asked, ["page/why/arithmetic", ["n=5", { table: "curve", line: 3 }], "the file"]);
  parts = [{ part: "state" }];
  assert.deepEqual(await arithmetic({ table: "curve", line: 3 }, "n=5"), []);
});
