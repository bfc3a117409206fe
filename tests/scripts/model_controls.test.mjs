/** What the Model page's controls show and ask for after each press: changes, runs, the list of models, own files, pictures, sounds. */

import { test } from "node:test";
import { draw } from "../../assets/js/later/head.js";
import { ChangesPanel } from "../../assets/js/pages/model/changes_panel.js";
import { HeadCosts, tileSaid, unpatched } from "../../assets/js/pages/model/head_costs.js";
import { HeadMeasuring } from "../../assets/js/pages/model/head_measuring.js";
import { HeadOrder } from "../../assets/js/pages/model/head_order.js";
import { HeadPage } from "../../assets/js/pages/model/head_page.js";
import { ModelList } from "../../assets/js/pages/model/model_list.js";
import { ModelLoading } from "../../assets/js/pages/model/model_loading.js";
import { enclosed } from "../../assets/js/pages/model/own_file.js";
import { Pictured } from "../../assets/js/pages/model/pictured.js";
import { SoundControl } from "../../assets/js/pages/model/sound_control.js";
import { modelTakeAway } from "../../assets/js/pages/model/take_away.js";
import { TextStrip } from "../../assets/js/pages/model/text_strip.js";
import { WeightsControl } from "../../assets/js/pages/model/weights_control.js";
import { held } from "./held.mjs";
import { focusedOne, keyed, settled, standIn, StandIn, Time } from "./stand_in.mjs";
import { standInDrawing } from "./drawing.mjs";
import { livePage, place, press, standInPage, Told, type, valued } from "./page_stand_in.mjs";

const { document, window, location, sessionStorage } = standIn();
standInDrawing(document);
standInPage(document);
const time = new Time();
const narrow = { matches: false };
/** @type {(() => void)[]} */
const frames = [];
Object.assign(globalThis, {
  ...{ Node: StandIn, matchMedia: () => narrow, devicePixelRatio: 1 },
  requestAnimationFrame: (/** @type {() => void} */ then) => frames.push(then),
  IntersectionObserver: class {
    /** @param {(seen: Loose[]) => void} then */
    constructor(then) {
      this.then = then;
    }
    observe(/** @type {Loose} */ target) {
      target.sight = (/** @type {boolean} */ isIntersecting) => this.then([{ target, isIntersecting }]);
      Object.defineProperty(target, "sight", { enumerable: false });
    }
    unobserve(/** @type {Loose} */ target) {
      target.sight = () => {};
    }
  },
});

const KINDS = {
  factor: { slot: "factor", low: 0, high: 16, first: null, keys: false, open: false },
  softmax: { slot: "weights", low: null, high: null, first: null, keys: false, open: false },
  sink: { slot: "weights", low: -20, high: 20, first: 0, keys: false, open: false },
  sigmoid: { slot: "weights", low: null, high: null, first: null, keys: false, open: false },
  entmax: { slot: "weights", low: null, high: null, first: null, keys: false, open: false },
  causal: { slot: "mask", low: 1, high: 4096, first: null, keys: false, open: true },
  full: { slot: "mask", low: 1, high: 4096, first: null, keys: false, open: true },
  qk_norm: { slot: "qk_norm", low: null, high: null, first: null, keys: false, open: false },
  softcap: { slot: "softcap", low: 0.1, high: 1000, first: 50, keys: false, open: false },
  log_n: { slot: "log_n", low: null, high: null, first: null, keys: false, open: false },
  hide: { slot: "hide", low: null, high: null, first: null, keys: true, open: false },
  mean: { slot: "head", low: null, high: null, first: null, keys: false, open: false },
  mute: { slot: "head", low: null, high: null, first: null, keys: false, open: false },
  uniform: { slot: "head", low: null, high: null, first: null, keys: false, open: false },
  replace: { slot: "head", low: null, high: null, first: null, keys: false, open: false },
};

/** What the server says of changes. @param {string[]} all */
const said = (...all) => all.map((written) => ({ written, said: `${written} said`, overruled: written === "causal" }));

/** @param {Loose} [more] @returns {Loose} */
const model = (more = {}) => ({
  ...{ runs: true, layer: 2, head: 1, key: -1, windows: null, between: [0, 0], changes: [], against: [] },
  heads: [
    [1, 1],
    [2, 1],
    [2, 2],
  ],
  lines: [{ name: "text", tokens: ["le", "chat"], seconds: 0 }],
  ...more,
});

