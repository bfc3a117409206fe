/** Small parts of every page: what a tab keeps, keys, the line of settings, menus, hints, an outline of the change before. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceHints } from "../../assets/js/controls/choice_hints.js";
import { menu } from "../../assets/js/dom/menu.js";
import { savePicture } from "../../assets/js/files/picture.js";
import { inLanguage, looking, lookIn, lookOf, meant, valuesOf } from "../../assets/js/link/look.js";
import { keep, recall } from "../../assets/js/link/tab_store.js";
import { Before, beside } from "../../assets/js/pages/explore/before.js";
import { settingsLine } from "../../assets/js/paper/settings.js";
import { unlatex } from "../../assets/js/words/latex.js";
import { standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { focusedOne, standIn, StandIn, Time } from "./stand_in.mjs";

const { document, window, sessionStorage } = standIn();
standInDrawing(document);
Object.assign(globalThis, { Node: StandIn });
const time = new Time();

test("a tab keeps by name, and in a frame without a storage in the frame's own name", (context) => {
  const page = /** @type {Loose} */ (window);
  page.name = "";
  /** @type {string[]} */
  const lines = [];
  const told = (/** @type {string} */ what) =>
    void lines.push(`${what}: ${recall("a")} ${recall("b")} ${JSON.stringify(page.name)} ${[...sessionStorage.kept]}`);
  keep("a", "1");
  keep("b", "2");
  told("kept");
  keep("b", null);
  told("forgotten");
  sessionStorage.refuses = true;
  told("without a storage");
  keep("a", "3");
  keep("b", "4");
  told("kept in the name");
  keep("a", null);
  told("forgotten there");
  page.name = "headlight:{not ours";
  told("of another version");
  keep("a", "5");
  told("kept over it");
  page.name = "theirs";
  keep("a", "6");
  told("a name that others gave");
  sessionStorage.refuses = false;
  held(context, lines);
});

test("P presents and Escape leaves, on a Korean keyboard too, and nothing else does", (context) => {
  const plain = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, repeat: false, isComposing: false };
  const lines = [];
  for (const [key, code] of [
    ["p", "KeyP"],
    ["P", "KeyP"],
    ["ㅔ", "KeyP"],
    ["p", "KeyR"],
    ["r", "KeyP"],
    ["ㅔ", "KeyA"],
    ["Escape", "Escape"],
    ["Enter", "Enter"],
  ]) {
    const with_ = Object.keys(plain).map((name) => meant({ ...plain, key, code, [name]: true }, false));
    lines.push(
      `${key} ${code}: ${meant({ ...plain, key, code }, false)}, typing ${meant({ ...plain, key, code }, true)}, with others ${with_}`,
    );
  }
  const look = { present: 1, hide: ["a", "b"], focus: "map" };
  lines.push(JSON.stringify([lookOf({}), lookOf({ present: true, hide: "a,,b", focus: "map" }), valuesOf(look)]));
  lines.push(JSON.stringify([lookIn("present=1&hide=a,b&focus=map"), lookIn("present=2&n=5"), lookIn("")]));
  lines.push(looking("n=5&present=1&hide=x", { present: 0, hide: [], focus: "" }), looking("n=5", look));
  lines.push(inLanguage("n=5&lang=en", "ko"), inLanguage("n=5&lang=en", null), inLanguage("n=5", null));
  held(context, lines);
});

test("the settings are one line, each with its name, without those that count for nothing", (context) => {
  const labels = {
    ...{ n: "n, positions", d_k: "d_k", mask: "Mask", steps: "Steps (0: the task's own)", text: "Text", lr: "Rate =" },
    ...{ tie: "Tie", seed: "Seed (any)", on: "On", long_symbol: "sequence, length", Head: "H, heads", scale: "a:b" },
  };
  const words = {
    "choice.mask.causal": "causal",
    "choice.mask.window": "window",
    "print.yes": "yes",
    "print.no": "no",
  };
  const values = {
    ...{ n: 32, d_k: 0, mask: "causal,window", steps: "0", text: "choice.mask.causal, again", lr: 0.1, tie: true },
    ...{ seed: "", on: true, long_symbol: 3, Head: 4, scale: "s" },
  };
  const line = (/** @type {Loose} */ more, /** @type {string[]} */ meaningless = []) =>
    settingsLine(
      Object.keys(labels),
      { ...values, ...more },
      meaningless,
      (name) => Reflect.get(labels, name),
      (key) => Reflect.get(words, key) ?? key,
    );
  held(context, [
    line({}),
    line({ on: false, n: null, seed: undefined, steps: "7" }),
    line({ text: "x".repeat(60) }),
    line({ text: "x".repeat(61) }),
    line({}, ["n", "mask", "text", "lr"]),
  ]);
});

