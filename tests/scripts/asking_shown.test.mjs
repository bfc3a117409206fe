/** What a question shows, from its offer to the verdict: the drawing of a curve, choices, buttons, and who may press them. */

import { test } from "node:test";
import { Asking } from "../../assets/js/asking/asking.js";
import { Predict } from "../../assets/js/asking/predict.js";
import { CurveDrawing } from "../../assets/js/asking/predict_curve.js";
import { OwnOffer } from "../../assets/js/asking/predict_offer.js";
import { standInDrawing, watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { focusedOne, keyed, settled, standIn, StandIn } from "./stand_in.mjs";

const { document } = standIn();
standInDrawing(document);
Object.assign(globalThis, {
  MutationObserver: class {
    observe() {}
  },
});
Object.defineProperty(document, "activeElement", { get: focusedOne });

/** @param {Loose} root */
const written = (root) => root.markup.replaceAll("><", ">\n<");

/** Let an element hear an event. @param {Loose} on @param {string} kind @param {Loose} [more] @returns {Loose} */
function hear(on, kind, more = {}) {
  const event = Object.assign(new Event(kind, { cancelable: true }), { pointerId: 1, button: 0, buttons: 1, ...more });
  on.dispatchEvent(event);
  return event;
}

const CURVE = { x: [1, 10, 100], x_label: "d_k", y_label: "loss", low: 0.5, high: 2, log_x: true, log_y: false };

test("a curve is drawn point by point, by pointer and by keys, and keeps to its plot", (context) => {
  Object.assign(document, { getSelection: () => null });
  Object.assign(StandIn.prototype, { setPointerCapture() {} });
  /** @type {string[]} */
  const drew = [];
  const made = (/** @type {Loose} */ more) =>
    /** @type {Loose} */ (
      new CurveDrawing(
        { ...CURVE, ...more },
        keyed,
        (values) => void drew.push(values.map((one) => one.toFixed(3)).join(" ")),
      )
    );
  const curve = made({});
  curve.svg.box = { left: 10, top: 20, width: 840, height: 420 };
  const lines = [written(curve.root)];
  const place = () =>
    `${curve.line.getAttribute("points")} ${curve.points.map((/** @type {Loose} */ one) => one.getAttribute("aria-valuetext"))} ${drew.splice(0)}`;
  for (const [clientX, clientY] of [
    [100, 100],
    [400, 200],
    [840, 30],
    [840, 900],
  ]) {
    const { defaultPrevented } = hear(curve.svg, "pointerdown", { clientX, clientY });
    hear(curve.svg, "pointerup", { clientX, clientY });
    lines.push(`${clientX} ${clientY} ${defaultPrevented}: ${place()}`);
  }
  for (const key of [
    "ArrowUp",
    "ArrowRight",
    "ArrowDown",
    "ArrowLeft",
    "PageUp",
    "PageDown",
    "Home",
    "PageUp",
    "End",
    "a",
  ]) {
    const { defaultPrevented } = hear(curve.points[1], "keydown", { key });
    lines.push(`${key} ${defaultPrevented}: ${place()}`);
  }
  curve.locked = true;
  hear(curve.points[1], "keydown", { key: "Home" });
  lines.push(`locked: ${place()}`);
  curve.reveal([0.5, 9, NaN]);
  lines.push(written(curve.real), `${curve.root.querySelector(".predict-legend").hidden}`);
  curve.put([0, 1, 0.5]);
  lines.push(`put: ${place()}`);
  const styled = globalThis.getComputedStyle;
  Object.assign(globalThis, { getComputedStyle: () => ({ fontSize: "20px" }) });
  watched.at(-1)?.then();
  lines.push(`with larger words: ${place()} ${curve.real.getAttribute("points")}`, written(curve.svg));
  const bare = made({ bare_x: true, bare_y: true, log_x: false, log_y: true });
  lines.push(written(bare.svg));
  hear(bare.points[0], "keydown", { key: "ArrowUp" });
  lines.push(
    `bare: ${bare.points.map((/** @type {Loose} */ one) => one.getAttribute("aria-valuetext"))} ${drew.splice(0)}`,
  );
  held(context, lines);
  Object.assign(globalThis, { getComputedStyle: styled });
});

/** A page that asks, and what is wished of it. @param {Loose} [values] */
function asker(values = {}) {
  /** @type {string[]} */
  const heard = [];
  const allowed = new Set(["move", "reveal"]);
  const state = { values: { predict: false, question: "any", n: 5, ...values }, agreed: {}, canonicalValues: {} };
  const page = /** @type {Loose} */ ({
    text: keyed,
    state,
    settings: { viewing: ["predict", "question"] },
    leader: {
      allows: (/** @type {string} */ what) => allowed.has(what),
      guide: (/** @type {() => void} */ then) => then(),
      lead: { role: "" },
      on: () => {},
    },
    message: {
      fail: (/** @type {unknown} */ said) => void heard.push(`fail ${said}`),
      speak: (/** @type {unknown} */ said) => void heard.push(`speak ${said}`),
    },
    move: (/** @type {Loose} */ next, /** @type {unknown} */ told) => {
      heard.push(`move ${JSON.stringify(next)} ${told}`);
      state.values = next;
    },
    presence: { verdict: () => {}, rules: {} },
  });
  return { page, heard, allowed, state };
}

const QUESTION = {
  name: "which",
  about: "n=5",
  sentence: "Which?",
  choices: [
    ["a", "A"],
    ["b", "B"],
  ],
};
const VERDICT = {
  part: "verdict",
  name: "which",
  real: ["b"],
  right: false,
  judging: 1,
  sentences: ["Not A.", "It is B."],
};

test("a question of choices waits for an answer, is revealed, and is asked again", (context) => {
  const { page, heard, allowed } = asker();
  const root = /** @type {Loose} */ (document.createElement("div"));
  const predict = /** @type {Loose} */ (
    new Predict(
      root,
      page,
      () => void heard.push("reveal"),
      () => void heard.push("reopened"),
    )
  );
  const lines = [`hidden ${root.hidden}`];
  const told = (/** @type {string} */ what) => {
    const [go, again] = [root.querySelector("#predict-reveal"), root.querySelector("#predict-again")];
    const parts = [".predict-waits", ".predict-declined", ".predict-held"].map(
      (one) => `${one} ${root.querySelector(one).hidden}`,
    );
    const buttons = `go ${go.disabled} ${Boolean(go.hidden)}, again ${Boolean(again.hidden)} “${again.textContent}”`;
    const seen = `hidden ${root.hidden}, ${root.className || "plain"}, ${buttons}, ${parts}`;
    lines.push(`${what}: ${seen}; ${JSON.stringify(predict.prediction)}; ${heard.splice(0)}`);
  };
  predict.ask(QUESTION);
  lines.push(written(root));
  told("asked");
  const [first, second] = root.querySelectorAll("input");
  first.onchange();
  told("answered");
  allowed.delete("reveal");
  root.querySelector("#predict-reveal").click();
  told("not allowed");
  allowed.add("reveal");
  root.querySelector("#predict-reveal").click();
  told("revealing");
  predict.lock();
  told(`locked ${[first, second].map((one) => one.disabled)}`);
  predict.lock(false);
  told(`unlocked ${[first, second].map((one) => one.disabled)}`);
  predict.judge({ ...VERDICT, name: "another" }, new ArrayBuffer(0));
  told("another's verdict");
  predict.judge(VERDICT, new ArrayBuffer(0));
  lines.push(written(root), `focus ${focusedOne()?.className}`);
  told("judged");
  root.querySelector("#predict-again").click();
  told("again");
  lines.push(`focus ${focusedOne()?.localName}`);
  predict.form.fold(true);
  told("folded");
  predict.form.fold(true, false);
  told("folded for good");
  predict.renew();
  told("renewed");
  predict.renew();
  told("renewed without need");
  predict.form.hold(true);
  told(`held ${root.inert}`);
  predict.form.hold(false);
  predict.fit(false);
  told("not wanted");
  predict.fit(true);
  told("wanted");
  predict.close();
  told("closed");
  held(context, lines);
});

test("an offer opens its question where the page may be moved, and closes it where answers may be seen", (context) => {
  const { page, heard, allowed, state } = asker();
  const root = /** @type {Loose} */ (document.createElement("div"));
  const predict = /** @type {Loose} */ (new Predict(root, page, () => {}));
  const offer = /** @type {Loose} */ (new OwnOffer(page, predict, (values) => ({ ...values, n: 6 })));
  const box = /** @type {Loose} */ (document.createElement("div"));
  box.prepend = (/** @type {Loose} */ one) => box.append(one);
  const lines = [offer.open.markup, offer.shut.markup];
  allowed.clear();
  offer.open.click();
  lines.push(`not allowed: ${heard.splice(0)} ${offer.opening}`);
  offer.shut.click();
  lines.push(`nor to shut: ${heard.splice(0)}`);
  allowed.add("move").add("reveal");
  /** @type {Loose} */ (state).canonicalValues = null;
  offer.open.click();
  lines.push(`before the first answer: ${heard.splice(0)}`);
  /** @type {Loose} */ (state).canonicalValues = {};
  offer.open.click();
  lines.push(`open: ${heard.splice(0)} ${offer.opening}`);
  offer.ask(QUESTION);
  lines.push(`asked: ${offer.opening} ${focusedOne() === root.querySelector("input")}`);
  offer.fit();
  lines.push(`hidden ${offer.open.hidden}`);
  offer.shut.click();
  lines.push(`shut: ${heard.splice(0)} ${focusedOne() === offer.open}`);
  offer.fit();
  lines.push(`hidden ${offer.open.hidden}`);
  offer.fit(true);
  lines.push(`hidden while it waits ${offer.open.hidden}`);
  offer.beside(box, () => void (box.shown = focusedOne() === offer.open));
  lines.push(written(box), `focus ${focusedOne() === offer.open}`);
  const skip = /** @type {Loose} */ (document.createElement("button"));
  for (const asks of [true, false]) {
    offer.ways(skip, asks);
    lines.push(`${asks}: ${skip.hidden} ${offer.shut.hidden} ${root.querySelector(".buttons").children.length}`);
  }
  held(context, lines);
});

test("a page's question stands in the place of its sentences, and its verdict beside what it changed", async (context) => {
  const { page, heard, state } = asker();
  /** @type {Loose[]} */
  const answers = [];
  const element = () => /** @type {Loose} */ (document.createElement("div"));
  const places = /** @type {Loose} */ ({
    predict: { element: element() },
    insight: { element: element() },
    "take-away": { element: element() },
  });
  const body = element();
  body.className = "page";
  document.body.append(body);
  const asking = /** @type {Loose} */ (
    new Asking(page, places, (more) => {
      heard.push(`ask ${JSON.stringify(more)}`);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    })
  );
  /** @type {string[]} */
  const lines = [];
  const { element: root } = places.predict;
  const told = (/** @type {string} */ what) => {
    const button = (/** @type {string} */ id) => {
      const found = root.querySelector(`#${id}`);
      return `${id} ${found ? Boolean(found.hidden) : "none"}`;
    };
    const buttons = ["predict-another", "predict-back", "predict-shut"].map(button);
    const seen = `${asking.covers} ${asking.waits} ${root.hidden} ${places.insight.element.className}|${body.className}`;
    lines.push(`${what}: ${seen}; ${buttons}; ${heard.splice(0).join(", ")}`);
  };
  const box = element();
  box.prepend = (/** @type {Loose} */ one) => box.append(one);
  asking.offer(box, () => {});
  const [open] = box.children;
  asking.fit();
  told("before");
  open.click();
  asking.take({ ...QUESTION, following: "next" });
  told(`opened, focus ${focusedOne()?.localName}`);
  asking.take({ ...QUESTION, following: "next" });
  told("the same question");
  const reveal = () => {
    root.querySelectorAll("input")[0].onchange();
    root.querySelector("#predict-reveal").click();
  };
  reveal();
  told("revealing");
  answers[0].reject(new Error("lost"));
  await settled();
  told("lost");
  root.querySelector("#predict-reveal").click();
  answers[1].resolve({ header: { ...VERDICT, change: { n: 7 } }, blocks: new ArrayBuffer(0) });
  await settled();
  asking.fit();
  told("judged");
  root.querySelector("#predict-back").click();
  asking.fit();
  told(`back, focus ${focusedOne() === open}`);
  open.click();
  asking.take(QUESTION);
  told("without another");
  reveal();
  state.values = { ...state.values, n: 8 };
  asking.fit();
  answers[2].resolve({ header: VERDICT, blocks: new ArrayBuffer(0) });
  await settled();
  told("of another state");
  asking.take({ ...QUESTION, about: "n=8" });
  reveal();
  answers[3].resolve({ header: VERDICT, blocks: new ArrayBuffer(0) });
  await settled();
  asking.fit();
  told("judged without a change");
  asking.leave();
  told("left");
  asking.leave();
  told("left again");
  state.values = { ...state.values, predict: true };
  asking.take({ ...QUESTION, about: "n=9" });
  root.querySelector("#predict-shut").click();
  asking.fit();
  told("shut");
  state.agreed = { predict: true };
  told("the server has not heard it");
  asking.renew();
  told("renewed");
  held(context, lines);
});