test("each control of changes writes its item of the link, where it acts, and shows what is there", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page } = livePage(told, { changeKinds: KINDS }, { changes: "", against: "" });
  const panel = new ChangesPanel(root, page);
  const on = (/** @type {string} */ selector) => root.querySelector(selector);
  told.now("made");
  panel.fit();
  told.now("before a model");
  panel.show(model());
  told.now("a model");
  for (const step of [60, 0, 120, 75]) {
    type(on("#change-factor"), String(step));
    told.now(`factor at step ${step}`);
  }
  on("#change-factor").focus();
  type(on("#change-factor"), "74");
  told.now("the slider that is held stays");
  for (const where of ["layer", "head"]) await told.after(where, on(`#change-where [value=${where}]`), "change");
  for (const choice of ["softmax", "sink"]) await told.after(choice, on(`#change-weights [value=${choice}]`), "change");
  for (const value of ["2.5", "-20", "20", "21", "-21", "", "bad"]) {
    type(on("#change-sink-value"), value);
    told.now(`sink “${value}”`);
  }
  await told.after("a mask", on("#change-mask [value=causal]"), "change");
  for (const value of ["8", "1", "0", "4097", "2.5", ""]) {
    type(on("#change-causal-value"), value);
    told.now(`window “${value}”`);
  }
  await told.after("full", on("#change-mask [value=full]"), "change");
  await told.after("as trained", on("#change-mask [value=trained]"), "change");
  await told.after("weights as trained", on("#change-weights [value=trained]"), "change");
  for (const kind of ["qk_norm", "log_n", "softcap"]) {
    on(`#change-${kind}`).checked = true;
    await told.after(kind, on(`#change-${kind}`), "change");
  }
  type(on("#change-softcap-value"), "30");
  told.now("a cap");
  on("#change-softcap").checked = false;
  await told.after("no cap", on("#change-softcap"), "change");
  for (const does of ["mean", "mute", "uniform"]) await told.after(does, on(`#change-head [value=${does}]`), "change");
  Object.assign(on("#change-other"), { value: "1.1" });
  await told.after("another head", on("#change-other"), "change");
  Object.assign(on("#change-other"), { value: "" });
  await told.after("no other", on("#change-other"), "change");
  await told.after("runs", on("#change-head [value=runs]"), "change");
  panel.show(model({ key: 1 }));
  told.now("a key");
  await told.after("hidden", on("#change-hide"));
  await told.after("everywhere", on("#change-where [value=everywhere]"), "change");
  await told.after("hidden everywhere", on("#change-hide"));
  await told.after("shown again", on("#change-hide"));
  panel.show(model({ key: 1, windows: [1] }));
  told.now("a key of a window");
  for (const at of [1, 2]) {
    const mute = panel.muting("2.1");
    root.append(mute);
    await told.after(`muted or not, ${at}`, mute);
  }
  panel.show(model({ runs: false }));
  told.now("weights that do not run");
  held(context, told.lines);
});

test("what is changed is a list: each goes by a press, the focus stays near, all go at once, and it is pinned as A", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page } = livePage(told, { changeKinds: KINDS }, { changes: "factor:2,mute@2.1,causal", against: "" });
  narrow.matches = true;
  const panel = new ChangesPanel(root, page);
  narrow.matches = false;
  const list = root.querySelector(".changes-made");
  told.root = list;
  const show = (/** @type {string[]} */ ...against) => {
    const items = page.state.values.changes.split(",").filter(Boolean);
    panel.show(model({ changes: said(...items), against: said(...against) }));
  };
  show();
  told.now(`three changes, the box open on a phone: ${root.querySelector("details").open}`);
  await told.after("the second goes", list.querySelectorAll(".change-chip button")[1]);
  show();
  told.now("its neighbour has the focus");
  await told.after("pinned", list.querySelector("#changes-pin"));
  show("factor:2", "causal");
  told.now("as it is pinned");
  await told.after("the last goes", list.querySelectorAll(".change-chip button")[1]);
  show("factor:2", "causal");
  told.now("A and B differ");
  await told.after("swapped", list.querySelector("#changes-swap"));
  show("factor:2");
  told.now("after it");
  await told.after("all go", list.querySelector("#changes-undo"));
  show("factor:2");
  told.now("none is left");
  await told.after("unpinned", list.querySelector(".against-chip button"));
  page.state.canonicalValues = null;
  await told.after("swapped before an answer", list.querySelector("#changes-swap"));
  held(context, told.lines);
});

const GUESSED = { megabytes: 90, here: true, key: "model.unloaded", takes: "text", layers: 6, h: 12, licence: "MIT" };

test("a model is fetched, then loaded, by itself if that is light, and again after another's run; each end is told", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page, send, last, end } = livePage(told, { page: "model" }, { model: "small", lang: "en" });
  const loading = new ModelLoading(root, page);
  told.now(`made, hidden: ${loading.hidden}`);
  const offer = async (/** @type {string} */ step, /** @type {Loose} */ more) => {
    loading.offer({ ...GUESSED, model: page.state.values.model, auto: false, ...more });
    await settled();
    told.now(`${step}, hidden: ${loading.hidden}`);
  };
  await offer("offered", {});
  await told.after("a press", root.querySelector("#run-start"));
  for (const header of [
    { part: "waiting", before: 2, at_once: 1 },
    { part: "waiting", before: 3, at_once: 4 },
    { part: "began", run: "r1" },
    { part: "progress", done: 0.25, seconds_left: 3.2 },
    { part: "progress", done: 0.5, seconds_left: null },
  ]) {
    await send(header);
    told.now(JSON.stringify(header));
  }
  await offer("the same again while it runs", {});
  await last({ part: "ended", again: true });
  told.now("it only waited for another's");
  await send({ part: "began", run: "r2" });
  await last({ part: "ended" });
  told.now("loaded");
  loading.leave();
  told.now(`it is there, hidden: ${loading.hidden}`);
  page.move({ ...page.state.values, model: "far" }, false);
  const far = { here: false, key: "hub.lacks", megabytes: 500, takes: "", layers: 0, licence: "" };
  await offer("one of the Hub that is light", { ...far, auto: true });
  await send({ part: "waiting", before: 0, at_once: 1 });
  told.now("a place in line to fetch");
  await send({ part: "began", run: "r3" });
  await last({ part: "ended", megabytes: 512 });
  told.now("fetched: it loads");
  await told.after("cancelled", root.querySelector("#run-cancel"));
  await offer("offered a second time: it waits for a press", { ...far, auto: true });
  await told.after("pressed", root.querySelector("#run-start"));
  await last({ part: "error", message: "no room" });
  told.now("refused");
  await told.after("pressed again", root.querySelector("#run-start"));
  await send({ part: "began", run: "r4" });
  page.move({ ...page.state.values, model: "third" }, false);
  await offer("left for another while it runs", { auto: true });
  await told.after("the third", root.querySelector("#run-start"));
  page.move({ ...page.state.values, model: "small" }, false);
  loading.leave();
  await settled();
  told.now("left for one that is there");
  page.move({ ...page.state.values, model: "third" }, false);
  await offer("back", {});
  await told.after("once more", root.querySelector("#run-start"));
  await end(new TypeError("gone"));
  told.now("lost");
  held(context, told.lines);
});

