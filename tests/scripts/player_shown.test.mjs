/** What a lesson shows while it is played, alone and with a class: its panel, its questions, its end, and the menu that begins it. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { CONCLUDED } from "../../assets/js/asking/predict_form.js";
import { begin, fromAddress } from "../../assets/js/lesson/begin.js";
import { PageQuestion, asking } from "../../assets/js/lesson/page_question.js";
import { help } from "../../assets/js/lesson/help.js";
import { Panel, point } from "../../assets/js/lesson/panel.js";
import { playable } from "../../assets/js/lesson/playable.js";
import { present } from "../../assets/js/lesson/player.js";
import { alone, teach } from "../../assets/js/lesson/stage.js";
import { noted } from "../../assets/js/lesson/summary.js";
import { visit } from "../../assets/js/lesson/visit.js";
import { watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { Time, keyed, settled } from "./stand_in.mjs";
import { mutations, outline, pageOf, standInPage, tableOf, telling } from "./whole_page.mjs";

const { document, body, html, window, media, heard, location, localStorage, sessionStorage } = standInPage();
const time = new Time();
const lessons = await import("../../assets/js/later/lessons.js");

const read = (/** @type {string} */ path) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url).href), "utf8"));
const ABOUT = /** @type {Record<string, unknown>} */ ({ declared: read("./declared.json") });
let serves = true;
Object.assign(globalThis, {
  fetch: async (/** @type {string} */ path) => {
    const name = path.split("/").at(-1)?.replace(".json", "") ?? "";
    return { ok: serves, status: 503, json: async () => ABOUT[name] ?? read(`../../assets/lessons/${name}.json`) };
  },
});

const TABLES = () => ({
  "heat-maps": null,
  entropy: tableOf(["head", ["a", "b"]], ["row", [1, 2]], ["entropy", [0.5, 0.7]]),
  gradient: tableOf(["length", [1, 10, 100]], ["time", [2, 4, 1]]),
});
const OWN = {
  ...{ format: 1, name: "mine", minutes: 5, title: { en: "*Mine*" }, about: { en: "About" }, note: { en: "Note" } },
  steps: [
    { link: "n=5", focus: "entropy", text: { en: "Look *here*" } },
    {
      ...{ link: "n=6", focus: "heat-maps", text: { en: "How much?" } },
      question: {
        text: { en: "How *much*?" },
        answers: [
          { text: { en: "little" }, below: 0.5 },
          { text: { en: "much" }, from: 0.5 },
        ],
        ...{ truth: { of: { figure: "entropy", column: 3 } }, reveal: "n=7", because: { en: "So it is." } },
      },
    },
    {
      ...{ link: "n=7", text: { en: "Draw" } },
      question: {
        text: { en: "Draw it" },
        curve: { figure: "gradient", x: 1, y: 2, points: [1, 10, 100], low: 0, high: 4, log_x: true },
      },
    },
    {
      ...{ link: "predict=true&question=wider_norm", text: { en: "Ask" } },
      question: { prediction: "wider_norm", because: { en: "The page knows." } },
    },
    {
      ...{ link: "n=7", text: { en: "Twice?" } },
      question: {
        text: { en: "By how much?" },
        answers: [
          { text: { en: "half" }, below: 1 },
          { text: { en: "more" }, from: 1 },
        ],
        ...{ truth: { of: { figure: "entropy", column: 3 }, before: true }, reveal: "n=8" },
      },
    },
    {
      link: "page=why&n=5",
      text: { en: "Elsewhere" },
      question: { text: { en: "There?" }, answers: [{ text: { en: "y" }, right: true }, { text: { en: "n" } }] },
    },
  ],
};

/** The page's own question. */
const predicts = () => {
  const verdict = /** @type {Loose} */ (document.createElement("div"));
  return /** @type {Loose} */ ({
    ...{ open: true, root: { dataset: {} }, form: { judged: false, folded: false, verdict } },
    shown: {
      name: "wider_norm",
      sentence: "Wider?",
      choices: [
        ["up", "Up"],
        ["down", "Down"],
      ],
    },
    renew: () => heard.push("asks anew"),
    inClass: {
      hold: (/** @type {boolean} */ on) => heard.push(`holds ${on}`),
      withhold: (/** @type {boolean} */ on) => heard.push(`withholds ${on}`),
      conclude: async (/** @type {unknown} */ given) => (heard.push(`concludes ${JSON.stringify(given)}`), ["down"]),
    },
  });
};

