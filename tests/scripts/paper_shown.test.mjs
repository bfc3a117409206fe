/** What of a page leaves it on paper and in pictures: the sheet, its figures in the colours of paper, and nothing that waits for a prediction. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CellsFigure } from "../../assets/js/figures/cells_figure.js";
import { density } from "../../assets/js/figures/density.js";
import { SHAPING } from "../../assets/js/link/look.js";
import { HIGH, WIDE, isAway, isPrinted, printed } from "../../assets/js/paper/figures.js";
import { inked, lightened } from "../../assets/js/paper/light.js";
import { printing } from "../../assets/js/paper/printing.js";
import { Prints } from "../../assets/js/paper/prints.js";
import { settingsLine } from "../../assets/js/paper/settings.js";
import { sheet } from "../../assets/js/paper/sheet.js";
import { drawn } from "./drawing.mjs";
import { held } from "./held.mjs";
import { keyed, settled } from "./stand_in.mjs";
import { outline, standInPage, telling, tellNames } from "./whole_page.mjs";

const { document, body, heard, window, media } = standInPage();
Object.assign(document, { head: document.createElement("head"), baseURI: "http://page/app/" });
Object.assign(globalThis, { HTMLSpanElement: globalThis.HTMLElement });
tellNames(heard);
const size = {
  clientWidth: () => 690,
  /** @this {Loose} */
  clientHeight() {
    return parseFloat(this.style.height) || 0;
  },
};
for (const [name, get] of Object.entries(size)) {
  Object.defineProperty(globalThis.HTMLElement.prototype, name, { get, configurable: true });
}

const SCREEN = [
  [0, "#101010"],
  [1, "#f0f0f0"],
];
const PAPER = [
  [0, "#ffffff"],
  [1, "#000080"],
];
const map = (/** @type {number} */ panels, /** @type {Loose} */ layout = {}) => ({
  data: Array.from({ length: panels }, () => ({
    ...{ type: "heatmap", coloraxis: "coloraxis" },
    z: Object.assign(new Uint8Array(4), { shape: [2, 2] }),
  })),
  layout: { coloraxis: { colorscale: SCREEN, cmin: 0, cmax: 1, colorbar: { title: { text: "weight" } } }, ...layout },
});
const chart = (/** @type {Loose} */ layout = {}) => ({
  data: [{ type: "scatter", x: [0, 1], y: [0, 1], name: "one" }],
  layout: { xaxis: { range: [0, 1] }, yaxis: { range: [0, 1] }, ...layout },
});

/**
 * A page whose figures are drawn.
 * @param {Record<string, Loose>} figures drawing, kind and classes of each
 */
function paged(figures) {
  const all = new Map(
    Object.entries(figures).map(([name, { drawing, cells = false, classes = "", lines = {}, locked = null }]) => {
      const root = document.createElement("div");
      root.className = classes;
      const [brief, summary] = ["p", "p"].map((tag) => document.createElement(tag));
      const bold = document.createElement("b");
      bold.textContent = `${name} in brief`;
      if (!classes.includes("plain")) brief.append(bold);
      summary.textContent = classes.includes("plain") ? "" : `What ${name} shows of $d_k$.`;
      const living = cells ? new CellsFigure(document.createElement("div"), document.createElement("div")) : {};
      if (living instanceof CellsFigure) {
        Object.assign(living, { lines: { columns: 0, group: 1, kept: 5, ...lines } });
        living.marks.rows.locked = locked;
      }
      return [name, { root, living, block: { brief, summary }, drawing }];
    }),
  );
  const page = /** @type {Loose} */ ({
    text: (/** @type {string} */ key, /** @type {Loose} */ fields) => keyed(key, fields),
    settings: {
      ...{
        page: "why",
        plotly: "static/plotly.js",
        figures: Object.keys(figures),
        controls: ["n", "mask", "beta", "lang"],
      },
      templates: { light: { layout: { xaxis: { gridcolor: "light grid" } } }, dark: "dark" },
      paper: { "#101010": PAPER },
      scales: { h: [] },
    },
    state: { agreed: { n: 5, mask: "causal", h: 2, beta: 1 } },
    figures: {
      of: (/** @type {string} */ name) => all.get(name),
      drawn: {
        has: (/** @type {string} */ name) => Boolean(all.get(name)?.drawing),
        of: (/** @type {string} */ name) => ({ drawing: all.get(name)?.drawing }),
      },
      isCovered: (/** @type {string} */ name) => all.get(name)?.root.classList.contains("covered"),
      labels: ["a", "b"],
    },
    ways: { fileOrigin: () => ({ link: "?n=5", seed: "3", date: "today" }) },
    server: {
      sentenceOf: (/** @type {Error} */ { message }, /** @type {(key: string) => string} */ text) =>
        message === "aborted" ? null : `${text("failed")} ${message}`,
    },
    message: { fail: (/** @type {string | null} */ sentence) => void heard.push(`fails ${sentence}`) },
    presence: { rules: { predict: () => page.predict } },
    predict: null,
  });
  page.prints = new Prints(page);
  return page;
}

