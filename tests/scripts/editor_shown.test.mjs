/** What the editor of lessons shows and keeps, after each thing that a teacher does in it. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { NUMBERS } from "../../assets/js/figures/numbers_came.js";
import { held } from "./held.mjs";
import { Time, settled } from "./stand_in.mjs";
import { outline, pageOf, standInPage, tableOf, telling } from "./whole_page.mjs";

const { document, body, html, media, heard, localStorage } = standInPage();
const time = new Time();
const { addStep, edit, open, resume } = await import("../../assets/js/lesson/editor.js");
const { amount, area, flag, line, put, select } = await import("../../assets/js/lesson/editor_fields.js");
const { columnsAmiss } = await import("../../assets/js/lesson/editor_columns.js");
const { curveFields, curveHere } = await import("../../assets/js/lesson/editor_curve.js");
const { columnChoice, figureChoice, linesChoice, numeric, truthFields } =
  await import("../../assets/js/lesson/editor_numbers.js");
const { headFields } = await import("../../assets/js/lesson/editor_head.js");
const { questionFields } = await import("../../assets/js/lesson/editor_question.js");
const { stepEntry } = await import("../../assets/js/lesson/editor_step.js");

const read = (/** @type {string} */ path) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url).href), "utf8"));
const FILES = /** @type {Record<string, unknown>} */ ({
  schema: read("../../assets/lessons/lesson.schema.json"),
  declared: read("./declared.json"),
});
let serves = true;
Object.assign(globalThis, {
  fetch: async (/** @type {string} */ path) =>
    serves ? { ok: true, json: async () => FILES[path.includes("schema") ? "schema" : "declared"] } : { ok: false },
});
Object.assign(document.defaultView ?? globalThis.window, { isSecureContext: false });
const location = /** @type {Loose} */ (globalThis.location);
location.origin = "https://lab";

const WIDE = media("(min-width: 1200px) and (min-height: 481px)");
const TABLES = () => ({
  "heat-maps": null,
  entropy: tableOf(["head", ["a", "b", "a", "b"]], ["row", [1, 1, 2, 2]], ["entropy", [0.5, 0.7, 0.9, "–"]]),
  gradient: tableOf(["length", [1, 10, 100]], ["time", [2, 4, -1]]),
});

/** @param {Loose} root @param {string} selector */
const one = (root, selector) => {
  const found = root.querySelector(selector);
  if (!found) throw new Error(selector);
  return found;
};

/** Write into a box. @param {Loose} box @param {string} value */
function write(box, value) {
  box.value = value;
  box.dispatchEvent(new Event("input"));
}

/** Choose an option or a tick. @param {Loose} box @param {Loose} value */
function choose(box, value) {
  if (typeof value === "boolean") box.checked = value;
  else box.value = value;
  box.onchange?.();
  box.dispatchEvent(new Event("change"));
}

/** Return the draft as lines: a line for its head and for each step. */
const kept = () => {
  const { steps = [], ...head } = JSON.parse(localStorage.kept.get("headlight-lesson-draft") ?? "null") ?? {};
  return [head, ...steps].map((part) => JSON.stringify(part));
};

test("fields write what they hold", (context) => {
  /** @type {string[]} */
  const wrote = [];
  const note = (/** @type {unknown} */ value) => void wrote.push(`${JSON.stringify(value)}`);
  const all = /** @type {Loose[]} */ ([
    select(
      "Kind",
      [
        ["a", "A"],
        ["b", "B"],
      ],
      "b",
      note,
    ),
    line("Line", "now", 9, note),
    area("Area", "now", note),
    amount("Amount", 0, note),
    amount("None", undefined, note),
    flag("Flag", true, note),
  ]);
  const lines = all.flatMap((field) => outline(field));
  for (const field of all) {
    const box = one(field, "input, select, textarea");
    for (const value of box.type === "checkbox" ? [false, true] : [" 7 ", "", "-0.5"]) {
      if (box.localName === "select" || box.type === "checkbox") choose(box, value);
      else write(box, String(value));
    }
  }
  const of = /** @type {Record<string, number>} */ ({ a: 1 });
  put(of, "b", 0);
  put(of, "a", undefined);
  held(context, [...lines, ...wrote, JSON.stringify(of)]);
});

