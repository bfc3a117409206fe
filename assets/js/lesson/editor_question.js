/** The fields of a step's question in the editor: the page's own prediction, answers to a quantity, or a curve to draw. */

import { element } from "../dom/dom.js";
import { entry } from "../link/entry.js";
import { NUMBERS } from "../figures/numbers_came.js";
import { curveFields, curveHere } from "./editor_curve.js";
import { amount, area, put, select } from "./editor_fields.js";
import { numeric, tableOf, truthFields } from "./editor_numbers.js";
import { stateHere } from "./here.js";
import { spoken } from "./lesson.js";

/** @typedef {import("./shape.js").Page} Page */
/** @typedef {import("./shape.js").Question} Question */
/** @typedef {import("./shape.js").Step} Step */

const MOST = 6;

/** @param {Page} page @param {Step} step @param {() => void} changed */
export function questionFields(page, step, changed) {
  const root = element("div", { className: "editor-question" });
  const kind = () => {
    if (!step.question) return "none";
    const { prediction, curve, truth } = step.question;
    return prediction ? "prediction" : curve ? "curve" : truth ? "answers" : "marked";
  };
  const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
  const asks = new URLSearchParams(step.link).get("predict") === "true";
  const kinds = ["none", ...(asks || kind() === "prediction" ? ["prediction"] : []), "answers", "marked", "curve"];
  const choose = (/** @type {string} */ chosen) => {
    const made = {
      none: () => undefined,
      prediction: () => predicted(step),
      answers: () => answering(page),
      marked: () => marking(page),
      curve: () => ({ ...asking(page), curve: curveHere(page) }),
    };
    put(step, "question", entry(made, chosen)());
    proposal = step.question ? { question: step.question, link: page.state.present } : null;
    changed();
    draw();
  };
  /** A question whose numbers nobody has chosen yet: it takes those that come later to the same state. @type {{question: Question, link: string} | null} */
  let proposal = null;
  /** The figures with numbers when the fields were made. @type {string[]} */
  let offered = [];
  /** Take the numbers that have come since then, unless somebody is writing. */
  const arrived = () => {
    const writes = root.contains(document.activeElement) && !chosen.contains(document.activeElement);
    if (writes || tabled(page).every((name) => offered.includes(name))) return;
    const { question } = step;
    if (question && question === proposal?.question && proposal.link === page.state.present) {
      if (question.curve) question.curve = curveHere(page);
      if (question.truth) question.truth = truthHere(page);
      changed();
    }
    draw();
  };
  root.addEventListener(NUMBERS, arrived);
  root.addEventListener("focusout", () => setTimeout(arrived)); // what came while somebody wrote
  const decided = () => {
    proposal = null;
    changed();
  };
  const choices = kinds.map(
    (one) => /** @type {import("./editor_fields.js").Choice} */ ([one, text(`question_${one}`)]),
  );
  const chosen = select(text("question"), choices, kind(), choose);
  const draw = () => {
    const focused = place(root);
    const { question } = step;
    offered = tabled(page);
    const own = question && !question.prediction ? ofOwn(page, question, { changed, decided, draw }) : [];
    root.replaceChildren(chosen, ...own);
    refocus(root, focused);
  };
  draw();
  return root;
}

/** Return the figures whose numbers are on screen. @param {Page} page @returns {string[]} */
const tabled = (page) => page.settings.figures.filter((/** @type {string} */ name) => tableOf(page, name));

const FOCUSED = "button, input, select, textarea, summary";

/** Return which of the fields has the focus: they are made anew. @param {HTMLElement} root */
const place = (root) => [...root.querySelectorAll(FOCUSED)].findIndex((one) => one === document.activeElement);

/** @param {HTMLElement} root @param {number} at */
function refocus(root, at) {
  const found = [...root.querySelectorAll(FOCUSED)].at(at);
  if (at >= 0 && found instanceof HTMLElement && found !== document.activeElement) found.focus();
}

/** @param {Step} step @returns {Question} */
const predicted = (step) => ({ prediction: new URLSearchParams(step.link).get("question") ?? "any" });

/** @param {Page} page @returns {Question} */
const asking = (page) => ({ text: { [page.state.values.lang]: page.text("lesson.new_question") } });