test("a model's heads are measured by themselves, once, and told if they cannot be", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page, send, last } = livePage(told, { page: "model" }, { model: "small" });
  const measuring = new HeadMeasuring(root, page);
  told.now("made");
  const offer = async (/** @type {string} */ step, /** @type {string | null} */ why) => {
    measuring.offer(why);
    await settled();
    told.now(step);
  };
  await offer("measured", null);
  await offer("too large", "it is large");
  await offer("begins", "");
  await send({ part: "waiting", before: 1, at_once: 1 });
  told.now("waits");
  await send({ part: "waiting", before: 1, at_once: 2 });
  await offer("runs", "");
  await last({ part: "ended", again: true });
  told.now("another's has ended");
  await send({ part: "began", run: "m1" });
  await last({ part: "ended", again: false });
  told.now("ended");
  await offer("not again by itself", "");
  await told.after("pressed", root.querySelector("#measure-start"));
  await told.after("cancelled", root.querySelector("#measure-cancel"));
  page.move({ model: "other" }, false);
  await offer("another model", "");
  page.move({ model: "small" }, false);
  await offer("the first model while it runs", "");
  page.move({ model: "third" }, false);
  await offer("a third", "");
  await last({ part: "error", message: "broken" });
  told.now("failed");
  held(context, told.lines);
});

test("the costs of heads are a run with a price, and patching needs two texts that fit", async (context) => {
  const root = place();
  const told = new Told(root);
  const example = { text: "a", other: "b", answer: "c" };
  const { page, send, last } = livePage(
    told,
    { page: "model", patchExamples: { "": example, special: { ...example, text: "s" } } },
    { model: "small", text: "t", cost: "zero", row: 3, key: 1 },
  );
  const costs = new HeadCosts(root, page);
  told.now("made");
  const offer = async (/** @type {string} */ step, /** @type {Loose} */ lacking, /** @type {Loose} */ values = {}) => {
    page.move({ ...page.state.values, ...values }, false);
    costs.offer(lacking && { heads: 12, seconds: 1.2, refused: "", ...lacking });
    await settled();
    told.now(step);
  };
  await offer("nothing lacks", null);
  await offer("a price", {});
  await offer("no time", { seconds: 0 });
  await offer("refused", { refused: "too long" });
  await offer("patching", {}, { cost: "noise" });
  await offer("patching refused", { refused: "one text" }, { cost: "denoise" });
  await told.after("the example", root.querySelector(".tool"));
  page.state.values.model = "special";
  await told.after("the example of one model", root.querySelector(".tool"));
  await offer("a price again", {}, { cost: "zero" });
  await told.after("pressed", root.querySelector("#costs-start"));
  await send({ part: "began", run: "c1" });
  await last({ part: "ended" });
  told.now("ended");
  await told.after("pressed again", root.querySelector("#costs-start"));
  await offer("the same while it runs", {});
  await told.after("cancelled", root.querySelector("#costs-cancel"));
  await offer("the same: it stays said", {});
  await offer("another text", {}, { text: "u" });
  for (const name of ["target", "pictures", "sound", "changes", "other", "answer", "patch", "patch_at"]) {
    await told.after(`with another ${name}`, root.querySelector("#costs-start"));
    await offer("it ends", {}, { [name]: "new" });
  }
  told.lines.push(
    ...["noise", "denoise", "zero"].map(
      (cost) => `${cost}: ${unpatched({ cost, lang: "en" })} ${tileSaid(keyed, cost, 0.25)}`,
    ),
  );
  held(context, told.lines);
});

const MEASURE = {
  unit: "share",
  chance: 0.25,
  rows: 10,
  of: 12,
  more: 3,
  is_label: false,
  all: Float32Array.of(1, 1.5, 2, NaN),
};

/** What the server says of a head. @param {Loose} [more] @returns {Loose} */
const headRead = (more = {}) => ({
  ...{ read: true, layer: 1, head: 2, layers: 2, h: 2, by: "previous", sampled: 7, counted: 8 },
  said: ["One sentence.", ["It reads ", ["50 %", "p", "1/2", "share"], " of it."]],
  choices: [
    ["shipped", "Shipped texts"],
    ["mine", "Mine"],
  ],
  measures: [
    { ...MEASURE, name: "previous", label: "previous token", value: 0.5, all: Float32Array.of(0.1, 0.5, 0.2, 0.9) },
    { ...MEASURE, name: "entropy", label: "entropy", unit: "nats", value: 1.5, chance: null, is_label: true },
    { ...MEASURE, name: "low", label: "low", unit: "nats", value: 0, all: Float32Array.of(-1, NaN, 0, 0) },
    { ...MEASURE, name: "none", label: "none", value: null },
  ],
  strongest: [
    { text: "le chat", score: 0.987, rows: 5 },
    { text: "dort", score: 0.5, rows: 3 },
  ],
  bands: [Array.from({ length: 5 }, (_, i) => ({ text: `band ${i}`, score: 0.4 - i / 20, rows: i + 1 })), []],
  keys: [{ token: " le", rows: 4, of: 1, tokens: 30, p: 0.9 }],
  queries: [{ token: "chat", rows: 1, of: 0, tokens: 0, p: 0.0001 }],
  pairs: [{ query: "chat", key: " le", rows: 8, p: 0 }],
  distances: { begins: [0, 1, 2], share: Float32Array.of(0.25, 0.5, 0.25), even: Float32Array.of(0.7, 0.2, 0.1) },
  ...more,
});