test("the numbers that decide are chosen in the tables on screen", (context) => {
  const page = pageOf(heard, TABLES());
  /** @type {string[]} */
  const wrote = [];
  const note = (/** @type {unknown} */ value) => void wrote.push(`${JSON.stringify(value)}`);
  const lines = [
    `${numeric(page.figures.all.get("entropy").block.shown)} ${numeric(null)}`,
    `${numeric(tableOf(["a", ["x"]]))}`,
  ];
  for (const field of /** @type {Loose[]} */ ([
    figureChoice(page, "entropy", note),
    figureChoice(page, "heat-maps", note),
    columnChoice(page, "Column", "entropy", 2, note),
    columnChoice(page, "Column", "entropy", 4, note),
    columnChoice(page, "Column", "heat-maps", 1, note),
  ])) {
    lines.push(...outline(field));
    choose(one(field, "select"), "3");
  }
  lines.push(...wrote.splice(0));
  for (const of of /** @type {Loose[]} */ ([
    { figure: "entropy" },
    { figure: "entropy", where: { column: 1, nth: 2 } },
    { figure: "entropy", where: { column: 2, is: 2 }, lines: [2, 3] },
    { figure: "entropy", where: { column: 9, is: "gone" }, lines: [1, 3] },
    { figure: "heat-maps", where: { column: 1, nth: 3 }, lines: [2, 100000] },
  ])) {
    const fields = /** @type {Loose} */ (
      linesChoice(
        page,
        of,
        () => note("changed"),
        () => note("drawn anew"),
      )
    );
    lines.push(`# ${JSON.stringify(of)}`, ...outline(fields));
    const selects = fields.querySelectorAll("select");
    const told = (/** @type {string} */ what) => void lines.push(`${what}: ${JSON.stringify(of)} ${wrote.splice(0)}`);
    for (const value of ["2", "1", "0"]) {
      choose(selects[0], value);
      told(`lines of column ${value}`);
    }
    if (selects[1]) {
      choose(selects[1], "1");
      told("its second value");
      choose(selects[1], "9");
      told("a value that it lacks");
    }
    const [first, last] = fields.querySelectorAll("input");
    for (const [box, value] of [
      [first, "3"],
      [last, "4"],
      [first, ""],
      [last, ""],
      [first, "0"],
    ]) {
      write(box, value);
      told(`from ${first.value} to ${last.value}`);
    }
  }
  const many = pageOf(heard, { long: tableOf(["n", Array.from({ length: 120 }, (_, i) => i)]) });
  const fields = /** @type {Loose} */ (
    linesChoice(
      many,
      { figure: "long", where: { column: 1, is: 0 } },
      () => {},
      () => {},
    )
  );
  lines.push(`of 120 values ${fields.querySelectorAll("option").length - 2} are offered`);
  const truth = /** @type {Loose} */ ({
    of: { figure: "entropy", column: 3, lines: [1, 2], where: { column: 1, nth: 1 } },
  });
  const root = /** @type {Loose} */ (document.createElement("div"));
  const draw = () => root.replaceChildren(...truthFields(page, truth, () => note("changed"), draw));
  draw();
  const { lines: more, tell } = telling(() => [JSON.stringify(truth), ...outline(root)], wrote);
  for (const [at, value] of /** @type {[number, string][]} */ ([
    [1, "2"],
    [2, "largest"],
    [0, "gradient"],
    [2, "line_of_largest"],
    [1, "1"],
    [0, "heat-maps"],
  ])) {
    choose(root.querySelectorAll("select")[at], value);
    tell(`choice ${at}: ${value}`);
  }
  held(context, [...lines, ...more]);
});