/** A page on which a lesson is played; who leads it lets every press through. */
function played() {
  const page = pageOf(heard, TABLES());
  for (const { root } of page.figures.all.values()) body.append(root);
  const handlers = /** @type {Record<string, (of: Loose) => void>} */ ({});
  page.leader.lead = { reminded: false };
  page.leader.handle = (/** @type {Loose} */ more) => {
    Object.assign(handlers, more);
    return () => void heard.push("no longer led");
  };
  const { tell } = page.leader;
  page.leader.tell = (/** @type {Loose} */ what) => {
    tell(what);
    if (what.type === "press") handlers.step(what);
  };
  page.goes = true;
  page.ways = {
    goTo: async (/** @type {string} */ link, /** @type {Loose} */ tab) => {
      heard.push(`goes to ${link} ${JSON.stringify(tab ?? null)}`);
      if (!page.goes) throw new Error("lost");
      page.move(link);
    },
  };
  page.presence.later = { lessons: async () => ({ make: () => heard.push("makes one") }) };
  const told = page.presence.rules;
  page.predict = null;
  Object.assign(told, {
    predict: () => page.predict,
    ...{ revealsAtOnce: () => true, more: () => ({}), judging: () => ({}), enclosed: () => null },
  });
  page.updates = { route: "page/explore", body: (/** @type {string} */ link) => ({ link }), rules: told };
  page.server = {
    ask: async (/** @type {string} */ route, /** @type {Loose} */ of) => {
      heard.push(`asks the server ${route} ${JSON.stringify(of)}`);
      throw new Error("refused");
    },
  };
  return { page, handlers };
}

document.addEventListener("headlight:step", (/** @type {Loose} */ { detail }) =>
  heard.push(`step ${JSON.stringify(detail)}`),
);

const panel = () => document.getElementById("lesson");
const tab = () =>
  `${location.search} | ${html.className} ${JSON.stringify(html.style)} ${JSON.stringify(html.dataset)}`;
const taught = (/** @type {Loose} */ page) =>
  [...page.figures.all]
    .filter(([, { root }]) => root.classList.contains("is-taught-now"))
    .map(([name]) => name)
    .join();
const shown = (/** @type {Loose} */ page) => () => [
  tab(),
  `taught: ${taught(page)}`,
  ...(panel() ? outline(panel()) : ["no panel"]),
];
const press = async (/** @type {string} */ id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(id);
  found.click();
  await time.pass(100);
};
const keep = (/** @type {Loose} */ lesson) => localStorage.setItem("headlight-lesson-draft", JSON.stringify(lesson));

