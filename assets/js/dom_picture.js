/** A part of the page as SVG or PNG: its elements as they look now, with every style written into them. */

import { save } from "./clipboard.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const STYLES = [
  "align-items",
  "background-color",
  "border-bottom",
  "border-collapse",
  "border-left",
  "border-radius",
  "border-right",
  "border-top",
  "box-sizing",
  "color",
  "column-gap",
  "display",
  "fill",
  "flex",
  "flex-direction",
  "flex-wrap",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
  "gap",
  "height",
  "justify-content",
  "line-height",
  "margin",
  "max-width",
  "opacity",
  "padding",
  "position",
  "row-gap",
  "stroke",
  "stroke-dasharray",
  "stroke-width",
  "text-align",
  "text-anchor",
  "vertical-align",
  "white-space",
  "width",
  "image-rendering",
  "font-variant-numeric",
];

/**
 * A copy that looks the same without the page's stylesheet; what belongs to the pointer is left out.
 * @param {HTMLElement} source
 */
export function standing(source) {
  source.classList.add("is-pictured");
  try {
    return copied(source);
  } finally {
    source.classList.remove("is-pictured");
  }
}

/** @param {HTMLElement} source */
function copied(source) {
  const copy = /** @type {HTMLElement} */ (source.cloneNode(true));
  const pairs = [source, ...source.querySelectorAll("*")].map((element, i) => [
    element,
    i ? copy.querySelectorAll("*")[i - 1] : copy,
  ]);
  for (const [element, twin] of pairs) {
    const style = getComputedStyle(element);
    twin.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    for (const name of ["tabindex", "aria-describedby"]) twin.removeAttribute(name);
  }
  for (const [element, twin] of pairs) {
    if (element instanceof HTMLCanvasElement) {
      const image = document.createElement("img");
      image.src = element.toDataURL();
      image.alt = element.getAttribute("aria-label") ?? "";
      image.setAttribute("style", twin.getAttribute("style"));
      twin.replaceWith(image);
    }
  }
  return copy;
}

/** @param {HTMLElement} source @param {string} name @param {string} format "svg" or "png" */
export async function pictureOf(source, name, format) {
  const copy = standing(source);
  const [width, height] = ["width", "height"].map((side) => Math.ceil(parseFloat(copy.style[side])));
  const ground = document.createElement("div");
  ground.setAttribute(
    "style",
    `background:${getComputedStyle(source.closest(".figure")).backgroundColor};width:${width}px;height:${height}px`,
  );
  ground.append(copy);
  const content = new XMLSerializer().serializeToString(ground);
  const svg = `<svg xmlns="${NAMESPACE}" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${content}</foreignObject></svg>`;
  if (format === "svg") {
    save(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`);
    return;
  }
  const image = new Image();
  // A data address: drawn from a blob, the picture could not be read back.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * 2, height * 2];
  const brush = canvas.getContext("2d");
  brush.scale(2, 2);
  brush.drawImage(image, 0, 0);
  save(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), `${name}.png`);
}
