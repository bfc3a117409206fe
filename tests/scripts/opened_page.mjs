/** A page that is opened as main.js opens it, over places as gradio mounts them and a server whose answers the test plays. */

import { Opening } from "../../assets/js/page/opening.js";
import { deafen, joined, listening, packed, partOf, played, press } from "./page_stand_in.mjs";
import { keyed, settled, StandIn, Time } from "./stand_in.mjs";
import { outline, standInPage, telling } from "./whole_page.mjs";

/** As large as every element is: there is no layout. */
const SIZES = {
  clientWidth: 400,
  clientHeight: 300,
  offsetTop: 3,
  offsetLeft: 0,
  offsetWidth: 40,
  scrollLeft: 0,
  scrollHeight: 300,
};

/** Stand in for a browser in which pages are opened. */
export function standInOpened() {
  const made = standInPage();
  const time = new Time();
  Object.assign(StandIn.prototype, SIZES, {
    showPopover() {},
    hidePopover() {},
    /** @this {Loose} */
    click() {
      if (this.download) {
        made.heard.push(`saves ${this.download}, ${this.href}`);
        files.set(this.download, saved);
      }
      this.onclick?.(new Event("click"));
      this.dispatchEvent(new Event("click"));
    },
  });
  // texts are strings here
  Object.assign(String.prototype, {
    /** @this {string} */
    cloneNode() {
      return this.slice();
    },
  });
  for (const on of [made.document, made.window]) listening(on);
  const media = new Set();
  const matchMedia = (/** @type {string} */ query) => {
    const medium = made.media(query);
    if (!media.has(medium)) listening(medium);
    media.add(medium);
    return medium;
  };
  /** The texts of files that were saved, by their names. @type {Map<string, Promise<string>>} */
  const files = new Map();
  let saved = Promise.resolve("");
  Object.assign(URL, { createObjectURL: (/** @type {Blob} */ blob) => ((saved = blob.text()), `blob ${blob.type}`) });
  const refusing = new Map();
  const { answer, ...playing } = played();
  /** The parameters of the page that is open. */
  const page = { defaults: /** @type {Loose} */ ({}) };
  const asked = (/** @type {Uint8Array} */ body) => {
    const length = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
    const fields = JSON.parse(new TextDecoder().decode(body.slice(4, 4 + length)));
    const { query, known = [], theme, address, columns, ...more } = fields;
    const file = body.length > 4 + length ? [`and ${body.length - 4 - length} bytes`] : [];
    const others = { ...more, ...(theme === "dark" ? { theme } : {}), ...(columns ? { columns } : {}) };
    const knows = known.length ? [`knows ${known.length}`] : [];
    return [`“${short(query, page.defaults)}”`, JSON.stringify(others), ...knows, ...file].join(" ");
  };
  Object.assign(globalThis, {
    matchMedia,
    ...{ innerWidth: 1280, innerHeight: 720 },
    ...{ Node: StandIn, NodeFilter: { SHOW_TEXT: 4 } },
    HTMLSpanElement: { [Symbol.hasInstance]: (/** @type {Loose} */ one) => one?.localName === "span" },
    fetch: async (/** @type {URL} */ { pathname, search }, /** @type {Loose} */ { body, signal } = {}) => {
      const path = `${pathname.replace("/headlight/", "")}${search}`;
      made.heard.push(`asks ${path} ${body instanceof Uint8Array ? asked(body) : (body?.size ?? "")}`.trim());
      const refusal = refusing.get(path);
      refusing.delete(path);
      if (refusal instanceof Error) throw refusal;
      return refusal ?? new Response(answer(signal));
    },
  });
  const navigator = { language: "en", sendBeacon: () => true };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  Object.assign(globalThis, { addEventListener: made.window.addEventListener.bind(made.window) });
  Object.assign(made.document, { baseURI: "http://page/", createTreeWalker: () => ({ nextNode: () => null }) });
  Object.assign(made.location, { origin: "http://page" });
  return {
    ...made,
    ...playing,
    time,
    /** The text of a file that was saved. @param {string} name */
    file: async (name) => dateless((await files.get(name)) ?? "none"),
    /** The parameters of the page that is open. */
    known: page,
    /** What answers the next question of a path: a response, or an error for none. @param {string} path @param {Response | Error} refusal */
    refuse: (path, refusal) => void refusing.set(path, refusal),
    /** Leave the page that is open: nothing of it is heard, waits or is kept. */
    leave: () => {
      deafen();
      time.clear();
      playing.forget();
      refusing.clear();
      for (const kept of [made.localStorage, made.sessionStorage]) kept.kept.clear();
      for (const medium of media) medium.matches = false;
      Object.assign(made.location, { search: "" });
      made.heard.splice(0);
      made.html.className = made.body.className = "";
    },
    /** Let the browser paint. */
    paint: async () => {
      await settled();
      while (made.frames.length) {
        for (const frame of made.frames.splice(0)) frame();
        await settled();
      }
    },
  };
}