test("one menu is open at a time, below its button and inside the window; Escape and a press elsewhere close it", (context) => {
  const frames = /** @type {(() => void)[]} */ ([]);
  Object.assign(globalThis, {
    requestAnimationFrame: (/** @type {() => void} */ then) => frames.push(then),
    cancelAnimationFrame() {},
  });
  Object.assign(document, { documentElement: Object.assign(document.createElement("html"), { clientWidth: 400 }) });
  Object.assign(window, { innerHeight: 300 });
  const all = [
    menu("class-menu", "Class", "the class", "a"),
    menu("share", "⋯", "share", "b"),
    menu("lessons", [/** @type {Loose} */ (document.createElement("svg"))], "lessons", "c"),
  ].map((one) => /** @type {Loose} */ (one));
  document.body.append(.../** @type {Loose[]} */ (all));
  Object.assign(document, {
    querySelectorAll: (/** @type {string} */ selector) =>
      all.filter((one) => selector === "details.menu[open]" && one.open),
  });
  for (const one of all) {
    Object.assign(one, { isConnected: true, removeAttribute: () => (one.open = false), hasAttribute: () => one.open });
    Object.assign(one.lastElementChild, { offsetWidth: 120, offsetHeight: 200 });
    one.lastElementChild.style.getPropertyValue = (/** @type {string} */ name) =>
      one.lastElementChild.style[name] ?? "";
  }
  const lines = all.map((one) => one.firstElementChild.markup);
  const told = (/** @type {string} */ what) => {
    const places = all.map(
      (one) => `${Boolean(one.open)} ${one.lastElementChild.style.left} ${one.lastElementChild.style.top}`,
    );
    lines.push(`${what}: ${places.join(" | ")} ${frames.length}`);
    frames.splice(0);
  };
  const open = (/** @type {Loose} */ one, /** @type {Loose} */ box) => {
    one.firstElementChild.box = box;
    one.open = true;
    one.dispatchEvent(new Event("toggle"));
  };
  open(all[0], { left: 50, right: 90, bottom: 40 });
  told("begins where its button does");
  open(all[1], { left: 50, right: 190, bottom: 250 });
  told("ends where its button does, and stays inside");
  open(all[2], { left: -10, right: 30, bottom: -50 });
  told("not beyond the edges");
  all[2].open = false;
  all[2].dispatchEvent(new Event("toggle"));
  told("shut");
  open(all[0], { left: 390, right: 400, bottom: 40 });
  const frame = frames.at(-1);
  all[0].firstElementChild.box = { left: 20, right: 60, bottom: 60 };
  frame?.();
  told("its button has moved");
  const key = (/** @type {string} */ key) => all[0].dispatchEvent(Object.assign(new Event("keydown"), { key }));
  key("a");
  told("a key");
  key("Escape");
  told(`Escape, focus ${focusedOne() === all[0].firstElementChild}`);
  key("Escape");
  open(all[1], { left: 50, right: 190, bottom: 50 });
  const press = (/** @type {Loose} */ target) => {
    const event = new Event("pointerdown");
    Object.defineProperty(event, "target", { value: target });
    document.dispatchEvent(event);
  };
  press(all[1].lastElementChild);
  told("a press inside");
  const tip = document.createElement("div");
  tip.className = "reason-tip";
  press(tip);
  told("on a tip");
  press(document.body);
  told("elsewhere");
  held(context, lines);
});