test("a lesson is played alone: its steps, its questions with their truths, and its end", async (context) => {
  keep(OWN);
  const { page } = played();
  const { lines, tell } = telling(shown(page), heard);
  page.allowed = false;
  await begin(page, "own");
  tell("who leads lets nobody begin");
  page.allowed = true;
  page.predict = predicts();
  await Promise.all([begin(page, "own", 0), time.pass(100)]);
  tell(`begun: ${present()?.name} ${present()?.step}`);
  await press("lesson-back");
  tell("no step before the first");
  page.move("n=50");
  tell("the page moves");
  await press("lesson-again");
  tell("back to the step");
  await press("lesson-next");
  tell("next: a question");
  const answers = () => panel().querySelectorAll(".lesson-answers button");
  answers()[1].click();
  tell("answered");
  const go = () =>
    panel()
      .querySelectorAll("button")
      .find((/** @type {Loose} */ one) => one.textContent === "predict.reveal");
  page.leader.allows = () => false;
  go().click();
  await time.pass(100);
  tell("not allowed to reveal");
  page.leader.allows = () => true;
  page.goes = false;
  go().click();
  await time.pass(100);
  tell("the reveal is lost");
  page.goes = true;
  go().click();
  await time.pass(100);
  tell("revealed");
  page.move("n=6");
  tell("its own state is known");
  await press("lesson-next");
  tell("a curve");
  present()
    ?.question.asked?.root.querySelectorAll("circle")[0]
    ?.dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), { key: "ArrowUp" }));
  go().click();
  await time.pass(100);
  tell("the curve's truth");
  await press("lesson-next");
  tell("the page asks");
  page.predict.form.judged = true;
  page.predict.form.verdict.append(Object.assign(document.createElement("p"), { textContent: "It is down." }));
  document.dispatchEvent(new Event(CONCLUDED));
  tell("the page has its result");
  await press("lesson-next");
  tell("a question of before and after");
  answers()[0].click();
  go().click();
  await time.pass(100);
  tell("revealed, beside what was before");
  await press("lesson-back");
  tell("back: its result is kept");
  page.predict = null;
  document.dispatchEvent(new Event(CONCLUDED));
  tell("without the page's question");
  page.goes = false;
  page.state.canonical = null;
  await press("lesson-again");
  tell("the step cannot be shown");
  page.goes = true;
  for (const at of [5, 6, 7, 8]) {
    void present()?.go(at);
    await time.pass(100);
    tell(`step ${at}`);
  }
  document.querySelectorAll(".lesson-saw-step")[1].click();
  await time.pass(100);
  tell("from the end to a step");
  const key = (/** @type {string} */ key, prevented = false) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key });
    if (prevented) event.preventDefault();
    document.dispatchEvent(event);
    return event.defaultPrevented;
  };
  for (const one of ["a", "ArrowLeft", ".", "x", "ArrowRight"]) {
    const prevented = key(one);
    await time.pass(100);
    tell(`key ${one}: ${prevented}; ${document.getElementById("lesson-blank") ? "blank" : "not blank"}`);
  }
  key("ArrowRight", true);
  await time.pass(100);
  tell("a key that something else has heard");
  for (const id of ["lesson-make-own", "lesson-anew"]) {
    await Promise.all([begin(page, "own", 7), time.pass(100)]);
    await press(id);
    tell(id);
  }
  void present()?.go(3);
  void present()?.go(2);
  await time.pass(100);
  tell("two steps at once: the last counts");
  await press("lesson-leave");
  tell(`left: ${present()?.step}`);
  page.move("n=9");
  document.dispatchEvent(new Event(CONCLUDED));
  document.dispatchEvent(new Event("headlight:room"));
  tell(`nothing hears it ${key("ArrowRight")}`);
  await Promise.all([begin(page, "own"), time.pass(100)]);
  tell("goes on where it was left");
  location.search = "?lesson=own&step=3&aside=1&n=7";
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  await time.pass(100);
  tell("the page is shown");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await time.pass(100);
  tell("the page is shown again: the address has another step, with a state beside it");
  location.search = "?n=7";
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  tell("shown again without a lesson");
  location.search = "?lesson=own&step=6";
  void fromAddress(page, false);
  await time.pass(100);
  tell("the step's page was not loaded");
  present()?.leave();
  sessionStorage.kept.clear();
  location.search = "";
  held(context, lines);
});

/** A room whose class is asked; `votes` says whether it votes now. */
const taughtRoom = () => {
  const room = { votes: false, question: /** @type {Loose} */ (null), truth: /** @type {Loose} */ (null) };
  const asks = (/** @type {string} */ what) => (/** @type {Loose} */ question, /** @type {Loose} */ more) => {
    heard.push(`${what} ${JSON.stringify(question)}`);
    room.truth = more;
  };
  return Object.assign(room, {
    voting: () => room.votes,
    asked: () => room.question,
    ask: asks("asks"),
    compute: asks("computes"),
  });
};