test("the page of a head reads its texts by itself, shows what it found, and goes on to other heads and texts", async (context) => {
  const root = place();
  const told = new Told(root);
  const values = { model: "small", texts: "", layer: 1, head: 2, by: "previous", lang: "en", predict: "" };
  const { page, send, last, end } = livePage(told, { page: "model" }, values);
  page.presence.later = {
    head: async () => ({
      draw: (/** @type {Loose} */ at, /** @type {Loose} */ found, /** @type {Loose} */ tools) =>
        draw(page, at, found, tools),
    }),
  };
  const heads = new HeadPage(root, page);
  const html = () => told.story.push(`the page: ${/** @type {Loose} */ (document).documentElement.className}`);
  const [open] = heads.links(/** @type {Loose} */ ({ texts: ["shipped", "mine"] }));
  told.now(
    `made, links: ${heads.links(/** @type {Loose} */ ({ texts: [] })).length} ${/** @type {Loose} */ (open).markup}`,
  );
  await heads.show();
  html();
  told.now(`closed: ${heads.open}`);
  press(open);
  await settled();
  void heads.show();
  await settled();
  html();
  told.now(`opened: ${heads.open}`);
  await send(valued("head", { read: false, problem: "", choices: [["mine", "Mine"]] }));
  told.now("not read yet: it begins");
  await send({ part: "waiting", before: 1, at_once: 1 });
  told.now("waits");
  await send({ part: "waiting", before: 1, at_once: 3 }, { part: "began", run: "h1" });
  await heads.show();
  told.now("the same: nothing is asked");
  await last({ part: "ended", again: true });
  told.now("another's has ended");
  await send({ part: "began", run: "h2" });
  await last({ part: "ended" });
  told.now("read: asked anew");
  await send(valued("head", headRead()));
  for (const then of [...frames.splice(0), ...frames.splice(0)]) then();
  told.now("shown");
  const passages = root.querySelectorAll(".head-passage");
  passages[0].sight(false);
  passages[0].sight(true);
  passages[2].sight(true);
  await settled();
  told.now("a passage comes into sight");
  const weights = Float32Array.of(1, NaN, 0.25, 0.75);
  const line = { name: "text", tokens: ["le", "chat"], seconds: 0, grids: [] };
  await send(valued("passage", { line, weights, shape: [2, 2] }));
  told.now("and is shaded");
  await last({ part: "error", message: "no such passage", code: "missing" });
  told.now("the next is refused");
  const tokens = passages[0].querySelectorAll(".token");
  tokens[0].onpointerenter({ pointerType: "mouse" });
  told.now("pointed at");
  await told.after("pressed", tokens[1]);
  await told.after("the pointer leaves", passages[0].querySelector(".token-strip"), "pointerleave");
  await told.after("released", tokens[1]);
  for (const [at, button] of root.querySelectorAll("button.head-beside").entries()) {
    await told.after(`beside ${at}`, button);
  }
  for (const button of root.querySelectorAll(".head-numbers button")) await told.after(button.textContent, button);
  root.querySelector("#head-texts").value = "mine";
  await told.after("other texts", root.querySelector("#head-texts"), "change");
  await told.after("open a passage", passages[1].querySelector("button"));
  page.move({ ...page.state.values, ...values, texts: "other" }, false);
  void heads.show();
  await send(valued("head", { read: false, problem: "it reads no text", choices: [["mine", "Mine"]] }));
  told.now("texts that cannot be read");
  page.move({ ...page.state.values, texts: "shipped", layer: 1, head: 1 }, false);
  void heads.show();
  await send(valued("head", headRead({ head: 1, strongest: [], by: "entropy" })));
  told.now("the first head");
  page.move({ ...page.state.values, layer: 2, head: 2 }, false);
  void heads.show();
  await send(valued("head", headRead({ layer: 2, head: 2, by: "unknown" })));
  told.now("the last head");
  page.move({ ...page.state.values, texts: "third" }, false);
  void heads.show();
  await send(valued("head", { read: false, problem: "", choices: [] }));
  await told.after("cancelled", root.querySelector("#read-cancel"));
  page.move({ ...page.state.values, head: 1 }, false);
  void heads.show();
  await end(new TypeError("gone"));
  told.now("no answer");
  root.querySelector(".head-shown").replaceChildren();
  void heads.show();
  await last({ part: "error", message: "no such head", code: "missing" });
  told.now("refused, with nothing shown");
  await told.after("back", root.querySelector(".head-shown button"));
  heads.fit();
  html();
  told.now("back on the page of figures");
  held(context, told.lines);
});

/** One model that the server offers. @param {Loose} more @returns {Loose} */
const offered = (more) => ({
  ...{
    label: "A model",
    takes: "text",
    here: true,
    loaded: false,
    megabytes: 90,
    to_fetch: 0,
    licence: "MIT",
    enough: 200,
  },
  ...{ problem: "", fits: true, shown: true, ...more },
});

