/** A stand-in for what drawings ask of a browser: styles, sizes, images, and a brush that writes down what it draws. */

import { StandIn } from "./stand_in.mjs";

/** What brushes have drawn since it was last asked, line by line. @type {string[]} */
let lines = [];

/** Return what was drawn since the last time. */
export function drawn() {
  const found = lines;
  lines = [];
  return found;
}

/** @param {unknown} one */
const written = (one) => {
  if (typeof one === "number") return String(Number(one.toFixed(3)));
  if (one instanceof ImageData) return `${one.width}×${one.height}[${[...new Uint32Array(one.data.buffer)]}]`;
  return one instanceof StandIn ? one.localName : String(one);
};

/** A letter of a text is half as wide as it is high; whatever was drawn, every pixel is of one colour, and none from elsewhere than the corner. */
const KNOWN = {
  measureText: (/** @type {string} */ text) => ({ width: 8 * text.length }),
  getImageData: (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ width,
    /** @type {number} */ height,
  ) => {
    const image = /** @type {Loose} */ (new Image(width, height));
    new Uint32Array(image.data.buffer).fill(x || y ? 0 : 0xff326496);
    return image;
  },
};

/** A path that is written as its steps. */
class Path {
  /** @type {string[]} */
  #steps = [];

  constructor() {
    for (const name of ["moveTo", "lineTo", "arc"]) {
      Object.defineProperty(this, name, {
        value: (/** @type {number[]} */ ...given) =>
          this.#steps.push(`${name} ${given.map((one) => Number(one.toFixed(3)))}`),
      });
    }
  }

  toString() {
    return this.#steps.join(" ");
  }
}

/** Return a brush: each call and each property that is set becomes a line. @this {StandIn} */
function brush() {
  /** @type {Record<string, unknown>} */
  const put = { globalAlpha: 1, lineWidth: 1, font: "", canvas: this };
  return new Proxy(put, {
    get: (_, /** @type {string} */ name) =>
      put[name] ??
      Reflect.get(KNOWN, name) ??
      ((/** @type {unknown[]} */ ...given) => void lines.push([name, ...given.map(written)].join(" "))),
    set: (_, /** @type {string} */ name, value) => {
      put[name] = value;
      return Boolean(lines.push(`${name} = ${written(value)}`));
    },
  });
}

/** A stand-in for ImageData, whose pixels are its own. */
export class Image {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
}

/** The places whose size is watched, with what follows from another size. @type {{then: () => void, places: StandIn[]}[]} */
export const watched = [];

/**
 * Stand in for styles, sizes and brushes of the document that `standIn` gives. An element's own `box` is its place in the window.
 * @param {Pick<ReturnType<typeof import("./stand_in.mjs").standIn>["document"], "createElement" | "createElementNS">} document
 */
export function standInDrawing(document) {
  const styled = (/** @type {StandIn} */ one) => ({
    ...{
      fontSize: "16px",
      fontFamily: "serif",
      backgroundColor: Reflect.get(one.style, "background-color") ?? "",
      color: `ink of ${one.className || one.localName}`,
      columnGap: Reflect.get(one.style, "columnGap"),
    },
    getPropertyValue: (/** @type {string} */ name) => Reflect.get(one.style, name) ?? "",
  });
  Object.assign(globalThis, {
    getComputedStyle: styled,
    ImageData: Image,
    Path2D: Path,
    HTMLCanvasElement: StandIn,
    ResizeObserver: class {
      /** @param {() => void} then */
      constructor(then) {
        this.seen = { then, places: /** @type {StandIn[]} */ ([]) };
        watched.push(this.seen);
      }
      observe(/** @type {StandIn} */ one) {
        this.seen.places.push(one);
      }
      unobserve() {}
      disconnect() {}
    },
  });
  const none = { left: 0, top: 0, width: 0, height: 0, right: 0, bottom: 0 };
  const style = (/** @type {Record<string, string>} */ put) =>
    Object.defineProperties(put, {
      setProperty: { value: (/** @type {string} */ name, /** @type {string} */ value) => void (put[name] = value) },
      removeProperty: { value: (/** @type {string} */ name) => delete put[name] },
    });
  Object.assign(StandIn.prototype, {
    /** @this {StandIn} */
    getContext() {
      return this.localName === "canvas" ? brush.call(this) : null;
    },
    getBoundingClientRect() {
      return /** @type {Loose} */ (this).box ?? none;
    },
    checkVisibility() {
      return !(/** @type {Loose} */ (this).hidden);
    },
  });
  const { createElement: made, createElementNS: placed } = document;
  const styledOne = (/** @type {Loose} */ one) => {
    style(one.style);
    return one;
  };
  Object.assign(document, {
    createElement: (/** @type {string} */ name) => styledOne(made(name)),
    createElementNS: (/** @type {string} */ space, /** @type {string} */ name) => styledOne(placed(space, name)),
  });
}
