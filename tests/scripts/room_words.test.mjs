/** A lesson's question as a class is asked it, in the teacher's language and in the student's. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { spoken } from "../../assets/js/lesson/lesson.js";
import { onOneLine, plainly } from "../../assets/js/lesson/markdown.js";
import { sawText } from "../../assets/js/lesson/heard.js";
import { inLanguage } from "../../assets/js/lesson/room_words.js";

/** @typedef {import("../../assets/js/lesson/shape.js").Lesson} Lesson */
/** @typedef {import("../../assets/js/lesson/shape.js").Question} Question */

const NAMES = ["first-look", "why-sqrt-d-k", "heads", "words-to-b", "additive-or-dot", "saturation", "after-sqrt-d-k"];
/** @param {string} name @returns {Lesson} */
const lesson = (name) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../assets/lessons/${name}.json`, import.meta.url).href), "utf8"));
/** Every question of its own in every lesson that comes with the app. */
const ASKED = NAMES.flatMap((name) =>
  lesson(name).steps.flatMap(({ question }, i) => (question?.text ? [{ name: `${name} ${i + 1}`, question }] : [])),
);

/** Ask as a page in this language does. @param {Question} question @param {string} lang @returns {import("../../assets/js/lead/message.js").Asking} */
const asking = ({ text, answers, curve }, lang) => ({
  kind: curve ? "curve" : "choice",
  text: onOneLine(spoken(text, lang)),
  ...(answers ? { answers: answers.map((one) => onOneLine(spoken(one.text, lang))) } : {}),
  ...(curve ? { x: curve.points.map((_, i) => i / curve.points.length) } : {}),
});

test("every question of a lesson reaches the other language with its emphasis", () => {
  assert.ok(ASKED.length >= 6);
  for (const { name, question } of ASKED) {
    for (const [from, to] of [
      ["en", "ko"],
      ["ko", "en"],
      ["en", "en"],
    ]) {
      const found = inLanguage(question, asking(question, from), to);
      const own = asking(question, to);
      assert.equal(found?.text, own.text, name);
      assert.deepEqual(found?.answers, own.answers ?? [], name);
      assert.equal(/[가-힣]/.test(found?.text ?? ""), to === "ko", name);
      const signs = (/** @type {string} */ text) => text.split("*").length;
      assert.equal(signs(found?.text ?? ""), signs(spoken(question.text, to)), name);
      const { x_label = {} } = question.curve ?? {};
      assert.equal(found?.labels.x_label ?? "", spoken(x_label, to), name);
    }
  }
});

test("another question keeps its own words", () => {
  const [{ question }] = ASKED;
  const asked = asking(question, "en");
  assert.equal(inLanguage(question, { ...asked, answers: ["a"] }, "ko"), null);
  assert.equal(inLanguage(question, { kind: "curve", text: "?", x: [0, 1] }, "ko"), null);
  assert.equal(inLanguage({ prediction: "why_falls" }, asked, "ko"), null);
});

test("what a class saw are the questions whose results it has seen, and no other", () => {
  for (const name of NAMES) {
    const { steps } = lesson(name);
    const own = steps.flatMap(({ question }, i) => (question?.text ? [i + 1] : []));
    for (const lang of ["en", "ko"]) {
      assert.equal(
        spoken(
          sawText({ steps }, () => false),
          lang,
        ),
        "",
      );
      for (const only of own) {
        const words = spoken(
          sawText({ steps }, (step) => step === only),
          lang,
        );
        const asked = steps[only - 1].question?.text;
        assert.equal(words.split("\n").length, 1, `${name} ${only}`);
        const [, question] = /^- \*([^*]*)\* /.exec(words) ?? [];
        assert.equal(
          question,
          plainly(spoken(asked, lang)),
          `${name} ${only}: emphasis within emphasis would show its signs`,
        );
      }
    }
  }
});
