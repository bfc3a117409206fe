/**
 * A lesson on paper: its steps with the pictures of this moment, its questions, and room to write; with answers also the
 * truths, computed now, and the teacher's notes. A frame shows one state after the other and lends its pictures.
 */

import { number } from "../figures/axes.js";
import { joined } from "../link/address.js";
import { element } from "../dom/dom.js";
import { CurveDrawing } from "../asking/predict_curve.js";
import { cut } from "./cut.js";
import { LENT, lent } from "./handout_frame.js";
import { isShipped, spoken } from "./lesson.js";
import { inline, written } from "./markdown.js";
import { asDrawn, measuredBy } from "./question.js";
import { described, pageIn, settled, state } from "./settled.js";
import { numbersIn, toFill } from "./to_fill.js";
import { answeredIn, answering, before, figuresOf, found, predicted } from "./truth.js";

/** @typedef {import("./shape.js").Lesson} Lesson */
/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Step} Step */

const [OPENING, PAUSE] = [60_000, 40];
/** Ruled lines to write on, after a step without a question and after one. */
const LINES = [2, 3];

/** Shows states, one after the other, out of sight. */
class Stage {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.frame = element("iframe", { id: "handout-frame", tabIndex: -1, ariaHidden: "true", title: "" });
    document.body.append(this.frame);
  }

  /** Return the page that shows a link. @param {string} link @param {string[]} figures whose numbers are needed @returns {Promise<Page>} */
  async show(link, figures = []) {
    const inside = lent(this.frame);
    const whole = new URLSearchParams(link);
    whole.set("lang", this.page.state.values.lang);
    if (inside && inside.settings.page === pageIn(link)) await inside.ways.goTo(whole.toString());
    else this.frame.src = `${location.pathname}?${joined(whole.toString(), { lesson: LENT, __theme: "light" })}`;
    const there = await this.#opened(pageIn(link));
    await settled(there, link, figures);
    return there;
  }

  /** Take the picture of a figure as a print has it; null if the page has none, or withholds it. @param {Page} page @param {string} name */
  async picture(page, name) {
    await drawn(page, name);
    const { contentWindow, contentDocument } = this.frame;
    contentWindow?.dispatchEvent(new Event("beforeprint"));
    const figure = contentDocument?.querySelector(`#paper .printed[data-name="${CSS.escape(name)}"]`);
    if (figure) document.adoptNode(figure);
    contentWindow?.dispatchEvent(new Event("afterprint"));
    return /** @type {HTMLElement | null} */ (figure ?? null);
  }

  /** @param {string} name */
  async #opened(name) {
    for (const end = performance.now() + OPENING; performance.now() < end;) {
      const page = lent(this.frame);
      if (page?.settings.page === name) return page;
      await pause();
    }
    throw new Error(this.page.text("lesson.no_pictures"));
  }

  close() {
    this.frame.remove();
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

/** Wait for the picture of a figure and its sentence, unless it is covered or stays away. @param {Page} page @param {string} name */
async function drawn(page, name) {
  const found = page.figures.all.get(name);
  if (!found) return;
  for (const end = performance.now() + OPENING; performance.now() < end; await pause()) {
    const { painted, error } = found.root.dataset;
    if (error !== undefined || (painted === page.state.present && described(page))) return;
  }
}

/** Make the handout and show it, with ways to print and to close it. @param {Page} page @param {Lesson} lesson @param {boolean} answers */
export async function handout(page, lesson, answers) {
  document.getElementById("paper")?.remove();
  const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
  const before = document.activeElement;
  const stage = new Stage(page);
  const content = element("div", { className: "contain" });
  content.classList.toggle("is-asking", !answers);
  const busy = element("span", { role: "status" }, text("handout_busy"));
  const print = element(
    "button",
    {
      type: "button",
      className: "tool is-primary",
      id: "handout-print",
      disabled: true,
      onclick: () => window.print(),
    },
    text("print"),
  );
  const close = () => {
    stage.close();
    root.remove();
    document.removeEventListener("keydown", escaped, true);
    if (before instanceof HTMLElement) before.focus();
  };
  const escaped = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  const shut = element(
    "button",
    { type: "button", className: "tool", id: "handout-close", onclick: close },
    text("close"),
  );
  const bar = element("div", { className: "handout-bar" }, print, shut, busy);
  const frame = document.querySelector(".gradio-container")?.className ?? "";
  const root = element("div", { id: "paper", className: `${frame} handout`, role: "dialog" }, bar, content);
  root.ariaLabel = text("handout");
  root.style.setProperty("--wide", "690px");
  document.body.append(root);
  document.addEventListener("keydown", escaped, true);
  shut.focus();
  try {
    await fill(page, lesson, answers, stage, content, () => root.isConnected);
    await cut(content, !answers);
    busy.textContent = "";
    root.dataset.ready = String(lesson.steps.length);
    print.disabled = false;
  } catch (problem) {
    busy.textContent = problem instanceof Error ? problem.message : String(problem);
    root.dataset.error = busy.textContent;
  } finally {
    stage.close();
  }
}

/**
 * @param {Page} page @param {Lesson} lesson @param {boolean} answers @param {Stage} stage @param {HTMLElement} content
 * @param {() => boolean} wanted
 */
async function fill(page, lesson, answers, stage, content, wanted) {
  const { lang } = page.state.values;
  const key = answers ? "lesson.on_paper_answers" : "lesson.on_paper";
  const about = page.text(key, { minutes: lesson.minutes });
  const { origin, pathname } = location;
  const query = isShipped(lesson.name) ? `?lesson=${lesson.name}` : ""; // no other browser has one of one's own
  const head = element(
    "header",
    {},
    element("h1", {}, ...inline(spoken(lesson.title, lang))),
    element("p", { className: "settings" }, ...inline(spoken(lesson.about, lang)), ` · ${about}`),
    // at the head: at the foot it may stand alone on a page
    element("div", { className: "from" }, element("p", {}, `Headlight · ${origin}${pathname}${query}`)),
  );
  content.append(head);
  if (answers && lesson.note) {
    const note = written(spoken(lesson.note, lang));
    head.append(element("section", { className: "handout-note" }, ...note));
  }
  let last = "";
  /** @type {Set<string>} */
  const pictures = new Set();
  /** Tensors whose numbers have been shown. @type {Set<string>} */
  const known = new Set();
  for (const [i, step] of lesson.steps.entries()) {
    if (!wanted()) return;
    const root = element("section", { className: "handout-step" });
    root.classList.toggle("is-after", lesson.steps[i - 1]?.question !== undefined);
    const paragraphs = written(spoken(step.text, lang));
    const where = element("h2", {}, `${i + 1}.`);
    const shows = element(
      "div",
      {},
      element("div", { className: "handout-text" }, where, element("div", {}, ...paragraphs)),
    );
    root.append(shows);
    content.append(root);
    const shown = await stage.show(step.link, step.question?.truth?.before ? figuresOf(step.question) : []);
    const picture = pictured(step.link, step.focus);
    const again = picture === last || (step.answers && !answers && pictures.has(picture)); // empty once is enough
    pictures.add(picture);
    if (step.focus && !again) {
      const drawn = await pictureIn(stage, shown, step.focus);
      const filled = answers || !step.answers;
      shows.append(...(filled ? drawn : drawn.filter((one) => toFill(one, known, page.text("lesson.to_fill")))));
      if (!answers && answerPictures(lesson.steps.slice(0, i + 1)).includes(picture)) drawn.forEach(silenced);
      if (filled) for (const one of drawn) numbersIn(one).forEach((tensor) => known.add(tensor));
    }
    last = picture;
    if (step.question) root.append(...(await questionIn(page, stage, shown, step, answers)));
    else if (!answers) root.append(lines(LINES[0]));
    if (answers && step.note) {
      root.append(element("div", { className: "handout-note" }, ...written(spoken(step.note, lang))));
    }
  }
}

/** Name the pictures that answer what these steps ask. @param {Step[]} steps */
const answerPictures = (steps) =>
  steps.flatMap((step) => (step.question ? [pictured(step.question.reveal ?? step.link, answeredIn(step))] : []));

/** Leave out what a picture says in numbers: they are the answer to a question before it. @param {HTMLElement} picture */
function silenced(picture) {
  for (const one of picture.querySelectorAll("figcaption, h2 > small")) one.remove();
}

/** @param {Stage} stage @param {Page} shown @param {string} name */
async function pictureIn(stage, shown, name) {
  const picture = await stage.picture(shown, name);
  return picture ? [picture] : [];
}

/** Name a picture. @param {string} link @param {string | undefined} focus */
const pictured = (link, focus) => `${state(link)} ${focus ?? ""}`;

/** @param {number} count */
const lines = (count) =>
  element("div", { className: "handout-lines" }, ...Array.from({ length: count }, () => element("hr")));

/**
 * Return a step's question and, with answers, its truth and the picture of the state that answers.
 * @param {Page} page @param {Stage} stage @param {Page} shown @param {Step} step @param {boolean} answers
 */
async function questionIn(page, stage, shown, step, answers) {
  const { question } = step;
  if (!question) return [];
  const { lang } = page.state.values;
  const own = question.prediction === undefined;
  const asked = own ? ofLesson(page, shown, question) : await ofPage(shown);
  const root = element("section", { className: "question" }, ...asked.paragraphs);
  const boxes = asked.choices.map((choice) => element("li", {}, ...inline(choice)));
  if (boxes.length) root.append(element("ul", {}, ...boxes));
  const { drawing } = asked;
  if (drawing) {
    drawing.svg.querySelectorAll(".predict-drawn, .predict-point").forEach((mark) => mark.remove());
    root.append(drawing.svg);
  }
  if (!answers) return [root, lines(LINES[1])];
  /** @type {{right: number[], value?: number | null} | {heights: number[]}} */
  let truth;
  /** @type {Page} */
  let after = shown;
  if (own) {
    const earlier = before(shown, question);
    after = await stage.show(question.reveal ?? step.link, figuresOf(question));
    await answering(after, step.link, question);
    truth = found(after, question, earlier);
  } else {
    truth = await predicted(shown);
    if (question.reveal) after = await stage.show(question.reveal);
  }
  if ("heights" in truth) {
    drawing?.reveal(truth.heights);
  } else {
    const { right, value } = truth;
    boxes.forEach((box, i) => box.classList.toggle("is-chosen", right.includes(i)));
    if (typeof value === "number") {
      root.append(element("p", {}, page.text(measuredBy(question), { value: number(value) })));
    }
  }
  root.append(...written(spoken(question.because, lang)));
  const seen = answeredIn(step);
  const picture = question.reveal && seen ? await pictureIn(stage, after, seen) : [];
  return [root, ...picture];
}

/** @param {Page} page @param {Page} shown @param {import("./shape.js").Question} question */
function ofLesson(page, shown, question) {
  const { lang } = page.state.values;
  const { answers = [], curve } = question;
  const columns = curve ? (shown.figures.all.get(curve.figure)?.block.shown?.columns ?? []) : [];
  const names = curve ? [columns[curve.x - 1]?.label ?? "x", columns[curve.y - 1]?.label ?? "y"] : [];
  return {
    paragraphs: written(spoken(question.text, lang)),
    choices: answers.map((answer) => spoken(answer.text, lang)),
    drawing: curve ? frameOf(page, asDrawn(curve, lang, names)) : null,
  };
}

/** Return the page's own question. @param {Page} shown */
async function ofPage(shown) {
  const predict = shown.presence.rules.predict();
  for (const end = performance.now() + OPENING; !predict?.shown && performance.now() < end;) await pause();
  const asked = predict?.shown;
  if (!asked) throw new Error(shown.text("lesson.no_question"));
  return {
    paragraphs: written(asked.sentence),
    choices: (asked.choices ?? []).map(([, label]) => label),
    drawing: asked.choices ? null : frameOf(shown, asked.curve),
  };
}

/** @param {Page} page @param {import("../../types/wire.js").Curve} curve */
const frameOf = (page, curve) =>
  new CurveDrawing(
    curve,
    (key, fields) => page.text(key, fields),
    () => {},
  );