test("a choice is explained where it is chosen: to a pointer that rests, to the keyboard, and to screen readers", async (context) => {
  const root = /** @type {Loose} */ (document.createElement("div"));
  const control = /** @type {Loose} */ (document.createElement("div"));
  const inputs = ["none", "causal", "window"].map((value) => {
    const input = /** @type {Loose} */ (Object.assign(document.createElement("input"), { value }));
    const label = /** @type {Loose} */ (document.createElement("label"));
    label.append(input);
    label.box = { left: 390, top: 60, bottom: 80 };
    control.append(label);
    const matches = input.matches.bind(input);
    input.matches = (/** @type {string} */ selector) =>
      selector === ":focus-visible" ? input.shown === true : matches(selector);
    return input;
  });
  Object.assign(document, { getElementById: (/** @type {string} */ id) => (id === "control-mask" ? control : null) });
  const scrolled = /** @type {(() => void)[]} */ ([]);
  Object.assign(globalThis, {
    ...{ innerWidth: 400, innerHeight: 300 },
    addEventListener: (/** @type {string} */ _, /** @type {() => void} */ then) => scrolled.push(then),
  });
  choiceHints(root, ["mask", "absent"], (key) => (key === "hint.mask.none" ? key : `means ${key}`));
  const [tip] = root.children;
  tip.offsetWidth = 100;
  tip.offsetHeight = 30;
  const lines = [root.markup, ...inputs.map((one) => `${one.getAttribute("aria-describedby")}`)];
  const hear = async (
    /** @type {string} */ kind,
    /** @type {Loose} */ target,
    /** @type {Loose} */ more = {},
    wait = 350,
  ) => {
    const event = Object.assign(new Event(kind), { pointerType: "mouse", detail: 1, ...more });
    Object.defineProperty(event, "target", { value: target });
    (kind === "pointerdown" || kind === "keydown" ? document : control).dispatchEvent(event);
    const soon = tip.hidden;
    await time.pass(wait);
    lines.push(
      `${kind} ${target?.value ?? ""} ${JSON.stringify(more)}: ${soon}, ${tip.hidden} “${tip.textContent}” ${JSON.stringify(tip.style)}`,
    );
  };
  const [none, causal, windowed] = inputs;
  await hear("pointermove", causal, {}, 349);
  await hear("pointermove", causal, {}, 1);
  await hear("pointermove", causal);
  await hear("pointerover", causal);
  await hear("pointerover", windowed);
  await hear("pointermove", windowed);
  await hear("pointermove", none);
  await hear("pointermove", causal);
  await hear("pointerleave", control, { pointerType: "touch" });
  await hear("pointerleave", control);
  await hear("pointerover", causal, { pointerType: "touch" });
  await hear("pointermove", causal, { pointerType: "touch" });
  await hear("click", causal, { detail: 0 });
  await hear("click", none);
  await hear("click", causal);
  await hear("pointermove", causal);
  await hear("focusin", windowed);
  windowed.shown = true;
  windowed.parent.box = { left: -20, top: 250, bottom: 270 };
  await hear("focusin", windowed);
  await hear("keydown", null, { key: "a" });
  await hear("pointerdown", causal);
  await hear("keydown", null, { key: "Escape" });
  await hear("focusin", windowed);
  await hear("pointerdown", root);
  await hear("focusin", windowed);
  await hear("focusout", windowed);
  await hear("focusin", windowed);
  scrolled[0]();
  lines.push(`scrolled ${tip.hidden}`);
  held(context, lines);
});

/** @param {number[]} x @param {number[]} y @param {[number, number]} across @param {number} high @returns {Loose} */
const scores = (x, y, across, high) => ({
  data: [
    { meta: { kind: "pooled" }, x, y, name: "now" },
    { meta: { kind: "before", beyond: "before, beyond" }, name: "before", x: [], y: [] },
  ],
  layout: {
    ...{ xaxis: { range: across, title: "s" }, yaxis: { range: [0, high] } },
    shapes: [
      { name: "saturated", x0: across[0], x1: 0 },
      { name: "other", x0: 5 },
    ],
  },
});

