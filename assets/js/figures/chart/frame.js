/** The panels of a chart: each pair of axes with its place in pixels and its ticks. Pure. */

import { axisKey } from "../axes.js";
import { extent } from "./extent.js";
import { arranged } from "./grid.js";
import { Scale } from "./scale.js";
import { width as wide } from "./width.js";

/**
 * @typedef {import("../../../types/plotly.js").Layout} Layout
 * @typedef {import("../../../types/plotly.js").Trace} Trace
 * @typedef {import("../../../types/plotly.js").AxisLayout} AxisLayout
 * @typedef {import("./scale.js").Tick} Tick
 * @typedef {{left: number, top: number, right: number, bottom: number}} Sides pixels
 *
 * Two axes that cross, by their names in traces ("x2", "y3").
 * @typedef {object} Panel
 * @property {string} x
 * @property {string} y
 * @property {Scale} across
 * @property {Scale} up
 * @property {Sides} box inside the axes
 * @property {Sides} outer with the words around it
 * @property {{across: Tick[], up: Tick[]}} ticks
 * @property {string} heading
 * @property {string} title of the horizontal axis; of neighbours that share a long one, the last has it
 * @property {string[]} [short] titles of the vertical axis where its title has no room, the shortest last
 * @property {boolean} tall true if there is room for a second line of the heading
 * @property {boolean} below true if that title has a line of its own
 * @property {boolean} beside true if the vertical axis is written at the right of another's panel
 *
 * A panel as the figure describes it.
 * @typedef {object} Described
 * @property {string} x @property {string} y
 * @property {AxisLayout} across @property {AxisLayout} up each with a range
 * @property {{name: string, layout: AxisLayout, short?: string[]}[]} guests vertical axes at the right
 * @property {Trace[]} traces
 * @property {string} heading
 * @property {string[]} [short] titles of the vertical axis where its title has no room, the shortest last
 */

/** Least distances between ticks, in heights of the text; names stand closer than numbers. */
const APART = { across: 2.6, up: 1.8, names: 1.2 };
/** The least width of a heading, in estimates of it: a heading that may fit has one line. */
export const TIGHT = 0.88;
/** Height of a panel with room for one more line, in heights of the text. */
const ROOMY = 15;
/** Between an axis at the right of a panel and the words of the next panel, in heights of the text. */
const BETWEEN = 0.8;

/**
 * Return all panels of a drawing. They share the room equally; their words replace the layout's margins, which fit a
 * figure of another size. Panels with a heading each stand where they are largest.
 * @param {Layout} layout @param {Trace[]} traces
 * @param {{width: number, height: number}} size @param {number} em height of the text in pixels
 * @returns {Panel[]}
 */
export function panels(layout, traces, size, em) {
  const all = described(layout, traces);
  const once = arrange(all, size, em, false);
  // panels below each other have no height for it
  const beside = new Set(once.map(({ outer }) => outer.top)).size === 1;
  const long = once.some(({ heading, outer }) => TIGHT * wide(heading) * em > outer.right - outer.left - em);
  return beside && long ? arrange(all, size, em, true) : once;
}

/**
 * Return panels with one line for their headings, or two.
 * @param {Described[]} all @param {{width: number, height: number}} size @param {number} em @param {boolean} tall
 * @returns {Panel[]}
 */
function arrange(all, size, em, tall) {
  const slots = all.map(({ across, up }) => ({ across: across.domain ?? WHOLE, up: up.domain ?? WHOLE }));
  const free = all.length > 1 && all.every(({ heading }) => heading);
  const grid = arranged(slots, size, em, free);
  /** Return true if a panel stands over another with the same horizontal axis, which names it. @param {number} i */
  const above = (i) =>
    grid.places.some(
      ({ column, line }, j) =>
        column === grid.places[i].column && line > grid.places[i].line && titleOf(all[j]) === titleOf(all[i]),
    );
  /** @template Need @param {Need[]} needs @param {"column" | "line"} way @param {(need: Need) => number} side */
  const most = (needs, way, side) => (/** @type {number} */ at) =>
    Math.max(0, ...needs.filter((_need, i) => grid.places[i][way] === at).map(side));
  const rough = { width: size.width / grid.columns, height: size.height / grid.lines };
  const heights = all.map((one, i) => vertically(one, rough, em, tall, above(i)));
  const over = most(heights, "line", ({ top }) => top);
  const under = most(heights, "line", ({ bottom }) => bottom);
  const lines = tracks(grid.lines, size.height, (at) => [over(at), under(at)]);
  const widths = all.map((one, i) => sideways(one, lines[grid.places[i].line], em));
  const [before, after] = [most(widths, "column", ({ left }) => left), most(widths, "column", ({ right }) => right)];
  const guests = most(all, "column", (one) => Number(one.guests.length > 0));
  const between = (/** @type {number} */ at) => (at < grid.columns - 1 ? guests(at) * BETWEEN * em : 0);
  const columns = tracks(grid.columns, size.width, (at) => [before(at), after(at) + between(at)]);
  /** @param {number} i */
  const last = (i) =>
    !grid.places.some(
      ({ column, line }, j) =>
        line === grid.places[i].line && column > grid.places[i].column && titleOf(all[j]) === titleOf(all[i]),
    );
  return all.flatMap((one, i) => {
    const [column, line] = [columns[grid.places[i].column], lines[grid.places[i].line]];
    const box = { left: column.from, right: column.to, top: line.from, bottom: line.to };
    const outer = { left: column.start, right: column.end, top: line.start, bottom: line.end };
    const across = new Scale(one.across, box.left, box.right);
    const { below, long } = heights[i];
    const shared = {
      x: one.x,
      across,
      box,
      outer,
      title: (long && !last(i)) || above(i) ? "" : titleOf(one),
      below,
      tall,
    };
    const ticks = ticksAcross(across, em);
    const own = [{ name: one.y, layout: one.up, short: one.short }, ...one.guests].map((each) => {
      const { name, layout: axis, short } = each;
      const up = new Scale(axis, box.bottom, box.top);
      return { ...shared, y: name, up, short, ticks: { across: ticks, up: ticksUp(up, em) } };
    });
    return own.map((panel, at) => ({ ...panel, heading: at ? "" : one.heading, beside: at > 0 }));
  });
}