test("a curve takes its axes from the numbers on screen, and each end, point and name may be another", (context) => {
  const page = pageOf(heard, {
    ...TABLES(),
    series: tableOf(["of", ["p", "p", "q", "q"]], ["x", [1, 2, 1, 2]], ["y", [1, 2, 3, 4]]),
  });
  const lines = [
    JSON.stringify(curveHere(page)),
    JSON.stringify(curveHere(pageOf(heard, { entropy: TABLES().entropy }))),
    JSON.stringify(curveHere(pageOf(heard, { "heat-maps": null }))),
  ];
  const curve = /** @type {Loose} */ (curveHere(page));
  /** @type {string[]} */
  const wrote = [];
  const root = /** @type {Loose} */ (document.createElement("div"));
  const draw = () => root.replaceChildren(...curveFields(page, curve, () => wrote.push("changed"), draw));
  draw();
  const { lines: more, tell } = telling(
    () => [...JSON.stringify(curve).replaceAll(',"', ',\n"').split("\n"), ...outline(root)],
    wrote,
  );
  const box = (/** @type {string} */ name) => {
    const found = root
      .querySelectorAll("label")
      .find((/** @type {Loose} */ label) => label.textContent.startsWith(`lesson.${name}`));
    return one(found, "input, select, textarea");
  };
  for (const [name, value] of [
    ...[
      ["curve_points", "1, 3;  30 100"],
      ["curve_low", "-3"],
      ["curve_high", "8"],
      ["curve_high", ""],
      ["curve_high", "-5"],
      ["curve_high", "8"],
    ],
    ...[
      ["curve_x_label", "Length"],
      ["curve_x_label", ""],
      ["curve_y_label", "T"],
      ["curve_points", "7"],
      ["curve_points", "1, two"],
      ["curve_points", "1 2"],
    ],
  ]) {
    write(box(name), value);
    tell(`${name} “${value}”`);
  }
  curve.x_label = { ko: "길이" };
  for (const [name, value] of /** @type {[string, Loose][]} */ ([
    ["curve_log_x", false],
    ["curve_log_x", true],
    ["curve_x", "2"],
    ["curve_y", "1"],
  ])) {
    choose(box(name), value);
    tell(`${name} ${value}`);
  }
  one(root, ".editor-propose").click();
  tell("proposed again");
  curve.lines = [1, 2];
  choose(box("truth_figure"), "series");
  tell("another figure");
  choose(box("truth_figure"), "heat-maps");
  tell("a figure without numbers");
  curve.points = [NaN, 2];
  draw();
  tell("points that are none");
  held(context, [...lines, ...more]);
});

