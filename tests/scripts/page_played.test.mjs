/** A page of an experiment as its visitors use it, from gradio's start to its end: what is shown, asked of the server and told after each step. */

import { test } from "node:test";
import { focusSaid, hear, press, standInBrowser } from "./browser.mjs";
import { watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { joined, packed, partOf } from "./page_stand_in.mjs";
import { settled, StandIn, Time } from "./stand_in.mjs";
import { mutations, observed, outline, standInPage, telling } from "./whole_page.mjs";

const { document, body, html, heard, frames, location, window, media } = standInPage("?n=2048");
standInBrowser(window, document);
const time = new Time();
/** @type {Loose} */
const head = document.createElement("head");
html.prepend(head);
Object.assign(document, { head, baseURI: "http://page/", fullscreenEnabled: true, fullscreenElement: null });
Object.assign(location, { origin: "http://page", hostname: "page", protocol: "http:" });
Object.assign(window, { parent: window, isSecureContext: true, innerHeight: 700, devicePixelRatio: 1, name: "" });
Object.assign(globalThis, { innerWidth: 1200, innerHeight: 700, BroadcastChannel: undefined });
Object.assign(StandIn.prototype, { clientWidth: 400, clientHeight: 300, offsetWidth: 100, offsetHeight: 40 });
Object.assign(StandIn.prototype, { scrollHeight: 0, scrollWidth: 0, scrollLeft: 0, scrollTop: 0 });
Object.assign(globalThis.crypto, { getRandomValues: (/** @type {Uint8Array} */ bytes) => bytes.fill(1) });
Object.defineProperty(html, "clientWidth", { value: 1200 });
Object.defineProperty(globalThis, "navigator", {
  configurable: true,
  value: {
    language: "en-GB",
    clipboard: { writeText: async (/** @type {string} */ text) => void heard.push(`copied ${text}`) },
    sendBeacon: (/** @type {URL} */ to) => heard.push(`beacon ${to.pathname}`),
  },
});
Object.assign(html, {
  requestFullscreen: async () => {
    heard.push("fills the screen");
    document.fullscreenElement = html;
  },
});
document.exitFullscreen = async () => {
  heard.push("leaves the whole screen");
  document.fullscreenElement = null;
};

const TEXTS = {
  "page.slider": "slider of {label}",
  "page.number": "number of {label}",
  "page.back_to_default": "{label} to its default",
  "run.waiting": "{before} before, {at_once} at once",
  "run.left": "{seconds} s left",
  "reason.new_tab": "{name}, new tab",
  "export.saved": "saved {name}",
  "print.withheld": "without {parts}",
};
/** What the server is asked, and the answers that are open, by their path; the newest last. @type {{path: string, body: Loose, stream: Loose}[]} */
const open = [];
/** The fields of the questions before, of which the news are told. @type {Map<string, unknown>} */
const said = new Map();
/** Answers to come in the place of a stream, by path. @type {Partial<Record<string, (() => Promise<Response>)[]>>} */
const others = {};
Object.assign(globalThis, {
  fetch: async (/** @type {URL} */ address, /** @type {Loose} */ { method = "GET", body: sent, signal } = {}) => {
    const path = address.pathname.slice(1);
    const length = sent ? new DataView(sent.buffer).getUint32(0, true) : 0;
    const asked = sent ? JSON.parse(new TextDecoder().decode(sent.subarray(4, 4 + length))) : null;
    const { known: names, ...fields } = asked ?? {};
    const known = names && `${names[0]} … ${names.at(-1)}, ${names.length}`;
    const news = Object.entries({ ...fields, known }).filter(([name, value]) => said.get(name) !== (value ?? ""));
    for (const [name, value] of news) said.set(name, value ?? "");
    heard.push(`${method} ${path}${asked ? ` ${JSON.stringify(Object.fromEntries(news))}` : ""}`);
    const other = (others[path] ?? []).shift();
    if (other) return other();
    if (path.startsWith("texts/")) return new Response(JSON.stringify(TEXTS));
    if (path.startsWith("live/runs/")) return new Response(null, { status: 204 });
    if (method === "GET") return new Response("of the server");
    const stream = new ReadableStream({
      start: (controller) => {
        open.push({ path, body: asked, stream: controller });
        signal?.addEventListener("abort", () => {
          heard.push(`left: ${path}`);
          const at = open.findIndex((one) => one.stream === controller);
          if (at >= 0) open.splice(at, 1);
          controller.error(signal.reason);
        });
      },
    });
    return new Response(stream);
  },
});
/** Send parts of the newest answer. @param {(Loose | Uint8Array)[]} parts */
async function send(...parts) {
  await time.pass(0);
  for (const part of parts) open.at(-1)?.stream.enqueue(part instanceof Uint8Array ? part : partOf(part));
  await time.pass(0);
}
/** Send the last parts of the newest answer. @param {(Loose | Uint8Array)[]} parts */
async function last(...parts) {
  await time.pass(0);
  const answer = open.pop();
  for (const part of parts) answer?.stream.enqueue(part instanceof Uint8Array ? part : partOf(part));
  answer?.stream.close();
  await time.pass(0);
}

const DEFAULTS = {
  ...{ lang: "en", varied: "n", n: 1024, d_k: 64, seed: 0, predict: false, question: "any" },
  ...{ present: 0, hide: "", focus: "", page: "cost" },
};
const SETTINGS = {
  ...{ page: "cost", pages: ["explore", "why", "cost"], first: "explore", own: ["varied"], unread: [], prefix: "live" },
  ...{
    texts: [],
    controls: ["lang", "varied", "n", "d_k", "seed"],
    defaults: DEFAULTS,
    space: "",
    seedMaximum: 10,
    uses: {},
  },
  reach: { bounds: { "": { n: [1, 4096] }, explore: {}, why: { n: [1, 512] }, cost: {} }, choices: {} },
  ...{ plotly: "plotly.js", unpacking: "unpack.js", versions: { headlight: "1", torch: "2", plotly: "3" } },
  locales: { en: "texts/en.json", ko: "texts/ko.json" },
  ...{ templates: { light: { layout: {} }, dark: { layout: {} } }, paper: {}, sections: { cost: "http://docs/cost" } },
  presets: { cost_memory: {}, cost_width: { varied: "d_k" } },
  ...{ figures: ["times", "heat-maps"], charts: ["times"], cells: ["heat-maps"], parts: ["insight", "controls"] },
  ...{ lesson: ["varied"], places: ["insight", "menus", "control-n", "control-d_k", "predict", "run", "take-away"] },
  scales: { n: { low: 1, high: 4096, whole: true }, d_k: { low: 1, high: 512, whole: true } },
};

/** Make an element with an id, and more inside. @param {string} name @param {Loose} properties @param {Loose[]} inside @returns {Loose} */
const made = (name, properties, ...inside) => {
  const one = Object.assign(document.createElement(name), properties);
  one.append(...inside);
  return one;
};
const place = (/** @type {string} */ id, /** @type {Loose[]} */ ...inside) => made("div", { id }, ...inside);

/** Gradio's own elements, as Python lays them out. */
const radios = ["n", "d_k"].map((value) => made("label", {}, made("input", { type: "radio", value }), value));
const seedBox = made("input", { type: "number" });
const seedRange = made("input", { type: "range", value: "0" });
const outlined = place("outline", made("p", {}, "d_k"));
const rail = place(
  "controls",
  made(
    "div",
    { id: "", className: "form" },
    place("control-varied", ...radios),
    place("control-n"),
    place("control-d_k"),
  ),
  made(
    "div",
    { id: "" },
    made(
      "div",
      { className: "row", id: "seed-row" },
      place("control-seed", seedBox, seedRange, made("button", {}, "↺")),
    ),
  ),
  place("unknown", place("control-lang")),
);
const figurePlaces = SETTINGS.figures.map((name) => {
  const one = made("div", { id: `figure-${name}`, className: "figure-place" });
  return Object.defineProperty(one, "living", { writable: true });
});
const panels = place("panels", ...figurePlaces);
const page = made(
  "div",
  { className: "page" },
  ...["masthead", "control-page", "message", "messenger", "present", "menus", "insight"].map((id) => place(id)),
  rail,
  place("act", place("predict"), place("run")),
  panels,
  place("take-away"),
);
body.append(made("main", {}, made("div", { className: "gradio-container" }, page)), outlined);
html.classList.add("opening", "hiding");

// What such a page consists of, which main.js finds by the page's name: benchmarks/mutations draws places of what a test names itself.
await import("../../assets/js/pages/cost/page.js");
await import("../../assets/js/page/experiment.js");
await import("../../assets/js/page/experiment_prints.js");
await import("../../assets/js/controls/log_sliders.js");
await import("../../assets/js/controls/log_slider.js");
await import("../../assets/js/figures/swipes.js");
await import("../../assets/js/page/opening.js");
await import("../../assets/js/page/masthead.js");
await import("../../assets/js/page/shaping.js");
await import("../../assets/js/page/outline.js");
await import("../../assets/js/controls/preset_menu.js");
await import("../../assets/js/page/later_style.js");
await import("../../assets/js/page/header_menus.js");
await import("../../assets/js/page/share_button.js");
await import("../../assets/js/files/offline_page.js");
await import("../../assets/js/page/live_take_away.js");
await import("../../assets/js/page/present.js");
await import("../../assets/js/page/updates.js");
await import("../../assets/js/figures/figure_block.js");
await import("../../assets/js/figures/figures.js");
await import("../../assets/js/page/page_controls.js");
await import("../../assets/js/reasons/asked_table.js");
await import("../../assets/js/reasons/reasons.js");
await import("../../assets/js/reasons/reason_tip.js");
await import("../../assets/js/page/answers.js");
await import("../../assets/js/page/ways.js");
await import("../../assets/js/files/download_buttons.js");
await import("../../assets/js/files/lined_wish.js");
await import("../../assets/js/files/clipboard.js");
await import("../../assets/js/page/telling.js");
await import("../../assets/js/page/presence.js");
await import("../../assets/js/controls/sliders.js");
await import("../../assets/js/figures/painted.js");
await import("../../assets/js/dom/narrow.js");
await import("../../assets/js/dom/svg.js");
const { ahead, mount, start, act, controlValues } = await import("../../assets/js/main.js");
const on = (/** @type {string} */ selector) => /** @type {Loose} */ (document.querySelector(selector));

/** Where this machine has our files. */
const OURS = new URL("../../assets", import.meta.url).href;
const look = () => [
  `${location.pathname}${location.search} | ${html.className} ${JSON.stringify(html.dataset)} | focus ${focusSaid()}`,
  ...[...outline(head), ...outline(body)].map((line) => line.replaceAll(OURS, "files")),
];
const { lines, tell } = telling(look, heard);
/** Do something, let time pass, and tell what has changed. @param {string} what @param {() => unknown} work @param {number} [wait] */
async function step(what, work, wait = 500) {
  await work();
  await time.pass(wait);
  for (const mutated of mutations) mutated();
  for (let turn = 0; turn < 3; turn += 1) for (const frame of frames.splice(0)) frame();
  await time.pass(0);
  tell(what);
}

const SHIPPED = { origin: ["Shipped with the page", "made by a machine"] };
const STATE = { part: "state", query: "n=2048", controls: { ...DEFAULTS, n: 2048 }, notices: [], shipped: true };
/** The server's reading of a wish. @param {Loose} change @param {Loose} [more] */
const stateOf = (change, more = {}) => {
  const controls = { ...STATE.controls, ...change };
  const pairs = Object.entries(controls).filter(([name, value]) => value !== Reflect.get(DEFAULTS, name));
  return { ...STATE, controls, query: new URLSearchParams(pairs.map(([a, b]) => [a, String(b)])).toString(), ...more };
};
const axis = { anchor: "y", domain: [0, 1], range: [0, 10] };
/** @param {number[]} y of a curve */
const chart = (y) => ({
  data: [
    { type: "scatter", x: [0, 5, 10], y, name: "dot product", line: { color: "#111111" } },
    { type: "scatter", x: [0, 5, 10], y: [1, 2, 3], name: "additive", line: { color: "#222222", dash: "dash" } },
  ],
  layout: { xaxis: axis, yaxis: { ...axis, anchor: "x" } },
});
const shaped = (/** @type {number[]} */ values, /** @type {number[]} */ shape) =>
  Object.assign(Uint8Array.from(values), { shape });
const maps = {
  data: [1, 2].map((panel) => ({
    ...{ type: "heatmap", z: shaped([0, 1, 2, 3, 4, 5], [2, 3]), coloraxis: "coloraxis", meta: { head: panel, panel } },
    ...{ xaxis: panel > 1 ? "x2" : "x", yaxis: panel > 1 ? "y2" : "y" },
  })),
  layout: {
    ...{ xaxis: { title: "key" }, yaxis: { title: "query" }, xaxis2: {}, yaxis2: {} },
    coloraxis: {
      colorscale: [
        [0, "#000000"],
        [1, "#ffffff"],
      ],
      cmin: 0,
      cmax: 1,
      colorbar: { title: "weight" },
    },
    annotations: [{ name: "title", text: "Head 1" }, { name: "title", text: "Head 2" }, { text: "▨ masked" }],
  },
};
const table = {
  caption: "Times",
  columns: [
    { label: "n", values: [1, 2] },
    { label: "seconds", values: [0.5, null], asked: ["t = n²", "cost"], made: ["1² = 1", "2² = 4"] },
    { label: "bytes", values: [0.123456, 9], asked: ["b = 4 n", "cost"] },
  ],
};
const ASKED = ["0.5 s", "t = n²", "0.5² = 0.25", "cost"];
/** Figures with their tables and sentences. @param {Record<string, Loose>} drawings @param {Record<string, Loose>} tables @param {Loose} [more] */
function figures(drawings, tables, more = {}) {
  /** @type {Uint8Array[]} */
  const all = [];
  const entries = (/** @type {Record<string, Loose>} */ trees) =>
    Object.fromEntries(
      Object.entries(trees).map(([name, tree]) => {
        const { entry, blocks } = packed(tree, joined(all).length);
        all.push(blocks);
        return [name, entry];
      }),
    );
  const header = {
    part: "figures",
    drawings: entries(drawings),
    tables: entries(tables),
    summaries: {},
    insight: null,
  };
  return partOf({ ...header, ...more }, joined(all));
}
const drawnAll = (/** @type {number[]} */ y, /** @type {Loose} */ more = {}) =>
  figures(
    { times: chart(y), "heat-maps": maps },
    { times: table },
    { summaries: { times: `up to ${y.at(-1)}` }, ...more },
  );

/** Give an element its place in the window. @param {Loose} one @param {Loose} box */
const put = (one, box) => Object.defineProperty(one, "box", { value: box, configurable: true });

test("a page opens with its first picture, which was asked for while gradio started", async (context) => {
  const config = { dependencies: [{ js: null }, { js: `() => x.start(${JSON.stringify(SETTINGS)})` }], css: ".a {}" };
  await step("gradio has loaded its settings", () => ahead(config));
  await step("once more", () => ahead(config));
  const mounted = (/** @type {string} */ name) =>
    mount(name, page, (kind) => void heard.push(`gradio hears ${kind} of ${name}`));
  for (const name of ["masthead", "control-page", "message", "messenger", "present", "menus", "insight"]) mounted(name);
  for (const name of ["control-n", "control-d_k", "predict", "run", "take-away", "figure-times"]) mounted(name);
  heard.push(`an event before the page is there: ${act("controls.values")} ${JSON.stringify(controlValues())}`);
  const starting = start(/** @type {Loose} */ (SETTINGS));
  await step("a figure has no place yet", () => {});
  mounted("figure-heat-maps");
  await step("the page starts", () => {}, 0);
  await step("an answer that takes long", () => {}, 300);
  await step("the state comes", () => send({ ...STATE, ...SHIPPED }));
  const insight = ["Costs grow.", ["It takes ", ASKED, " or ", [...ASKED].with(0, "2 s").with(2, ""), "."], "End."];
  await step("figures come", () => send(drawnAll([0, 5, 10], { insight })));
  await step("the end", () => last());
  const icons = document.querySelectorAll("svg path").map((/** @type {Loose} */ one) => one.getAttribute("d"));
  tell(`the values of the controls: ${JSON.stringify(await starting)}, then ${JSON.stringify(controlValues())}`);
  const named = (/** @type {Loose} */ one) => `${one.localName}#${one.id ?? ""}.${one.className}`;
  const sized = watched.flatMap(({ places }) => places.map(named));
  held(context, [...lines.splice(0), ...new Set(icons), ...observed, `sizes: ${sized.join(" ")}`]);
});

/** Gradio tells the page of a control. @param {string} name @param {unknown} value */
const chosen = (name, value) => act("controls.heard", name, [value]);
/** The server answers what it is asked, and the newest wish after it. @param {Loose} change @param {number[]} y @param {Loose} [more] of the state */
async function answered(change, y, more = SHIPPED) {
  while (open.at(-1)?.path === "live/page/cost") {
    await last(stateOf(change, more), drawnAll(y, { insight: ["Now."] }));
  }
}

/** Let a pointer go over an element, and rest there. @param {Loose} over @param {Loose} [more] */
const move = (over, more) => hear(over, "pointermove", more);
const key = (/** @type {Loose} */ at, /** @type {string} */ name, more = {}) =>
  hear(at, "keydown", { key: name, ...more });
/** The keyboard comes to an element. @param {Loose} one */
const tabTo = (one) => {
  one["focus-visible"] = true;
  Object.defineProperty(one, "focus-visible", { enumerable: false });
  one.focus();
};

test("numbers say where they come from: to a pointer that rests, a press and the keyboard, and sentences open over the figures", async (context) => {
  const more = () => on(".more-said");
  const asked = () => document.querySelectorAll("#insight .asked");
  const [first, second] = asked();
  put(first, { left: 300, top: 100, bottom: 120 });
  put(second, { left: 1190, top: 660, bottom: 680 });
  await step("the pointer passes a number", () => move(first), 100);
  await step("it has left", () => move(body));
  await step("it rests on one that is folded", () => move(first));
  await step("more is said", () => press(more()));
  await step("it rests", () => move(first), 150);
  const tip = on(".reason-tip");
  put(tip, { width: 200, height: 60 });
  await step("onto the tip", () => move(tip));
  await step("to the other number", () => move(second));
  await step("off, for a moment", () => move(body), 200);
  await step("back in time", () => move(second));
  await step("off", () => move(body));
  await step("a finger", () => move(first, { pointerType: "touch" }));
  await step("a press", () => press(first));
  await step("a press on the tip", () => hear(tip, "pointerdown"));
  await step("a press elsewhere", () => hear(on("h1"), "pointerdown"));
  await step("sentences are open again", () => press(more()));
  await step("the keyboard comes", () => tabTo(first));
  for (const name of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home", "ArrowUp", "x"]) {
    await step(name, () => heard.push(`taken: ${key(document.activeElement, name).defaultPrevented}`));
  }
  await step("the page scrolls", () => hear(document, "scroll"));
  await step("Enter leads to the link", () => key(first, "Enter"));
  await step("Escape, back to the number", () => key(tip.querySelector("a"), "Escape"));
  await step("Enter again", () => key(first, "Enter"));
  await step("Tab goes on", () => key(tip.querySelector("a"), "Tab"));
  await step("Escape shuts the tip", () => key(first, "Escape"));
  await step("Escape folds the sentences", () => key(first, "Escape"));
  await step("Escape does no more", () => key(first, "Escape"));
  await step("the pointer opens a tip", () => move(first));
  await step("the page scrolls under it", () => hear(document, "scroll"));
  held(context, lines.splice(0));
});

test("the numbers of a table are one stop of the keyboard, and their arithmetic is asked for once", async (context) => {
  const table = on("#figure-times table");
  const cell = (/** @type {number} */ row, /** @type {number} */ column) => table.rows[row].cells[column];
  await step("the table opens", () => press(on("#figure-times .behind summary")));
  await step("the keyboard comes to its first number", () => tabTo(cell(0, 1)));
  for (const name of ["ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "Home", "End", "ArrowLeft", "ArrowLeft"]) {
    await step(name, () => key(document.activeElement, name));
  }
  await step("up to the head", () => key(document.activeElement, "ArrowUp"));
  await step("up again", () => key(document.activeElement, "ArrowUp"));
  await step("no further", () => key(document.activeElement, "ArrowUp"));
  await step("another key", () => heard.push(`taken: ${key(document.activeElement, "x").defaultPrevented}`));
  await step("a tip stays as the page scrolls", () => hear(document, "scroll"));
  await step("other numbers come", async () => {
    chosen("seed", 1);
    await answered({ n: 2048, seed: 1 }, [2, 4, 6]);
  });
  await step("the keyboard is still there", () => key(document.activeElement, "ArrowDown"));
  await step("the first numbers again", async () => {
    chosen("seed", 0);
    await answered({ n: 2048 }, [0, 5, 10]);
  });
  await step("Escape shuts the tip, not the table", () => key(document.activeElement, "Escape"));
  await step("Escape shuts the table", () => key(document.activeElement, "Escape"));
  held(context, lines.splice(0));
});

const busy = (/** @type {number} */ retry) => async () =>
  new Response(JSON.stringify({ message: "The server is busy.", retry }), { status: 503 });
const refused = (/** @type {string} */ message) => async () =>
  new Response(JSON.stringify({ message }), { status: 400 });
test("each control asks for its state, the newest wish wins, and a busy, a refusing or a lost server is told", async (context) => {
  const n = on("#control-n [type=range]");
  const box = on("#control-n [type=number]");
  others["live/page/cost"] = [];
  await step("another quantity", () => chosen("varied", "d_k"));
  await step("it is answered", () => answered({ varied: "d_k" }, [1, 2, 3]));
  await step("the same again", () => chosen("varied", "d_k"));
  await step("a box that is empty", () => chosen("seed", null));
  const slide = (/** @type {number} */ to) => {
    n.value = String(to);
    hear(n, "input");
  };
  await step("the slider moves", () => slide(500), 100);
  await step("and on, before an answer", () => slide(600), 100);
  await step("and on", () => slide(700), 100);
  await step("a second has passed: what nobody wants is left", () => {}, 900);
  await step("the newest is answered, with a notice", () =>
    answered({ varied: "d_k", n: 338 }, [3, 2, 1], { ...SHIPPED, notices: ["n was *rounded*."] }),
  );
  await step("the controls rest", () => {}, 800);
  for (const name of ["ArrowRight", "PageDown", "Home", "End", "x"]) {
    await step(`${name} on the slider`, () => heard.push(`taken: ${key(n, name).defaultPrevented}`), 0);
  }
  await step("Ctrl + ArrowRight", () =>
    heard.push(`taken: ${key(n, "ArrowRight", { ctrlKey: true }).defaultPrevented}`),
  );
  await step("answered", () => answered({ varied: "d_k", n: 4096 }, [1, 1, 1]), 0);
  const typed = (/** @type {string} */ text) => {
    box.value = text;
    hear(box, "input");
  };
  await step("the box has the focus", () => box.focus());
  for (const text of ["4096", "1", "7", "700", "7000", "", "0"]) await step(`typed “${text}”`, () => typed(text), 0);
  await step("the answer comes while somebody types", () => answered({ varied: "d_k", n: 700 }, [1, 2, 1]), 800);
  await step("an empty box is left", () => (typed(""), n.focus()));
  await step("typed too much, and left", () => (box.focus(), typed("9999"), n.focus()));
  await step("typed what stands there, and left", () => (box.focus(), typed("4096"), n.focus()));
  await step("answered", () => answered({ varied: "d_k", n: 4096 }, [2, 2, 2]), 800);
  const seed = on("#control-seed");
  const [seedBox, seedRange, seedBack] = seed.children;
  await step("the seed's slider", () => ((seedRange.value = "4"), hear(seedRange, "input")), 0);
  await step("gradio reports it, too", () => chosen("seed", 4), 0);
  await step("answered", () => answered({ varied: "d_k", n: 4096, seed: 4 }, [2, 2, 2]), 0);
  await step("the seed's box, half typed", () => ((seedBox.value = ""), hear(seedBox, "input")), 0);
  await step("the seed's box", () => ((seedBox.value = "7"), hear(seedBox, "input")), 0);
  await step("answered", () => answered({ varied: "d_k", n: 4096, seed: 7 }, [2, 2, 2]), 0);
  await step("the seed's way back", () => ((seedRange.value = "0"), press(seedBack)), 0);
  await step("answered", () => answered({ varied: "d_k", n: 4096, seed: 0 }, [2, 2, 2]), 0);
  await step("the seed's box is left", () => ((seedRange.value = "3"), hear(seedBox, "blur")), 0);
  await step("answered, with another seed", () => answered({ varied: "d_k", n: 4096, seed: 2 }, [2, 2, 2]), 600);
  await step("at rest the controls are given what came of them", () => {}, 200);
  tell(`the values that gradio gets: ${JSON.stringify(controlValues())}`);
  await step("a draw", () => act("controls.pressed", "new_draw"), 0);
  await step("it takes long", () => {}, 300);
  await step("answered", () => answered({ varied: "d_k", n: 4096, seed: 5 }, [2, 2, 2]), 800);
  others["live/page/cost"].push(busy(2));
  await step("a busy server", () => slide(100), 0);
  others["live/page/cost"].push(busy(1));
  await step("another wish meanwhile", () => slide(200), 0);
  await step("the first is left", () => {}, 1000);
  await step("the second comes later", () => {}, 1000);
  await step("answered", () => answered({ varied: "d_k", n: 5 }, [2, 2, 2]), 800);
  others["live/page/cost"].push(refused("There is no such *n*."));
  await step("a refusal", () => slide(300), 3000);
  await step("another wish", () => slide(310), 0);
  await step("answered", () => answered({ varied: "d_k", n: 13 }, [2, 2, 3]), 800);
  const lost = async () => {
    throw new TypeError("gone");
  };
  others["live/page/cost"].push(lost, lost, refused("not ours, and not final").bind(null), lost);
  others["live/page/cost"][2] = async () => new Response("<html>", { status: 502 });
  await step("the line is lost", () => slide(320), 0);
  await step("asked again, and again", () => {}, 1600);
  await step("the machine is on line", () => hear(window, "online"), 0);
  await step("at last", () => {}, 6000);
  await step("answered", () => answered({ varied: "d_k", n: 14 }, [2, 3, 3]), 800);
  await step("on line again, with nothing to ask", () => hear(window, "online"));
  await step(
    "the answer breaks off",
    async () => {
      slide(330);
      await send(stateOf({ varied: "d_k", n: 15 }));
      open.pop()?.stream.error(new TypeError("gone"));
    },
    0,
  );
  await step("once more", () => {}, 1000);
  await step("a part that is an error", () => last({ part: "error", message: "It cannot be *measured*." }), 3000);
  await step("moved on", () => slide(340), 0);
  await step("answered", () => answered({ varied: "d_k", n: 16 }, [2, 3, 4]), 800);
  await step("the window is narrow", () => media("(max-width: 700px)").turn(true), 0);
  await step("answered", () => answered({ varied: "d_k", n: 16 }, [2, 3, 4]), 0);
  media("(max-width: 700px)").matches = false;
  held(context, lines.splice(0));
});

const QUESTION = { part: "question", name: "growth", about: "n=16", sentence: "How do costs *grow*?" };
const CHOICES = {
  ...QUESTION,
  choices: [
    ["square", "as n²"],
    ["line", "as n"],
  ],
};
const VERDICT = {
  ...{ part: "verdict", name: "growth", right: true, real: ["square"], judging: 1 },
  sentences: ["Right.", ["It takes ", ASKED, "."]],
};
const D16 = { varied: "d_k", n: 16 };
const answer = (/** @type {number} */ at) => on("#predict").querySelectorAll("input")[at].onchange();

test("an experiment is shown at once or run, is predicted, cancelled, lost and begun again", async (context) => {
  const go = () => press(on("#run-start"));
  others["live/run/cost"] = [];
  await step("a press that begins a run", go, 0);
  await step("a place in line", () => send({ part: "waiting", before: 2, at_once: 4 }), 0);
  await step("it begins", () => send({ part: "began", run: "r1" }), 0);
  await step("progress", () => send({ part: "progress", done: 0.25, seconds_left: 3.2 }), 0);
  await step("figures come", () => send(drawnAll([5, 6, 7], { insight: ["Measured here."] })), 0);
  await step("no end is known", () => send({ part: "progress", done: 0.5, seconds_left: null }), 0);
  await step("the end", () => last({ part: "ended" }), 0);
  await step("another run", go, 0);
  await step("begins", () => send({ part: "began", run: "r2" }), 0);
  await step("is cancelled before anything came", () => press(on("#run-cancel")), 0);
  await step("other settings while a run goes on", async () => {
    go();
    await send({ part: "began", run: "r3" });
    chosen("seed", 6);
  });
  await step("the shipped result of these", () => answered({ ...D16, seed: 6 }, [2, 3, 4], SHIPPED), 0);
  others["live/run/cost"].push(refused("The machine is full."));
  await step("a run that is refused", go, 0);
  await step(
    "a run that fails",
    async () => {
      go();
      await last({ part: "error", message: "It ended badly." });
    },
    0,
  );
  await step(
    "a run that breaks off",
    async () => {
      go();
      await send({ part: "began", run: "r4" });
      open.pop()?.stream.error(new TypeError("gone"));
    },
    3000,
  );
  await step("the state is there again", () => answered({ ...D16, seed: 6 }, [2, 3, 4], SHIPPED), 0);
  await step("settings without a result", () => chosen("seed", 7));
  await step("nothing is shipped", () => last(stateOf({ ...D16, seed: 7 }, { shipped: false, origin: null })), 0);
  await step("a question is opened", () => press(on("#predict-open")), 0);
  const asks = (/** @type {Loose} */ question, /** @type {Loose} */ more = {}) =>
    last(stateOf({ ...D16, seed: 7, predict: true, ...more }, { shipped: false, origin: null }), {
      ...question,
      about: "n=16, 7",
    });
  await step("it is asked", () => asks(CHOICES), 0);
  await step("an answer", () => answer(1), 0);
  await step("the run reveals", () => press(on("#predict-reveal")), 0);
  await step("begins", () => send({ part: "began", run: "r5" }, drawnAll([1, 4, 9])), 0);
  await step("judged", () => last({ ...VERDICT, right: false }, { part: "ended" }), 0);
  await step("once more", () => press(on("#predict-again")), 0);
  await step("another answer", () => answer(0), 0);
  await step(
    "cancelled",
    async () => {
      press(on("#predict-reveal"));
      await send({ part: "began", run: "r6" });
      press(on("#run-cancel"));
    },
    0,
  );
  await step("no prediction", () => press(on("#predict-skip")), 0);
  await step("answered", () => last(stateOf({ ...D16, seed: 7 }, { shipped: false, origin: null })), 0);
  await step("a shipped result", () => chosen("seed", 6), 0);
  await step("answered", () => answered({ ...D16, seed: 6 }, [2, 3, 4], SHIPPED), 0);
  await step("predicted after all", () => press(on("#predict-open")), 0);
  const curve = { x: [1, 10], low: 0, high: 1, log_x: false, log_y: false, x_label: "n", y_label: "s" };
  const shippedAsk = () => last(stateOf({ ...D16, seed: 6, predict: true }), { ...QUESTION, about: "n=16, 6", curve });
  await step("a curve is asked", shippedAsk, 0);
  await step("skipped", () => press(on("#predict-skip")), 0);
  await step("answered", () => answered({ ...D16, seed: 6 }, [2, 3, 4], SHIPPED), 0);
  await step("asked again", () => press(on("#predict-open")), 0);
  await step("the same question", shippedAsk, 0);
  await step("drawn by a key", () => key(on("#predict [role=slider]"), "ArrowUp"), 0);
  await step("revealed", () => press(on("#predict-reveal")), 0);
  const real = packed({ y: [0.25, 0.5] });
  const verdict = partOf({ ...VERDICT, real: real.entry }, real.blocks);
  await step("judged", () =>
    last(stateOf({ ...D16, seed: 6, predict: true }, SHIPPED), drawnAll([2, 3, 4], { insight: ["Now."] }), verdict),
  );
  await step("once more", () => press(on("#predict-again")), 0);
  await step("drawn again", () => key(on("#predict [role=slider]"), "Home"), 0);
  await step("revealed", () => press(on("#predict-reveal")), 0);
  await step("judged", () => last(stateOf({ ...D16, seed: 6, predict: true }, SHIPPED), verdict));
  await step("the question is shut", () => press(on("#predict-shut")), 0);
  await step("answered", () => answered({ ...D16, seed: 6 }, [2, 3, 4], SHIPPED), 0);
  await step("opened again", () => press(on("#predict-open")), 0);
  await step(
    "asked",
    () => last(stateOf({ ...D16, seed: 6, predict: true }), { ...QUESTION, about: "n=16, 6", curve }),
    0,
  );
  await step("other settings", () => chosen("seed", 0), 0);
  await step("the wish to predict ends where there is no question", () => answered(D16, [2, 3, 4], SHIPPED), 0);
  await step("the tab is closed while nothing runs", () => hear(window, "pagehide"), 0);
  await step(
    "and while a run goes on",
    async () => {
      go();
      await send({ part: "began", run: "r7" });
      hear(window, "pagehide");
    },
    0,
  );
  await step("its end", () => last({ part: "ended" }), 0);
  held(context, lines.splice(0));
});

test("the page is presented, parts of it are hidden or large, and it is light or dark", async (context) => {
  const ok = (/** @type {Loose} */ change = {}) => answered({ ...D16, ...change }, [2, 3, 4], SHIPPED);
  const p = (more = {}) => heard.push(`taken: ${key(document.body, "p", { code: "KeyP", ...more }).defaultPrevented}`);
  await step("P presents", () => p(), 0);
  await step("answered", () => ok({ present: 1 }));
  await step("P leaves", () => p(), 0);
  await step("the button presents", () => press(on("#present-start")), 0);
  await step(
    "the browser leaves the whole screen",
    () => {
      document.fullscreenElement = null;
      hear(document, "fullscreenchange");
    },
    0,
  );
  await step("and tells it once more", () => hear(document, "fullscreenchange"), 0);
  document.fullscreenEnabled = false;
  await step("a frame that may not fill the screen", () => press(on("#present-start")), 0);
  await step(
    "a key in a box",
    () => heard.push(`taken: ${key(on("#value-n"), "p", { code: "KeyP" }).defaultPrevented}`),
    0,
  );
  await step("a key on a slider", () => key(on("#control-n [type=range]"), "p", { code: "KeyP" }), 0);
  const larger = (/** @type {string} */ name) => on(`#figure-${name} .enlarge`);
  await step("a figure large", () => press(larger("times")), 0);
  await step("answered", () => ok({ focus: "times" }));
  await step("another large", () => press(larger("heat-maps")), 0);
  await step("Escape", () => key(document.body, "Escape"), 0);
  await step("Escape with nothing to leave", () => key(document.body, "Escape"), 0);
  await step("answered", () => ok());
  const list = on(".shaping");
  await step("the header's menu", () => press(on(".takes summary")));
  await step("what can be left out", () => press(list.querySelector("summary")));
  await step(
    "folded and opened again",
    () => (press(list.querySelector("summary")), press(list.querySelector("summary"))),
  );
  const ticked = (/** @type {number} */ at, /** @type {boolean} */ checked) => {
    const box = list.querySelectorAll("input")[at];
    box.checked = checked;
    hear(box, "change");
  };
  for (const at of [0, 2, 5]) await step(`tick ${at} goes`, () => ticked(at, false), 0);
  await step("answered", () => ok({ hide: "insight,times,varied" }));
  await step("tick 2 comes", () => ticked(2, true), 0);
  await step("the way back to everything", () => press(on("#way-back")), 0);
  await step("answered", () => ok());
  await step("dark", () => press(on("#dark")));
  await step("answered", () => ok());
  await step("light", () => press(on("#dark")));
  heard.push(`kept: ${JSON.stringify([...globalThis.localStorage.kept])}`);
  const dots = panels.nextElementSibling;
  const at = (/** @type {number} */ left) => {
    figurePlaces.forEach((one, i) => put(one, { left: 300 * i - left, width: 300 }));
    put(panels, { left: 0, width: 300 });
    Object.assign(panels, { clientWidth: 300 });
    hear(panels, "scroll");
  };
  await step("two panels side by side on a phone", () => at(0), 0);
  await step("swiped", () => at(280), 0);
  await step("to the first", () => press(dots.children[0]), 0);
  media("(prefers-reduced-motion: reduce)").matches = true;
  await step("to the second, without motion", () => press(dots.children[1]), 0);
  await step(
    "the second has gone",
    () => {
      at(0);
      put(figurePlaces[1], { left: 0, width: 0 });
      hear(panels, "scroll");
    },
    0,
  );
  await step("a phone's bar of names", () => press(document.querySelectorAll(".control-names button")[3]), 0);
  await step(
    "first tick on pictures",
    () => {
      const lined = on("#figure-times .lined input");
      lined.checked = true;
      lined.onchange();
    },
    0,
  );
  held(context, lines.splice(0));
});

test("the names of the pages lead away: with this page's settings, and in another tab by a key", async (context) => {
  const links = document.querySelectorAll("#control-page a");
  const pressed = (/** @type {string} */ what, /** @type {Loose} */ one, kind = "click", more = {}) =>
    step(what, () => heard.push(`taken: ${hear(one, kind, more).defaultPrevented}, to ${location.search}`));
  const [explore, why, cost] = links;
  await pressed("to this page", cost);
  await pressed("in another tab", explore, "click", { ctrlKey: true });
  for (const name of ["metaKey", "shiftKey", "altKey"]) await pressed(name, explore, "click", { [name]: true });
  await pressed("by the wheel", explore, "auxclick", { button: 1 });
  await pressed("the right button", explore, "auxclick", { button: 2 });
  await pressed("Enter, which the browser presses", explore, "keydown", { key: "Enter" });
  location.search = "?varied=d_k&n=16&__theme=dark&room=ABC&held=x";
  await step("the tab comes back", () => hear(window, "pageshow", { persisted: true }));
  await pressed("to another", explore);
  heard.push(`kept: ${globalThis.sessionStorage.getItem("headlight-pages")}`);
  location.search = "?varied=d_k&n=16";
  await step("the tab is loaded", () => hear(window, "pageshow", { persisted: false }));
  await step("back", () => hear(window, "pageshow", { persisted: true }));
  await step("a language", () => chosen("lang", "ko"));
  heard.push(location.search);
  location.search = "?varied=d_k&n=16";
  await step("a preset's menu", () => press(on(".presets summary")));
  await step("a preset", () => press(on("#preset-cost_width")));
  await step("answered", () => answered({ varied: "d_k" }, [2, 3, 4], SHIPPED));
  await step("the menu again, and the defaults", () => (press(on(".presets summary")), press(on("#reset"))));
  await step("answered", () => answered({ n: 1024 }, [2, 3, 4], SHIPPED));
  await pressed("to a page that has been left", why);
  heard.push(`kept: ${globalThis.sessionStorage.getItem("headlight-pages")}`);
  location.search = "";
  held(context, lines.splice(0));
});

test("a link, the numbers and a page that works offline are taken away, and what fails is told", async (context) => {
  Object.assign(globalThis, {
    FileReader: class {
      async readAsDataURL(/** @type {Blob} */ blob) {
        const bytes = new Uint8Array(await blob.arrayBuffer());
        this.result = `data:;base64,packed ${bytes.length > 0}`;
        /** @type {Loose} */ (this).onload();
      }
    },
  });
  const NOW = Date;
  globalThis.Date = /** @type {Loose} */ (
    class extends NOW {
      constructor() {
        super(0);
      }
      static now = () => time.now;
    }
  );
  const take = (/** @type {string} */ id) => async () => {
    press(on(`#take-${id}`));
    const status = on(".take-away [role=status]");
    heard.push(`at once: ${status.textContent} ${on(".fallback").hidden}`);
    const waits = () =>
      status.textContent === "export.working" ||
      (status.textContent.startsWith("saved") && !heard.some((one) => one.startsWith("file ")));
    do await settled();
    while (waits()); // files are packed by another thread
  };
  await step("the menu", () => press(on(".takes summary")));
  await step("the link", take("link"));
  globalThis.navigator.clipboard.writeText = async () => {
    throw new Error("denied");
  };
  await step("copied in the old way", take("link"));
  document.execCommand = () => false;
  await step("to be copied by hand", take("link"));
  await step("the numbers", take("tables"));
  await step("the page", take("html"));
  others["plotly.js"] = [async () => new Response("", { status: 404 })];
  await step("a page whose script is gone", take("html"));
  figurePlaces[0].classList.add("is-covered");
  await step("the numbers without a figure that is covered", take("tables"));
  await step("the page without it", take("html"));
  figurePlaces[0].classList.remove("is-covered");
  await step("a dark page", async () => {
    body.classList.add("dark");
    await take("html")();
    body.classList.remove("dark");
  });
  globalThis.Date = NOW;
  held(context, lines.splice(0));
});

test("what only some visitors use is loaded with its looks, or without them", async (context) => {
  const share = async () => {
    press(on(".takes summary"));
    press(on("#share-open"));
    await settled();
  };
  await step("the ways to share", share);
  await step("their looks cannot be had", () => head.children.at(-1).onerror());
  await step("shut", () => press(on("#share .close")));
  await step("the ways to share", share);
  await step("with their looks", () => head.children.at(-1).onload());
  await step("shut", () => press(on("#share .close")));
  await step("at once", share);
  for (const [id, file] of [
    ["lessons-open", "lesson"],
    ["room-open", "class"],
  ]) {
    const menu = on(`#${id}`);
    await step(`${id} opens`, () => press(menu.localName === "summary" ? menu : menu.firstElementChild));
    await step(`the looks of ${file}`, () => head.children.at(-1).onload());
  }
  await step("help", () => press(on("#help-open")));
  held(context, lines.splice(0));
});
