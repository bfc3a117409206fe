/** The room for map and strips in the window: the map is the largest square that leaves strips and an open row theirs. */

/** As in assets/css/map.css. */
const WIDE = "(min-width: 821px)";
/** Least width of an open row's panel beside the map, in pixels. */
const ROW = 200;
/** A figure narrower than this, in heights of its type, has no room for its title beside its colour bar. */
const NARROW = 42;
/** Pixels of the next strip that a phone shows. */
const PEEK = 22;
/** Fits after which two sides that lead to each other are known as such. */
const FITS = 8;

/**
 * What stands in the room.
 * @typedef {object} Parts
 * @property {HTMLElement} figures around map, strips and row
 * @property {{root: HTMLElement, stage: HTMLElement}} block of the map
 * @property {HTMLElement} heads
 * @property {import("./chart.js").Chart} chart
 * @property {import("./strips.js").Strips} strips
 */

export class Layout {
  #parts;
  #sight;
  #resized;

  /** @param {Parts} parts @param {{row: number | null}} sight @param {() => void} resized follows a canvas of another size, which is empty */
  constructor(parts, sight, resized) {
    this.#parts = parts;
    this.#sight = sight;
    this.#resized = resized;
    const { figures, block, strips, heads } = parts;
    const sizes = new ResizeObserver(() => this.fit());
    for (const one of [figures, block.stage, strips.stage, heads]) sizes.observe(one);
    window.addEventListener("resize", () => this.fit()); // another resolution at the same size
  }

  /**
   * Fit map and strips into the window. The room of heads, titles and strips follows the map's side, so the fit is
   * repeated until it changes nothing: a ResizeObserver that finds a change of its own waits for the next frame with the
   * rest, and a frame with a map that does not fit would be painted.
   */
  fit() {
    const { chart, strips, block } = this.#parts;
    const size = () => `${chart.side} ${chart.scale} ${strips.size}`;
    const before = size();
    let [side, fits] = [NaN, 0];
    for (; side !== chart.side && fits < FITS; fits += 1) {
      side = chart.side;
      this.#once();
    }
    // of two sides that lead to each other the smaller one fits
    if (side !== chart.side) this.#once(Math.min(side, chart.side));
    if (before !== size()) this.#resized();
    this.#align();
    block.root.dataset.fitted = `${innerWidth} × ${innerHeight}`;
  }

  /** Fit map and strips once, by the room that all else takes now. @param {number} [most] pixels of the map's side */
  #once(most = Infinity) {
    const beside = matchMedia(WIDE).matches;
    const { chart, strips, figures, block } = this.#parts;
    const gap = parseFloat(getComputedStyle(figures).columnGap) || 0;
    const row = this.#sight.row === null ? 0 : ROW + gap;
    const others = beside ? strips.least + gap + row : 0;
    const room = beside ? figures.clientWidth : block.stage.clientWidth;
    const { left, right, width, height } = chart.around;
    const sign = beside ? 0 : PEEK; // the next strip looks in
    chart.fit(Math.min(most, room - width - others - sign), block.stage.clientHeight - height);
    figures.style.setProperty("--strips", `${strips.least}px`);
    figures.style.setProperty("--map", `${Math.ceil(left + chart.side + right)}px`);
    block.root.classList.toggle("is-narrow", block.root.clientWidth < NARROW * chart.type);
    strips.stage
      .closest(".figure-place")
      ?.classList.toggle("is-narrow", strips.stage.clientWidth < (NARROW / 2) * chart.type);
    strips.fit(beside, chart.side, chart.scale);
  }

  /** Align strips beside the map with its first query. */
  #align() {
    const { chart, strips } = this.#parts;
    const { root, strips: all, beside } = strips;
    root.style.paddingTop = "0px";
    if (!beside || !all.length) return;
    const apart = chart.cells.getBoundingClientRect().top - all[0].box.getBoundingClientRect().top;
    root.style.paddingTop = `${Math.max(0, apart)}px`;
  }
}
