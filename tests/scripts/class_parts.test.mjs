/** Parts of a class: its bar and the keyboard's way to what is asked, a curve that is sent, the state that is kept back. */

import { test } from "node:test";
import { ballot } from "../../assets/js/room/ballot.js";
import { Bar } from "../../assets/js/room/bar.js";
import { ClassState } from "../../assets/js/room/class_state.js";
import { Refused } from "../../assets/js/room/line.js";
import { standInDrawing, watched } from "./drawing.mjs";
import { held } from "./held.mjs";
import { focusedOne, keyed, settled, standIn, Time } from "./stand_in.mjs";

const { document } = standIn();
standInDrawing(document);
const html = /** @type {Loose} */ (document.createElement("html"));
Object.assign(document, { documentElement: html });
Object.defineProperty(document, "activeElement", { get: focusedOne });
const time = new Time();

/** @param {Loose} root */
const written = (root) => root.markup.replaceAll("><", ">\n<");

test("the bar says where one stands, folds its card, and gives the keyboard to what is asked unless somebody types", async (context) => {
  /** @type {string[]} */
  const heard = [];
  const place = /** @type {Loose} */ (document.createElement("div"));
  place.prepend = (/** @type {Loose} */ one) => place.append(one);
  const lead = { folded: "", heard: null };
  const page = /** @type {Loose} */ ({
    text: keyed,
    message: { root: place },
    leader: { lead, tell: (/** @type {unknown} */ what) => void heard.push(JSON.stringify(what)) },
  });
  const bar = /** @type {Loose} */ (new Bar(page, "is-student"));
  const leave = /** @type {Loose} */ (document.createElement("button"));
  bar.fill(leave);
  const lines = [written(place)];
  const told = (/** @type {string} */ what) => {
    const { card, fold, status } = bar;
    const at = focusedOne();
    lines.push(
      `${what}: card ${Boolean(card.hidden)} ${card.className}, fold ${fold.hidden} ${fold.textContent} ${fold.title} ` +
        `${fold.getAttribute("aria-expanded")}, page ${JSON.stringify(html.dataset)} ${JSON.stringify(html.style)}, ` +
        `“${status.textContent}”, focus ${at?.className || at?.localName}, ${heard.splice(0)}`,
    );
  };
  bar.say("here", true);
  told("said");
  await time.pass(7999);
  told("a while");
  await time.pass(1);
  told("gone");
  let so = true;
  bar.say("away", undefined, () => so);
  await time.pass(8001);
  bar.recheck();
  told("still so");
  so = false;
  bar.recheck();
  told("no longer");
  const question = /** @type {Loose} */ (document.createElement("button"));
  question.className = "is-primary";
  bar.show(question);
  told("asked");
  bar.fold.click();
  told("pressed");
  bar.card.classList.add("is-folded");
  bar.fold.click();
  told("pressed again");
  bar.card.classList.remove("is-folded");
  bar.show();
  told("asked no more");
  const field = /** @type {Loose} */ (document.createElement("textarea"));
  field.focus();
  bar.show(question);
  told("asked while somebody types");
  bar.show();
  told("nothing, while somebody types");
  bar.card.offsetHeight = 42;
  for (const { then, places } of watched) if (places.includes(bar.card)) then();
  told("measured");
  bar.show(question);
  const seen = (/** @type {Loose} */ one, /** @type {string} */ name) =>
    (one.scrollIntoView = (/** @type {unknown} */ how) => void heard.push(`${name} ${JSON.stringify(how)}`));
  seen(bar.root, "bar");
  seen(question, "button");
  bar.remind();
  told("reminded");
  bar.say("soon gone", true);
  bar.remove();
  told(`removed ${place.children.length}`);
  held(context, lines);
});

