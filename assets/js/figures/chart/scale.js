/** One axis of a chart: from values to pixels and back, and its ticks. Pure. */

import { number, raised, ticks } from "../axes.js";
import { plainText } from "../cells/labels.js";

/**
 * @typedef {import("../../../types/plotly.js").AxisLayout} AxisLayout
 * @typedef {{value: number, at: number, text: string}} Tick `at`: pixels
 */

const PREFIXES = ["p", "n", "µ", "m", "", "k", "M", "G", "T"];

export class Scale {
  /**
   * @param {AxisLayout} layout
   * @param {number} from @param {number} to pixels of the range's first and second end
   */
  constructor(layout, from, to) {
    const [low = 0, high = 1] = Array.from(layout.range ?? []);
    this.layout = layout;
    this.log = layout.type === "log";
    this.low = low;
    this.high = high === low ? low + 1 : high;
    this.from = from;
    this.to = to;
  }

  /** Return the pixel of a value; NaN if it has none: no number, or none on a logarithmic axis. @param {number | null} value */
  pixel(value) {
    if (value === null) return NaN; // legend entries have a point without a place
    const at = this.log ? Math.log10(value) : value;
    const pixel = this.from + ((at - this.low) / (this.high - this.low)) * (this.to - this.from);
    return Number.isFinite(pixel) ? pixel : NaN;
  }

  /** Return the value at a pixel. @param {number} pixel */
  value(pixel) {
    const at = this.low + ((pixel - this.from) / (this.to - this.from)) * (this.high - this.low);
    return this.log ? 10 ** at : at;
  }

  /** Return the ticks inside the range, at most one for every `room` pixels. @param {number} room @returns {Tick[]} */
  ticks(room) {
    const most = Math.max(2, Math.floor(Math.abs(this.to - this.from) / room));
    const { layout } = this;
    if (layout.tickmode === "array") return this.#given(layout.tickvals ?? [], layout.ticktext ?? [], most);
    const values = this.log ? this.#decades(most) : this.#steps(most);
    return values.map((value) => ({ value, at: this.pixel(value), text: this.#text(value) }));
  }

  /** @param {ArrayLike<number>} values @param {string[]} texts @param {number} most */
  #given(values, texts, most) {
    const inside = Array.from(values, (value, i) => ({
      value,
      at: this.pixel(value),
      text: plainText(texts[i] ?? String(value)),
    }));
    const seen = inside.filter(
      ({ at }) => at > Math.min(this.from, this.to) - 1 && at < Math.max(this.from, this.to) + 1,
    );
    const step = Math.ceil(seen.length / most);
    return seen.filter((_tick, i) => i % step === 0);
  }

  /** @param {number} most */
  #steps(most) {
    const [low, high] = [Math.min(this.low, this.high), Math.max(this.low, this.high)];
    const { tick0 = 0, dtick, tickmode, nticks = 6, tickformat } = this.layout;
    if (tickmode === "linear" && dtick) {
      const step = dtick * Math.ceil((high - low) / dtick / most);
      const first = Math.ceil((low - tick0) / step - 1e-9);
      const count = Math.floor((high - tick0) / step + 1e-9) - first + 1;
      return Array.from({ length: Math.max(0, count) }, (_, i) => tick0 + (first + i) * step);
    }
    let found = ticks(low, high, Math.min(most, nticks));
    // one number tells no size
    for (let wanted = 3; found.length < 2 && wanted <= 6; wanted += 1) {
      const closer = ticks(low, high, wanted);
      found = closer.length > most ? closer.filter((_tick, i) => i % 2 === 0) : closer;
    }
    return tickformat === "d" ? found.filter(Number.isInteger) : found;
  }

  /** Return powers of ten; between two of them also 2 and 5 times the lower if there is no other way to have two ticks. @param {number} most */
  #decades(most) {
    const [low, high] = [Math.min(this.low, this.high), Math.max(this.low, this.high)];
    const step = Math.max(1, Math.round(this.layout.dtick ?? 1), Math.ceil((high - low) / most));
    const powers = [];
    for (let power = Math.ceil(low / step - 1e-9) * step; power <= high + 1e-9; power += step) powers.push(10 ** power);
    if (powers.length > 1) return powers;
    const all = [];
    for (let power = Math.floor(low); power <= high; power += 1) {
      for (const factor of [1, 2, 5]) {
        const value = factor * 10 ** power;
        if (Math.log10(value) >= low - 1e-9 && Math.log10(value) <= high + 1e-9) all.push(value);
      }
    }
    return all;
  }

  /** @param {number} value */
  #text(value) {
    const { labelalias, ticksuffix = "", exponentformat } = this.layout;
    const alias = labelalias?.[String(value)];
    if (alias !== undefined) return alias;
    if (exponentformat === "SI") return prefixed(value) + ticksuffix;
    if (this.log) return power(value) + ticksuffix;
    return number(Math.abs(value) < 1e-12 * Math.abs(this.high - this.low) ? 0 : value) + ticksuffix;
  }
}

/** Write 10⁻³ for a power of ten beyond 0.01 … 1000. @param {number} value */
function power(value) {
  const exponent = Math.round(Math.log10(value));
  if (Math.abs(value / 10 ** exponent - 1) > 1e-9 || (exponent > -3 && exponent < 4)) return number(value);
  return `10${raised(exponent)}`;
}

/** Write a value with a prefix of the SI: 10 m, 2 µ, 5 k. @param {number} value */
export function prefixed(value) {
  if (!(value > 0)) return number(value);
  const third = Math.min(4, Math.max(-4, Math.floor(Math.log10(value) / 3 + 1e-9)));
  return `${number(value / 1000 ** third)}${PREFIXES[third + 4]}`;
}