test("the list of models is asked for anew while the Hub may be there, searched, walked by keys, and chosen from", async (context) => {
  const root = place();
  const controls = /** @type {Loose} */ (document.createElement("div"));
  const told = new Told(document.body);
  const { page, last, end } = livePage(told, { page: "model", weightsLimit: 100 }, { model: "small", lang: "en" });
  const list = new ModelList(root, page, (name) => void told.story.push(`chooses ${name}`));
  told.now("made");
  const fit = (/** @type {string} */ name, /** @type {Loose[]} */ ...inputs) => {
    controls.replaceChildren(...inputs.map((one) => Object.assign(document.createElement("input"), one)));
    list.fit(name);
    told.now(`fits ${name}`);
  };
  controls.id = "control-model";
  document.body.append(controls);
  fit("small", { type: "radio", value: "small" });
  fit("far", { type: "radio", value: "small" });
  fit("far", { type: "radio", value: "small" }, { type: "text", value: "" });
  fit(`mine@${"0a".repeat(12)}`);
  fit(`mine@${"0a".repeat(13)}`);
  fit("weights-file@1");
  const body = /** @type {Loose} */ (document.body);
  const themed = /** @type {Loose} */ (document.createElement("i"));
  themed.className = "gradio-container dark";
  body.append(themed);
  const models = [
    offered({ name: "small", label: "Small one", loaded: true }),
    offered({ name: "far", label: "Far one", here: false, to_fetch: 500, licence: "", takes: "" }),
    offered({ name: "big", label: "Big one", fits: false, megabytes: 900 }),
    offered({ name: "odd", label: "Odd one", shown: false, takes: "pictures", megabytes: 0 }),
    offered({ name: "bad", label: "Bad one", problem: "it is broken" }),
  ];
  await told.after("opened", root.querySelector("#models-open"));
  await last(valued("models", { models, offered: true, network: "asked" }));
  told.now("the list, and nobody knows yet");
  const box = body.querySelector("#models-search");
  for (const words of ["one", "  Far  ONE ", "mit", "big", "zz", ""]) {
    type(box, words);
    told.lines.push(`“${words}”: ${body.querySelector(".models-count").textContent}`);
    told.lines.push(
      ...body.querySelectorAll(".models-list > li:not([hidden]) b").map((/** @type {Loose} */ one) => one.textContent),
    );
  }
  told.now("searched");
  const dialog = body.querySelector("dialog");
  for (const key of ["ArrowUp", "ArrowDown", "ArrowDown", "ArrowUp", "x", "ArrowDown"]) {
    await told.after(key, focusedOne(), "keydown", { key });
  }
  for (const one of body.querySelectorAll(".models-list button")) one.focus();
  await told.after("below the last", focusedOne(), "keydown", { key: "ArrowDown" });
  await time.pass(699);
  told.now("soon");
  await time.pass(1);
  await last(valued("models", { models: models.slice(0, 2), offered: true, network: "away" }));
  told.now("asked again: it is away, and the model with the focus has gone");
  body.querySelectorAll(".models-list button")[1].focus();
  await told.after("a press on a dialog's inside", box);
  await told.after("closed", dialog.querySelector(".models-head button"));
  await told.after("opened again", root.querySelector("#models-open"));
  body.querySelectorAll(".models-list button")[1].focus();
  await last(valued("models", { models, offered: true, network: "there" }));
  told.now("it is there: another list, and the focus stays on its model");
  const buttons = body.querySelectorAll(".models-list button");
  await told.after("one that cannot be shown", buttons[2]);
  await told.after("one that can", buttons[1]);
  await told.after("opened", root.querySelector("#models-open"));
  await last(valued("models", { models, offered: false, network: "asked" }));
  told.now("the Hub is not offered");
  type(box, "far");
  await told.after("Enter on the only one", box, "keydown", { key: "Enter" });
  await told.after("opened", root.querySelector("#models-open"));
  type(box, "");
  await told.after("Enter with several", box, "keydown", { key: "Enter" });
  await told.after("Escape", box, "keydown", { key: "Escape" });
  await told.after("opened", root.querySelector("#models-open"));
  await end(new TypeError("gone"));
  told.now("no answer, and the old list");
  await told.after("beside it", dialog);
  for (let tries = 0; tries < 10; tries += 1) {
    if (!tries) await told.after("opened", root.querySelector("#models-open"));
    await last(valued("models", { models, offered: true, network: "asked" }));
    await time.pass(700);
  }
  told.now("asked ten times, no more");
  await told.after("closed", dialog.querySelector(".models-head button"));
  await told.after("opened", root.querySelector("#models-open"));
  dialog.close();
  await last(valued("models", { models, offered: true, network: "asked" }));
  await time.pass(700);
  told.now("closed: not asked again");
  told.lines.push(`another: ${new ModelList(place(), page, () => {}).constructor.name}`);
  press(body.querySelector("#models-open"));
  await end(new TypeError("gone"));
  told.now("no answer at all");
  held(context, told.lines);
});

/** A visitor's file. @param {string} name @param {string} text @returns {Loose} */
const file = (name, text) => Object.assign(new Blob([text]), { name });

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1);

/** The figures of a page, each with a place of its own. @param {string[]} names */
function figuresOf(...names) {
  const all = new Map(
    names.map((name) => {
      const root = Object.assign(/** @type {Loose} */ (document.createElement("figure")), { id: name });
      const stage = document.createElement("div");
      root.append(stage);
      return [name, { root, block: { stage } }];
    }),
  );
  return { known: new Map(), drawn: new Map(), of: (/** @type {string} */ name) => all.get(name) };
}

