/** A part of the page as SVG or PNG, with every style written into its elements. */

import { save } from "../../files/clipboard.js";
import { brushOf, element } from "../../dom/dom.js";
import { labelledPng, labelledSvg } from "../../files/picture_origin.js";
import { NAMESPACE } from "../../dom/svg.js";

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
 * Return a copy that looks the same without the page's stylesheet; marks of the pointer are left out.
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

/** Return a canvas as an image. @param {HTMLCanvasElement} canvas @param {string | null} style */
export function pictured(canvas, style) {
  const image = element("img", { src: canvas.toDataURL(), alt: canvas.getAttribute("aria-label") ?? "" });
  image.setAttribute("style", style ?? "");
  return image;
}

/** @param {HTMLElement} source */
function copied(source) {
  const copy = /** @type {HTMLElement} */ (source.cloneNode(true));
  const twins = [copy, ...copy.querySelectorAll("*")];
  const pairs = [source, ...source.querySelectorAll("*")].map((original, i) => ({ original, twin: twins[i] }));
  for (const { original, twin } of pairs) {
    const style = getComputedStyle(original);
    twin.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    for (const name of ["tabindex", "aria-describedby"]) twin.removeAttribute(name);
  }
  for (const { original, twin } of pairs) {
    if (original instanceof HTMLCanvasElement) {
      twin.replaceWith(pictured(original, twin.getAttribute("style")));
    }
  }
  return copy;
}

/**
 * @param {HTMLElement} source @param {string} name @param {string} format "svg" or "png"
 * @param {import("../../files/picture_origin.js").Label} label
 */
export async function pictureOf(source, name, format, label) {
  const copy = standing(source);
  const [width, height] = [copy.style.width, copy.style.height].map((length) => Math.ceil(parseFloat(length)));
  const figure = source.closest(".figure") ?? source;
  const ground = document.createElement("div");
  ground.setAttribute(
    "style",
    `background:${getComputedStyle(figure).backgroundColor};width:${width}px;height:${height}px`,
  );
  ground.append(copy);
  const content = new XMLSerializer().serializeToString(ground);
  const svg = `<svg xmlns="${NAMESPACE}" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${content}</foreignObject></svg>`;
  if (format === "svg") {
    save(labelledSvg(svg, label), `${name}.svg`);
    return;
  }
  const image = new Image();
  // A data address: a canvas drawn from a blob could not be read back.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * 2, height * 2];
  const brush = brushOf(canvas);
  brush.scale(2, 2);
  brush.drawImage(image, 0, 0);
  /** @type {Blob | null} */
  const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (picture) save(await labelledPng(picture, label), `${name}.png`);
}
