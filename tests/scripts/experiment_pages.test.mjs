/** The pages of experiments, Cost and Train, opened whole: what they ask, show and leave out after each press. */

import { test } from "node:test";
import { Page as Cost } from "../../assets/js/pages/cost/page.js";
import { TrainFigures } from "../../assets/js/pages/train/figures.js";
import { Page as Train } from "../../assets/js/pages/train/page.js";
import { held } from "./held.mjs";
import {
  chart,
  drawnOn,
  figurePlace,
  figuresOf,
  filled,
  maps,
  opened,
  question,
  settingsOf,
  standInOpened,
  verdict,
} from "./opened_page.mjs";

const browser = standInOpened();
const { document, last, send } = browser;

const COST = settingsOf("cost", {
  ...{ figures: ["cost-time", "cost-memory"], charts: ["cost-time", "cost-memory"] },
  places: ["insight", "predict", "run", "take-away", "menus", "control-n", "control-d_k"],
  scales: { n: { low: 32, high: 1024, whole: true }, d_k: { low: 8, high: 256, whole: true } },
  presets: { cost_memory: {}, cost_width: { varied: "d_k" } },
  defaults: { n: 256, d_k: 64, tie: false, varied: "n" },
});

/** @param {Loose} settings of the page @returns {(box: Loose) => Loose[]} */
const stage = (settings) => (box) => [
  box("act", box("predict"), box("run")),
  box("panels", ...settings.figures.map(figurePlace)),
  box("take-away"),
];

test("Cost keeps the size that varies out of the controls, and its sliders follow every move", async (context) => {
  const one = opened(browser, Cost, COST, stage(COST), [
    "#control-n",
    "#control-d_k",
    "#control-varied",
    "#run",
    "#message",
    drawnOn,
  ]);
  await one.begin();
  await last(
    one.state({ shipped: true, origin: ["measured once"] }),
    figuresOf({ "cost-time": chart({ heads: [1, 2] }) }),
  );
  await one.tell("a state");
  for (const [name, value] of [
    ["varied", "d_k"],
    ["n", 128],
    ["varied", "n"],
    ["d_k", 16],
  ]) {
    await one.move(/** @type {string} */ (name), value);
    await last(one.state());
    await one.tell("an answer");
  }
  await one.after("a preset", "#preset-cost_width");
  await last(one.state());
  await one.after("its size", "#value-n", "focus");
  one.on("#value-n").value = "512";
  await one.after("a size is typed", "#value-n", "input");
  held(context, one.lines);
});

const TRAIN = settingsOf("train", {
  figures: ["train-accuracy", "train-steps", "heads-accuracy", "heads-maps"],
  ...{ charts: ["train-accuracy", "train-steps", "heads-accuracy"], cells: ["heads-maps"] },
  byExperiment: { quality: ["train-accuracy", "train-steps"], heads: ["heads-accuracy", "heads-maps"] },
  ofHeads: ["heads", "shown", "m"],
  places: ["insight", "predict", "run", "take-away", "menus"],
  defaults: {
    experiment: "quality",
    task: "reverse",
    mechanisms: "scaled",
    widths: "4",
    initialisation: "standard",
    heads: "1",
    shown: "4",
    m: 4,
  },
});

/** The figures of trained heads, by their number. @param {number[]} numbers */
const heads = (numbers) =>
  filled((put) => ({
    part: "heads",
    heads: Object.fromEntries(
      numbers.map((h) => [
        h,
        {
          "heads-maps": put(
            maps(
              Array.from({ length: h }, (_, i) => ({ head: i + 1 })),
              [2, 2],
            ),
          ),
        },
      ]),
    ),
  }));

const CURVE = {
  ...{ x: [1, 2, 4], low: 0, high: 100, log_x: false, log_y: false, x_label: "h", y_label: "%" },
};
const DRAW = question({ choices: undefined, curve: CURVE });

test("Train shows one experiment's figures, the heads that are chosen, and the curve that the visitor drew", async (context) => {
  const panels = () => [
    `heads in a line: ${JSON.stringify(one.page.figures.of("heads-maps").living.lines)}`,
    `without effect: ${one.page.controls.meaningless}`,
  ];
  const one = opened(browser, Train, TRAIN, stage(TRAIN), ["#run", "#predict .buttons", "#message", drawnOn, panels]);
  await one.begin();
  await last(
    one.state({ shipped: true, origin: ["measured once", "with these steps"] }),
    figuresOf({ "train-accuracy": chart({ scaled: [1, 2] }), "train-steps": chart({ scaled: [3, 4] }) }),
  );
  await one.tell("a shipped result");
  await one.move("experiment", "heads");
  await last(one.state(), DRAW);
  await one.tell("a question");
  await one.move("predict", true);
  await last(one.state(), DRAW);
  await one.tell("the page asks");
  const points = one.on("#predict").querySelectorAll("[role=slider]");
  await one.after("the first point higher", points[0], "keydown", { key: "ArrowUp" });
  await one.after("the last lower", points.at(-1), "keydown", { key: "End" });
  await one.after("run", "#predict-reveal");
  await send({ part: "began", run: "run-1" });
  await send(figuresOf({ "heads-accuracy": chart({ heads: [5, 6, 7] }), "train-steps": chart({ scaled: [8] }) }));
  await one.tell("a first result");
  await send(heads([1, 4]));
  await one.tell("heads");
  await send(verdict({ real: await Promise.resolve(["x"]) }));
  await last({ part: "ended" });
  await one.tell("the end");
  for (const shown of ["1", "8"]) {
    await one.move("shown", shown);
    await last(one.state());
    await one.tell("an answer");
  }
  await one.move("m", 2);
  await last(one.state(), heads([1, 2, 8]));
  await one.tell("other heads");
  await one.move("experiment", "quality");
  await last(one.state(), heads([1, 2]));
  await one.tell("heads that came late");
  held(context, one.lines);
});

test("only the accuracy of heads has the curve that was drawn", async (context) => {
  const experiment = /** @type {Loose} */ ({ predict: { prediction: null, shown: null } });
  const figures = /** @type {Loose} */ (
    new TrainFigures(/** @type {Loose} */ ({ ...TRAIN, templates: {} }), (key) => `said ${key}`, experiment)
  );
  /** @type {string[]} */
  const lines = [];
  figures.redraw = async () => {};
  figures.of = () => ({ root: document.createElement("div") });
  for (const [name, prediction, shown] of [
    ["heads-accuracy", null, DRAW],
    ["heads-accuracy", { name: "which", answer: [1, 2, 3] }, DRAW],
    ["train-accuracy", { name: "which", answer: [1, 2, 3] }, DRAW],
    ["heads-accuracy", { name: "which", answer: "one" }, DRAW],
    ["heads-accuracy", { name: "which", answer: [1, 2, 3] }, question()],
    ["heads-accuracy", { name: "which", answer: [1, 2, 3] }, null],
  ]) {
    Object.assign(experiment.predict, { prediction, shown });
    await figures.draw(name, chart({ heads: [5] }), "hash", "state");
    const { drawing, ...more } = figures.drawn.get(name);
    lines.push(
      `${name} ${JSON.stringify([prediction, more])}: ${drawing.data.length} traces ${JSON.stringify(drawing.data[1] ?? null)}`,
    );
  }
  held(context, lines);
});