test("pictures are chosen, dropped and pasted; the visitor's own is checked once and stays with its state", async (context) => {
  const root = place();
  const told = new Told(root);
  const settings = {
    ...{ page: "model", pictures: { cat: "cat.png", dog: "dog.png" }, pictureLimit: 10, mostPictures: 2 },
    colours: { weights: [[0, "#ffffff"], [1, "#000000"]] },
  }; // prettier-ignore
  const { page, last } = livePage(told, settings, { model: "small", pictures: "cat", lang: "ko" });
  page.figures = figuresOf("head-picture", "picture-reads");
  const home = /** @type {Loose} */ (document.createElement("div"));
  home.id = "model";
  document.body.append(home, page.figures.of("head-picture").root, page.figures.of("picture-reads").root);
  let made = 0;
  Object.assign(StandIn.prototype, { naturalWidth: 8, naturalHeight: 4 });
  Object.assign(URL, {
    createObjectURL: () => `blob:${(made += 1)}`,
    revokeObjectURL: (/** @type {string} */ address) => void told.story.push(`forgets ${address}`),
  });
  const pictured = new Pictured(page, root, {
    lock: (row, key) => void told.story.push(`locks ${row} ${key}`),
    go: (change) => void told.story.push(`goes ${JSON.stringify(change)}`),
  });
  told.now(`made, below: ${pictured.below?.localName}`);
  const grid = (/** @type {number} */ at) => ({
    picture: at,
    first: at,
    rows: 1,
    columns: 1,
    stride: 1,
    box: [0, 0, 1, 1],
  });
  const shown = (/** @type {Loose} */ more) =>
    model({
      ...{
        pictures: ["cat"],
        absent: ["picture-reads"],
        shape: [1, 1],
        weights: Float32Array.of(1),
        locked: false,
        row: 0,
      },
      ...{ readMean: new Float32Array(0), readHead: new Float32Array(0), layers: 2, takes: ["pictures"], opens: true },
      lines: [
        {
          name: "picture",
          tokens: ["p", "q"],
          seconds: 0,
          grids: [grid(0), grid(1)].slice(0, more.pictures?.length ?? 1),
        },
      ],
      ...more,
    });
  const show = (/** @type {string} */ step, /** @type {Loose} */ more) => {
    const dim = /** @type {Loose} */ (pictured.show(shown(more)));
    const drawn = [...page.figures.drawn.keys()].join(" ");
    told.now(
      `${step}: ${dim?.localName ?? "no picture"}, figures: ${drawn}, page: ${home.className}, below: ${pictured.below?.localName}`,
    );
    page.figures.drawn.clear();
  };
  show("before the picture is there", {});
  await pictured.seen(["cat"]);
  show("a vision model", {});
  for (const [at, button] of root.querySelectorAll(".picture-choices button").entries()) {
    await told.after(`chosen ${at}`, button);
  }
  await pictured.seen(["cat", "dog"]);
  show("a text with pictures", {
    absent: [],
    pictures: ["cat", "dog"],
    readMean: Float32Array.of(1, 1),
    readHead: Float32Array.of(1, 1),
  });
  show("without what it reads", { absent: [], pictures: ["cat", "dog"] });
  for (const [at, button] of root.querySelectorAll(".picture-choices button").entries()) {
    await told.after(`pressed ${at}`, button);
  }
  show("with one", { absent: [], pictures: ["cat"] });
  for (const [at, button] of root.querySelectorAll(".picture-choices button").entries()) {
    await told.after(`pressed ${at}`, button);
  }
  pictured.offer(["dog"]);
  told.now("offered before the model is there");
  pictured.offer([]);
  told.now("a model of texts");
  show("a text alone", { pictures: [] });
  show("a vision model again", {});
  const input = root.querySelector("input");
  input.files = [];
  await told.after("no file", input, "change");
  input.files = [file("a.png", "1"), file("b.png", "2")];
  await told.after("two files", input, "change");
  input.files = [file("large.png", "12345678901")];
  await told.after("a large file", input, "change");
  input.files = [file("own.png", "1234567890")];
  await told.after("a file", input, "change");
  await last(pictureOf("it is 5 × 5"));
  told.now(`checked: ${page.state.upload}`);
  await pictured.seen(["own"]);
  await pictured.seen(["own"]);
  show("the visitor's own", { pictures: ["own"] });
  told.lines.push(`made once: ${made}`);
  page.state.upload = Uint8Array.of(...PNG, 2);
  await pictured.seen(["own", "dog"]);
  told.now(`another file: ${made}`);
  page.state.upload = new TextEncoder().encode("\0held:kept");
  const seen = pictured.seen(["own"]);
  await settled();
  await last(pictureOf("held"));
  await seen;
  told.now(`one that the server holds: ${made}`);
  page.state.upload = null;
  await pictured.seen(["own"]);
  told.now("none");
  page.server.send = () => Promise.reject(new TypeError("gone"));
  input.files = [file("own.png", "1")];
  await told.after("no answer", input, "change");
  const drop = (/** @type {string} */ name, /** @type {Loose} */ more = {}) => ({
    dataTransfer: { types: ["Files"], files: [file(name, "1"), file("b.png", "2")], ...more },
  });
  const figure = page.figures.of("head-picture").root;
  await told.after("dragged over", figure, "dragover", drop("a.png"));
  await told.after("a text dragged over", figure, "dragover", drop("a.png", { types: ["text/plain"] }));
  await told.after("dropped", figure, "drop", drop("a.png"));
  await told.after("weights dropped", figure, "drop", drop("w.NPZ"));
  await told.after("nothing dropped", figure, "drop", drop("", { files: [] }));
  await told.after("pasted", document.body, "paste", { clipboardData: { files: drop("a.png").dataTransfer.files } });
  pictured.offer([]);
  await told.after("dragged over a model of texts", figure, "dragover", drop("a.png"));
  await told.after("dropped on it", figure, "drop", drop("a.png"));
  await told.after("pasted into it", document.body, "paste", {
    clipboardData: { files: drop("a.png").dataTransfer.files },
  });
  held(context, told.lines);
});