test("a lesson asks a class: afresh, on the step's page, and keeps what the class has seen", async (context) => {
  keep(OWN);
  location.search = "?room=CDFGHJ";
  const { page, handlers } = played();
  page.predict = predicts();
  await Promise.all([begin(page, "own", 2), time.pass(100)]);
  const { lines, tell } = telling(shown(page), heard);
  const room = taughtRoom();
  const roomed = async () => {
    document.dispatchEvent(new Event("headlight:room"));
    await time.pass(100);
  };
  page.presence.room = room;
  await roomed();
  tell("the tab teaches a class");
  await press("lesson-ask");
  tell("asks the class");
  room.votes = true;
  await roomed();
  tell("the class votes");
  handlers.remind(null);
  tell("reminds");
  page.leader.lead.reminded = true;
  handlers.remind(null);
  tell("the bar says it");
  const { truth, aside } = room.truth;
  lines.push(`aside: ${await aside().catch((/** @type {Error} */ problem) => problem.message)}`);
  const computing = truth();
  await time.pass(100);
  tell(`the truth: ${await computing}`);
  handlers.restore(null);
  await time.pass(4000);
  tell("restored");
  page.goes = false;
  page.move("n=50");
  handlers.restore(null);
  await time.pass(100);
  tell("not restored");
  page.goes = true;
  void present()?.go(2);
  await time.pass(100);
  await Promise.all([present()?.question.truth(), time.pass(100)]);
  room.votes = false;
  room.question = {
    ...{ id: "q", kind: "choice", text: "How much?", answers: ["little", "much"], phase: "reveal", round: 1 },
    from: { lesson: "own", step: 2 },
    results: { first: { answers: 3, counts: [1, 2] }, second: null, truth: 1 },
  };
  await roomed();
  tell("the class has seen it");
  await press("lesson-ask");
  tell("asks once more: afresh");
  page.move("n=50");
  await press("lesson-ask");
  tell("asks from another state: afresh");
  page.presence.room = null;
  await roomed();
  tell("the room is over");
  page.presence.room = room;
  location.search = "?room=XXXXXX";
  await roomed();
  tell("another room: nobody has answered");
  for (const [step, what] of /** @type {[number, string][]} */ ([
    [3, "a curve"],
    [4, "the page's question"],
  ])) {
    void present()?.go(step);
    await time.pass(100);
    page.state.values.predict = step === 4;
    await press("lesson-ask");
    tell(what);
    const { aside: none } = room.truth ?? {};
    if (none) lines.push(`aside: ${await none()}`);
  }
  page.move("n=50");
  page.predict.root.dataset.verdict = "right";
  document.getElementById("lesson-ask").click();
  await time.pass(100);
  tell("it stands beside its result");
  delete page.predict.root.dataset.verdict;
  await time.pass(100);
  tell("asked anew");
  page.predict.open = false;
  await press("lesson-ask");
  tell("the page asks nothing");
  page.predict.open = true;
  void present()?.go(6);
  await time.pass(100);
  tell(`another page: ${page.state.present}`);
  page.settings.page = "why";
  void present()?.go(6);
  await time.pass(100);
  tell("on it");
  page.settings.page = "explore";
  await press("lesson-ask");
  tell(`asks from another page ${sessionStorage.getItem("headlight-lesson-asks")}`);
  page.settings.page = "why";
  sessionStorage.setItem("headlight-lesson-asks", "own 6");
  location.search = "?room=XXXXXX&lesson=own&step=6";
  void fromAddress(page, false);
  await time.pass(100);
  tell("its page has been loaded: asked there");
  page.settings.page = "explore";
  location.search = "?room=CDFGHJ";
  await Promise.all([begin(page, "own", 7), time.pass(100)]);
  tell("the end with a class");
  handlers.step({ by: -1 });
  await time.pass(100);
  handlers.aside(null);
  tell("aside");
  handlers.unplay(null);
  tell(`the class leads again: ${present()?.step} ${page.presence.lesson}`);
  location.search = "";
  held(context, lines);
});