test("a question is one of four kinds, with its answers, its right one and its reason", async (context) => {
  const page = pageOf(heard, TABLES());
  const step = /** @type {Loose} */ ({ link: "page=why&predict=true&question=why_falls", text: {} });
  /** @type {string[]} */
  const wrote = [];
  const root = /** @type {Loose} */ (questionFields(page, step, () => wrote.push("changed")));
  body.append(root);
  const look = () => [JSON.stringify(step.question ?? null), ...outline(root)];
  const { lines, tell } = telling(look, wrote);
  const [kinds] = root.querySelectorAll("select");
  for (const kind of ["prediction", "none", "marked"]) {
    choose(kinds, kind);
    tell(kind);
  }
  const buttons = () => root.querySelectorAll("button");
  const ticks = () => root.querySelectorAll("input").filter((/** @type {Loose} */ box) => box.type === "radio");
  choose(ticks()[1], true);
  tell("the second is right");
  for (const [at, what] of /** @type {[number, string][]} */ ([
    [2, "one more"],
    [3, "one more"],
    [0, "without the first"],
  ])) {
    buttons()[at].focus();
    buttons()[at].click();
    tell(`${what}; focus ${buttons().indexOf(document.activeElement)}`);
  }
  for (let more = 0; more < 3; more += 1) buttons().at(-2).click();
  tell(`the most; ${buttons().map((/** @type {Loose} */ button) => button.disabled)}`);
  choose(kinds, "answers");
  tell("answers");
  const [first, from, below] = root.querySelectorAll("input").slice(2);
  for (const [box, value] of [
    [first, " Less "],
    [from, "1"],
    [below, "2"],
    [from, ""],
  ]) {
    write(box, value);
    tell(`an answer: “${value}”`);
  }
  const [asked, because] = root.querySelectorAll("textarea");
  for (const [box, value] of [
    [asked, "How much? "],
    [because, "So"],
    [because, ""],
  ]) {
    write(box, value);
    tell(`a text: “${value}”`);
  }
  step.question.because = { ko: "그래서" };
  write(because, "So");
  write(because, "");
  tell("another language stays");
  one(root, ".editor-reveal").click();
  tell("revealed by this state");
  page.state.present = "";
  one(root, ".editor-reveal").click();
  tell("revealed by the first state");
  choose(kinds, "curve");
  tell("curve");
  choose(kinds, "none");
  wrote.splice(0);
  for (const kind of ["answers", "curve", "marked"]) {
    page.figures.all.get("entropy").block.shown = null;
    choose(kinds, kind);
    tell(`${kind}, before its numbers`);
    page.figures.all.get("entropy").block.shown = TABLES().entropy;
    root.querySelectorAll("textarea")[0].focus();
    root.dispatchEvent(new Event(NUMBERS));
    tell("its numbers came while somebody writes");
    body.focus();
    root.dispatchEvent(new Event("focusout"));
    await time.pass(1);
    tell("nobody writes now");
    root.dispatchEvent(new Event(NUMBERS));
    tell("no others came");
  }
  choose(kinds, "answers");
  page.figures.all.get("heat-maps").block.shown = TABLES().entropy;
  page.state.present = "n=9";
  tell("other numbers");
  root.dispatchEvent(new Event(NUMBERS));
  tell("they are of another state: the choice stays");
  page.state.present = "";
  choose(root.querySelectorAll("select")[2], "1");
  tell("a column is chosen");
  page.figures.all.get("late") ?? page.settings.figures.unshift("late");
  page.figures.all.set("late", page.figures.all.get("entropy"));
  root.dispatchEvent(new Event(NUMBERS));
  tell("later numbers leave what was chosen");
  root.remove();
  for (const question of /** @type {Loose[]} */ ([
    undefined,
    { prediction: "any" },
    { text: {}, curve: curveHere(page) },
  ])) {
    const fields = /** @type {Loose} */ (questionFields(page, { link: "", text: {}, question }, () => {}));
    lines.push(`# ${JSON.stringify(question)}`, ...outline(one(fields, "select")));
  }
  held(context, lines);
});