/** A picture as the server has checked it. @param {string} message */
function pictureOf(message) {
  return valued("picture", { file: PNG }, "file", { message });
}

test("a sound is chosen, and what of it is heard is said", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page, send } = livePage(told, { sounds: ["lion", "rain"], soundLimit: 10 }, { sound: "lion", lang: "en" });
  const sound = new SoundControl(root, page, (name) => void told.story.push(`chooses ${name}`));
  told.now("made");
  for (const heard of [
    { name: "lion", seconds: 3.456, stretch: 30 },
    { name: "own", seconds: 40, stretch: 30 },
    { name: "rain", seconds: 30.001, stretch: 30 },
    null,
  ]) {
    sound.show(/** @type {Loose} */ (heard));
    told.now(JSON.stringify(heard));
  }
  sound.show(/** @type {Loose} */ ({ name: "lion", seconds: 1, stretch: 2 }));
  await told.after("rain", root.querySelectorAll(".sound-choices button")[1]);
  root.querySelector("input").files = [file("a.wav", "1")];
  await told.after("a file", root.querySelector("input"), "change");
  await send(valued("sound", { file: Uint8Array.of(82, 73, 70, 70) }, "file", { message: "2 seconds" }));
  told.now(`checked: ${page.state.upload}`);
  sound.show(/** @type {Loose} */ ({ name: "lion", seconds: 1, stretch: 2 }));
  told.now("an answer about another sound");
  await told.after("dropped", root.firstElementChild, "drop", {
    dataTransfer: { files: [file("a", "1"), file("b", "2")] },
  });
  held(context, told.lines);
});

test("a file goes along with the states that are about it", (context) => {
  const RIFF = new TextEncoder().encode("RIFF...");
  const HELD = new TextEncoder().encode("\0held:kept");
  const states = [
    { canonicalValues: {}, values: { pictures: "cat,own" } },
    { canonicalValues: {}, values: { pictures: "cat,owner" } },
    { canonicalValues: {}, values: { sound: "own" } },
    { canonicalValues: {}, values: { model: "weights-file@1", sound: null } },
    { canonicalValues: null, values: { pictures: "own" } },
  ];
  const lines = [];
  for (const search of ["", "?pictures=own"]) {
    location.search = search;
    for (const state of states) {
      const goes = [PNG, RIFF, HELD, Uint8Array.of(1), null].map((upload) =>
        enclosed(/** @type {Loose} */ ({ ...state, upload })),
      );
      lines.push(`${search} ${JSON.stringify(state)}: ${goes.map((one) => one && one.length)}`);
    }
  }
  location.search = "";
  held(context, lines);
});

test("the order of heads offers the measures there are, keeps the cell, and looks for heads alike", async (context) => {
  const root = place();
  const told = new Told(root);
  for (const [name, values] of /** @type {[string, string[]][]} */ ([
    ["x", ["layer", "entropy"]],
    ["y", ["sink", "entropy"]],
    ["sort", ["layer", "weight", "entropy", "sink"]],
    ["only", ["all", "least"]],
  ])) {
    const control = Object.assign(/** @type {Loose} */ (document.createElement("div")), { id: `control-${name}` });
    for (const value of values) {
      const label = document.createElement("label");
      label.append(Object.assign(/** @type {Loose} */ (document.createElement("input")), { value }));
      control.append(label);
    }
    root.append(control);
  }
  const { page } = livePage(told, {}, { sort: "layer" });
  const order = new HeadOrder(page, (change) => void told.story.push(`goes ${JSON.stringify(change)}`));
  root.append(order.find);
  told.now("made");
  for (const sort of ["layer", "weight", "entropy"]) {
    page.state.values = { sort };
    order.offer(["entropy"]);
    order.show(model({ row: 3, key: 2 }));
    await told.after(`by ${sort}`, order.find);
    told.lines.push(
      JSON.stringify(order.choice(2, 1)),
      ...["grid", "scatter"].flatMap((overview) =>
        ["least", "all"].map(
          (only) => `${overview} ${only}: ${order.meaningless({ overview, sort, only, lang: "en" })}`,
        ),
      ),
    );
  }
  order.show(model({ key: 0 }));
  told.now("the first key");
  order.show(model({ key: -1 }));
  told.now("no key");
  for (const [one, name, value] of [
    [model({ row: 3, key: 2 }), "sort", "weight"],
    [model({ row: 3, key: 0 }), "sort", "weight"],
    [model({ row: 3, key: -1 }), "sort", "weight"],
    [model({ key: 2 }), "sort", "layer"],
    [model({ key: 2 }), "only", "weight"],
    [null, "sort", "weight"],
  ]) {
    told.lines.push(`${one?.key} ${name} ${value}: ${JSON.stringify(order.keeps(one, name, value))}`);
  }
  held(context, told.lines);
});