test("a panel gives the words their room, and the figure that is taught stands where it has room", (context) => {
  const page = pageOf(heard, TABLES());
  const strip = document.createElement("div");
  strip.className = "swiped";
  strip.scrollLeft = 7;
  strip.box = { left: 10 };
  const side = document.createElement("div");
  side.id = "side";
  body.append(strip, side);
  const [maps, entropy, gradient] = [...page.figures.all.values()].map(({ root }) => root);
  entropy.box = { left: 110 };
  strip.append(entropy);
  side.append(gradient);
  body.append(maps);
  const frame = document.createElement("div");
  frame.className = "gradio-container";
  body.append(frame);
  /** @type {Loose} */
  const ways = Object.fromEntries(["back", "next", "leave", "again"].map((way) => [way, () => heard.push(way)]));
  const one = new Panel(page, ways);
  const { lines, tell } = telling(shown(page), heard);
  for (const way of ["back", "next", "leave", "again"]) document.getElementById(`lesson-${way}`).click();
  tell("each button");
  one.show("*T*", 1, 3, "Words");
  tell("first");
  one.show("T", 3, 3, "- a\n- b");
  tell("last");
  one.show("T", 4, 3, "");
  tell("after the last");
  const question = document.createElement("p");
  one.ask(question, true);
  tell("a tall question");
  one.hold(true);
  tell("held");
  one.remind("because");
  tell("reminded");
  one.hold(false);
  tell("held no more");
  const [head, text] = panel().children;
  head.offsetHeight = 30;
  text.box = { top: 100 };
  text.scrollTop = 5;
  for (const [i, part] of text.children.entries()) part.box = { top: 90 + i, bottom: 140.5 + i };
  watched.at(-1)?.then();
  tell("measured");
  text.scrollHeight = 100;
  text.clientHeight = 96;
  text.scrollTop = 0;
  watched.at(-2)?.then();
  tell("all is seen");
  text.clientHeight = 95;
  text.dispatchEvent(new Event("scroll"));
  tell("more is below");
  one.turnToQuestion();
  tell("turned to the question");
  one.fail("It fails");
  tell("failed");
  one.end("T", 4, 3, document.createElement("section"));
  tell(`ended; focus ${document.activeElement.className}`);
  point(page, "entropy");
  tell("a figure in a strip");
  const tabs = document.createElement("div");
  tabs.id = "tabs";
  const tabNamed = (/** @type {string} */ title) =>
    Object.assign(document.createElement("button"), {
      className: "tab",
      title,
      onclick: () => heard.push(`tab ${title}`),
    });
  tabs.append(...["Other", "Gradient"].map(tabNamed));
  body.append(tabs);
  gradient.classList.add("is-other");
  gradient.append(Object.assign(document.createElement("h2"), { textContent: "Gradient" }));
  html.dataset.classCard = "open";
  point(page, "gradient", "heat-maps");
  tell("behind a tab, while a class is asked");
  const bar = document.createElement("section");
  bar.id = "class";
  body.append(bar);
  const again = () => mutations.at(-1)?.();
  for (const [what, change] of /** @type {[string, () => void][]} */ ([
    ["the class sees the result", () => (bar.dataset.asked = "reveal")],
    ["it votes", () => (bar.dataset.asked = "open")],
    ["the card is folded", () => (html.dataset.classCard = "folded")],
    ["no card, in a class: one of several", () => (delete html.dataset.classCard, (html.dataset.class = "1"))],
    ["no class", () => delete html.dataset.class],
    ["a talk", () => (page.presenter.look.present = 1)],
    ["the figure is hidden", () => (page.presenter.look.hide = ["gradient"])],
  ])) {
    change();
    again();
    tell(what);
  }
  page.presenter.look.hide = [];
  page.presenter.look.present = 0;
  html.dataset.class = "1";
  teach(page, "heat-maps", undefined);
  tell("alone on a wide screen, in a class");
  media("(max-width: 820px), (max-height: 480px)").turn(true);
  tell("on a phone");
  teach(page, "absent", undefined);
  tell("a figure that is not there");
  point(page, undefined);
  tell("none");
  const facts = { talk: false, inClass: false, phone: false, small: false, paired: false };
  for (const more of [
    {},
    { card: "open" },
    { card: "folded", talk: true },
    { talk: true },
    { talk: true, paired: true },
    { inClass: true },
    { inClass: true, small: true },
    { inClass: true, phone: true },
    { phone: true, small: true },
  ]) {
    lines.push(`${JSON.stringify(more)}: ${alone({ ...facts, ...more })}`);
  }
  new Panel(page, null);
  tell("the panel of a page that follows");
  one.close();
  tell("the other one has its place");
  media("(max-width: 820px), (max-height: 480px)").turn(false);
  for (const added of [strip, side, tabs, bar, maps]) added.remove();
  delete html.dataset.class;
  panel().remove();
  html.className = "";
  held(context, lines);
});

