/** Arithmetic between pixels, cells and ticks. Cell i covers i − ½ … i + ½ on its axis. */

/**
 * Return the part of an axis that a range shows, in source pixels (one pixel a cell).
 * @param {number} from @param {number} to ends of plotly's range, in any order
 */
export const span = (from, to) => ({ start: Math.min(from, to) + 0.5, size: Math.abs(to - from) });

/**
 * Return the layout's name of a trace's axis.
 * @param {string} name "x2"
 * @returns {import("../../types/plotly.js").AxisName} "xaxis2"
 */
export const axisKey = (name) => `${name.startsWith("x") ? "x" : "y"}axis${name.slice(1)}`;

/**
 * Return the cell under a pixel, or null outside.
 * @param {number} pixel distance from the axis' beginning
 * @param {number} length of the axis in pixels
 * @param {[number, number]} range plotly's range; its first end lies at pixel 0
 * @param {number} count number of cells
 */
export function cellAt(pixel, length, range, count) {
  if (pixel < 0 || pixel >= length) return null;
  const cell = Math.round(range[0] + (pixel / length) * (range[1] - range[0]));
  return cell >= 0 && cell < count ? cell : null;
}

/**
 * Return the positions inside the range to label, at most `most`: each first, second, fifth, tenth …
 * @param {[number, number]} range @param {number} count @param {number} most
 */
export function labelled(range, count, most) {
  const low = Math.max(0, Math.ceil(Math.min(...range)));
  const high = Math.min(count - 1, Math.floor(Math.max(...range)));
  const shown = high - low + 1;
  let step = 1;
  for (const factor of [1, 2, 5]) {
    for (let power = 1; power < 1e6; power *= 10) {
      if (shown / (factor * power) <= most && (step === 1 || factor * power < step)) step = factor * power;
    }
  }
  if (shown <= most) step = 1;
  const positions = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) positions.push(at);
  return positions;
}

/**
 * Return about `wanted` round ticks inside a range.
 * @param {number} low @param {number} high @param {number} wanted
 */
export function ticks(low, high, wanted = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw * 0.999) ?? power * 10;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

/**
 * Write a number at three significant digits, with a true minus sign.
 * @param {number} value
 */
export const number = (value) => rounded(value, 3);

/**
 * Write the numbers of an axis: at three significant digits, or at more if their places need them; whole ones in full if that is no longer.
 * @param {number[]} values @param {number} gap between two places that differ
 */
export function tickLabels(values, gap = Math.min(...values.slice(1).map((value, i) => Math.abs(value - values[i])))) {
  const short = values.map((value) => {
    let digits = 3;
    while (digits < 15 && Math.abs(Number(value.toPrecision(digits)) - value) > gap / 20) digits += 1;
    return rounded(value, digits);
  });
  const full = values.map((value, i) => (Number.isSafeInteger(value) ? String(value).replace("-", "−") : short[i]));
  const longest = (/** @type {string[]} */ texts) => Math.max(...texts.map((text) => text.length));
  return longest(full) > longest(short) ? short : full;
}

/**
 * Write a number at some significant digits, with a true minus sign.
 * @param {number} value @param {number} digits
 */
export function rounded(value, digits) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  if (Number(exponent) > -5 && Number(exponent) < 6) {
    // not by Intl, whose first use takes 20 ms before the first picture
    return String(Number(value.toPrecision(digits))).replace("-", "−");
  }
  return `${String(Number(mantissa)).replace("-", "−")}×10${raised(Number(exponent))}`;
}

/** Write a whole number as an exponent. @param {number} exponent */
export const raised = (exponent) => [...String(exponent)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)] ?? "⁻").join("");
