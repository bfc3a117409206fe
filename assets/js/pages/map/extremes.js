/** Many numbers on few pixels: each pixel keeps its least and greatest, so that no spike is lost. Pure. */

/**
 * Return the extremes and the mean of `values` in each of `pixels` equal parts of the window [from, from + length);
 * position i covers i … i + 1. A pixel narrower than a position takes its value. Without a finite value all three are NaN.
 * @param {ArrayLike<number>} values @param {number} from @param {number} length @param {number} pixels
 * @returns {{low: Float32Array, high: Float32Array, mean: Float32Array}}
 */
export function extremes(values, from, length, pixels) {
  const low = new Float32Array(pixels).fill(NaN);
  const high = new Float32Array(pixels).fill(NaN);
  const mean = new Float32Array(pixels).fill(NaN);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const first = Math.max(0, Math.floor(from + (pixel * length) / pixels + 1e-9));
    const end = Math.min(values.length, Math.max(first + 1, Math.ceil(from + ((pixel + 1) * length) / pixels - 1e-9)));
    let [sum, count] = [0, 0];
    for (let i = first; i < end; i += 1) {
      const value = values[i];
      if (!Number.isFinite(value)) continue;
      sum += value;
      count += 1;
      if (!(low[pixel] <= value)) low[pixel] = value;
      if (!(high[pixel] >= value)) high[pixel] = value;
    }
    if (count) mean[pixel] = sum / count;
  }
  return { low, high, mean };
}

/** Return the greatest finite value in a window of positions, or 0. @param {ArrayLike<number>} values @param {number} from @param {number} length */
export function greatest(values, from, length) {
  const { high } = extremes(values, from, length, 1);
  return Number.isFinite(high[0]) ? high[0] : 0;
}

/**
 * Pool rows × columns into at most `most` cells each way: averages or maxima of whole blocks. NaN (masked) counts only
 * if the block holds nothing else.
 * @param {ArrayLike<number>} values @param {number} rows @param {number} columns @param {number} most @param {boolean} maximum
 * @returns {{values: Float32Array, rows: number, columns: number}}
 */
export function pooled(values, rows, columns, most, maximum) {
  const [r, c] = [Math.ceil(rows / Math.ceil(rows / most)), Math.ceil(columns / Math.ceil(columns / most))];
  const [high, wide] = [Math.ceil(rows / most), Math.ceil(columns / most)];
  const found = new Float32Array(r * c).fill(NaN);
  const counts = new Uint32Array(r * c);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      const value = values[i * columns + j];
      if (Number.isNaN(value)) continue;
      const at = Math.floor(i / high) * c + Math.floor(j / wide);
      if (maximum) found[at] = counts[at] ? Math.max(found[at], value) : value;
      else found[at] = counts[at] ? found[at] + value : value;
      counts[at] += 1;
    }
  }
  if (!maximum) counts.forEach((count, at) => count && (found[at] /= count));
  return { values: found, rows: r, columns: c };
}