/** @param {Described} panel */
const titleOf = ({ across }) => across.title?.text ?? "";

/** Return the panel of a trace or a shape. @param {Panel[]} all @param {string} [x] @param {string} [y] */
export function panelOf(all, x = "x", y = "y") {
  return all.find((panel) => panel.y === y && panel.x === x) ?? all.find((panel) => panel.y === y);
}

const WHOLE = [0, 1];

/** Read the panels from a layout. @param {Layout} layout @param {Trace[]} traces @returns {Described[]} */
function described(layout, traces) {
  const vertical = Object.keys(layout).filter(isVertical);
  return vertical
    .filter((key) => !layout[key].overlaying)
    .map((key) => {
      const short = (/** @type {import("../../../types/plotly.js").AxisName} */ name) => layout.meta?.short?.[name];
      const [y, up] = [key.replace("axis", ""), layout[key]];
      const x = up.anchor ?? "x";
      /** @type {AxisLayout} */
      const across = layout[axisKey(x)] ?? {};
      const inside = traces.filter((trace) => (trace.yaxis ?? "y") === y);
      const note = (layout.annotations ?? []).find((one) => one.xref === `${x} domain` && one.yref === `${y} domain`);
      return {
        x,
        y,
        across: { ...across, range: across.range ?? extent(inside, "x", across) },
        up: { ...up, range: up.range ?? extent(inside, "y", up) },
        guests: vertical
          .filter((other) => layout[other].overlaying === y)
          .map((other) => ({ name: other.replace("axis", ""), layout: layout[other], short: short(other) })),
        traces: inside,
        heading: note?.text ?? "",
        short: short(key),
      };
    });
}

/**
 * Return the room that a panel's words need above and below.
 * @param {Described} one @param {{width: number, height: number}} rough its size with the words @param {number} em
 * @param {boolean} tall @param {boolean} above true if the panel below names the axis
 */
function vertically({ across: axis, up, guests, heading }, rough, em, tall, above) {
  const name = above ? "" : (axis.title?.text ?? "");
  // given ticks are what was computed, and a logarithmic axis has few: where there is room, none makes way for the title
  const given = axis.tickmode === "array" || axis.tickmode === "linear" || axis.type === "log";
  // a name among numbers stands nowhere else; "+8" names the other eight
  const named =
    axis.tickmode === "array" &&
    (axis.ticktext ?? []).some((tick) => tick.startsWith("+") || Number.isNaN(Number(tick)));
  const kept = name !== "" && ((given && rough.height > ROOMY * em) || named);
  const long = wide(name) * em > 0.4 * rough.width;
  const below = kept || long;
  return {
    long,
    top: em * (tall && heading ? 3.1 : heading || up.title?.text || guests.length ? 1.95 : 0.7),
    bottom: em * (name || axis.showticklabels !== false ? (below ? 2.8 : 1.65) : 0.6),
    below,
  };
}

/**
 * Return the room that a panel's words need at its sides.
 * @param {Described} one @param {{from: number, to: number}} line its ends in pixels @param {number} em
 */
function sideways({ up, guests, traces }, { from, to }, em) {
  /** @param {AxisLayout} axis */
  const labels = (axis) =>
    axis.showticklabels === false ? [] : ticksUp(new Scale(axis, to, from), em).map(({ text }) => wide(text) * em);
  const beside = guests.flatMap(({ layout }) => labels(layout));
  return {
    left: 8 + Math.max(em * 0.4, ...labels(up)),
    right: Math.max(em * 0.9, ...beside.map((label) => label + 8), ...traces.map((trace) => ending(trace) * em)),
  };
}

/** Return the width of the text that a line ends in, in heights of the text. @param {Trace} trace */
const ending = ({ mode, text = [] }) => (mode === "lines+text" ? wide(text.at(-1) ?? "") + 0.4 : 0);

/**
 * Divide a length into equal tracks between their margins.
 * @param {number} count @param {number} length @param {(at: number) => [number, number]} margins
 */
function tracks(count, length, margins) {
  const sides = Array.from({ length: count }, (_, at) => margins(at));
  const inner = Math.max(8, (length - sides.flat().reduce((sum, side) => sum + side, 0)) / count);
  let start = 0;
  return sides.map(([before, after]) => {
    const from = start + before;
    const track = { start, from, to: from + inner, end: from + inner + after };
    start = track.end;
    return track;
  });
}

/** @param {Scale} scale @param {number} em */
const ticksUp = (scale, em) => scale.ticks((scale.layout.tickmode === "array" ? APART.names : APART.up) * em);

/** Return ticks whose labels do not touch. @param {Scale} scale @param {number} em */
function ticksAcross(scale, em) {
  // given names may stand as close as they are short
  const least = scale.layout.tickmode === "array" ? APART.names : APART.across;
  const ticks = scale.ticks(least * em);
  const longest = Math.max(0, ...ticks.map(({ text }) => wide(text))) + 0.9;
  return longest > least ? scale.ticks(longest * em) : ticks;
}

/** @param {string} key @returns {key is import("../../../types/plotly.js").AxisName} */
const isVertical = (key) => /^yaxis\d*$/.test(key);