test("the page's question is the class's: its words, its cover, its result", async (context) => {
  const { page } = played();
  const asked = new PageQuestion(page);
  const question = /** @type {Loose} */ ({
    id: "q",
    kind: "choice",
    text: "Breiter?",
    answers: ["Mehr", "Weniger"],
    phase: "open",
    prediction: { page: "explore", name: "wider_norm" },
  });
  const lines = /** @type {string[]} */ ([]);
  const told = (/** @type {string} */ what, /** @type {unknown} */ found) =>
    lines.push(
      `${what}: ${found === undefined ? "nothing" : JSON.stringify(found)} ${html.className} ${heard.splice(0)}`,
    );
  const CURVE = { x: [1, 10], low: 1, high: 100, log_x: true, log_y: true, x_label: "n", y_label: "t" };
  const all = async (/** @type {string} */ what) => {
    lines.push(`# ${what}`);
    told("asks", asking(page));
    told("notes", noted(page));
    told("words", asked.words(question));
    asked.cover(question);
    told("covered", asked.held);
    asked.cover({ ...question, phase: "reveal" });
    told("revealed", asked.held);
    asked.cover(null);
    asked.withhold(true);
    asked.withhold(false);
    told("withheld and not", null);
    told("truth", await asked.truth(question).catch((/** @type {Error} */ problem) => problem.message));
    for (const given of [undefined, 1, [0, 0.5]]) {
      const done = asked.conclude(question, given).catch((/** @type {Error} */ problem) => heard.push(problem.message));
      await time.pass(10_000);
      await done;
      told(`concluded with ${JSON.stringify(given)}`, null);
    }
  };
  await all("a page that asks nothing");
  page.predict = predicts();
  await all("a page whose teacher does not predict");
  page.state.values.predict = true;
  page.presence.rules.revealsAtOnce = () => false;
  await all("choices, after a run");
  asked.cover(question);
  told("its result stands here: not covered", asked.held);
  page.presence.rules.revealsAtOnce = () => true;
  page.predict.inClass.conclude = () => new Promise(() => {});
  page.predict.form.judged = true;
  page.predict.form.verdict.append(Object.assign(document.createElement("p"), { textContent: "Down." }));
  await all("choices, at once, judged, slow");
  page.predict.shown.choices = [["up", "Up"]];
  await all("another count of choices");
  page.predict.shown = { name: "wider_norm", sentence: "Draw", choices: null, curve: CURVE };
  page.predict.inClass.conclude = async (/** @type {unknown} */ given) => (
    heard.push(`concludes ${JSON.stringify(given)}`),
    [10, 1000]
  );
  page.presence.rules.revealsAtOnce = () => false;
  await all("a curve after a run");
  page.presence.rules.revealsAtOnce = () => true;
  await all("a curve");
  page.predict.shown.curve = { ...CURVE, log_y: false };
  await all("a curve with an even axis");
  question.prediction.name = "another";
  await all("another question");
  question.prediction = { page: "why", name: "wider_norm" };
  await all("a question of another page");
  page.predict.open = false;
  await all("closed");
  held(context, lines);
});

test("the menu begins each lesson, and says why one cannot be played", async (context) => {
  const { page } = played();
  localStorage.kept.clear();
  const menu = document.createElement("details");
  const sheet = document.createElement("div");
  menu.append(sheet);
  body.append(menu);
  page.settings.sections = { attention: "https://paper/1" };
  const look = () => [
    `open ${menu.hasAttribute("open")} ${location.search}`,
    ...outline(sheet),
    ...(panel() ? outline(panel()) : []),
  ];
  const { lines, tell } = telling(look, heard);
  const open = async () => {
    menu.setAttribute("open", "");
    await lessons.open(page, sheet);
    heard.splice(0);
  };
  await open();
  lines.push(`${sheet.children.length} entries`);
  const entries = sheet.children.splice(1);
  for (const other of entries.slice(0, -1)) other.remove();
  tell("the first, and the way to make one");
  localStorage.setItem("headlight-lesson-place-first-look", "2");
  await open();
  lines.push(...outline(sheet.children[0]).slice(0, 4));
  const first = () => document.getElementById("lesson-first-look");
  first().click();
  await time.pass(100);
  lines.push(`goes on: ${present()?.name} ${present()?.step} ${menu.hasAttribute("open")}`);
  await open();
  sheet.querySelector(".lesson-from-start").click();
  await time.pass(100);
  lines.push(`anew: ${present()?.name} ${present()?.step}`);
  present()?.leave();
  heard.splice(0);
  keep({ ...OWN, steps: [{ link: "n=1", text: {} }] });
  await open();
  const making = () => sheet.children.at(-1);
  lines.push(...outline(making()));
  document.getElementById("lesson-own").click();
  await time.pass(100);
  lines.push("# one's own that is none", ...outline(panel()), ...heard.splice(0));
  await press("lesson-leave");
  lines.push(`left: ${panel()} ${location.search}`);
  making().querySelector(".lesson-handout").click();
  await time.pass(100);
  lines.push(`no handout of it: ${document.getElementById("paper")} ${panel()?.querySelector("strong").textContent}`);
  await press("lesson-leave");
  for (const name of ["add", "edit"]) {
    await open();
    making().querySelector(`.lesson-${name}`).click();
    lines.push(
      `${name}: ${document.getElementById("lesson-editor")?.querySelectorAll(".editor-step").length} steps, menu ${menu.hasAttribute("open")}`,
    );
  }
  document.getElementById("lesson-editor").close();
  await settled();
  await open();
  making().querySelector(".lesson-help").click();
  await settled();
  lines.push("# help", ...outline(document.getElementById("help")), ...heard.splice(0));
  await help(page);
  lines.push(`${document.querySelectorAll("#help").length} help`);
  document.getElementById("help").lastElementChild.click();
  await settled();
  lines.push(`closed: ${document.getElementById("help")}`);
  for (const name of ["nothing", "linked", "own"]) {
    if (name === "own") {
      serves = false;
      keep(OWN);
    }
    const found = await playable(page, name);
    lines.push(`${name}: ${found?.name} ${heard.splice(0)}`);
  }
  serves = true;
  localStorage.kept.clear();
  menu.remove();
  for (const [link, look] of /** @type {[string, Loose][]} */ ([
    ["n=5", {}],
    ["n=5", { present: 1 }],
    ["n=5&hide=entropy", {}],
    ["n=6", {}],
    ["page=why&n=5", {}],
  ])) {
    page.presenter.look = { hide: [], focus: "", present: 0, ...look };
    page.state.present = page.state.canonical = "n=5";
    page.settings.page = "explore";
    await visit(page, link, { step: "1" });
    lines.push(`visit ${link} ${JSON.stringify(look)}: ${heard.splice(0)}`);
  }
  held(context, lines);
});