/** @typedef {ReturnType<typeof standInOpened>} Browser */

/** Return a text without the time of its origin. @param {string} text */
export const dateless = (text) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE");

/** Return a link as the server writes it: without defaults. @param {string} query @param {Loose} defaults */
function short(query, defaults) {
  const pairs = [...new URLSearchParams(query)];
  return new URLSearchParams(pairs.filter(([name, value]) => String(defaults[name]) !== value)).toString();
}

/** Parameters of every page, as far as the tests need them. */
export const DEFAULTS = {
  ...{ n: 4, d_model: 8, h: 2, d_k: 4, tie: true, mechanism: "dot_product", scaling: "sqrt_d_k", scale: 1 },
  ...{ mask: "none", window: 1, source: "gaussian", seed: 0, stage: "weights", lang: "en", text: "a b", layer: 1 },
  ...{
    head: 0,
    row: null,
    colour_range: "quantile",
    columns: 0,
    present: 0,
    hide: [],
    focus: "",
    predict: false,
    pin: "",
  },
};

/** @param {string} page @param {Loose} more of its own */
export const settingsOf = (page, { defaults, ...more }) => ({
  ...{ page, pages: ["explore", page], first: "explore", own: [], parts: ["insight"], unread: [], lesson: ["d_k"] },
  ...{ prefix: "headlight", space: "", plotly: "plotly.js", unpacking: "unpacking.js", seedMaximum: 10 },
  versions: { headlight: "1", torch: "2", plotly: "3" },
  ...{
    locales: { en: "en.json" },
    templates: { light: {}, dark: {} },
    paper: {},
    sections: { attention: "#attention" },
  },
  reach: { bounds: {}, choices: {} },
  uses: {
    mask: { none: [], window: ["window"] },
    source: { gaussian: ["seed"], text: ["text"], upload: [], model: ["text"] },
  },
  defaults: { ...DEFAULTS, page, ...defaults },
  texts: [],
  controls: [
    ...new Set(["d_k", "n", "mask", "window", "source", "row", "head", "predict", ...Object.keys(defaults ?? {})]),
  ],
  places: ["insight", "predict", "take-away", "menus"],
  ...more,
});

/** @param {string} id @param {Loose[]} children */
const box = (id, ...children) => {
  const made = /** @type {Loose} */ (globalThis.document.createElement("div"));
  if (id.startsWith(".")) made.className = id.slice(1);
  else made.id = id;
  made.append(...children);
  return made;
};

/** Where a figure will stand. @param {string} name */
export const figurePlace = (name) => Object.assign(box(`figure-${name}`), { className: "figure-place" });

/**
 * Open a page.
 * @param {Browser} browser @param {new (settings: Loose, loading: Loose) => Loose} Page @param {Loose} settings
 * @param {(made: typeof box) => Loose[]} figures returns what stands beside the controls
 * @param {(string | ((page: Loose) => string[]))[]} [looked] selectors of what is looked at, or what returns its lines
 */
