/** The end of a lesson: what we saw, each question with what was answered beside the truth, and where to go next. */

import { number } from "../figures/axes.js";
import { element } from "../dom/dom.js";
import { CurveDrawing } from "../asking/predict_curve.js";
import { distribution } from "./distribution.js";
import { typeset } from "../words/symbols.js";
import { heard } from "./heard.js";
import { FIRST, SHIPPED, lessonOf, spoken } from "./lesson.js";
import { inline, plainly, written } from "./markdown.js";
import { asDrawn, axes, measuredBy } from "./question.js";

/**
 * @typedef {import("./shape.js").Page} Page
 * @typedef {import("./shape.js").Step} Step
 * @typedef {import("./shape.js").Text} Text
 * @typedef {import("./question.js").Done} Done
 * @typedef {import("../lead/message.js").Question} Asked
 * @typedef {import("./question.js").Noted} Noted
 *
 * The lesson that ends, and where its ways lead.
 * @typedef {object} Ended
 * @property {Page} page
 * @property {string} name
 * @property {import("./shape.js").Lesson} lesson
 * @property {import("./sitting.js").Sitting} sitting
 * @property {(step: number) => Promise<void>} go
 * @property {() => void} leave
 * @property {(name: string) => void} begin begins a lesson from its start
 */

/** Return the page's own question and what it came to; `said` is empty before its result. @param {Page} page @returns {Noted | null} */
export function noted(page) {
  const predict = page.presence.rules.predict();
  if (!predict?.shown) return null;
  const shown = predict.form.judged;
  const sentences = shown ? [...predict.form.verdict.querySelectorAll("p")].map((one) => one.textContent) : [];
  return { text: predict.shown.sentence, said: sentences };
}

/**
 * Return the end of a lesson.
 * @param {Ended} player @returns {HTMLElement}
 */
export function summary(player) {
  const { page, lesson } = player;
  const asked = lesson.steps.flatMap((step, i) => (step.question ? [seen(player, step, i + 1)] : []));
  const none = element("p", {}, page.text("lesson.saw_nothing"));
  return element(
    "div",
    { className: "lesson-saw" },
    element("h2", {}, page.text("lesson.saw")),
    ...(asked.length ? [element("ol", {}, ...asked)] : [none]),
    ways(player),
  );
}

/** @param {Ended} player @param {Step} step @param {number} at from 1 */
function seen(player, step, at) {
  const { page, name, sitting } = player;
  const { lang } = page.state.values;
  const { question } = step;
  const done = sitting.at(at);
  const votes = heard(sitting.room, name, at);
  const text = question?.text
    ? spoken(question.text, lang)
    : (done.noted?.text ?? votes?.text ?? page.text("lesson.saw_page"));
  const go = element(
    "button",
    { type: "button", className: "lesson-saw-step", onclick: () => void player.go(at) },
    page.text("lesson.saw_step", { step: at }),
  );
  const result = votes ? [voted(page, votes, step)] : answered(page, step, done, Boolean(sitting.room));
  const because = !votes && (done.revealed || done.noted?.said.length) ? written(spoken(question?.because, lang)) : []; // votes bring theirs
  const head = element("p", { className: "lesson-saw-question" }, ...inline(text), " ", go);
  return element("li", { data: { step: at } }, head, ...result, ...because);
}

/** Return both votes of the class beside the truth. @param {Page} page @param {Asked} votes @param {Step} step */
function voted(page, votes, { question }) {
  const { lang } = page.state.values;
  const own = question?.answers?.map(({ text }) => plainly(spoken(text, lang))) ?? [];
  const texts = own.length === votes.answers?.length ? own : (votes.answers ?? []);
  const shown = distribution(votes, texts, null, {}, lang, (key, fields) => page.text(key, fields));
  shown.removeAttribute("id"); // there are several
  return shown;
}

/** Return one's own answer beside the truth. @param {Page} page @param {Step} step @param {Done} done @param {boolean} taught true in a room */
function answered(page, { question }, done, taught) {
  const { lang } = page.state.values;
  if (done.noted?.said.length) return done.noted.said.map((said) => element("p", {}, ...typeset(said)));
  const { truth, answer } = done;
  if (!question || !done.revealed || !truth) {
    const key = taught ? "saw_unasked" : answer === null ? "saw_none" : "saw_open";
    return [element("p", { className: "lesson-saw-none" }, page.text(`lesson.${key}`))];
  }
  const { answers = [], curve } = question;
  if ("heights" in truth) {
    if (!curve) return [];
    const drawn = new CurveDrawing(
      asDrawn(curve, lang, axes(page, curve)),
      (key, fields) => page.text(key, fields),
      () => {},
    );
    if (Array.isArray(answer)) drawn.put(answer.map((value) => drawn.up.place(value)));
    drawn.reveal(truth.heights);
    drawn.locked = true;
    return [drawn.root];
  }
  const texts = answers.map(({ text }) => plainly(spoken(text, lang)));
  const given = typeof answer === "number" ? answer : -1;
  const real = truth.right.map((i) => texts[i]).join(" · ");
  const key = truth.right.includes(given) ? "predict.right" : given < 0 ? "lesson.is" : "predict.differs";
  const fields = { real, answer: texts[given] ?? "", value: number(truth.value ?? NaN) };
  const measured = truth.value === undefined ? "" : ` (${page.text(measuredBy(question), fields)})`;
  return [element("p", {}, ...inline(page.text(key, fields)), measured)];
}

/** Return where to go next. @param {Ended} player */
function ways(player) {
  const { page, name } = player;
  const root = element("div", { className: "lesson-saw-ways" });
  const way = (/** @type {string} */ id, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
    element("button", { type: "button", className: "tool", id: `lesson-${id}`, onclick }, ...inline(label));
  root.append(
    way("play-on", page.text("lesson.saw_play"), () => player.leave()),
    way("make-own", page.text("lesson.saw_make"), () => {
      player.leave();
      void page.presence.later.lessons().then((lessons) => lessons.make());
    }),
    way("anew", page.text("lesson.from_start"), () => player.begin(name)),
  );
  const after = following(name);
  if (after) {
    void lessonOf(after).then((lesson) => {
      const title = spoken(lesson?.title, page.state.values.lang);
      const next = way("following", page.text("lesson.saw_next", { title }), () => player.begin(after));
      next.classList.add("is-primary");
      root.prepend(next);
    });
  }
  return root;
}

/** Return the name of the lesson after this one; null after the last and after one's own. @param {string} name */
export function following(name) {
  const all = [FIRST, ...SHIPPED];
  const at = all.indexOf(name);
  return at < 0 ? null : (all[at + 1] ?? null);
}