test("a scale of the screen is printed as that of paper which begins with its first colour", () => {
  const other = /** @type {Loose} */ ([[0, "#222222"]]);
  const scales = /** @type {Loose} */ ({ "#101010": PAPER });
  assert.equal(inked(scales, /** @type {Loose} */ (SCREEN)), PAPER);
  assert.equal(inked(scales, other), other);
  const drawing = /** @type {Loose} */ ({
    data: [1],
    layout: { coloraxis: { colorscale: SCREEN, cmin: 2 }, coloraxis2: { colorscale: other }, color: "x", height: 3 },
  });
  assert.deepEqual(lightened(drawing, scales), {
    data: [1],
    layout: { coloraxis: { colorscale: PAPER, cmin: 2 }, coloraxis2: { colorscale: other }, color: "x", height: 3 },
  });
  assert.equal(drawing.layout.coloraxis.colorscale, SCREEN);
});

test("the line of settings names what changes a number, and no layout, language or look", () => {
  const names = ["n", "lang", "page", "predict", "pin", "tie", "columns", "left", "top", "across", "step"];
  const values = /** @type {Loose} */ (Object.fromEntries([...names, ...SHAPING].map((name) => [name, "x"])));
  const label = (/** @type {string} */ name) => `Label of ${name}`;
  assert.equal(settingsLine(Object.keys(values), values, [], label, keyed), "Label of n: x");
  assert.equal(settingsLine(["n", "h"], /** @type {Loose} */ ({ n: 1, h: 2 }), ["h"], label, keyed), "Label of n: 1");
});

test("a figure is printed where it is drawn, shown, and gives no answer away; on the page its title alone says that it waits", () => {
  const page = paged({
    shown: { drawing: chart() },
    none: {},
    out: { drawing: chart(), classes: "is-out" },
    later: { drawing: chart(), classes: "x not-now" },
    covered: { drawing: chart(), classes: "covered" },
    "covered-none": { classes: "covered" },
    "covered-out": { drawing: chart(), classes: "covered is-out" },
  });
  const names = page.settings.figures;
  assert.deepEqual(
    names.filter((/** @type {string} */ name) => isPrinted(page, name)),
    ["shown"],
  );
  assert.deepEqual(
    names.filter((/** @type {string} */ name) => isAway(page, name)),
    ["out", "later", "covered-out"],
  );
  assert.deepEqual(
    page.prints.printed().map((/** @type {Loose} */ { name }) => name),
    ["shown"],
  );
  assert.deepEqual(page.prints.withheld(), ["figure.covered.title", "figure.covered_none.title"]);
});

test("figures on paper are as high as their panels in lines of the chosen number, and no higher than a page", () => {
  assert.deepEqual([WIDE, HIGH], [690, 700]);
  const high = (/** @type {Loose} */ figure) => printed(paged({ one: figure }), "one").height;
  const panels = [1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17, 18, 24, 48];
  assert.deepEqual(
    panels.map((n) => high({ cells: true, drawing: map(n) })),
    [330, 378, 268, 213, 391, 500, 391, 700, 700, 700, 404, 404, 526, 700],
  );
  assert.deepEqual(
    [1, 2, 3, 9].map((columns) => high({ cells: true, drawing: map(6), lines: { columns } })),
    [700, 700, 500, 159],
  );
  assert.deepEqual(
    [100, 330, 331, 600].map((height) => high({ cells: true, drawing: map(1, { height }) })),
    [100, 330, 330, 330],
  );
  const strip = { type: "heatmap", meta: { kind: "marks" } };
  assert.equal(high({ cells: true, drawing: { ...map(1), data: [...map(1).data, strip] } }), 330);
  assert.deepEqual(
    [undefined, 100, 301, 561, 563, 900].map((height) => high({ drawing: chart(height && { height }) })),
    [208, 65, 196, 365, 365, 365],
  );
  assert.equal(high({ drawing: chart(), classes: "is-said" }), 0);
  assert.equal(high({ cells: true, drawing: map(4), classes: "is-said" }), 0);
});