/** @param {Page} page @returns {Question} */
function answering(page) {
  const { lang } = page.state.values;
  return {
    ...asking(page),
    answers: [1, 2].map((i) => ({ text: { [lang]: page.text("lesson.new_answer", { number: i }) } })),
    truth: truthHere(page),
  };
}

/** Return a truth of what is on screen. @param {Page} page @returns {import("./shape.js").Truth} */
function truthHere(page) {
  const [first] = page.settings.figures;
  const [figure = first] = tabled(page);
  return { of: { figure, column: numeric(tableOf(page, figure))[1], take: "mean" } };
}

/** Return a question whose right answer the teacher marks. @param {Page} page @returns {Question} */
function marking(page) {
  const { truth, answers = [], ...others } = answering(page);
  return { ...others, answers: answers.map((answer, i) => (i === 0 ? { ...answer, right: true } : answer)) };
}

/**
 * @param {Page} page @param {Question} question
 * @param {{changed: () => void, decided: () => void, draw: () => void}} then `decided`: the teacher has chosen the numbers
 */
function ofOwn(page, question, { changed, decided, draw }) {
  const { lang } = page.state.values;
  const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
  const { truth, curve } = question;
  const reveal = element("button", { type: "button", className: "tool editor-reveal" }, text("reveal_here"));
  reveal.onclick = () => {
    question.reveal = stateHere(page);
    changed();
    draw();
  };
  return [
    area(text("question_text"), spoken(question.text, lang), (value) => {
      question.text = { ...question.text, [lang]: value };
      changed();
    }),
    ...(truth ? truthFields(page, truth, decided, draw) : []),
    ...(question.answers ? ofAnswers(page, question.answers, !truth, changed, draw) : []),
    ...(curve ? curveFields(page, curve, decided, draw) : []),
    element("div", { className: "lesson-tools" }, reveal),
    ...(question.reveal === undefined
      ? []
      : [element("p", { className: "editor-link plain" }, `${text("reveals")}: ${question.reveal || "—"}`)]),
    area(text("because"), spoken(question.because, lang), (value) => {
      const others = { ...question.because };
      if (value) others[lang] = value;
      else delete others[lang];
      put(question, "because", Object.keys(others).length ? others : undefined);
      changed();
    }),
  ];
}

/**
 * @param {Page} page @param {import("./shape.js").Answer[]} answers @param {boolean} marked true if the teacher marks the right one
 * @param {() => void} changed @param {() => void} draw
 */
function ofAnswers(page, answers, marked, changed, draw) {
  const { lang } = page.state.values;
  const text = (/** @type {string} */ key, /** @type {import("../words/message_format.js").Fields} */ fields = {}) =>
    page.text(`lesson.${key}`, fields);
  const group = `editor-right-${crypto.randomUUID()}`; // radio buttons of one question
  const rows = answers.map((answer, i) => {
    const label = element("input", { type: "text", maxLength: 160, value: spoken(answer.text, lang) });
    label.ariaLabel = text("answer", { number: i + 1 });
    label.addEventListener("input", () => {
      answer.text[lang] = label.value.trim();
      changed();
    });
    const ends = () =>
      /** @type {const} */ (["from", "below"]).map((end) =>
        amount(text(end), answer[end], (value) => {
          put(answer, end, value);
          changed();
        }),
      );
    const mark = () => {
      const box = element("input", { type: "radio", name: group, checked: answer.right === true });
      box.addEventListener("change", () => {
        for (const other of answers) put(other, "right", other === answer ? true : undefined);
        changed();
      });
      return element("label", { className: "editor-flag" }, box, element("span", {}, text("right")));
    };
    const drop = element("button", { type: "button", className: "tool", disabled: answers.length <= 2 }, "×");
    drop.ariaLabel = drop.title = text("remove_answer", { number: i + 1 });
    drop.onclick = () => {
      answers.splice(i, 1);
      changed();
      draw();
    };
    return element("div", { className: "editor-answer" }, label, ...(marked ? [mark()] : ends()), drop);
  });
  const more = element(
    "button",
    { type: "button", className: "tool", disabled: answers.length >= MOST },
    text("one_more"),
  );
  more.onclick = () => {
    answers.push({ text: { [lang]: text("new_answer", { number: answers.length + 1 }) } });
    changed();
    draw();
  };
  return [...rows, element("div", { className: "lesson-tools" }, more)];
}
