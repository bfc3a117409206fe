/** What the class answered, first and second, beside the truth. */

import { element } from "../dom/dom.js";
import { spoken } from "./lesson.js";
import { inline, written } from "./markdown.js";
import { axes, bandDrawing } from "./curve.js";
import { flow } from "./flow.js";

/**
 * @typedef {import("../lead/message.js").Question} Question
 * @typedef {import("../lead/message.js").Distribution} Distribution
 * @typedef {import("../lead/message.js").Truth} Truth
 * @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text
 */

/**
 * @param {Question} question revealed @param {string[]} answers their texts
 * @param {import("../../types/wire.js").Curve | null} curve the page's own axes
 * @param {Partial<Record<number, Truth>>} mine the visitor's own answers, by round
 * @param {string} lang @param {Text} text
 */
export function distribution(question, answers, curve, mine, lang, text) {
  const { results } = question;
  if (!results) return element("div");
  const rounds = [results.first, ...(results.second ? [results.second] : [])];
  const names = rounds.length > 1 ? ["first", "second"] : ["only"];
  const headings = rounds.map((round, i) =>
    text(rounds.length > 1 ? `room.round.${names[i]}` : "room.votes", { n: round.answers }),
  );
  const few = rounds.flatMap((round, i) =>
    isShown(round) ? [] : [text(`room.few.${names[i]}`, { n: round.answers })],
  );
  const withheld = [...few, text(`room.few.${question.kind}`)].join(" ");
  const note = few.length ? [element("p", { className: "class-note" }, withheld)] : [];
  const shown =
    question.kind === "choice"
      ? table(rounds, headings, answers, results.truth, mine, lang, text)
      : curves(rounds, headings, question, curve, results.truth, mine, text);
  const why = element("div", { className: "class-because" }, ...written(spoken(question.because, lang)));
  why.classList.toggle("is-of-lesson", question.from !== undefined);
  const moved = results.flow ? [flow(results.flow, text)] : [];
  return element("div", { id: "room-results", className: "class-results" }, shown, ...moved, ...note, why);
}

/** True if a round had enough answers to be shown. @param {Distribution} round */
const isShown = ({ counts, band }) => Boolean(counts ?? band);

/**
 * Return a round's heading; it says if the round is not shown.
 * @param {string} heading @param {Distribution} round @param {Text} text
 */
const headed = (heading, round, text) =>
  isShown(round) ? [heading] : [heading, " ", element("span", { className: "class-few" }, text("room.few.hidden"))];

/**
 * @param {Distribution[]} rounds @param {string[]} headings @param {string[]} answers @param {Truth | null} truth
 * @param {Partial<Record<number, Truth>>} mine @param {string} lang @param {Text} text
 */
function table(rounds, headings, answers, truth, mine, lang, text) {
  const share = new Intl.NumberFormat(lang, { style: "percent" });
  const rows = answers.map((answer, i) => {
    const signs = truth === i ? [element("span", { className: "class-true" }, `✓ ${text("room.true")}`)] : [];
    const cells = rounds.map(({ counts, answers: all }, round) => {
      const own = mine[round + 1] === i ? [element("span", { className: "class-own" }, text("room.mine"))] : [];
      const vote = headings[round];
      if (!counts) return element("td", { className: "is-withheld", data: { vote } }, ...own);
      const part = all ? counts[i] / all : 0;
      const bar = element("span", { className: "class-share" });
      bar.style.inlineSize = `${100 * part}%`;
      return element(
        "td",
        { data: { count: counts[i], vote } },
        element(
          "span",
          { className: "class-cell" },
          element("span", { className: "class-shares" }, bar),
          element("span", { className: "class-number" }, `${counts[i]} · ${share.format(part)}`),
        ),
        ...own,
      );
    });
    return element(
      "tr",
      { className: truth === i ? "is-true" : "" },
      element("th", { scope: "row" }, ...inline(answer), ...signs.flatMap((sign) => [" ", sign])),
      ...cells,
    );
  });
  const named = [[text("room.answer")], ...rounds.map((round, i) => headed(headings[i], round, text))];
  const heads = named.map((name) => element("th", { scope: "col" }, ...name));
  return element(
    "table",
    { className: rounds.length > 1 ? "class-votes is-two" : "class-votes" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
}

/**
 * @param {Distribution[]} rounds @param {string[]} headings @param {Question} question
 * @param {import("../../types/wire.js").Curve | null} own @param {Truth | null} truth
 * @param {Partial<Record<number, Truth>>} mine @param {Text} text
 */
function curves(rounds, headings, question, own, truth, mine, text) {
  const frame = axes(question, own);
  const real = Array.isArray(truth) ? truth : null;
  const drawings = rounds.map((round, i) => {
    const answer = mine[i + 1];
    const drawn = Array.isArray(answer) ? answer : null;
    return element(
      "figure",
      { data: { answers: round.answers } },
      element("figcaption", {}, ...headed(headings[i], round, text)),
      ...(round.band || real || drawn ? [bandDrawing(frame, round.band ?? null, real, drawn, text, headings[i])] : []), // no empty frame
    );
  });
  const named = rounds.some(({ band }) => band) ? ["band", "median"] : [];
  if (real) named.push("real");
  if (Object.values(mine).some(Array.isArray)) named.push("drawn");
  const legend = named.map((name) => element("span", { className: name }, text(`room.curve.${name}`)));
  return element(
    "div",
    {},
    element("div", { className: "class-curves" }, ...drawings),
    element("p", { className: "class-legend" }, ...legend),
  );
}