test("the scores before the last change stand behind the present ones, on one axis that grows so far and no farther", (context) => {
  const now = scores([-1, 0, 1], [1, 2, 1], [-2, 2], 4);
  const told = (/** @type {Loose} */ before) => {
    const made = /** @type {Loose} */ (beside(before, now));
    const [, outline] = made.data;
    return made === now
      ? "as it is"
      : JSON.stringify([
          outline.name,
          outline.x,
          outline.y,
          outline.showlegend,
          made.layout.xaxis,
          made.layout.yaxis,
          made.layout.shapes,
        ]);
  };
  const bare = { ...now, data: [now.data[1]] };
  held(context, [
    told(null),
    told(now),
    told(bare),
    told(scores([-1, 0, 1], [1, 2, 2], [-2, 2], 4)),
    told(scores([-1, 0], [1, 2], [-3, 4], 5)),
    told(scores([-9, 0, 9], [1, 2, 1], [-9, 9], 99)),
    told(scores([-9, 0, 9], [0, 2, 0], [-9, 9], 3)),
    told(scores([-1, 0, 1], [2, 2, 2], [-1, 1], 1)),
    JSON.stringify(beside(now, /** @type {Loose} */ (bare)) === /** @type {Loose} */ (bare)),
  ]);
  const [a, b, c] = [1, 2, 3].map((one) => scores([-1, 0, one], [1, 2, one], [-2, 3], 4));
  const kept = new Before();
  const behind = (/** @type {Loose} */ drawing) => /** @type {Loose} */ (drawing).data[1].x.at(-1);
  assert.equal(behind(kept.take(a, "a", null)), undefined);
  assert.equal(behind(kept.take(b, "b", "a")), 1, "a rested before b");
  assert.equal(behind(kept.take(c, "c", "a")), 1, "b was passing");
  assert.equal(behind(kept.take(c, "c", "c")), 1, "nothing has changed");
  kept.forget();
  assert.equal(behind(kept.take(a, "a", "b")), undefined);
});

test("a picture is drawn for its format and saved under its name, with its origin", async (context) => {
  const lines = /** @type {string[]} */ ([]);
  const figure = /** @type {Loose} */ ({ layout: {} });
  const Plotly = /** @type {Loose} */ ({
    toImage: async (/** @type {Loose} */ of, /** @type {Loose} */ how) => {
      lines.push(`${of.layout.height} ${JSON.stringify(how)}`);
      return "data:picture";
    },
  });
  Object.assign(URL, { createObjectURL: (/** @type {Blob} */ blob) => `blob ${blob.type}`, revokeObjectURL() {} });
  Object.assign(StandIn.prototype, {
    click() {
      const { href, download } = /** @type {Loose} */ (this);
      lines.push(`${href} ${download}`);
    },
  });
  const png = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0, 73, 72, 68, 82, 0, 0, 0, 0);
  Object.assign(globalThis, {
    fetch: async () => ({
      blob: async () => new Blob([png]),
    }),
  });
  const label = { title: "T", description: "D", origin: /** @type {Loose} */ ({ Source: "here" }), lined: false };
  await savePicture(Plotly, figure, "map", "png", label);
  await savePicture(Plotly, { ...figure, layout: { height: 99 } }, "heads", "png", label);
  held(context, lines);
});

test("formulas in LaTeX are plain signs", (context) => {
  const formulas = [
    ...[
      "$d_{k}$",
      "$\\sqrt{d_k}$",
      "$\\frac12$",
      "$\\frac{QK^T}{\\sqrt{d_k}}$",
      "$\\dfrac{a+b}{c}$",
      "$x^{T}$",
      "$x^{2}$",
    ],
    ...[
      "$e^{-x}$",
      "$W^{ᵀ}$",
      "$a_{ij+1}$",
      "costs $5 and $6",
      "$ x $",
      "\\(a^n\\)",
      "\\[b_{model}\\]",
      "$$\\alpha \\cdot \\beta$$",
    ],
    ...["softmax", "exp", "log", "ln", "max", "min", "tanh", "sin", "cos", "Pr", "det"].map((name) => `$\\${name} x$`),
    ...[
      "$\\left( x \\right)$",
      "$\\displaystyle x_1$",
      "$\\text{a b}_1$",
      "$\\operatorname{f}(x)$",
      "$x_{a b}$",
      "$x_{ab}$",
    ],
    ...["$\\mathbf{K}^T$", "$\\unknown{x}$", "$\\{1, 2\\}$", "$-3.5$", "$n < 5$", "$word$", "a_b", "$\\sqrt{a+b}$"],
  ];
  held(
    context,
    formulas.map((one) => `${one} → ${unlatex(one)}`),
  );
});