test("a step says where it stands, which figure it shows, and what its question lacks", (context) => {
  const page = pageOf(heard, TABLES());
  const lesson = /** @type {Loose} */ ({
    ...{ format: 1, name: "mine", minutes: 5, title: { en: "Mine" } },
    steps: [
      { link: "n=5", focus: "gradient", text: { en: "Look" } },
      { link: "page=why", text: {}, focus: "sweep" },
      { link: `page=${"x".repeat(50)}`, text: { en: "Gone" } },
      {
        link: "n=5",
        text: {},
        question: { text: {}, answers: [{ text: {} }, { text: {} }], truth: { of: { figure: "entropy", column: 4 } } },
      },
    ],
  });
  const steps = /** @type {Loose} */ (document.createElement("ol"));
  const list = () =>
    steps.replaceChildren(
      ...lesson.steps.map((/** @type {Loose} */ step, /** @type {number} */ i) => stepEntry(editor, step, i)),
    );
  const editor = /** @type {Loose} */ ({
    ...{ page, lang: "en", lesson, steps, keep: () => heard.push("kept") },
    changed: () => {
      heard.push("changed");
      list();
    },
    try: (/** @type {number} */ at) => heard.push(`try ${at}`),
    button: (/** @type {string} */ key, /** @type {() => void} */ onclick, disabled = false) =>
      Object.assign(document.createElement("button"), { id: key, onclick, disabled }),
    area: (/** @type {string} */ key, /** @type {string} */ value, /** @type {(value: string) => void} */ then) =>
      Object.assign(document.createElement("textarea"), { id: key, value, then }),
  });
  list();
  body.append(steps);
  const { lines, tell } = telling(
    () => [...JSON.stringify(lesson.steps).replaceAll("},{", "},\n{").split("\n"), ...outline(steps)],
    heard,
  );
  const of = (/** @type {number} */ at, /** @type {string} */ selector) => one(steps.children[at], selector);
  choose(of(0, "select"), "entropy");
  tell("another figure");
  choose(of(0, "select"), "");
  tell("no figure");
  of(0, "textarea").then("Look here");
  tell("a text");
  for (const [at, id] of /** @type {[number, string][]} */ ([
    [0, "down"],
    [2, "up"],
    [1, "show"],
    [2, "replace"],
    [0, "remove"],
  ])) {
    of(at, `#${id}`).click();
    const focus = steps.children.findIndex((/** @type {Loose} */ entry) => entry.contains(document.activeElement));
    tell(`${at} ${id}; focus in ${focus}`);
  }
  const at = lesson.steps.findIndex((/** @type {Loose} */ step) => step.question);
  const { question } = lesson.steps[at];
  question.truth.of.column = 3;
  of(at, ".editor-question").dispatchEvent(new Event(NUMBERS));
  tell("its column is there");
  question.truth.of.column = 9;
  write(of(at, ".editor-question textarea"), "?");
  tell("its column is not there");
  lines.push(
    ...[{ link: "n=6", question }, { link: "n=6", question: { ...question, reveal: "n=5" } }, { link: "n=5" }].map(
      (step) => `${JSON.stringify(step)}: “${columnsAmiss(page, /** @type {Loose} */ (step), 2)}”`,
    ),
  );
  const head = /** @type {Loose} */ (headFields(editor));
  lines.push(...outline(head));
  for (const [i, value] of [" New ", "7", " new-name "].entries()) write(head.querySelectorAll("input")[i], value);
  lines.push(`${JSON.stringify(lesson.title)} ${lesson.minutes} “${lesson.name}” ${heard.splice(0)}`);
  write(head.querySelectorAll("input")[1], "");
  lines.push(`${lesson.minutes} ${heard.splice(0)}`);
  steps.remove();
  held(context, lines);
});