/** What stands on the page besides figures. */
function sentences() {
  const made = (/** @type {string} */ tag, /** @type {Loose} */ more, /** @type {Loose[]} */ ...inside) => {
    const one = Object.assign(document.createElement(tag), more);
    one.append(...inside);
    return one;
  };
  const bold = (/** @type {string} */ words) => made("b", {}, words);
  const info = made("span", {}, " Length n ");
  info.dataset.testid = "block-info";
  return [
    made(
      "div",
      { id: "insight" },
      made(
        "div",
        { className: "insight" },
        made("p", {}, bold("seen")),
        made("p", { className: "purpose" }, bold("not")),
      ),
    ),
    made(
      "div",
      { id: "arithmetic" },
      made("div", { className: "arithmetic" }, made("p", {}, bold("reckoned")), made("p", {})),
    ),
    made("div", { id: "origin" }, made("p", {}, bold("trained"))),
    made("div", { id: "control-n" }, info),
    made("div", { id: "control-h", className: "not-now" }),
    made("div", { id: "control-beta", className: "is-out" }),
  ];
}

/** A question of the page. @param {Loose} more */
const asked = (more) => ({
  root: { hidden: false },
  answer: null,
  form: { folded: false, drawing: null, verdict: document.createElement("div") },
  ...more,
  shown: { sentence: "Which $n$?", choices: null, ...more.shown },
});

test("a sheet holds the settings, the sentences, the question and the figures in the colours of paper", (context) => {
  body.replaceChildren(...sentences());
  const place = document.createElement("div");
  place.className = "gradio-container dark";
  body.append(place);
  const page = paged({
    "heat-maps": { cells: true, drawing: map(2), lines: { columns: 2 }, locked: 1 },
    curve: { drawing: chart({ height: 300 }), classes: "plain" },
    words: { drawing: chart(), classes: "is-said" },
    covered: { drawing: chart(), classes: "covered" },
  });
  drawn();
  const root = /** @type {Loose} */ (sheet(page));
  const lines = [...outline(root), ...drawn()];
  const pictures = root.querySelectorAll(".stage").length;
  assert.equal(pictures, 3);
  root.remove();
  const { printed: whole } = page.prints;
  page.prints.printed = () => [
    ...[false, true].map((present) => ({
      name: "step",
      title: ["Step"],
      caption: [],
      present,
      height: null,
      draw() {},
    })),
  ];
  page.prints.withheld = () => [];
  for (const [what, predict] of /** @type {[string, Loose][]} */ ([
    ["no question", null],
    ["none yet", { ...asked({}), shown: null }],
    ["hidden", asked({ root: { hidden: true } })],
    ["folded", asked({ form: { ...asked({}).form, folded: true } })],
    [
      "choices",
      asked({
        answer: "b",
        shown: {
          choices: [
            ["a", "one"],
            ["b", "two $x$"],
          ],
        },
      }),
    ],
  ])) {
    page.predict = predict;
    lines.push(`# ${what}`);
    const made = /** @type {Loose} */ (sheet(page));
    lines.push(...outline(made.querySelector(".question") ?? made.querySelector("h1")));
    const figures = what === "no question" ? made.querySelectorAll("figure") : [];
    lines.push(...figures.flatMap((/** @type {Loose} */ one) => outline(one)));
    assert.equal(made.querySelector(".withheld"), null);
    made.remove();
  }
  const svg = document.createElement("svg");
  for (const className of ["predict-drawn", "predict-point", "axis"]) {
    svg.append(Object.assign(document.createElement("path"), { className }));
  }
  const verdict = document.createElement("div");
  verdict.append(Object.assign(document.createElement("p"), { textContent: "Nearly." }));
  for (const answer of [null, [1]]) {
    page.predict = asked({ answer, form: { folded: false, drawing: { svg }, verdict } });
    const made = /** @type {Loose} */ (sheet(page));
    const kept = made.querySelectorAll(".question path").map((/** @type {Loose} */ one) => one.className);
    lines.push(
      `drawn ${answer}: ${kept}, ${made.querySelectorAll(".question p").map((/** @type {Loose} */ one) => one.textContent)}`,
    );
    made.remove();
  }
  assert.equal(svg.children.length, 3);
  page.prints.printed = whole;
  for (const [id, className] of [
    ["insight", "is-out"],
    ["insight", "is-withheld"],
    ["insight", "not-now"],
    ["origin", "hidden"],
  ]) {
    const one = document.getElementById(id);
    if (className === "hidden") one.hidden = true;
    else one.className = className;
    const made = /** @type {Loose} */ (sheet(page));
    lines.push(
      `${id} ${className}: ${made.querySelectorAll(".said").map((/** @type {Loose} */ each) => each.textContent)}`,
    );
    made.remove();
    Object.assign(one, { hidden: false, className: "" });
  }
  page.prints.printed = () => {
    throw new Error("broken");
  };
  assert.throws(() => sheet(page), /broken/);
  assert.equal(document.getElementById("paper"), null);
  held(context, lines);
});

