/** The ends of the axes of a teacher's own curve, and the points between them. Pure. */

import { number } from "../figures/axes.js";

/**
 * @typedef {[from: number, to: number]} Ends
 * @typedef {import("../lead/message.js").Axes} Axes
 * @typedef {{key: "one" | "number" | "order" | "large" | "close", fields: Record<string, string>}} Fault the name of a sentence, room.ends.KEY
 */

/** The largest end, and the least difference of two in parts of the larger: the values between them are told apart. */
export const LARGEST = 1e30;
const LEAST = 1e-9;

/** Steps from point to point: those of an axis without numbers, and those that one with numbers may have, best first. */
const STEPS = 7;
const CHOICES = [STEPS, 6, 8, 5, 9, 10, 4];

/** A number as people type it: −2.5, 1e6. */
const TYPED = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Return the number in a box; undefined for an empty box, the text itself if it is no number. @param {string} text */
export function typedNumber(text) {
  const plain = text.trim().replaceAll("−", "-");
  if (plain === "") return undefined;
  return TYPED.test(plain) ? Number(plain) : text.trim();
}

/**
 * Return the two ends of an axis, null of an axis without, or what is wrong with them.
 * @param {number | string | undefined} from @param {number | string | undefined} to undefined: not given; a text: no number
 * @returns {{ends: Ends | null, fault?: undefined} | {ends?: undefined, fault: Fault}}
 */
export function endsOf(from, to) {
  for (const end of [from, to]) {
    if (typeof end === "string") return wrong("number", { came: end.slice(0, 40) });
    if (end !== undefined && !(Math.abs(end) <= LARGEST)) return wrong("large", { most: number(LARGEST) });
  }
  if (typeof from !== "number" || typeof to !== "number") return from === to ? { ends: null } : wrong("one");
  if (from >= to) return wrong("order");
  const near = LEAST * Math.max(Math.abs(from), Math.abs(to), LEAST);
  return to - from < near ? wrong("close") : { ends: [from, to] };
}

/** @param {Fault["key"]} key @param {Record<string, string>} [fields] */
const wrong = (key, fields = {}) => ({ fault: { key, fields } });

/**
 * Return the points of a curve: their places on the horizontal axis, and the numbers of the axes that have ends.
 * @param {Ends | null} across @param {Ends | null} up @returns {{x: number[], axes?: Axes}}
 */
export function points(across, up) {
  const values = across && roundest(across);
  const steps = values ? values.length - 1 : STEPS;
  const x = Array.from({ length: steps + 1 }, (_, i) => Math.round((1000 * i) / steps) / 1000);
  if (!values && !up) return { x };
  const axes = {
    ...(values ? { x: values, log_x: false } : {}),
    ...(up ? { low: up[0], high: up[1], log_y: false } : {}),
  };
  return { x, axes };
}

/** Return the ends that `points` was given. @param {Axes | undefined} axes @returns {{across: Ends | null, up: Ends | null}} */
export function given(axes) {
  const { x, low, high } = axes ?? {};
  return {
    across: x ? [x[0], x[x.length - 1]] : null,
    up: low === undefined || high === undefined ? null : [low, high],
  };
}

/** Return the values of points between two ends, in so many steps that they have the fewest significant digits. @param {Ends} ends */
function roundest([from, to]) {
  const value = (/** @type {number} */ share) => Number((from + share * (to - from)).toPrecision(12));
  const all = CHOICES.map((steps) => [
    from,
    ...Array.from({ length: steps - 1 }, (_, i) => value((i + 1) / steps)),
    to,
  ]);
  const digits = all.map((values) => Math.max(...values.slice(1, -1).map((one) => digitsOf(one))));
  return all[digits.indexOf(Math.min(...digits))];
}

/** Return how many significant digits a value has. @param {number} value */
const digitsOf = (value) => value.toExponential().split("e")[0].replace(/[.-]/g, "").length;
