/** The fields of a curve to draw: whose numbers it is, its axes, and how they look. */

import { number } from "../figures/axes.js";
import { element } from "../dom/dom.js";
import { CurveDrawing } from "../asking/predict_curve.js";
import { amount, flag, line, put } from "./editor_fields.js";
import { columnChoice, figureChoice, linesChoice, numeric, tableOf } from "./editor_numbers.js";
import { spoken } from "./lesson.js";
import { firstSeries, proposed } from "./proposed.js";
import { curve as heightsOf } from "./quantity.js";
import { asDrawn, axes } from "./question.js";
import { faultOf } from "./step_faults.js";

/** @typedef {import("./shape.js").Curve} Curve */
/** @typedef {import("./shape.js").Page} Page */

/** Return a curve of what is on screen. @param {Page} page @returns {Curve} */
export function curveHere(page) {
  const shown = page.settings.figures.filter((/** @type {string} */ name) => tableOf(page, name));
  const { charts = [] } = page.settings;
  const [first] = page.settings.figures;
  const [figure = first] = [...shown.filter((/** @type {string} */ name) => charts.includes(name)), ...shown];
  /** @type {Curve} */
  const made = { figure, x: 1, y: 2, points: [0, 1], low: 0, high: 1 };
  take(page, made);
  return made;
}

/** Choose columns of another figure. @param {Page} page @param {Curve} curve */
function take(page, curve) {
  [curve.x, curve.y] = numeric(tableOf(page, curve.figure));
  delete curve.lines;
  put(curve, "where", firstSeries(tableOf(page, curve.figure), curve.x));
  propose(page, curve);
}

/** Take axes from the numbers on screen, and their names from the headings. @param {Page} page @param {Curve} curve */
function propose(page, curve) {
  const found = proposed(tableOf(page, curve.figure), curve);
  if (!found) return;
  delete curve.log_x;
  const [x, y] = axes(page, curve);
  const { lang } = page.state.values;
  Object.assign(curve, found, { x_label: { [lang]: x }, y_label: { [lang]: y } });
}

/** @param {string} text @returns {number[]} what is no number is NaN, which the format refuses */
const read = (text) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

/** @param {Page} page @param {Curve} curve @param {() => void} changed @param {() => void} draw */
export function curveFields(page, curve, changed, draw) {
  const { lang } = page.state.values;
  const text = (/** @type {string} */ key) => page.text(`lesson.${key}`);
  const drawn = element("div", { className: "editor-drawn" });
  const look = () => drawn.replaceChildren(...picture(page, curve));
  const changedLook = () => {
    changed();
    look();
  };
  const renew = (/** @type {() => void} */ work) => {
    work();
    changed();
    draw();
  };
  const points = line(
    text("curve_points"),
    curve.points.map((one) => (Number.isFinite(one) ? String(one) : "?")).join(", "),
    400,
    (value) => {
      curve.points = read(value);
      changedLook();
    },
  );
  points.className = "editor-points";
  const end = (/** @type {"low" | "high"} */ name) =>
    amount(text(`curve_${name}`), curve[name], (value) => {
      put(curve, name, value);
      changedLook();
    });
  const label = (/** @type {"x_label" | "y_label"} */ name) =>
    line(text(`curve_${name}`), spoken(curve[name], lang), 160, (value) => {
      const others = { ...curve[name] };
      if (value) others[lang] = value;
      else delete others[lang];
      put(curve, name, Object.keys(others).length ? others : undefined);
      changedLook();
    });
  const again = element("button", { type: "button", className: "tool editor-propose" }, text("curve_propose"));
  again.disabled = proposed(tableOf(page, curve.figure), curve) === null;
  again.onclick = () => renew(() => propose(page, curve));
  look();
  return [
    element(
      "div",
      { className: "editor-truth" },
      figureChoice(page, curve.figure, (figure) =>
        renew(() => {
          curve.figure = figure;
          take(page, curve);
        }),
      ),
      columnChoice(page, text("curve_x"), curve.figure, curve.x, (at) =>
        renew(() => {
          curve.x = at;
          propose(page, curve);
        }),
      ),
      columnChoice(page, text("curve_y"), curve.figure, curve.y, (at) =>
        renew(() => {
          curve.y = at;
          propose(page, curve);
        }),
      ),
    ),
    linesChoice(page, curve, changed, draw),
    element("div", { className: "editor-axis" }, points, end("low"), end("high")),
    element("div", { className: "editor-axis is-names" }, label("x_label"), label("y_label")),
    flag(text("curve_log_x"), curve.log_x ?? false, (value) => {
      put(curve, "log_x", value || undefined);
      changedLook();
    }),
    drawn,
    element("div", { className: "lesson-tools" }, again),
  ];
}

/** Draw the axes, and the curve as it is in the state on screen. @param {Page} page @param {Curve} curve */
function picture(page, curve) {
  const { points, low, high } = curve;
  if (points.length < 2 || ![...points, low, high].every(Number.isFinite) || faultOf(curve)) return [];
  const heights = heightsOf(tableOf(page, curve.figure), curve);
  const drawing = new CurveDrawing(
    asDrawn(curve, page.state.values.lang, axes(page, curve)),
    (key, fields) => page.text(key, fields),
    () => {},
  );
  drawing.put(heights.map((value) => Math.min(1, Math.max(0, drawing.up.place(value) || 0))));
  const box = element("div", { inert: true, aria: { hidden: "true" } }, drawing.svg);
  const value = heights.map(number).join(" · ");
  return [box, element("p", { className: "editor-now" }, page.text("lesson.now", { value }))];
}