test("a curve is sent once it is drawn, stands beside what is drawn anew, and is only shown when the vote is closed", (context) => {
  Object.assign(document, { getSelection: () => null });
  const question = /** @type {Loose} */ ({ kind: "curve", x: [1, 2, 3], x_label: "x", y_label: "y", axes: {} });
  const words = /** @type {Loose} */ ({
    text: "Draw `it`.",
    labels: {},
    curve: null,
  });
  /** @type {string[]} */
  const sent = [];
  /** @param {Loose} given @param {boolean} open */
  const shown = (given, open) => {
    const made = /** @type {Loose} */ (
      ballot(question, words, given, keyed, open ? (answer) => void sent.push(JSON.stringify(answer)) : null)
    );
    const { root } = made;
    const line = (/** @type {string} */ what) => {
      const [send] = root.querySelectorAll("#room-send");
      const curve = root.querySelectorAll(".class-sent").map((/** @type {Loose} */ one) => one.getAttribute("points"));
      const drawn = root
        .querySelectorAll(".predict-drawn")
        .map((/** @type {Loose} */ one) => one.getAttribute("points"));
      return `${what}: ${send ? send.disabled : "no button"} “${root.querySelector(".class-note").textContent}” sent ${curve} drawn ${drawn} ${sent.splice(0)}`;
    };
    return { root, line };
  };
  const lines = [];
  for (const given of [undefined, [0.25, 0.5, 0.75]]) {
    const { root, line } = shown(given, true);
    lines.push(line(given ? "sent before" : "nothing is drawn"));
    const [point] = root.querySelectorAll(".predict-point");
    const up = () => point.dispatchEvent(Object.assign(new Event("keydown"), { key: "ArrowUp" }));
    up();
    lines.push(line("drawn"));
    root.querySelector("#room-send").click();
    lines.push(line("sent"));
    up();
    lines.push(line("drawn anew"));
    const closed = shown(given, false);
    lines.push(closed.line("closed"), `${closed.root.querySelectorAll(".predict-point").length} points`);
  }
  held(context, lines);
});

/** The state of a class, and what its room hears. */
function classState() {
  /** @type {string[]} */
  const heard = [];
  /** @type {Loose[]} */
  const answers = [];
  /** @type {Loose} */
  const on = {};
  const presence = {
    lesson: null,
    onMove: (/** @type {Loose} */ then) => ((on.move = then), () => void heard.push("no moves")),
    onPoint: (/** @type {Loose} */ then) => ((on.point = then), () => void heard.push("no points")),
  };
  const lead = { reveal: /** @type {unknown} */ (null) };
  const room = /** @type {Loose} */ ({
    page: { state: { present: "n=5" }, presence, leader: { lead } },
    code: "abc",
    line: {
      post: (/** @type {string} */ what, /** @type {unknown} */ fields) => {
        heard.push(`${what} ${JSON.stringify(fields)}`);
        return new Promise((resolve, reject) => answers.push({ resolve, reject }));
      },
    },
  });
  const parts = {
    bar: { say: (/** @type {unknown[]} */ ...said) => void heard.push(`say ${said}`) },
    opening: { make: async () => Boolean(heard.push("make")) },
  };
  return { heard, answers, on, lead, state: /** @type {Loose} */ (new ClassState(room, /** @type {Loose} */ (parts))) };
}

test("the class hears a rested pointer and the newest state, nothing during a reveal, and nothing while its room ends", async (context) => {
  const { heard, answers, on, lead, state } = classState();
  const lines = /** @type {string[]} */ ([]);
  const told = async (/** @type {string} */ what, wait = 0) => {
    await time.pass(wait);
    lines.push(`${what}: ${heard.splice(0).join(", ")}; ${JSON.stringify(state.present)}`);
  };
  on.point({ head: 1 });
  await told("points", 149);
  on.point({ head: 2 });
  await told("points on", 149);
  await told("rests", 1);
  answers.splice(0).forEach(({ resolve }) => resolve());
  on.move("n=6");
  await told("moves", 250);
  answers.splice(0).forEach(({ reject }) => reject(new Refused(429, "slowly", 2, null)));
  await told("refused", 1999);
  await told("again", 1);
  answers.splice(0).forEach(({ reject }) => reject(new Refused(404, "gone", 0, null)));
  await told("made anew", 300);
  answers.splice(0).forEach(({ reject }) => reject(new Error("lost")));
  await told("lost", 999);
  await told("once more", 1);
  answers.splice(0).forEach(({ resolve }) => resolve());
  lead.reveal = { id: 1 };
  on.move("n=7");
  on.move("n=8");
  await told("during a reveal", 300);
  lead.reveal = null;
  state.release();
  await told("after it", 300);
  const acted = state.without(async () => void heard.push("act"));
  on.move("n=9");
  await settled();
  await told("a state is under way: the act waits");
  answers.splice(0).forEach(({ resolve }) => resolve());
  await acted;
  await told("acted", 300);
  for (const problem of [new Error("not done"), new Refused(410, "over", 0, null)]) {
    await state.without(() => Promise.reject(problem)).catch((/** @type {Error} */ { message }) => heard.push(message));
    await told("not done", 300);
    answers.splice(0).forEach(({ resolve }) => resolve());
    await settled();
  }
  state.end();
  on.move("n=10");
  await told("ended", 300);
  held(context, lines);
});