test("a sheet stands while the browser prints, in a printer's pixels, and makes way for a handout", () => {
  Object.assign(window, { devicePixelRatio: 2 });
  body.replaceChildren();
  printing(paged({ curve: { drawing: chart() } }));
  const state = () => [body.querySelectorAll("#paper").length, density()];
  const fire = (/** @type {string} */ name) => window.dispatchEvent(new Event(name));
  const turn = (/** @type {boolean} */ matches) => {
    const medium = /** @type {Loose} */ (media("print"));
    medium.dispatchEvent(Object.assign(new Event("change"), { matches }));
  };
  assert.deepEqual(state(), [0, 2]);
  fire("beforeprint");
  assert.deepEqual(state(), [1, 3]);
  fire("beforeprint");
  assert.deepEqual(state(), [1, 3]);
  fire("afterprint");
  assert.deepEqual(state(), [0, 2]);
  fire("afterprint");
  turn(true);
  assert.deepEqual(state(), [1, 3]);
  turn(false);
  assert.deepEqual(state(), [0, 2]);
  const handout = Object.assign(document.createElement("div"), { id: "paper" });
  body.append(handout);
  fire("beforeprint");
  assert.deepEqual(state(), [1, 2]);
  fire("afterprint");
  assert.deepEqual(state(), [1, 2]);
  handout.remove();
  fire("beforeprint");
  assert.deepEqual(state(), [1, 3]);
  fire("afterprint");
});

test("a picture is plotly's own of the notebook's figure, in the page's theme, and says of itself where it comes from", async (context) => {
  const page = paged({
    "heat-maps": { cells: true, drawing: map(1, { width: 900, height: 300 }) },
    curve: { drawing: chart({ margin: { t: new Float32Array([1, 2]) } }) },
  });
  const { lines, tell: write } = telling(() => [], heard);
  const tell = async (/** @type {string} */ what) => {
    await settled();
    // of a file, what people read
    heard.splice(0, heard.length, ...heard.map((one) => one.replaceAll(/[^\x20-\x7e]+/g, " ")));
    write(what);
  };
  const saved = async (/** @type {string} */ name, /** @type {string} */ format, lined = true) => {
    const wrong = page.prints.picture(name, format, lined);
    await settled();
    return wrong;
  };
  const scripts = () => document.head.querySelectorAll("script");
  const first = saved("curve", "svg");
  await settled();
  heard.push(
    scripts()
      .map((/** @type {Loose} */ { src }) => src)
      .join(),
  );
  scripts()[0].onerror();
  heard.push(`wrong: ${await first}, ${scripts().length} scripts`);
  await tell("plotly does not come");
  Object.assign(window, {
    Plotly: {
      toImage: async (/** @type {Loose} */ figure, /** @type {Loose} */ how) => {
        heard.push(`${JSON.stringify(figure)} ${JSON.stringify(how)}`);
        return "data:";
      },
    },
  });
  /** The head of a PNG: its signature, and a header of 13 bytes. */
  const png = Uint8Array.from([...Array(8).fill(48), 0, 0, 0, 13, ...Array(21).fill(49), 50]);
  Object.assign(globalThis, {
    fetch: async (/** @type {string} */ address) => (heard.push(`gets ${address}`), new Response(png)),
  });
  const second = saved("curve", "png", false);
  await settled();
  scripts()[0].onload();
  heard.push(`wrong: ${await second}`);
  await tell("a picture");
  body.className = "dark";
  heard.push(`wrong: ${await saved("heat-maps", "png", false)}`);
  await tell("of maps, in the dark");
  body.className = "";
  Object.assign(globalThis, {
    fetch: async () => {
      throw new Error("aborted");
    },
  });
  heard.push(`wrong: “${await saved("curve", "svg", false)}”`);
  await tell("stopped");
  heard.push(...[true, false].map((lined) => JSON.stringify(page.prints.label("heat-maps", lined))));
  heard.push(JSON.stringify(page.prints.onPaper("curve").layout.xaxis));
  await tell("labels");
  held(context, lines);
});