test("a text's tokens are shaded by what a query reads, and a picture stands for its patches", async (context) => {
  const root = place();
  const told = new Told(root);
  const strip = new TextStrip(
    root,
    "the text",
    {
      point: (row) => void told.story.push(`points ${row}`),
      lock: (row) => void told.story.push(`locks ${row}`),
    },
    (grids) => `picture of ${grids.length}`,
  );
  strip.shade(0);
  told.now("made");
  const line = { name: "text", tokens: ["le", " chat", "dort"], seconds: 0, grids: [] };
  const weights = Float32Array.of(0.5, 0.25, NaN, 1, 4, 0, 0.01, 0.09, 0.9);
  const text = model({ lines: [line], weights, shape: [3, 3], locked: false, row: 1 });
  strip.show(text);
  told.now("a text");
  const tokens = root.querySelectorAll(".token");
  await told.after("pressed", tokens[2]);
  tokens[1].onpointerenter({ pointerType: "mouse" });
  await told.after("left", strip.root, "pointerleave");
  strip.shade(0);
  told.now("another query");
  strip.show({ ...text, locked: true, row: 2, key: 1 });
  told.now(`locked; the same buttons: ${root.querySelectorAll(".token")[0] === tokens[0]}`);
  strip.shade(0);
  told.now("another query than the locked one");
  strip.end(["and ", "more"]);
  told.now("a part of a text");
  strip.end([]);
  told.now("a whole one");
  const grid = (/** @type {number} */ picture, /** @type {number} */ first) => ({
    picture,
    first,
    rows: 1,
    columns: 2,
    stride: 2,
    box: [0, 0, 1, 1],
  });
  const pictured = {
    ...line,
    tokens: ["<", "a", "b", "|", "c", "d", ">", "x", "y", "א"],
    grids: [grid(0, 1), grid(0, 4), grid(1, 7)],
  };
  const shares = Float32Array.from({ length: 100 }, (_, i) => (i % 10) / 20);
  shares[3] = NaN;
  strip.show(model({ lines: [pictured], weights: shares, shape: [10, 10], locked: true, row: 0, key: 5 }));
  told.now("pictures");
  strip.show(
    model({ lines: [{ ...line, tokens: ["אב"] }], weights: Float32Array.of(1), shape: [1, 1], locked: false, row: 0 }),
  );
  told.now("from right to left");
  held(context, told.lines);
});

test("weights are dropped anywhere on the page; a hint says so while they are over it, and the newest of two counts", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page, last } = livePage(told, { weightsLimit: 10 }, { model: "small", lang: "en" });
  const weights = new WeightsControl(page, (name) => void told.story.push(`chooses ${name}`));
  root.append(weights.root);
  told.now("made");
  const over = { dataTransfer: { types: ["Files"], files: [file("w.npz", "1")] } };
  for (const [step, on, kind, more] of /** @type {[string, Loose, string, Loose][]} */ ([
    ["a text comes", document.body, "dragenter", { dataTransfer: { types: ["text/plain"] } }],
    ["a file comes", document.body, "dragenter", over],
    ["inside", document.body, "dragleave", { relatedTarget: root }],
    ["out of the window", document.body, "dragleave", { relatedTarget: null }],
    ["back", document.body, "dragenter", over],
    ["over it", document.body, "dragover", over],
    ["dropped", document.body, "drop", over],
    ["pasted", document.body, "paste", { clipboardData: over.dataTransfer }],
  ])) {
    await told.after(step, on, kind, more);
  }
  const checked = (/** @type {string} */ name) =>
    valued("weights", { file: PNG }, "file", { message: `${name} said`, model: name });
  await last(checked("weights-file@1"));
  told.now(`checked; the tab keeps ${sessionStorage.getItem("headlight-upload-weights")?.length}`);
  page.state.values.model = "weights-file@1";
  weights.fit("weights-file@1");
  told.now("in use");
  page.state.values.model = "small";
  weights.fit("small");
  told.now("not in use");
  Object.assign(root.querySelector("label"), { hidden: true });
  await told.after("a page without it", document.body, "dragenter", over);
  await told.after("dropped there", document.body, "drop", over);
  held(context, told.lines);
});

test("one takes away code that gives the same numbers, and the numbers", async (context) => {
  const root = place();
  const told = new Told(root);
  const { page } = livePage(told, { page: "model" }, { model: "small" });
  const clipboard = { writeText: async (/** @type {string} */ text) => void told.story.push(`copies ${text}`) };
  Object.assign(window, { isSecureContext: true });
  Object.defineProperty(globalThis, "navigator", { value: { clipboard }, configurable: true });
  Object.assign(URL, {
    createObjectURL: (/** @type {Blob} */ { size }) => `blob of ${size}`,
    revokeObjectURL: () => {},
  });
  page.ways = { link: () => "a link" };
  page.server.ask = async (/** @type {string} */ path, /** @type {unknown} */ body) => {
    told.story.push(`asks ${path} ${JSON.stringify(body)}`);
    const headers = new Headers({ "Content-Disposition": "attachment; filename*=UTF-8''a%20b.npz; x" });
    return { headers, blob: async () => ({ size: 9, text: async () => `what ${path} has` }) };
  };
  modelTakeAway(root, page);
  told.now("made");
  for (const button of root.querySelectorAll("button")) {
    if (/link|snippet|npz/.test(button.textContent)) await told.after(button.textContent, button);
  }
  page.server.ask = async () => ({ headers: new Headers(), blob: async () => ({ size: 9 }) });
  await told.after("a file without a name", root.querySelectorAll("button").at(-1));
  page.server.ask = () => Promise.reject(new TypeError("gone"));
  await told.after("no answer", root.querySelectorAll("button").at(-1));
  held(context, told.lines);
});