test("a lesson is made: beside the page or over it, kept, tried, saved, loaded, linked and forgotten", async (context) => {
  const page = pageOf(heard, TABLES(), { link: "n=5&lang=ko&mu=2&present=1&hide=entropy" });
  page.presenter.look.hide = ["entropy"];
  const menu = document.createElement("details");
  menu.id = "lessons-open";
  menu.append(document.createElement("summary"));
  body.append(menu);
  const frame = document.createElement("div");
  frame.className = "gradio-container dark";
  body.append(frame);
  const dialog = () => document.getElementById("lesson-editor");
  const media_heard = () => `${html.className}|${globalThis.sessionStorage.getItem("headlight-lesson-editing")}`;
  const look = () => [...kept(), media_heard(), ...(dialog() ? outline(dialog()) : ["no editor"])];
  const { lines, tell } = telling(look, heard);
  resume(page);
  tell("nothing to go on with");
  edit(page);
  tell("opened over the page");
  const press = async (/** @type {string} */ name) => {
    one(dialog(), `button.editor-${name}`).click();
    await settled();
  };
  const note = () => one(dialog(), ".editor-of-note textarea");
  serves = false;
  await press("save");
  tell("save without a server");
  serves = true;
  await press("save");
  tell("save: it has no step");
  await press("add");
  tell(`add; focus ${document.activeElement?.localName}`);
  page.presenter.look.focus = "gradient";
  page.state.present = "page=explore&predict=true&question=wider_norm";
  await press("add");
  tell("add a question of the page");
  page.presenter.look.focus = "";
  page.state.present = "n=6&predict=true";
  addStep(page);
  tell("add any question of the page");
  write(note(), " Speak up ");
  tell("a note");
  write(note(), "");
  tell("no note");
  write(one(dialog(), ".editor-of-text textarea"), " Look here ");
  tell("a text");
  localStorage.refuses = true;
  write(note(), "lost");
  localStorage.refuses = false;
  tell("the browser keeps nothing");
  write(note(), "");
  await press("save");
  await time.pass(1);
  tell("save");
  await press("link");
  for (let i = 0; i < 500 && !dialog().querySelector(".editor-address"); i += 1) await settled(); // it is packed elsewhere
  tell("link");
  dialog()
    .querySelectorAll(".editor-remove")
    .slice(1)
    .forEach((/** @type {Loose} */ button) => button.click());
  tell("removed");
  page.allowed = false;
  await press("show");
  tell(`try from a step; focus ${document.activeElement?.localName}`);
  edit(page, 0);
  tell("opened at a step");
  await press("try");
  tell("try it all");
  WIDE.turn(true);
  await settled();
  tell("a wide window, without an editor");
  edit(page);
  tell("opened beside the page");
  const key = (/** @type {string} */ key) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key });
    dialog().dispatchEvent(event);
    return event.defaultPrevented;
  };
  tell(`a key ${key("a")}`);
  page.figures.all.get("gradient").block.shown = null;
  const [asks] = dialog().querySelectorAll(".editor-question");
  choose(one(asks, "select"), "answers");
  tell("asked");
  page.figures.all.get("gradient").block.shown = TABLES().gradient;
  document.dispatchEvent(new Event(NUMBERS));
  tell("numbers have come");
  page.figures.all.get("entropy").block.shown = null;
  page.move("n=7");
  await time.pass(100);
  tell("the page has moved: its numbers have not come");
  page.figures.all.get("entropy").block.shown = tableOf(["row", [1, 2]], ["sum", [3, 4]], ["all", [5, 6]]);
  await time.pass(100);
  tell("they have come");
  note().focus();
  page.figures.all.get("entropy").block.shown = null;
  page.move("n=8");
  await time.pass(100);
  tell("moved while somebody writes");
  body.focus();
  WIDE.turn(false);
  await settled();
  tell("narrow");
  tell(`Escape is the dialog's own ${key("Escape")}`);
  WIDE.turn(true);
  await settled();
  tell("wide");
  resume(page);
  tell("the next page");
  const stopped = key("Escape");
  await settled();
  tell(`Escape ${stopped}, listeners ${page.moves.size}`);
  page.move("n=9");
  document.dispatchEvent(new Event(NUMBERS));
  WIDE.turn(true);
  await settled();
  tell("nothing hears it");
  open(
    page,
    /** @type {Loose} */ ({
      format: 1,
      name: "from-file",
      title: { ko: "제목" },
      minutes: 3,
      note: { en: "N" },
      steps: [{ link: "n=5", text: { en: "One" } }],
    }),
  );
  tell("a lesson from a menu's file");
  const box = dialog()
    .querySelectorAll("input")
    .find((/** @type {Loose} */ input) => input.type === "file");
  box.files = {
    item: () => ({
      size: 9,
      text: async () => localStorage.kept.get("headlight-lesson-draft")?.replace("from-file", "another"),
    }),
  };
  box.dispatchEvent(new Event("change"));
  await settled();
  tell("a lesson from a file");
  let noise = "";
  for (let i = 0; noise.length < 25 * 590; i += 1) noise += ((i * 2654435761) >>> 0).toString(36);
  const long = {
    ...{ format: 1, name: "long", title: { en: "L" }, minutes: 3 },
    steps: Array.from({ length: 25 }, (_, i) => ({ link: "n=5", text: { en: noise.slice(590 * i, 590 * (i + 1)) } })),
  };
  open(page, /** @type {Loose} */ (long));
  await press("link");
  for (let i = 0; i < 500 && !one(dialog(), ".editor-said").textContent; i += 1) await settled();
  lines.push("# a lesson too long for a link", ...outline(one(dialog(), ".editor-said")));
  heard.splice(0);
  await press("forget");
  lines.push("# forgotten", ...look());
  await press("close");
  lines.push("# closed", ...look());
  held(context, lines);
});