export function opened(browser, Page, settings, figures, looked = []) {
  const { body, document, heard } = browser;
  browser.leave();
  if (settings.page !== settings.first) Object.assign(browser.location, { search: `?page=${settings.page}` });
  /** @type {string[]} */
  const names = settings.controls.map((/** @type {string} */ name) => `control-${name}`);
  const common = ["masthead", "control-page", "message", "messenger", "present", "menus", "insight"];
  const layout = box(
    settings.page,
    box("controls", ...names.map((name) => box(name))),
    box("figures", ...figures(box)),
  );
  layout.className = "page";
  const main = document.createElement("main");
  main.append(...common.map((name) => box(name)), layout);
  const whole = box(".gradio-container", main);
  body.replaceChildren(whole);
  browser.known.defaults = settings.defaults;
  const later = {
    share: async () => ({ open: async () => void heard.push("opens the sheet to share") }),
    lessons: async () => ({ open: () => heard.push("lists lessons"), help: () => heard.push("helps") }),
  };
  const texts = { lang: "en", read: async () => {}, ask: async () => ({}), of: (/** @type {string} */ key) => key };
  const own = new Page(settings, { texts, later: () => later });
  const { page } = own;
  page.text = keyed;
  const trigger = (/** @type {string} */ event) => heard.push(`${event}: controls show ${shown(page)}`);
  const opening = new Opening(own, /** @type {Loose} */ (texts));
  const place = (/** @type {string} */ id) => ({ element: document.getElementById(id), trigger });
  const on = (/** @type {string} */ selector) => {
    const found = document.querySelector(selector);
    if (!found) throw new Error(selector);
    return found;
  };
  /** @type {Loose} */
  let story;
  const tell = async (/** @type {string} */ what) => {
    await browser.paint();
    story.tell(what);
  };
  return {
    page,
    own,
    on,
    tell,
    /** What happened, line by line; of what is gone the beginning is enough: it was written when it came. */
    get lines() {
      return story.lines.map((/** @type {string} */ line) => (/^- .{60}/.test(line) ? `${line.slice(0, 60)}…` : line));
    },
    /** The server's reading of the wished link. @param {Loose} [more] of its header */
    state: (more = {}) => {
      const query = short(page.updates.wished, settings.defaults);
      const controls = { ...settings.defaults, ...typed(settings.defaults, query) };
      return { part: "state", query, controls, notices: [], ...more };
    },
    /** Build the page, and ask for its first picture. */
    begin: async () => {
      void opening.open(Object.fromEntries(opening.places().map((id) => [id, place(id)])));
      await browser.paint();
      story = telling(
        () =>
          looked.flatMap((one) =>
            typeof one === "string" ? document.querySelectorAll(one).flatMap(outlined) : one(page),
          ),
        heard,
      );
      await tell("asks");
    },
    /** Let an element hear an event, and tell what follows. @param {string} what @param {string | Loose} where @param {string} [kind] @param {Loose} [more] */
    after: async (what, where, kind = "click", more = {}) => {
      if (typeof where === "function") where();
      const { defaultPrevented = false } =
        typeof where === "function" ? {} : press(typeof where === "string" ? on(where) : where, kind, more);
      await tell(defaultPrevented ? `${what} (taken)` : what);
    },
    /** Let gradio tell that the visitor moved a control. @param {string} name @param {unknown} value */
    move: async (name, value) => {
      page.controls.heard(name, [value]);
      await tell(`${name} = ${value}`);
    },
  };
}

/** What the controls show, without those that stay. @param {Loose} page */
const shown = (page) => {
  const values = page.controls.values();
  const pairs = page.settings.controls.map((/** @type {string} */ name, /** @type {number} */ i) => [name, values[i]]);
  return pairs
    .filter((/** @type {unknown[]} */ [, value]) => value !== undefined)
    .map((/** @type {unknown[]} */ [name, value]) => `${name} = ${value}`)
    .join(", ");
};

/** @param {Loose} one @returns {string[]} */
const outlined = (one) => outline(one);

/** @param {Loose} defaults @param {string} query */
const typed = (defaults, query) =>
  Object.fromEntries(
    [...new URLSearchParams(query)].map(([name, value]) => {
      const like = defaults[name];
      if (typeof like === "boolean") return [name, value === "true"];
      return [name, typeof like === "string" || Number.isNaN(Number(value)) ? value : Number(value)];
    }),
  );

/**
 * A part of an answer with trees of values, such as the drawings of figures.
 * @param {(put: (tree: Loose) => Loose) => Loose} write returns the header; `put` returns what stands in it for a tree
 */
export function filled(write) {
  /** @type {Uint8Array[]} */
  const all = [];
  const header = write((tree) => {
    const begins = all.reduce((sum, { length }) => sum + length, 0);
    const { entry, blocks } = packed(tree);
    all.push(blocks);
    const values = entry.values.map((/** @type {Loose} */ one) =>
      typeof one?.at === "number" ? { ...one, at: one.at + begins } : one,
    );
    return { ...entry, values };
  });
  return partOf(header, joined(all));
}