test("a page follows the steps of a room's lesson, in its own language where it has the lesson", async (context) => {
  const { page } = played();
  localStorage.kept.clear();
  const { lines, tell } = telling(shown(page), heard);
  const words = { title: { en: "Own" }, text: { en: "Words" }, steps: 3, focus: "entropy" };
  for (const at of /** @type {Loose[]} */ ([
    null,
    { name: "first-look", step: 1 },
    { name: "first-look", step: 1 },
    { name: "first-look", step: 2 },
    { name: "first-look", step: 99 },
    { name: "own", step: 2 },
    { name: "own", step: 2, words },
    null,
  ])) {
    const done = await lessons.follow(page, at);
    tell(`${JSON.stringify(at)}: ${done}`);
  }
  await lessons.follow(page, { name: "own", step: 2, words });
  panel().remove();
  await lessons.follow(page, { name: "own", step: 3, words });
  tell("its panel was taken");
  const first = read("../../assets/lessons/first-look.json").steps;
  const step = first.findIndex((/** @type {Loose} */ one) => one.question?.answers) + 1;
  for (const more of /** @type {Loose[]} */ ([
    {},
    { from: { lesson: "first-look", step: 1 } },
    { from: { lesson: "own", step: 1 } },
    { from: { lesson: "first-look", step }, text: "?", answers: first[step - 1]?.question.answers.map(() => "x") },
    { from: { lesson: "first-look", step }, prediction: {} },
  ])) {
    lines.push(`${JSON.stringify(more)}: ${JSON.stringify(await lessons.words(page, { kind: "choice", ...more }))}`);
  }
  await lessons.play(page, true, true);
  tell("no lesson in the address");
  keep(OWN);
  location.search = "?lesson=own&step=2";
  await lessons.play(page, false, true);
  tell("the address does not decide");
  void lessons.play(page, true, true);
  await time.pass(100);
  lines.push(
    `plays ${present()?.name} ${present()?.step}; follows ${await lessons.follow(page, { name: "first-look", step: 1 })}`,
  );
  present()?.leave();
  location.search = "?lesson=handout";
  await lessons.play(page, true, true);
  lines.push(`lent: ${/** @type {Loose} */ (window).headlightPage === page}`);
  location.search = "";
  localStorage.kept.clear();
  lessons.make(page);
  lines.push(`makes ${document.querySelectorAll(".editor-step").length} step of ${keyed("a")}`);
  void lessons.start(page);
  await time.pass(100);
  lines.push(`starts ${present()?.name} ${present()?.step}`);
  present()?.leave();
  held(context, lines);
});