/** @param {Record<string, Loose>} trees @param {(tree: Loose) => Loose} put */
export const each = (trees, put) => Object.fromEntries(Object.entries(trees).map(([name, tree]) => [name, put(tree)]));

/** The part "figures". @param {Record<string, Loose>} drawings @param {Loose} [more] @param {Record<string, Loose>} [tables] */
export const figuresOf = (drawings, more = {}, tables = {}) =>
  filled((put) => ({
    ...{ part: "figures", summaries: {}, insight: null, ...more },
    ...{ drawings: each(drawings, put), tables: each(tables, put) },
  }));

/** A chart of curves in panels side by side. @param {Record<string, number[]>} curves by their names @param {Loose} [more] of the layout */
export const chart = (curves, more = {}) => ({
  data: Object.entries(curves).map(([name, y]) => ({
    ...{ type: "scatter", mode: "lines", name, line: { color: "#000000", width: 1 }, xaxis: "x", yaxis: "y" },
    ...{ x: Float64Array.from(y, (_, i) => i + 1), y: Float64Array.from(y) },
  })),
  layout: {
    xaxis: { domain: [0, 1], range: [0, 9], anchor: "y" },
    yaxis: { domain: [0, 1], range: [0, 9], anchor: "x" },
    ...more,
  },
});

/** The codes of a map's cells. @param {number} rows @param {number} columns */
export const codes = (rows, columns) =>
  Object.assign(
    Uint8Array.from({ length: rows * columns }, (_, i) => (37 * i) % 256),
    { shape: [rows, columns] },
  );

/** Heat maps, one a panel. @param {Loose[]} metas what is said of each @param {[number, number]} shape of them all @param {Loose} [more] of the layout */
export const maps = (metas, [rows, columns], more = {}) => ({
  data: metas.map((meta, i) => ({
    ...{ type: "heatmap", z: codes(rows, columns), coloraxis: "coloraxis", meta: { panel: i, ...meta } },
    ...{ xaxis: `x${i ? i + 1 : ""}`, yaxis: `y${i ? i + 1 : ""}` },
  })),
  layout: {
    ...Object.fromEntries(metas.flatMap((_, i) => ["xaxis", "yaxis"].map((axis) => [`${axis}${i ? i + 1 : ""}`, {}]))),
    coloraxis: {
      ...{ cmin: 0, cmax: 1, colorbar: { title: { text: "weight" } } },
      colorscale: [
        [0, "#ffffff"],
        [1, "#2563eb"],
      ],
    },
    annotations: metas.map((meta) => ({ name: "title", text: `Head ${meta.head}` })),
    ...more,
  },
});

/** What each figure shows, line by line: the names and numbers of its traces, and the state. @param {Loose} page */
export const drawnOn = ({ figures }) =>
  [...figures.all].flatMap(([name, { root, block }]) => {
    const drawn = figures.drawn.get(name);
    const traces = (drawn?.drawing.data ?? []).map(
      (/** @type {Loose} */ { name: called, x = [], y = [], meta, line }) =>
        `${called ?? `head ${meta?.head}`} [${[...x]}] [${[...y]}] ${JSON.stringify(line ?? {})}`,
    );
    const { className, dataset } = root;
    const marks = ["drawn", "painted", "error", "rested"].filter(
      (one) => one in dataset && (one !== "drawn" || dataset.drawn !== dataset.painted),
    );
    const about = [className.replace("figure-place ", ""), ...marks.map((one) => `${one} “${dataset[one]}”`)];
    const said = [block.brief.textContent, block.summary.textContent, block.table.textContent].filter(Boolean);
    return [
      `${name}: ${[...about, ...said].join(" | ")}`,
      ...traces.map((/** @type {string} */ one) => `  ${name}: ${one}`),
    ];
  });

/** A question with two choices. @param {Loose} [more] */
export const question = (more = {}) => ({
  ...{ part: "question", name: "which", about: "this", sentence: "Which?" },
  choices: [
    ["one", "The one"],
    ["two", "The two"],
  ],
  ...more,
});

/** The verdict on it. @param {Loose} [more] */
export const verdict = (more = {}) => ({
  ...{ part: "verdict", name: "which", right: true, sentences: ["Right.", "So it is."], judging: 1, real: ["one"] },
  ...more,
});
